// scene_trace.c: the recorded hand of a haptic scene, a CSV file (hand_trace.h). Its rows replace
// its name, as with meshes.
#include "hand_trace.h"
#include "model/kinds.h"
#include "scene_entry.h"

#include <string.h>

static rh_status take_rows(rh_entry *e, const char *text, size_t bytes, const char *name)
{
  rh_haptic_def *def = e->def;
  const rh_haptic_hand *hand = rh_kinds_get()->haptic_hand_find(def->hand.text);
  int width = hand ? hand->width : 0;
  rh_hand_trace trace;
  RH_TRY(rh_hand_trace_parse(text, bytes, name, e->r->diag, &trace));
  if (width != 0 && trace.width != width) { // a hand that has none is refused by the check
    rh_free(trace.row);
    rh_diag_add(e->r->diag, RH_ERROR, (rh_place){.file = name},
                width == RH_TRACE_POSE ? "holds forces, but this hand (spring) needs poses: x, y, z"
                                       : "holds poses, but this hand needs forces: fx, fy, fz");
    return RH_INPUT_REFUSED;
  }
  int file = rh_section_find_field(e->section, "trace_file");
  int field = rh_section_find_field(e->section, "trace");
  def->trace = (rh_numbers){trace.rows * trace.width, trace.row};
  memset(&def->trace_file, 0, sizeof def->trace_file);
  e->origin.field[field] = e->origin.field[file];
  e->origin.field[file] = (rh_place){0};
  return RH_OK;
}

rh_status rh_entry_load_trace(rh_entry *e)
{
  const rh_haptic_def *def = e->def;
  char where[RH_WHERE_MAX];
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  if (def->trace_file.text[0] == '\0' || def->trace.n > 0) {
    return RH_OK; // two at once are refused by the check
  }
  if (!rh_entry_find_file(e, "trace_file", def->trace_file.text, where)) {
    return RH_OK;
  }
  rh_status status = rh_file_read(where, e->r->diag, &text, &bytes, &name);
  if (status == RH_OK) {
    status = take_rows(e, text, bytes, name);
    rh_free(text);
  }
  if (status == RH_INPUT_REFUSED ||
      status == RH_OVER_LIMIT) { // reported; other errors of the scene follow
    e->r->refused = true;
    return RH_OK;
  }
  return status;
}
