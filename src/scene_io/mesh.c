// mesh.c: see mesh.h: the files, the words of a text, and the growing mesh.
#include "mesh.h"

#include "base/text.h"
#include "mesh_part.h"
#include "yaml_doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX  64 // maximum characters of a number
#define WORD_SHOW 24 // characters of a word in a message

// ---- Words

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void new_line(rh_mesh_job *job)
{
  job->at++;
  job->line += job->line < INT32_MAX;
  job->line_start = job->at;
}

// A backslash at the end of a line joins it with the next one.
static bool skip_joint(rh_mesh_job *job)
{
  const char *p = job->at + 1;
  while (p < job->end && *p == '\r') {
    p++;
  }
  if (*job->at != '\\' || p >= job->end || *p != '\n') {
    return false;
  }
  job->at = p;
  new_line(job);
  return true;
}

static int column_of(const rh_mesh_job *job)
{
  ptrdiff_t column = job->at - job->line_start + 1;
  return column < INT32_MAX ? (int)column : INT32_MAX;
}

rh_mesh_word rh_mesh_next(rh_mesh_job *job, bool same_line)
{
  while (job->at < job->end) {
    if (is_blank(*job->at)) {
      job->at++;
    } else if (*job->at == '\n' && !same_line) {
      new_line(job);
    } else if (!skip_joint(job)) {
      break;
    }
  }
  rh_mesh_word word = {job->at, 0, job->line, column_of(job)};
  while (job->at < job->end && !is_blank(*job->at) && *job->at != '\n' && word.size < INT32_MAX) {
    job->at++;
    word.size++;
  }
  return word;
}

void rh_mesh_skip_line(rh_mesh_job *job)
{
  while (job->at < job->end && *job->at != '\n') {
    if (!skip_joint(job)) {
      job->at++;
    }
  }
}

