// mtl.c: colours of OBJ files. The lines `mtllib` name files beside the OBJ file, whose lines `newmtl` begin a material
// and `Kd` give its colour. Everything else is skipped, opacity too: a surface shows without colours as well.
#include "look_file.h"

#include "base/text.h"
#include "scene_io/mesh_part.h"
#include "scene_io/yaml_doc.h"

#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 8, PATH_MAX_HERE = 8192 };

typedef struct material {
  char name[64];
  double rgb[3];
  bool colored;
} material;

typedef struct material_book {
  material of[RH_MESH_PAINTS_MAX];
  int n;
} material_book;

// Numbers of the rest of a line; false: there are fewer.
static bool read_numbers(rh_mesh_job *job, double *x, int n)
{
  for (int i = 0; i < n; i++) {
    rh_mesh_word word = rh_mesh_next(job, true);
    char copy[32] = "";
    if (word.size == 0 || (size_t)word.size >= sizeof copy) {
      return false;
    }
    memcpy(copy, word.text, (size_t)word.size);
    if (rh_number_read(copy, &x[i]) != (size_t)word.size || !rh_mesh_coord_ok(x[i])) {
      return false;
    }
  }
  return true;
}

static material *add_material(rh_mesh_job *job, material_book *book)
{
  rh_mesh_word word = rh_mesh_next(job, true);
  if (word.size == 0 || (size_t)word.size >= sizeof book->of->name ||
      book->n == RH_MESH_PAINTS_MAX) {
    return NULL;
  }
  material *m = &book->of[book->n++];
  *m = (material){.colored = false};
  memcpy(m->name, word.text, (size_t)word.size);
  return m;
}

static void read_book(const char *text, size_t bytes, material_book *book)
{
  rh_mesh_job job = {.at = text, .end = text + bytes, .start = text, .line_start = text, .line = 1};
  material *m = NULL;
  for (rh_mesh_word word = rh_mesh_next(&job, false); word.size > 0;
       word = rh_mesh_next(&job, false)) {
    double x[3];
    if (rh_mesh_is(word, "newmtl")) {
      m = add_material(&job, book);
    } else if (m && rh_mesh_is(word, "kd") && read_numbers(&job, x, 3)) {
      memcpy(m->rgb, x, sizeof m->rgb);
      m->colored = true;
    }
    rh_mesh_skip_line(&job);
  }
}

// A file in the folder of the OBJ file or below it
static void read_named(const char *path, int folder, rh_mesh_word file, material_book *book)
{
  char where[PATH_MAX_HERE];
  char name[256] = "";
  char *text = NULL;
  size_t bytes = 0;
  const char *called = NULL;
  if (file.size == 0 || (size_t)file.size >= sizeof name) {
    return;
  }
  memcpy(name, file.text, (size_t)file.size);
  int length = snprintf(where, sizeof where, "%.*s%s", folder, path, name);
  bool below = name[0] != '/' && strstr(name, "..") == NULL && length < PATH_MAX_HERE;
  if (below && rh_file_read(where, NULL, &text, &bytes, &called) == RH_OK) {
    read_book(text, bytes, book);
  }
  rh_free(text);
}

static rh_status read_books(const char *path, material_book *book)
{
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  int files = 0;
  RH_TRY(rh_file_read(path, NULL, &text, &bytes, &name));
  const char *slash = strrchr(path, '/');
  int folder = slash ? (int)(slash - path) + 1 : 0;
  rh_mesh_job job = {.at = text, .end = text + bytes, .start = text, .line_start = text, .line = 1};
  for (rh_mesh_word word = rh_mesh_next(&job, false); word.size > 0 && files < FILES_MAX;
       word = rh_mesh_next(&job, false)) {
    if (rh_mesh_is(word, "mtllib")) {
      read_named(path, folder, rh_mesh_next(&job, true), book);
      files++;
    }
    rh_mesh_skip_line(&job);
  }
  rh_free(text);
  return RH_OK;
}

static unsigned char byte_of(double x)
{
  return (unsigned char)(fmin(1, fmax(0, x)) * 255 + 0.5);
}

static void paint_part(rh_look_part *part, const rh_mesh_paint *paint, const material_book *book)
{
  *part = (rh_look_part){.first = paint->first};
  for (int i = 0; i < book->n; i++) {
    const material *m = &book->of[i];
    if (m->colored && strcmp(m->name, paint->material) == 0) {
      for (int k = 0; k < 3; k++) {
        part->rgba[k] = byte_of(m->rgb[k]);
      }
      part->rgba[3] = 255;
      return;
    }
  }
}

rh_status rh_look_paint(rh_look **look, const rh_mesh *mesh, const char *path)
{
  material_book *book = rh_alloc(sizeof *book);
  int before = mesh->paint[0].first > 0; // triangles before the first material
  int n = mesh->npaint + before;
  n = n < RH_LOOK_PARTS_MAX ? n : RH_LOOK_PARTS_MAX;
  rh_look *made = book ? rh_look_create((*look)->nvert, (*look)->ntri, n) : NULL;
  rh_status status = made ? read_books(path, book) : RH_OUT_OF_MEMORY;
  if (status == RH_OK) {
    memcpy(made->vert, (*look)->vert, 3 * (size_t)made->nvert * sizeof *made->vert);
    if (made->ntri > 0) {
      memcpy(made->tri, (*look)->tri, (size_t)made->ntri * sizeof *made->tri);
    }
    for (int i = before; i < n; i++) {
      paint_part(&made->part[i], &mesh->paint[i - before], book);
    }
    rh_look_measure(made);
    rh_free(*look);
    *look = made;
  } else {
    rh_free(made);
  }
  rh_free(book);
  return status;
}
