// mesh_part.h: shared by mesh.c and the readers mesh_stl.c, mesh_obj.c: a growing mesh, words with
// places.
#ifndef ROUTH_SCENE_IO_MESH_PART_H
#define ROUTH_SCENE_IO_MESH_PART_H

#include "mesh.h"

#define RH_MESH_ERRORS_MAX 20 // a file of the wrong kind is not refused line by line

typedef struct rh_mesh_job { // one file being read
  const char *at, *end;      // rest of the file
  const char *start;         // its beginning
  const char *line_start;
  int line;
  const char *name;
  rh_diag *diag;
  rh_mesh *mesh;
  int vert_room, tri_room;
  int *hash; // indices of vertices by their coordinates, RH_NONE: empty (hash_size)
  size_t hash_size;
  int errors;
} rh_mesh_job;

typedef struct rh_mesh_word { // a word of the text; size 0: there is none
  const char *text;
  int size, line, column;
} rh_mesh_word;

rh_mesh_word rh_mesh_next(rh_mesh_job *job, bool same_line); // the next word, of this line or at all
void rh_mesh_skip_line(rh_mesh_job *job);
bool rh_mesh_is(rh_mesh_word word, const char *text); // equal except for capitals

// Reports an error at a word; `word.size` 0: at the end of the line or file.
rh_status rh_mesh_refuse(rh_mesh_job *job, rh_mesh_word word, const char *format, ...)
    RH_PRINTF(3, 4);
rh_status rh_mesh_number(rh_mesh_job *job, rh_mesh_word word, double *value);
bool rh_mesh_coord_ok(double x); // finite and not too large

rh_status rh_mesh_add_vert(rh_mesh_job *job, rh_vec3 p);
rh_status rh_mesh_add_tri(rh_mesh_job *job, int a, int b, int c);
// The vertex at these coordinates, an existing one if possible.
rh_status rh_mesh_weld(rh_mesh_job *job, rh_vec3 p, int *index);

rh_status rh_mesh_stl(rh_mesh_job *job);
rh_status rh_mesh_obj(rh_mesh_job *job);
rh_status rh_mesh_msh(rh_mesh_job *job);

#endif
