// mesh.h: triangles and points from STL (binary and text), OBJ and MSH (MuJoCo) files. All are untrusted: sizes
// are checked before allocation, and unknown content is refused with its place.
#ifndef ROUTH_SCENE_IO_MESH_H
#define ROUTH_SCENE_IO_MESH_H

#include <routh/math.h>

#define RH_MESH_VERTS_MAX 2000000
#define RH_MESH_TRIS_MAX  2000000
#define RH_MESH_COORD_MAX 1e9 // largest coordinate

#define RH_MESH_PAINTS_MAX 1000

typedef struct rh_mesh_paint { // triangles from `first` up to the next have this material
  int first;
  char material[64];
} rh_mesh_paint;

typedef struct rh_mesh { // all zero: empty
  int nvert, ntri;
  rh_vec3 *vert; // in the units of the file; equal corners of an STL file are one vertex (nvert)
  int (*tri)[3]; // counter-clockwise seen from outside; none where an OBJ file has points only (ntri)
  struct rh_mesh_paint *paint; // materials that an OBJ file names (npaint)
  int npaint;
  bool single;   // the numbers were floats, seven digits: binary STL
} rh_mesh;

// The format is that of the name's ending, .stl or .obj. STL normals are read but not used: the
// order of the corners gives them. Of an OBJ file the lines v and f count; faces with more corners
// become fans; textures, normals, groups and the files of materials are skipped; anything else is refused. A
// message has file:line:column; for a binary file the line is 0 and the text gives the byte.
rh_status rh_mesh_parse(const char *bytes, size_t size, const char *name, rh_diag *diag,
                        rh_mesh *mesh) RH_CHECK_RESULT;
rh_status rh_mesh_read(const char *path, rh_diag *diag, rh_mesh *mesh) RH_CHECK_RESULT;
void rh_mesh_free(rh_mesh *mesh);

#endif
