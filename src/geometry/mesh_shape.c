// mesh_shape.c: see mesh_shape.h. Hulls are moved to the middle of their bounds, so that a shape's
// frame is at its centre wherever the origin of the file is.
#include "mesh_shape.h"

#include "geometry/hull/hull.h"
#include "heightfield.h"

static rh_vec3 middle_of(const rh_vec3 *p, int n)
{
  rh_vec3 lo = p[0];
  rh_vec3 hi = p[0];
  for (int i = 1; i < n; i++) {
    lo = rh_v3(fmin(lo.x, p[i].x), fmin(lo.y, p[i].y), fmin(lo.z, p[i].z));
    hi = rh_v3(fmax(hi.x, p[i].x), fmax(hi.y, p[i].y), fmax(hi.z, p[i].z));
  }
  return rh_scale(0.5, rh_add(lo, hi));
}

static rh_status make_hull(const rh_solid_numbers *in, rh_solid *solid, const char **why)
{
  int n = in->n / 3;
  if (in->n == 0 || in->n % 3 != 0) {
    *why = "must be three numbers per vertex: x, y, z";
    return RH_INPUT_REFUSED;
  }
  rh_vec3 *p = rh_alloc((size_t)n * sizeof *p);
  if (!p) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < n; i++) {
    p[i] = rh_scale(in->scale, rh_v3(in->x[3 * i], in->x[3 * i + 1], in->x[3 * i + 2]));
  }
  solid->middle = middle_of(p, n);
  for (int i = 0; i < n; i++) {
    p[i] = rh_sub(p[i], solid->middle);
  }
  rh_hull *hull = NULL;
  rh_status status = rh_hull_create(p, n, in->tolerance, &hull, why);
  solid->mesh = hull;
  rh_free(p);
  return status;
}

static rh_status make_field(const rh_solid_numbers *in, rh_solid *solid, const char **why)
{
  if (in->nx < 2 || in->n % in->nx != 0 || in->n / in->nx < 2) {
    *why = "must be full rows of nx numbers, at least 2 x 2";
    return RH_INPUT_REFUSED;
  }
  double *height = rh_alloc((size_t)in->n * sizeof *height);
  if (!height) {
    return RH_OUT_OF_MEMORY;
  }
  for (int i = 0; i < in->n; i++) {
    height[i] = in->scale * in->x[i];
  }
  rh_heightfield *field = NULL;
  rh_status status = rh_heightfield_create(in->nx, in->n / in->nx, in->size, height, &field, why);
  solid->mesh = field;
  rh_free(height);
  return status;
}

rh_status rh_solid_create(const rh_solid_numbers *numbers, rh_solid *solid, const char **why)
{
  *solid = (rh_solid){0};
  return numbers->sort == RH_MESH_HULL ? make_hull(numbers, solid, why)
                                       : make_field(numbers, solid, why);
}
