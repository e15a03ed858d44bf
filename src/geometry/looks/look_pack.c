// look_pack.c: surfaces as text. Bytes: 'L' '1', then numbers of variable length (7 bits a byte, the lowest
// first, signed ones with the sign in the lowest bit): vertices, triangles, parts; the exponent of the
// grid, its first multiple along x, y, z; each vertex as the difference from the one before; each corner as
// its distance below the number of vertices named so far (0: the next one); each part as its number of
// triangles and four bytes of colour.
#include "look.h"

#include "base/carve.h"

#include <string.h>

enum { GRID = 65535, EXPONENT_MAX = 200 };

#define FIRST_MAX 4503599627370496.0 // 2^52

// ---- Memory

rh_look *rh_look_create(int nvert, int ntri, int npart)
{
  rh_look parts = {.nvert = nvert, .ntri = ntri, .npart = npart};
  rh_look *look = NULL;
  for (int pass = 0; pass < 2; pass++) {
    rh_carver carver = {(char *)look, 0};
    rh_carver *c = &carver;
    (void)rh_carve(c, 1, sizeof(rh_look));
    RH_CARVE(parts.vert, 3 * (size_t)nvert);
    RH_CARVE(parts.tri, ntri);
    RH_CARVE(parts.part, npart);
    if (pass == 0) {
      look = rh_alloc(c->used);
      if (!look) {
        return NULL;
      }
    }
  }
  *look = parts;
  return look;
}

void rh_look_measure(rh_look *look)
{
  double sum = 0;
  for (int i = 0; i < look->ntri; i++) {
    for (int k = 0; k < 3; k++) {
      const double *a = look->vert + 3 * (size_t)look->tri[i][k];
      const double *b = look->vert + 3 * (size_t)look->tri[i][(k + 1) % 3];
      sum += rh_norm(rh_v3(b[0] - a[0], b[1] - a[1], b[2] - a[2]));
    }
  }
  look->edge = look->ntri > 0 ? sum / (3.0 * look->ntri) : 0;
}

// ---- Triples

bool rh_triples_open(rh_triples *t, const int (*key)[3], int most)
{
  t->key = key;
  t->size = 64;
  while (t->size < 2 * ((size_t)most + 1)) {
    t->size *= 2;
  }
  t->slot = rh_alloc(t->size * sizeof *t->slot);
  if (t->slot) {
    memset(t->slot, 0xff, t->size * sizeof *t->slot); // RH_NONE everywhere
  }
  return t->slot != NULL;
}

int rh_triples_put(rh_triples *t, int index)
{
  const int *key = t->key[index];
  uint64_t h = 1;
  for (int k = 0; k < 3; k++) {
    h = (h ^ (uint64_t)(uint32_t)key[k]) * 0x9e3779b97f4a7c15U;
    h ^= h >> 29;
  }
  size_t at = (size_t)(h ^ (h >> 32)) & (t->size - 1);
  while (t->slot[at] != RH_NONE) {
    const int *other = t->key[t->slot[at]];
    if (other[0] == key[0] && other[1] == key[1] && other[2] == key[2]) {
      return t->slot[at];
    }
    at = (at + 1) & (t->size - 1);
  }
  t->slot[at] = index;
  return index;
}

void rh_triples_close(rh_triples *t)
{
  rh_free(t->slot);
  t->slot = NULL;
}

// ---- The grid

typedef struct grid {
  int exponent;    // cells of 2^exponent
  double first[3]; // [1] multiples of the cell
  int (*cell)[3];  // of each vertex (nvert)
  int *vertex;     // number of each vertex in the packed one, RH_NONE: not used (nvert)
  int nvert, ntri; // of the packed one
  int *order;      // vertex of each number (nvert)
} grid;

typedef struct bounds {
  double lo[3], hi[3];
} bounds;

static bounds bounds_of(const rh_look *look, const bool *used)
{
  bounds b = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (int i = 0; i < look->nvert; i++) {
    for (int k = 0; k < 3 && used[i]; k++) {
      b.lo[k] = fmin(b.lo[k], look->vert[3 * i + k]);
      b.hi[k] = fmax(b.hi[k], look->vert[3 * i + k]);
    }
  }
  return b;
}

// Cells along the longest side of the rounded bounds
static double cells_along(const bounds *b, int exponent)
{
  double most = 0;
  for (int k = 0; k < 3; k++) {
    most = fmax(most, rint(ldexp(b->hi[k], -exponent)) - rint(ldexp(b->lo[k], -exponent)));
  }
  return most;
}

