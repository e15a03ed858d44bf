// look_block.c: what bodies look like, for the page: visuals as JSON, surfaces as blocks with levels of detail.
#include "base/json.h"
#include "geometry/looks/look.h"
#include "viewer.h"

#include <routh/scene.h>

#include <math.h>

static void put_visual(rh_json *json, const rh_model_visual *v)
{
  static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule", "ellipsoid", "mesh"};
  const double p[3] = {v->place.p.x, v->place.p.y, v->place.p.z};
  rh_json_open_object(json, NULL);
  rh_json_string(json, "kind", kinds[v->kind]);
  rh_json_integer(json, "body", v->body);
  rh_json_numbers(json, "at", p, 3);
  rh_json_numbers(json, "turn", v->place.R.m, 9);
  switch (v->kind) {
  case RH_VISUAL_BOX:
    rh_json_numbers(json, "size", v->size, 3);
    break;
  case RH_VISUAL_ELLIPSOID:
    rh_json_numbers(json, "semi", v->size, 3);
    break;
  case RH_VISUAL_MESH:
    rh_json_numbers(json, "scale", v->size, 3);
    rh_json_integer(json, "mesh", v->mesh);
    break;
  default:
    rh_json_numbers(json, "radius", v->size, 1);
    rh_json_numbers(json, "length", v->size + 1, 1);
    break;
  }
  if (v->color[3] >= 0) {
    rh_json_numbers(json, "color", v->color, 4);
  }
  rh_json_close(json);
}

void rh_viewer_visuals_put(rh_json *json, const rh_model *model)
{
  const rh_model *m = model;
  rh_json_open_array(json, "visuals");
  for (int i = 0; i < m->meshes.visuals.n; i++) {
    put_visual(json, &m->meshes.visuals.of[i]);
  }
  rh_json_close(json);
  rh_json_open_array(json, "looks");
  for (int i = 0; i < m->meshes.visuals.nmesh; i++) {
    const rh_look *look = m->meshes.visuals.mesh[i];
    double cell[RH_LOOK_LEVELS_MAX];
    int n = rh_look_levels(look);
    for (int k = 0; k < n; k++) {
      cell[k] = rh_look_cell(look, k);
    }
    rh_json_open_object(json, NULL);
    rh_json_integer(json, "triangles", look->ntri);
    rh_json_numbers(json, "cells", cell, n);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static void put_look(rh_text *out, int mesh, int level, const rh_look *look)
{
  const uint32_t word[RH_VIEWER_HEAD - 1] = {
      RH_VIEWER_LOOK,       (uint32_t)mesh,       1, (uint32_t)level, (uint32_t)look->nvert,
      (uint32_t)look->ntri, (uint32_t)look->npart};
  rh_viewer_put_head(out, word);
  for (int i = 0; i < 3 * look->nvert; i++) {
    rh_viewer_put_f32(out, look->vert[i]);
  }
  for (int i = 0; i < 3 * look->ntri; i++) {
    rh_viewer_put_u32(out, (uint32_t)look->tri[i / 3][i % 3]);
  }
  for (int i = 0; i < look->npart; i++) {
    const unsigned char *c = look->part[i].rgba;
    rh_viewer_put_u32(out, (uint32_t)look->part[i].first);
    rh_viewer_put_u32(out, (uint32_t)c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16 |
                               (uint32_t)c[3] << 24);
  }
}

int rh_viewer_look_levels(const rh_model *model, int mesh)
{
  return rh_look_levels(model->meshes.visuals.mesh[mesh]);
}

rh_status rh_viewer_look(const rh_model *model, int mesh, int level, rh_text *out)
{
  rh_look *look = rh_look_level(model->meshes.visuals.mesh[mesh], level);
  if (!look) {
    return RH_OUT_OF_MEMORY;
  }
  put_look(out, mesh, level, look);
  rh_free(look);
  return RH_OK;
}

// About a quarter of the triangles at each level
static double triangles_at(const rh_model *model, int mesh, int level)
{
  const rh_look *look = model->meshes.visuals.mesh[mesh];
  return ldexp(look->ntri, -2 * level);
}

void rh_viewer_look_budget(const rh_model *model, double triangles, int *level)
{
  for (;;) {
    double sum = 0;
    int most = RH_NONE;
    for (int i = 0; i < model->meshes.visuals.nmesh; i++) {
      double n = triangles_at(model, i, level[i]);
      bool more = level[i] + 1 < rh_viewer_look_levels(model, i);
      sum += n;
      most = more && (most == RH_NONE || n > triangles_at(model, most, level[most])) ? i : most;
    }
    if (sum <= triangles || most == RH_NONE) {
      return;
    }
    level[most]++;
  }
}
