// The size of shapes. The inertia of a body: as given, or from its shapes filled evenly with the
// body's mass; and its check: principal moments not negative and none above the sum of the two
// others (the triangle rule).
#include "inertia.h"

#include "geometry/hull/hull.h"
#include "multibody/multibody.h"

#include <routh/kind.h>

#include <math.h>
#include <string.h>

bool rh_shape_map_build(rh_shape_map *map, const rh_scene *scene, const rh_name_index *bodies)
{
  int nshape = rh_scene_count(scene, RH_SECTION_SHAPES);
  map->first = rh_alloc(((size_t)bodies->count + 1) * sizeof *map->first); // the last is the world
  map->next = rh_alloc((size_t)nshape * sizeof *map->next);
  map->solid = rh_alloc((size_t)nshape * sizeof *map->solid);
  if (!map->first || !map->next || !map->solid) {
    return false;
  }
  for (int i = 0; i <= bodies->count; i++) {
    map->first[i] = RH_NONE;
  }
  for (int i = nshape - 1; i >= 0;
       i--) { // backwards, so that the lists run in the order of the scene
    const rh_shape_def *s = rh_scene_item(scene, RH_SECTION_SHAPES, i);
    bool ground = strcmp(s->body.text, "world") == 0;
    int body = ground ? bodies->count : rh_name_index_find(bodies, s->body.text);
    map->next[i] = RH_NONE;
    if (body != RH_NONE) {
      map->next[i] = map->first[body];
      map->first[body] = i;
    }
  }
  return true;
}

void rh_shape_map_free(rh_shape_map *map)
{
  rh_free(map->first);
  rh_free(map->next);
  rh_free(map->solid);
}

// About the centre of mass c, for mass m: the inertia about the body's origin.
static rh_inertia about_origin(double mass, rh_vec3 c, const rh_sym3 *I)
{
  rh_inertia centred = {mass, {0, 0, 0}, *I};
  return rh_inertia_shift_back(&centred, c);
}

static void add_inertia(rh_inertia *sum, const rh_inertia *part)
{
  sum->mass += part->mass;
  sum->h = rh_add(sum->h, part->h);
  sum->I = rh_sym3_add(&sum->I, &part->I);
}

static double shape_volume(const rh_scene *scene, const rh_shape_map *shapes, int shape)
{
  const rh_shape_def *s = rh_scene_item(scene, RH_SECTION_SHAPES, shape);
  const rh_shape *kind = rh_shape_find(s->kind.text);
  const rh_solid *solid = shapes->solid[shape];
  if (kind && kind->mesh_volume) {
    return solid ? kind->mesh_volume(solid->mesh, s->par) : 0;
  }
  return kind && kind->volume ? kind->volume(s->par) : 0;
}

// About the shape's centre of mass, for unit mass, shape axes; and the position of that centre.
static rh_sym3 shape_inertia(const rh_scene *scene, const rh_shape_map *shapes, int shape,
                             rh_vec3 *centre)
{
  const rh_shape_def *s = rh_scene_item(scene, RH_SECTION_SHAPES, shape);
  const rh_shape *kind = rh_shape_find(s->kind.text);
  const rh_solid *solid = shapes->solid[shape];
  *centre = rh_v3(0, 0, 0);
  if (kind->mesh_inertia) {
    rh_sym3 I = kind->mesh_inertia(solid->mesh, s->par, centre);
    *centre = rh_add(solid->middle, *centre);
    return I;
  }
  return kind->inertia(s->par);
}

static double body_volume(const rh_scene *scene, const rh_shape_map *shapes, int body)
{
  double volume = 0;
  for (int i = shapes->first[body]; i != RH_NONE; i = shapes->next[i]) {
    volume += shape_volume(scene, shapes, i);
  }
  return volume;
}

static rh_inertia from_shapes(const rh_scene *scene, const rh_shape_map *shapes, int body,
                              double mass)
{
  rh_inertia sum = {0};
  double volume = body_volume(scene, shapes, body);
  for (int i = shapes->first[body]; i != RH_NONE; i = shapes->next[i]) {
    const rh_shape_def *s = rh_scene_item(scene, RH_SECTION_SHAPES, i);
    double own = shape_volume(scene, shapes, i);
    if (!(own > 0)) {
      continue;
    }
    double part = mass * own / volume;
    rh_vec3 centre;
    rh_sym3 I = shape_inertia(scene, shapes, i, &centre);
    rh_sym3 scaled = {part * I.xx, part * I.yy, part * I.zz, part * I.xy, part * I.xz, part * I.yz};
    rh_mat3 R = rh_rpy_matrix(s->rpy[0], s->rpy[1], s->rpy[2]);
    scaled = rh_sym3_rotate(&R, &scaled);
    rh_vec3 at = rh_add(rh_v3(s->at[0], s->at[1], s->at[2]), rh_rotate(&R, centre));
    rh_inertia placed = about_origin(part, at, &scaled);
    add_inertia(&sum, &placed);
  }
  sum.mass = mass; // not the rounded sum of the parts
  return sum;
}