// The finest grid on which the bounds have at most GRID cells; far from the origin the numbers themselves
// are coarser: 53 bits hold a multiple exactly.
static int exponent_of(const bounds *b)
{
  double range = 0;
  int least = -EXPONENT_MAX;
  int e = 0;
  for (int k = 0; k < 3; k++) {
    range = fmax(range, b->hi[k] - b->lo[k]);
    (void)frexp(fmax(fabs(b->lo[k]), fabs(b->hi[k])), &e);
    least = least < e - 50 ? e - 50 : least;
  }
  if (!(range > 0)) {
    return least;
  }
  (void)frexp(range / GRID, &e);
  e -= 2;
  while (e < least || cells_along(b, e) > GRID) {
    e++;
  }
  return e;
}

static void place_vertices(const rh_look *look, const bool *used, grid *g)
{
  bounds b = bounds_of(look, used);
  if (!(b.lo[0] <= b.hi[0])) {
    return; // none is used
  }
  g->exponent = exponent_of(&b);
  double most = cells_along(&b, g->exponent);
  int finer = 0; // rounding may have left room for a finer grid, which packing again would take
  while (most > 0 && ldexp(most, finer + 1) <= GRID) {
    finer++;
  }
  double far = 0;
  for (int k = 0; k < 3; k++) {
    g->first[k] = rint(ldexp(b.lo[k], -g->exponent));
    far = fmax(far, fabs(g->first[k]));
  }
  while (ldexp(far, finer) > FIRST_MAX || g->exponent - finer < -EXPONENT_MAX) {
    finer--;
  }
  for (int i = 0; i < look->nvert; i++) {
    for (int k = 0; k < 3; k++) {
      double x = rint(ldexp(look->vert[3 * i + k], -g->exponent)) - g->first[k];
      g->cell[i][k] = used[i] ? (int)ldexp(x, finer) : 0;
    }
  }
  for (int k = 0; k < 3; k++) {
    g->first[k] = ldexp(g->first[k], finer);
  }
  g->exponent -= finer;
}

// Does the triangle keep three corners? RH_NONE: a vertex that is not used
static bool has_area(const int *tri, const int *join)
{
  int a = join[tri[0]];
  int b = join[tri[1]];
  int c = join[tri[2]];
  return a != b && b != c && c != a && a != RH_NONE && b != RH_NONE && c != RH_NONE;
}

// Vertices of triangles that are left, by those that were used before. True: they are fewer.
static bool drop_vertices(const rh_look *look, const int *join, bool *used, bool *left)
{
  bool fewer = false;
  memset(left, 0, (size_t)look->nvert * sizeof *left);
  for (int i = 0; i < look->ntri; i++) {
    const int *t = look->tri[i];
    if (used[t[0]] && used[t[1]] && used[t[2]] && has_area(t, join)) {
      left[t[0]] = left[t[1]] = left[t[2]] = true;
    }
  }
  for (int i = 0; i < look->nvert; i++) {
    fewer = fewer || left[i] != used[i];
    used[i] = left[i];
  }
  return fewer;
}

// Vertices by their first use, equal ones joined: `join` is the first equal vertex.
static void number_vertices(const rh_look *look, grid *g, const int *join)
{
  for (int i = 0; i < look->ntri; i++) {
    if (!has_area(look->tri[i], join)) {
      continue;
    }
    g->ntri++;
    for (int k = 0; k < 3; k++) {
      int v = join[look->tri[i][k]];
      if (g->vertex[v] == RH_NONE) {
        g->order[g->nvert] = v;
        g->vertex[v] = g->nvert++;
      }
    }
  }
}

// ---- Bytes

static void put_count(rh_text *out, uint64_t x)
{
  do {
    char byte = (char)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
    rh_text_add_bytes(out, &byte, 1);
    x >>= 7;
  } while (x > 0);
}

static void put_signed(rh_text *out, int64_t x)
{
  put_count(out, ((uint64_t)x << 1) ^ (uint64_t)(x < 0 ? -1 : 0));
}

static void put_corners(const rh_look *look, const grid *g, const int *join, rh_text *out)
{
  int named = 0;
  for (int i = 0; i < look->ntri; i++) {
    for (int k = 0; k < 3 && has_area(look->tri[i], join); k++) {
      int v = g->vertex[join[look->tri[i][k]]];
      put_count(out, (uint64_t)(named - v));
      named += v == named;
    }
  }
}

