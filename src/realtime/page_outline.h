// page_outline.h: the world seen along z: outlines of its shapes, contacts, the device, the force on it. For pages.
#ifndef ROUTH_REALTIME_PAGE_OUTLINE_H
#define ROUTH_REALTIME_PAGE_OUTLINE_H

#include "base/text.h"
#include "live.h"

typedef struct rh_sketch rh_sketch;

rh_sketch *rh_sketch_open(const rh_model *model, double rate); // NULL: out of memory
// A view as JSON, which replaces the content of `text`:
//   {"t", "rate", "worst", "missed", "returned", "gain", "state", "device": [x, y], "tool": [x, y], "force": [fx, fy],
//    "box": [x0, y0, x1, y1] of the first view,
//    "shapes": [[x, y, ...], ...], "planes": [[x, y, nx, ny], ...], "contacts": [[x, y, fx, fy], ...]}
void rh_sketch_draw(rh_sketch *sketch, const rh_view *view, rh_text *text);
void rh_sketch_close(rh_sketch *sketch);

#endif
