// mesh_obj.c: the lines v and f of OBJ files. A vertex may have a weight or a colour, a corner of a
// face its texture and normal; they are checked to be numbers and dropped. Not read: curves,
// free-form surfaces, vertices named in advance.
#include "mesh_part.h"

#include <string.h>

#define INDEX_DIGITS 9 // more than any index needs, and never too large for an int

// The next word of the line; a comment ends it.
static rh_mesh_word next_word(rh_mesh_job *job)
{
  rh_mesh_word word = rh_mesh_next(job, true);
  if (word.size > 0 && word.text[0] == '#') {
    word.size = 0;
  }
  return word;
}

static rh_status read_vertex(rh_mesh_job *job)
{
  double x[3] = {0};
  int count = 0;
  for (rh_mesh_word word = next_word(job);; word = next_word(job)) {
    if (word.size == 0 && count >= 3) {
      return rh_mesh_add_vert(job, rh_v3(x[0], x[1], x[2]));
    }
    double value;
    if (count == 8) {
      return rh_mesh_refuse(job, word,
                            "expected the end of the line after a vertex and its colour");
    }
    RH_TRY(rh_mesh_number(job, word, &value));
    if (count < 3) {
      x[count] = value;
    }
    count++;
  }
}

// One number of a corner such as 3, 3/1, 3//2, -1/-1/-1: at most INDEX_DIGITS digits and a sign.
// Returns its length or 0.
static int read_index(const char *text, int size, int *value)
{
  int i = size > 0 && text[0] == '-' ? 1 : 0;
  int first = i;
  *value = 0;
  while (i < size && i - first < INDEX_DIGITS && text[i] >= '0' && text[i] <= '9') {
    *value = 10 * *value + (text[i++] - '0');
  }
  *value = first == 1 ? -*value : *value;
  return i > first ? i : 0;
}

static rh_status read_corner(rh_mesh_job *job, rh_mesh_word word, int *vertex)
{
  int index;
  int used = read_index(word.text, word.size, &index);
  bool good = used > 0;
  for (int part = 0; part < 2 && good && used < word.size; part++) {
    int other;
    good = word.text[used++] == '/';
    used += good ? read_index(word.text + used, word.size - used, &other) : 0;
  }
  if (!good || used != word.size) {
    return rh_mesh_refuse(job, word, "expected a corner as 3, 3/1, 3//2 or 3/1/2");
  }
  int count = job->mesh->nvert;
  *vertex = index > 0 ? index - 1 : count + index;
  if (index == 0 || *vertex < 0 || *vertex >= count) {
    return rh_mesh_refuse(job, word, "a corner must name one of the %d vertices before it", count);
  }
  return RH_OK;
}

// A face with four corners is cut along its shorter diagonal. Its triangles are the last two, cut from
// the first corner to the third.
static void cut_quad(rh_mesh *mesh)
{
  int *t = mesh->tri[mesh->ntri - 2];
  int *u = mesh->tri[mesh->ntri - 1];
  rh_vec3 first = rh_sub(mesh->vert[t[2]], mesh->vert[t[0]]);
  rh_vec3 other = rh_sub(mesh->vert[u[2]], mesh->vert[t[1]]);
  if (rh_dot(other, other) < rh_dot(first, first)) {
    t[2] = u[2];
    u[0] = t[1];
  }
}

static rh_status read_face(rh_mesh_job *job)
{
  int corner[3] = {0}; // the first, the previous, this one
  for (int count = 0;; count++) {
    rh_mesh_word word = next_word(job);
    if (word.size == 0) {
      if (count == 4) {
        cut_quad(job->mesh);
      }
      return count >= 3 ? RH_OK : rh_mesh_refuse(job, word, "expected at least three corners");
    }
    RH_TRY(read_corner(job, word, &corner[2]));
    rh_status status = count >= 2 ? rh_mesh_add_tri(job, corner[0], corner[1], corner[2]) : RH_OK;
    RH_TRY(status);
    corner[0] = count == 0 ? corner[2] : corner[0];
    corner[1] = corner[2];
  }
}

// The triangles that follow have the material of the line. Beyond the limit, and of names that are too long, they keep the last one.
static rh_status begin_paint(rh_mesh_job *job)
{
  rh_mesh *mesh = job->mesh;
  rh_mesh_word word = next_word(job);
  if (word.size == 0 || (size_t)word.size >= sizeof mesh->paint->material ||
      mesh->npaint == RH_MESH_PAINTS_MAX) {
    return RH_OK;
  }
  if (!mesh->paint) {
    mesh->paint = rh_alloc(RH_MESH_PAINTS_MAX * sizeof *mesh->paint);
    if (!mesh->paint) {
      return RH_OUT_OF_MEMORY;
    }
  }
  rh_mesh_paint *last = &mesh->paint[mesh->npaint - (mesh->npaint > 0)];
  rh_mesh_paint *paint = mesh->npaint > 0 && last->first == mesh->ntri ? last : NULL;
  paint = paint ? paint : &mesh->paint[mesh->npaint++];
  *paint = (rh_mesh_paint){.first = mesh->ntri};
  memcpy(paint->material, word.text, (size_t)word.size);
  return RH_OK;
}

static bool is_passed_over(rh_mesh_word word)
{
  static const char *const known[] = {"vt", "vn", "vp", "l",      "p",      "o",
                                      "g",  "s",  "mg", "mtllib", "usemap", "maplib"};
  for (int i = 0; i < RH_COUNT(known); i++) {
    if (rh_mesh_is(word, known[i])) {
      return true;
    }
  }
  return word.text[0] == '#';
}

static rh_status read_line(rh_mesh_job *job, rh_mesh_word word)
{
  if (rh_mesh_is(word, "v")) {
    return read_vertex(job);
  }
  if (rh_mesh_is(word, "f")) {
    return read_face(job);
  }
  if (rh_mesh_is(word, "usemtl")) {
    return begin_paint(job);
  }
  if (is_passed_over(word)) {
    return RH_OK;
  }
  return rh_mesh_refuse(job, word, "expected a line of an OBJ file: v, f, vt, vn, o, g, s, ...");
}

rh_status rh_mesh_obj(rh_mesh_job *job)
{
  rh_mesh_word word = rh_mesh_next(job, false);
  for (; word.size > 0; word = rh_mesh_next(job, false)) {
    rh_status status = read_line(job, word);
    if (status != RH_OK && status != RH_INPUT_REFUSED) {
      return status;
    }
    if (job->errors >= RH_MESH_ERRORS_MAX) {
      rh_diag_add(job->diag, RH_NOTE, (rh_place){.file = job->name},
                  "the rest was not read: too much of it is wrong");
      return RH_INPUT_REFUSED;
    }
    rh_mesh_skip_line(job);
  }
  if (job->errors > 0) {
    return RH_INPUT_REFUSED;
  }
  return job->mesh->nvert > 0 ? RH_OK : rh_mesh_refuse(job, word, "expected at least one vertex");
}