static void put_parts(const rh_look *look, const int *join, rh_text *out)
{
  for (int p = 0; p < look->npart; p++) {
    int end = p + 1 < look->npart ? look->part[p + 1].first : look->ntri;
    uint64_t count = 0;
    for (int i = look->part[p].first; i < end; i++) {
      count += has_area(look->tri[i], join);
    }
    put_count(out, count);
    rh_text_add_bytes(out, (const char *)look->part[p].rgba, 4);
  }
}

static void add_base64(rh_text *out, const rh_text *bytes)
{
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = (const unsigned char *)bytes->data;
  unsigned word = 0;
  int bits = 0;
  for (size_t i = 0; i < bytes->size || bits > 0; i++) {
    if (i < bytes->size) {
      word = word << 8 | b[i];
      bits += 8;
    } else {
      word <<= 6 - bits;
      bits = 6;
    }
    while (bits >= 6) {
      bits -= 6;
      rh_text_add_bytes(out, &digit[word >> bits & 63], 1);
    }
    word &= 63;
  }
}

static void put_look(const rh_look *look, grid *g, const int *join, rh_text *bytes)
{
  number_vertices(look, g, join);
  rh_text_add(bytes, "L1");
  put_count(bytes, (uint64_t)g->nvert);
  put_count(bytes, (uint64_t)g->ntri);
  put_count(bytes, (uint64_t)look->npart);
  put_signed(bytes, g->exponent);
  int last[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    put_signed(bytes, (int64_t)g->first[k]);
  }
  for (int i = 0; i < g->nvert; i++) {
    for (int k = 0; k < 3; k++) {
      int x = g->cell[g->order[i]][k];
      put_signed(bytes, x - last[k]);
      last[k] = x;
    }
  }
  put_corners(look, g, join, bytes);
  put_parts(look, join, bytes);
}

// Equal vertices get the number of the first one, those that are not used RH_NONE.
static bool join_vertices(const rh_look *look, const grid *g, const bool *used, int *join)
{
  rh_triples same;
  if (!rh_triples_open(&same, (const int(*)[3])(void *)g->cell, look->nvert)) {
    return false;
  }
  for (int i = 0; i < look->nvert; i++) {
    join[i] = used[i] ? rh_triples_put(&same, i) : RH_NONE;
  }
  rh_triples_close(&same);
  return true;
}

// The grid is that of the vertices which are left on it: where triangles become points, it may become finer.
static bool place_grid(const rh_look *look, grid *g, int *join)
{
  size_t n = (size_t)look->nvert + 1;
  bool *used = rh_alloc(2 * n * sizeof *used);
  bool good = used != NULL;
  bool again = good;
  for (int i = 0; good && i < look->nvert; i++) {
    used[i] = true;
    join[i] = i;
  }
  if (good) { // vertices without a triangle
    (void)drop_vertices(look, join, used, used + n);
  }
  while (good && again) {
    place_vertices(look, used, g);
    good = join_vertices(look, g, used, join);
    again = good && drop_vertices(look, join, used, used + n);
  }
  rh_free(used);
  return good;
}

rh_status rh_look_pack(const rh_look *look, rh_text *out)
{
  size_t n = (size_t)look->nvert + 1;
  grid g = {.cell = rh_alloc(n * sizeof *g.cell)};
  int *join = rh_alloc(3 * n * sizeof *join);
  rh_text bytes = {0};
  bool good = g.cell && join && place_grid(look, &g, join);
  if (good) {
    g.vertex = join + n;
    g.order = join + 2 * n;
    for (int i = 0; i < look->nvert; i++) {
      g.vertex[i] = RH_NONE;
    }
    put_look(look, &g, join, &bytes);
    add_base64(out, &bytes);
  }
  bool empty = good && g.ntri == 0;
  good = good && !bytes.failed && !out->failed;
  rh_text_free(&bytes);
  rh_free(join);
  rh_free(g.cell);
  return !good ? RH_OUT_OF_MEMORY : empty ? RH_INPUT_REFUSED : RH_OK;
}

// ---- Back

typedef struct reader {
  const unsigned char *at, *end;
  bool bad;
} reader;

static uint64_t take_count(reader *r, uint64_t most)
{
  uint64_t x = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    if (r->at >= r->end) {
      break;
    }
    unsigned char byte = *r->at++;
    x |= (uint64_t)(byte & 0x7f) << shift;
    if (byte < 0x80) {
      r->bad = r->bad || x > most;
      return x <= most ? x : 0;
    }
  }
  r->bad = true;
  return 0;
}

static int64_t take_signed(reader *r, int64_t most)
{
  uint64_t x = take_count(r, 2 * (uint64_t)most + 1);
  return (x & 1) != 0 ? -(int64_t)(x >> 1) - 1 : (int64_t)(x >> 1);
}