// Published inertias are rounded, usually to six digits: tolerance of the triangle rule.
static const double ROUNDING = 1e-6;

static const char *explain_impossible_inertia(double mass, const rh_sym3 *I)
{
  double e[3];
  rh_sym3_eigenvalues(I, e);
  if (mass == 0 && (e[0] != 0 || e[2] != 0)) {
    return "must be zero for a body without mass";
  }
  if (e[0] < -1e-12 * e[2] || e[2] < 0) { // except rounding of our eigenvalues
    return "is not possible: a principal moment is negative";
  }
  if (e[0] + e[1] < e[2] * (1 - ROUNDING)) {
    return "is not possible: a principal moment exceeds the sum of the two others (triangle rule)";
  }
  return NULL;
}

bool rh_body_inertia(const rh_scene *scene, const rh_shape_map *shapes, int body,
                     rh_inertia *inertia, const char **why)
{
  const rh_body_def *b = rh_scene_item(scene, RH_SECTION_BODIES, body);
  rh_vec3 c = {b->com[0], b->com[1], b->com[2]};
  rh_sym3 I = {0};
  if (b->inertia.n == 6) {
    const double *x = b->inertia.x;
    I = (rh_sym3){x[0], x[1], x[2], x[3], x[4], x[5]};
    *why = explain_impossible_inertia(b->mass, &I);
  } else if (shapes->first[body] != RH_NONE) {
    if (c.x != 0 || c.y != 0 || c.z != 0) {
      *why = "cannot be given with shapes alone: state the inertia too, or omit the centre of mass";
      return false;
    }
    if (b->mass > 0 && !(body_volume(scene, shapes, body) > 0)) {
      *why = "cannot come from shapes without volume: state the inertia";
      return false;
    }
    *inertia = b->mass > 0 ? from_shapes(scene, shapes, body, b->mass) : (rh_inertia){0};
    return true;
  }
  *inertia = about_origin(b->mass, c, &I); // no inertia and no shapes: a point mass
  return *why == NULL;
}

// ---- Size

static rh_vec3 support_of(const rh_model_shape *s, rh_vec3 direction)
{
  return s->mesh ? s->kind->mesh_support(s->mesh, direction) : s->kind->support(s->par, direction);
}

// Along the normals of its faces: a plate need not lie along the axes of its mesh.
static double hull_width(const rh_hull *hull)
{
  double width = HUGE_VAL;
  int at = 0;
  for (int i = 0; i < hull->nface; i++) {
    rh_vec3 n = hull->face[i].normal;
    at = rh_hull_support(hull, rh_neg(n), at);
    width = fmin(width, hull->face[i].offset - rh_dot(n, hull->vert[at]));
  }
  return width;
}

void rh_shape_measure(rh_model_shape *s)
{
  static const rh_vec3 axis[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double grown = rh_shape_rounding(s->kind, s->par);
  double square = 0;
  s->width = HUGE_VAL;
  for (int i = 0; rh_shape_bounded(s->kind) && i < 3; i++) {
    double hi = rh_dot(axis[i], support_of(s, axis[i]));
    double lo = rh_dot(axis[i], support_of(s, rh_neg(axis[i])));
    double half = fmax(fabs(hi), fabs(lo));
    s->width = fmin(s->width, hi - lo + 2 * grown);
    square += half * half;
  }
  s->reach = sqrt(square) + grown;
  if (s->mesh && s->kind->mesh == RH_MESH_HULL) {
    s->width = fmin(s->width, hull_width(s->mesh) + 2 * grown);
  }
}

bool rh_joint_feels_inertia(const rh_data *d, int body)
{
  const double *D = d->dyn.D + 36 * (size_t)body;
  int nv = d->model->body[body].nv;
  for (int j = 0; j < nv; j++) {
    double pivot =
        nv == 1 ? D[0] : D[7 * j]; // nv == 1: the inverse; otherwise diagonal of a factor
    if (!(pivot > 0 && isfinite(pivot) && isfinite(1 / pivot))) {
      return false;
    }
  }
  return true;
}