static int lower_case(char c)
{
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool rh_mesh_is(rh_mesh_word word, const char *text)
{
  int i = 0;
  while (i < word.size && text[i] != '\0' && lower_case(word.text[i]) == text[i]) {
    i++;
  }
  return i == word.size && text[i] == '\0';
}

rh_status rh_mesh_refuse(rh_mesh_job *job, rh_mesh_word word, const char *format, ...)
{
  char text[256];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  job->errors++;
  rh_place place = {job->name, word.line, word.column, word.size};
  int shown = word.size < WORD_SHOW ? word.size : WORD_SHOW;
  if (word.size > 0) {
    rh_diag_add(job->diag, RH_ERROR, place, "%s, got '%.*s%s'", text, shown, word.text,
                shown < word.size ? "..." : "");
  } else {
    rh_diag_add(job->diag, RH_ERROR, place, "%s, got the end of the %s", text,
                job->at < job->end ? "line" : "file");
  }
  return RH_INPUT_REFUSED;
}

bool rh_mesh_coord_ok(double x)
{
  return fabs(x) <= RH_MESH_COORD_MAX;
}

rh_status rh_mesh_number(rh_mesh_job *job, rh_mesh_word word, double *value)
{
  char copy[WORD_MAX + 1] = {0};
  if (word.size > 0 && word.size <= WORD_MAX) {
    memcpy(copy, word.text, (size_t)word.size);
  }
  *value = 0;
  if (word.size == 0 || rh_number_read(copy, value) != (size_t)word.size) {
    return rh_mesh_refuse(job, word, "expected a number");
  }
  if (!rh_mesh_coord_ok(*value)) {
    return rh_mesh_refuse(job, word, "a number must be at most 1e9");
  }
  return RH_OK;
}

// ---- The mesh

// Capacity for one more; doubles, so that it stays in proportion to the file.
static rh_status grow_array(void **array, int count, int *room, size_t bytes, int limit)
{
  if (count < *room) {
    return RH_OK;
  }
  if (count >= limit) {
    return RH_OVER_LIMIT;
  }
  int more = *room > limit / 2 ? limit : *room > 0 ? 2 * *room : 64;
  void *grown = rh_realloc(*array, (size_t)more * bytes);
  if (!grown) {
    return RH_OUT_OF_MEMORY;
  }
  *array = grown;
  *room = more;
  return RH_OK;
}

rh_status rh_mesh_add_vert(rh_mesh_job *job, rh_vec3 p)
{
  void *array = job->mesh->vert;
  rh_status status =
      grow_array(&array, job->mesh->nvert, &job->vert_room, sizeof(rh_vec3), RH_MESH_VERTS_MAX);
  job->mesh->vert = array;
  if (status == RH_OK) {
    job->mesh->vert[job->mesh->nvert++] = p;
  }
  return status;
}

rh_status rh_mesh_add_tri(rh_mesh_job *job, int a, int b, int c)
{
  void *array = job->mesh->tri;
  rh_status status =
      grow_array(&array, job->mesh->ntri, &job->tri_room, sizeof(int[3]), RH_MESH_TRIS_MAX);
  job->mesh->tri = array;
  if (status == RH_OK) {
    int *t = job->mesh->tri[job->mesh->ntri++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
  }
  return status;
}

static uint64_t mix_hash(uint64_t hash, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 29);
}

static size_t find_cell(const rh_mesh_job *job, rh_vec3 p)
{
  uint64_t h = mix_hash(mix_hash(mix_hash(1, p.x), p.y), p.z);
  size_t cell = (size_t)(h ^ (h >> 32)) & (job->hash_size - 1);
  while (job->hash[cell] != RH_NONE) {
    rh_vec3 q = job->mesh->vert[job->hash[cell]];
    if (q.x == p.x && q.y == p.y && q.z == p.z) {
      break;
    }
    cell = (cell + 1) & (job->hash_size - 1);
  }
  return cell;
}

// The table stays at most half full.
static rh_status grow_hash_table(rh_mesh_job *job)
{
  if (2 * ((size_t)job->mesh->nvert + 1) <= job->hash_size) {
    return RH_OK;
  }
  size_t size = job->hash_size > 0 ? 2 * job->hash_size : 256;
  int *table = rh_alloc(size * sizeof(int));
  if (!table) {
    return RH_OUT_OF_MEMORY;
  }
  memset(table, 0xff, size * sizeof(int)); // RH_NONE everywhere
  rh_free(job->hash);
  job->hash = table;
  job->hash_size = size;
  for (int i = 0; i < job->mesh->nvert; i++) {
    job->hash[find_cell(job, job->mesh->vert[i])] = i;
  }
  return RH_OK;
}

rh_status rh_mesh_weld(rh_mesh_job *job, rh_vec3 p, int *index)
{
  p = rh_v3(p.x + 0.0, p.y + 0.0, p.z + 0.0); // -0 becomes 0: equal numbers have equal bits
  RH_TRY(grow_hash_table(job));
  size_t cell = find_cell(job, p);
  if (job->hash[cell] == RH_NONE) {
    RH_TRY(rh_mesh_add_vert(job, p));
    job->hash[cell] = job->mesh->nvert - 1;
  }
  *index = job->hash[cell];
  return RH_OK;
}

void rh_mesh_free(rh_mesh *mesh)
{
  rh_free(mesh->vert);
  rh_free(mesh->tri);
  rh_free(mesh->paint);
  *mesh = (rh_mesh){0};
}

// ---- The files

static bool ends_with(const char *name, const char *ending)
{
  size_t length = strlen(name);
  size_t tail = strlen(ending);
  if (length < tail) {
    return false;
  }
  rh_mesh_word word = {.text = name + length - tail, .size = (int)tail};
  return rh_mesh_is(word, ending);
}

rh_status rh_mesh_parse(const char *bytes, size_t size, const char *name, rh_diag *diag,
                        rh_mesh *mesh)
{
  rh_mesh_job job = {.at = bytes,
                     .end = bytes + size,
                     .start = bytes,
                     .line_start = bytes,
                     .line = 1,
                     .name = name,
                     .diag = diag,
                     .mesh = mesh};
  *mesh = (rh_mesh){0};
  rh_place whole = {.file = name};
  rh_status status = RH_INPUT_REFUSED;
  if (size > RH_FILE_MAX) {
    rh_diag_add(diag, RH_ERROR, whole, "is too big: a file may have 64 MiB");
  } else if (ends_with(name, ".stl")) {
    status = rh_mesh_stl(&job);
  } else if (ends_with(name, ".obj")) {
    status = rh_mesh_obj(&job);
  } else if (ends_with(name, ".msh")) {
    status = rh_mesh_msh(&job);
  } else {
    rh_diag_add(diag, RH_ERROR, whole,
                "is no mesh: expected a name that ends with .stl, .obj or .msh");
  }
  if (status == RH_OVER_LIMIT) {
    rh_diag_add(diag, RH_ERROR, whole, "is too big: a mesh may have %d vertices and %d triangles",
                RH_MESH_VERTS_MAX, RH_MESH_TRIS_MAX);
  } else if (status == RH_OUT_OF_MEMORY) {
    rh_diag_add(diag, RH_ERROR, whole, "there is not enough memory for this mesh");
  }
  rh_free(job.hash);
  if (status != RH_OK) {
    rh_mesh_free(mesh);
  }
  return status;
}

rh_status rh_mesh_read(const char *path, rh_diag *diag, rh_mesh *mesh)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  *mesh = (rh_mesh){0};
  RH_TRY(rh_file_read(path, diag, &text, &bytes, &name));
  rh_status status = rh_mesh_parse(text, bytes, name, diag, mesh);
  rh_free(text);
  return status;
}
