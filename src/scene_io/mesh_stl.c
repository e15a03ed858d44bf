// mesh_stl.c: STL, binary and text. A binary file may begin with the word "solid" too, so its size
// decides: 80 bytes of anything, the number of triangles (4 bytes, little endian), then 50 bytes
// per triangle: normal and three corners as floats, and two bytes of attributes without a standard.
// Not read: colours.
#include "mesh_part.h"

#include <string.h>

#define HEAD     84 // bytes before the first triangle
#define TRIANGLE 50 // bytes of one

static uint32_t read_u32(const char *p)
{
  const unsigned char *u = (const unsigned char *)p;
  return (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
}

static double read_float(const char *p)
{
  uint32_t bits = read_u32(p);
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static rh_status refuse_bytes(rh_mesh_job *job, const char *what, const char *at)
{
  rh_diag_add(job->diag, RH_ERROR, (rh_place){.file = job->name},
              "%s at byte %zu of this binary STL file", what, (size_t)(at - job->start));
  return RH_INPUT_REFUSED;
}

static rh_status read_floats(rh_mesh_job *job, const char *at, rh_vec3 *v)
{
  double x[3];
  for (int c = 0; c < 3; c++, at += 4) {
    x[c] = read_float(at);
    if (!rh_mesh_coord_ok(x[c])) {
      return refuse_bytes(job, "a number is not finite or larger than 1e9", at);
    }
  }
  *v = rh_v3(x[0], x[1], x[2]);
  return RH_OK;
}

static rh_status read_triangle(rh_mesh_job *job, const char *at)
{
  rh_vec3 v;
  int corner[3];
  RH_TRY(read_floats(job, at, &v)); // the normal
  for (int k = 0; k < 3; k++) {
    at += 12;
    RH_TRY(read_floats(job, at, &v));
    RH_TRY(rh_mesh_weld(job, v, &corner[k]));
  }
  return rh_mesh_add_tri(job, corner[0], corner[1], corner[2]);
}

static rh_status read_binary(rh_mesh_job *job, uint32_t count)
{
  if (count == 0) {
    return refuse_bytes(job, "expected at least one triangle, got 0", job->start + HEAD - 4);
  }
  if (count > RH_MESH_TRIS_MAX) {
    return RH_OVER_LIMIT;
  }
  job->mesh->single = true;
  const char *at = job->start + HEAD;
  for (uint32_t i = 0; i < count; i++, at += TRIANGLE) {
    RH_TRY(read_triangle(job, at));
  }
  return RH_OK;
}

// ---- Text

static rh_status expect_word(rh_mesh_job *job, const char *text)
{
  rh_mesh_word word = rh_mesh_next(job, false);
  return rh_mesh_is(word, text) ? RH_OK : rh_mesh_refuse(job, word, "expected '%s'", text);
}

static rh_status read_vector(rh_mesh_job *job, rh_vec3 *v)
{
  RH_TRY(rh_mesh_number(job, rh_mesh_next(job, false), &v->x));
  RH_TRY(rh_mesh_number(job, rh_mesh_next(job, false), &v->y));
  return rh_mesh_number(job, rh_mesh_next(job, false), &v->z);
}

static rh_status read_facet(rh_mesh_job *job) // the word "facet" is read
{
  rh_vec3 v;
  int corner[3];
  RH_TRY(expect_word(job, "normal"));
  RH_TRY(read_vector(job, &v));
  RH_TRY(expect_word(job, "outer"));
  RH_TRY(expect_word(job, "loop"));
  for (int k = 0; k < 3; k++) {
    RH_TRY(expect_word(job, "vertex"));
    RH_TRY(read_vector(job, &v));
    RH_TRY(rh_mesh_weld(job, v, &corner[k]));
  }
  RH_TRY(expect_word(job, "endloop"));
  RH_TRY(expect_word(job, "endfacet"));
  return rh_mesh_add_tri(job, corner[0], corner[1], corner[2]);
}

static rh_status read_solid(rh_mesh_job *job) // the word "solid" is read
{
  rh_mesh_skip_line(job); // its name
  for (;;) {
    rh_mesh_word word = rh_mesh_next(job, false);
    if (rh_mesh_is(word, "endsolid")) {
      rh_mesh_skip_line(job);
      return RH_OK;
    }
    if (!rh_mesh_is(word, "facet")) {
      return rh_mesh_refuse(job, word, "expected 'facet' or 'endsolid'");
    }
    RH_TRY(read_facet(job));
  }
}

static rh_status read_text(rh_mesh_job *job)
{
  rh_mesh_word word = rh_mesh_next(job, false);
  for (; word.size > 0; word = rh_mesh_next(job, false)) { // a file may hold several solids
    if (!rh_mesh_is(word, "solid")) {
      return rh_mesh_refuse(job, word, "expected 'solid'");
    }
    RH_TRY(read_solid(job));
  }
  return job->mesh->ntri > 0 ? RH_OK : rh_mesh_refuse(job, word, "expected at least one 'facet'");
}

static bool starts_with_solid(const rh_mesh_job *job)
{
  rh_mesh_job peek = *job;
  return rh_mesh_is(rh_mesh_next(&peek, false), "solid");
}

rh_status rh_mesh_stl(rh_mesh_job *job)
{
  size_t size = (size_t)(job->end - job->start);
  uint32_t count = size >= HEAD ? read_u32(job->start + HEAD - 4) : 0;
  uint64_t need = HEAD + (uint64_t)count * TRIANGLE;
  if (size >= HEAD && size == need) {
    return read_binary(job, count);
  }
  if (starts_with_solid(job)) {
    return read_text(job);
  }
  rh_place whole = {.file = job->name};
  if (size < HEAD) {
    rh_diag_add(job->diag, RH_ERROR, whole,
                "is no STL file: neither begins with 'solid' nor has the 84 bytes of a binary head"
                " (%zu bytes)",
                size);
  } else {
    rh_diag_add(job->diag, RH_ERROR, whole,
                "is cut short or no STL file: byte 80 announces %lu triangles, for which it must"
                " have %llu bytes, got %zu",
                (unsigned long)count, (unsigned long long)need, size);
  }
  return RH_INPUT_REFUSED;
}
