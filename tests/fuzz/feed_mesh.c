// feed_mesh.c: takes any bytes as an STL and as an OBJ file, and what comes out of it as points of a hull; and as a COLLADA file
// and as a packed surface. What must hold: a refusal says why; an accepted mesh has finite points and triangles that name them; a
// hull holds all its points; a surface packs to a text that gives it again.
#include "fuzz/feed.h"

#include "geometry/hull/hull.h"
#include "geometry/looks/look.h"
#include "scene_io/mesh.h"
#include "scene_io/visual/dae.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      (void)fprintf(stderr, "fuzz: %s does not hold\n", #condition);                               \
      abort();                                                                                     \
    }                                                                                              \
  } while (0)

#define POINTS_MAX 500 // beyond it the check of the hull takes longer than all the rest

// How far the points reach along n above a given one.
static double highest(const rh_vec3 *p, int count, rh_vec3 n, rh_vec3 from)
{
  double most = 0;
  for (int i = 0; i < count; i++) {
    most = fmax(most, rh_dot(n, rh_sub(p[i], from)));
  }
  return most;
}

static void check_hull(const rh_mesh *mesh)
{
  const double tolerance = mesh->single ? RH_HULL_TOLERANCE_FLOAT : RH_HULL_TOLERANCE;
  rh_hull *hull = NULL;
  const char *why = NULL;
  rh_status status = rh_hull_create(mesh->vert, mesh->nvert, tolerance, &hull, &why);
  MUST((status == RH_OK) == (hull != NULL));
  MUST(status == RH_OK || why != NULL);
  if (!hull) {
    return;
  }
  MUST(hull->nvert >= 4 && hull->nface >= 4 && hull->volume > 0);
  double size = hull->radius + rh_norm(hull->centre);
  for (int f = 0; f < hull->nface; f++) {
    rh_vec3 n = hull->face[f].normal;
    int top = rh_hull_support(hull, n, f % hull->nvert);
    MUST(top >= 0 && top < hull->nvert);
    // The walk uphill ends at the top. What was left out stuck out by the tolerance at most, some times in a row.
    MUST(highest(hull->vert, hull->nvert, n, hull->vert[top]) <= 1e-9 * size);
    MUST(highest(mesh->vert, mesh->nvert, n, hull->vert[top]) <= 10 * tolerance * size);
  }
  rh_free(hull);
}

// Says all messages once, as the program does.
static void check_messages(const rh_diag *diag)
{
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    char line[512];
    rh_message message = rh_diag_get(diag, i);
    MUST(message.text != NULL && message.text[0] != '\0');
    (void)rh_message_format(&message, line, sizeof line);
  }
}

static void check_mesh(const rh_mesh *mesh)
{
  for (int i = 0; i < mesh->nvert; i++) {
    rh_vec3 p = mesh->vert[i];
    MUST(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) <= RH_MESH_COORD_MAX);
    MUST(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
  }
  for (int i = 0; i < mesh->ntri; i++) {
    const int *t = mesh->tri[i];
    MUST(t[0] >= 0 && t[1] >= 0 && t[2] >= 0);
    MUST(t[0] < mesh->nvert && t[1] < mesh->nvert && t[2] < mesh->nvert);
  }
  if (mesh->nvert > 0 && mesh->nvert <= POINTS_MAX) {
    check_hull(mesh);
  }
}

static void feed_as(const uint8_t *bytes, size_t size, const char *name)
{
  rh_diag *diag = rh_diag_create();
  rh_mesh mesh;
  MUST(diag != NULL);
  rh_status status = rh_mesh_parse((const char *)bytes, size, name, diag, &mesh);
  if (status != RH_OK) {
    MUST(rh_diag_count(diag, RH_ERROR) > 0);
    MUST(mesh.vert == NULL && mesh.tri == NULL && mesh.nvert == 0 && mesh.ntri == 0);
  }
  check_messages(diag);
  check_mesh(&mesh);
  rh_mesh_free(&mesh);
  rh_diag_destroy(diag);
}

void rh_feed_mesh(const uint8_t *bytes, size_t size)
{
  feed_as(bytes, size, "fuzz.stl");
  feed_as(bytes, size, "fuzz.obj");
  feed_as(bytes, size, "fuzz.msh");
}

// ---- Surfaces that only show

static void check_surface(const rh_look *look)
{
  for (int i = 0; i < 3 * look->ntri; i++) {
    int v = look->tri[i / 3][i % 3];
    MUST(v >= 0 && v < look->nvert);
    MUST(isfinite(look->vert[3 * v]) && isfinite(look->vert[3 * v + 1]));
    MUST(isfinite(look->vert[3 * v + 2]));
  }
  for (int i = 0; i < look->npart; i++) {
    MUST(look->part[i].first >= (i > 0 ? look->part[i - 1].first : 0));
    MUST(look->part[i].first <= look->ntri);
  }
}

// Twice packed is the same text, and each level of detail is a surface.
static void check_look(const rh_look *look)
{
  rh_text text = {0};
  rh_text again = {0};
  rh_look *back = NULL;
  const char *why = NULL;
  check_surface(look);
  rh_status status = rh_look_pack(look, &text);
  MUST(status == RH_OK || status == RH_INPUT_REFUSED); // all its triangles are points
  if (status == RH_OK) {
    MUST(rh_look_unpack(text.data, text.size, &back, &why) == RH_OK && back != NULL);
    check_surface(back);
    MUST(rh_look_pack(back, &again) == RH_OK);
    MUST(again.size == text.size && memcmp(again.data, text.data, text.size) == 0);
    for (int k = 0; k < rh_look_levels(back); k++) {
      rh_look *level = rh_look_level(back, k);
      MUST(level != NULL);
      check_surface(level);
      rh_free(level);
    }
  }
  rh_free(back);
  rh_text_free(&text);
  rh_text_free(&again);
}

void rh_feed_look(const uint8_t *bytes, size_t size)
{
  rh_diag *diag = rh_diag_create();
  rh_look *look = NULL;
  const char *why = NULL;
  MUST(diag != NULL);
  rh_status status = rh_dae_parse((const char *)bytes, size, "fuzz.dae", diag, &look);
  MUST((status == RH_OK) == (look != NULL));
  MUST(status == RH_OK || rh_diag_count(diag, RH_ERROR) > 0);
  check_messages(diag);
  if (look && look->ntri > 0) {
    check_look(look);
  }
  rh_free(look);
  rh_diag_destroy(diag);
  status = rh_look_unpack((const char *)bytes, size, &look, &why);
  MUST((status == RH_OK) == (look != NULL) && (status == RH_OK || why != NULL));
  if (look) {
    check_look(look);
  }
  rh_free(look);
}
