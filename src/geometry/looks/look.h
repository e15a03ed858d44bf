// look.h: a surface of triangles that only shows: no contact, mass or motion depends on it. In the text of
// a scene it is packed: vertices on a grid of 16 bits, differences of neighbours, base64.
#ifndef ROUTH_GEOMETRY_LOOKS_LOOK_H
#define ROUTH_GEOMETRY_LOOKS_LOOK_H

#include "base/text.h"

#include <routh/math.h>

#define RH_LOOK_TRIANGLES_MAX 200000  // of one; a file with more is simplified
#define RH_LOOK_VERTICES_MAX  (3 * RH_LOOK_TRIANGLES_MAX)
#define RH_LOOK_PARTS_MAX     1000
#define RH_LOOK_PACKED_MAX    8000000 // characters of a packed one
#define RH_LOOK_LEVELS_MAX    12

typedef struct rh_look_part { // triangles of one colour: up to the next part
  int first;                  // triangle
  unsigned char rgba[4];      // alpha 0: no colour of its own
} rh_look_part;

typedef struct rh_look { // one block of memory (rh_free)
  int nvert, ntri, npart;
  double *vert;       // [m] three each (3 nvert)
  int (*tri)[3];      // anticlockwise seen from outside (ntri)
  rh_look_part *part; // ascending; the first begins with triangle 0 (npart)
  double edge;        // [m] mean length of the edges, by rh_look_measure
} rh_look;

// Everything zero; NULL: out of memory.
rh_look *rh_look_create(int nvert, int ntri, int npart);
void rh_look_measure(rh_look *look);

// look_pack.c. Vertices are rounded to multiples of a power of two, at most 1/32768 of the size apart, and equal
// ones joined; packing again what was unpacked gives the same text. RH_INPUT_REFUSED: no triangle is left.
rh_status rh_look_pack(const rh_look *look, rh_text *out) RH_CHECK_RESULT;
// The text is from outside. RH_INPUT_REFUSED: `*why` is the reason.
rh_status rh_look_unpack(const char *text, size_t length, rh_look **look,
                         const char **why) RH_CHECK_RESULT;

// look_simplify.c: vertices in one cell of a grid become one, at their mean by the areas around them, and
// triangles that have lost a side go [Rossignac & Borrel 1993]. NULL: out of memory.
rh_look *rh_look_simplify(const rh_look *look, double cell);
// Levels of detail: level 0 is the surface itself, level k has cells of 2^k mean edges: about a quarter of
// the triangles of the level before.
int rh_look_levels(const rh_look *look);
double rh_look_cell(const rh_look *look, int level); // [m] 0 of level 0
rh_look *rh_look_level(const rh_look *look, int level); // NULL: out of memory

// A table that finds triples of numbers: open addressing, at most half full.
typedef struct rh_triples {
  const int (*key)[3]; // the caller's, by index
  int *slot;           // index, RH_NONE
  size_t size;         // a power of two
} rh_triples;

bool rh_triples_open(rh_triples *t, const int (*key)[3], int most);
// Index of an equal triple among those that were put; `index` itself, which is put, if there is none.
int rh_triples_put(rh_triples *t, int index);
void rh_triples_close(rh_triples *t);

#endif