static int digit_of(char c)
{
  return c >= 'A' && c <= 'Z'   ? c - 'A'
         : c >= 'a' && c <= 'z' ? c - 'a' + 26
         : c >= '0' && c <= '9' ? c - '0' + 52
         : c == '+'             ? 62
         : c == '/'             ? 63
                                : RH_NONE;
}

// Bytes of a text in base64; false: it is none.
static bool take_base64(const char *text, size_t length, unsigned char *bytes, size_t *size)
{
  unsigned word = 0;
  int bits = 0;
  *size = 0;
  for (size_t i = 0; i < length; i++) {
    int d = digit_of(text[i]);
    if (d == RH_NONE) {
      return false;
    }
    word = (word << 6 | (unsigned)d) & 0xffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[(*size)++] = (unsigned char)(word >> bits & 0xff);
    }
  }
  return length % 4 != 1 && (word & ((1U << bits) - 1)) == 0;
}

static void take_vertices(reader *r, rh_look *look)
{
  int exponent = (int)take_signed(r, EXPONENT_MAX);
  double first[3];
  int64_t last[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    first[k] = (double)take_signed(r, (int64_t)FIRST_MAX);
  }
  for (int i = 0; i < look->nvert && !r->bad; i++) {
    for (int k = 0; k < 3; k++) {
      last[k] += take_signed(r, 2 * GRID);
      double x = ldexp(first[k] + (double)last[k], exponent);
      look->vert[3 * i + k] = x;
      r->bad = r->bad || last[k] < -2 * GRID || last[k] > 2 * GRID || !(fabs(x) <= 1e12);
    }
  }
}

static void take_triangles(reader *r, rh_look *look)
{
  int named = 0;
  for (int i = 0; i < look->ntri && !r->bad; i++) {
    for (int k = 0; k < 3; k++) {
      int v = named - (int)take_count(r, (uint64_t)named);
      named += v == named;
      look->tri[i][k] = v;
      r->bad = r->bad || named > look->nvert;
    }
  }
  r->bad = r->bad || named != look->nvert;
  int first = 0;
  for (int p = 0; p < look->npart && !r->bad; p++) {
    look->part[p].first = first;
    first += (int)take_count(r, (uint64_t)(look->ntri - first));
    r->bad = r->bad || r->end - r->at < 4;
    if (!r->bad) {
      memcpy(look->part[p].rgba, r->at, 4);
      r->at += 4;
    }
  }
  r->bad = r->bad || r->at != r->end || first != look->ntri;
}

// A vertex takes three bytes at least, and so does a triangle: sizes are known to fit before memory is asked for.
static rh_status take_look(reader *r, rh_look **look, const char **why)
{
  *why = "is no packed surface: it was damaged, or is of another version";
  r->bad = r->end - r->at < 2 || r->at[0] != 'L' || r->at[1] != '1';
  if (r->bad) {
    return RH_INPUT_REFUSED;
  }
  r->at += 2;
  int nvert = (int)take_count(r, RH_LOOK_VERTICES_MAX);
  int ntri = (int)take_count(r, RH_LOOK_TRIANGLES_MAX);
  int npart = (int)take_count(r, RH_LOOK_PARTS_MAX);
  ptrdiff_t need = 3 * (ptrdiff_t)nvert + 3 * (ptrdiff_t)ntri + 5 * (ptrdiff_t)npart;
  if (r->bad || need > r->end - r->at || npart < 1 || nvert < 1 || ntri < 1) {
    return RH_INPUT_REFUSED;
  }
  rh_look *made = rh_look_create(nvert, ntri, npart);
  if (!made) {
    return RH_OUT_OF_MEMORY;
  }
  take_vertices(r, made);
  take_triangles(r, made);
  if (r->bad) {
    rh_free(made);
    return RH_INPUT_REFUSED;
  }
  rh_look_measure(made);
  *look = made;
  return RH_OK;
}

rh_status rh_look_unpack(const char *text, size_t length, rh_look **look, const char **why)
{
  size_t size = 0;
  *look = NULL;
  *why = "must be base64";
  unsigned char *bytes = rh_alloc(length + 1);
  if (!bytes) {
    return RH_OUT_OF_MEMORY;
  }
  rh_status status = RH_INPUT_REFUSED;
  if (take_base64(text, length, bytes, &size)) {
    reader r = {bytes, bytes + size, false};
    status = take_look(&r, look, why);
  }
  rh_free(bytes);
  return status;
}
