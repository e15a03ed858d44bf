// look_simplify.c: fewer triangles for a surface that is small on the screen, by clusters of vertices.
// The order of vertices and triangles decides every choice, so that the result is the same everywhere.
#include "look.h"

#include <string.h>

enum { FEW = 300 }; // triangles that need no lower level

typedef struct clusters {
  int (*cell)[3]; // of each vertex
  int *of;        // cluster of each vertex
  double *sum;    // weight, then weighted place (4 each)
  int n;
  int (*tri)[3]; // corners as clusters, the lowest first; then sorted
  int (*sorted)[3];
} clusters;

static bool open_clusters(clusters *c, const rh_look *look)
{
  size_t nv = (size_t)look->nvert + 1;
  size_t nt = (size_t)look->ntri + 1;
  *c = (clusters){.cell = rh_alloc(nv * sizeof *c->cell),
                  .of = rh_alloc(nv * sizeof *c->of),
                  .sum = rh_alloc(4 * nv * sizeof *c->sum),
                  .tri = rh_alloc(nt * sizeof *c->tri),
                  .sorted = rh_alloc(nt * sizeof *c->sorted)};
  return c->cell && c->of && c->sum && c->tri && c->sorted;
}

static void close_clusters(clusters *c)
{
  rh_free(c->cell);
  rh_free(c->of);
  rh_free(c->sum);
  rh_free(c->tri);
  rh_free(c->sorted);
}

static bool find_clusters(clusters *c, const rh_look *look, double cell)
{
  rh_triples same;
  for (int i = 0; i < look->nvert; i++) {
    for (int k = 0; k < 3; k++) {
      double x = floor(look->vert[3 * i + k] / cell);
      c->cell[i][k] = (int)fmax(-1e9, fmin(1e9, x));
    }
  }
  if (!rh_triples_open(&same, (const int(*)[3])(void *)c->cell, look->nvert)) {
    return false;
  }
  for (int i = 0; i < look->nvert; i++) {
    int first = rh_triples_put(&same, i);
    c->of[i] = first == i ? c->n++ : c->of[first];
  }
  rh_triples_close(&same);
  return true;
}

static rh_vec3 vertex_of(const rh_look *look, int i)
{
  const double *x = look->vert + 3 * (size_t)i;
  return rh_v3(x[0], x[1], x[2]);
}

static void place_clusters(clusters *c, const rh_look *look)
{
  for (int i = 0; i < look->ntri; i++) {
    const int *t = look->tri[i];
    rh_vec3 a = vertex_of(look, t[0]);
    double area =
        rh_norm(rh_cross(rh_sub(vertex_of(look, t[1]), a), rh_sub(vertex_of(look, t[2]), a)));
    for (int k = 0; k < 3; k++) {
      double *sum = c->sum + 4 * (size_t)c->of[t[k]];
      rh_vec3 v = vertex_of(look, t[k]);
      double w = area + 1e-300; // a corner without area has a place too
      sum[0] += w;
      sum[1] += w * v.x;
      sum[2] += w * v.y;
      sum[3] += w * v.z;
    }
  }
}

static void order_corners(const clusters *c, const int *from, int *tri, int *sorted)
{
  int x[3] = {c->of[from[0]], c->of[from[1]], c->of[from[2]]};
  int low = x[0] <= x[1] && x[0] <= x[2] ? 0 : x[1] <= x[2] ? 1 : 2;
  for (int k = 0; k < 3; k++) {
    tri[k] = x[(low + k) % 3];
  }
  bool turned = tri[1] > tri[2];
  sorted[0] = tri[0];
  sorted[1] = turned ? tri[2] : tri[1];
  sorted[2] = turned ? tri[1] : tri[2];
}

// Triangles that remain, each once; `first` gets the number of those before each part.
static bool keep_triangles(clusters *c, const rh_look *look, rh_look_part *part, int *count)
{
  rh_triples same;
  int n = 0;
  int p = 0;
  if (!rh_triples_open(&same, (const int(*)[3])(void *)c->sorted, look->ntri)) {
    return false;
  }
  for (int i = 0; i < look->ntri; i++) {
    for (; p < look->npart && look->part[p].first <= i; p++) {
      part[p] = look->part[p];
      part[p].first = n;
    }
    order_corners(c, look->tri[i], c->tri[n], c->sorted[n]);
    const int *t = c->tri[n];
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0] && rh_triples_put(&same, n) == n) {
      n++;
    }
  }
  for (; p < look->npart; p++) {
    part[p] = look->part[p];
    part[p].first = n;
  }
  rh_triples_close(&same);
  *count = n;
  return true;
}

static rh_look *take_clusters(const clusters *c, const rh_look *look, const rh_look_part *part,
                              int ntri)
{
  rh_look *made = rh_look_create(c->n, ntri, look->npart);
  if (!made) {
    return NULL;
  }
  for (int i = 0; i < c->n; i++) {
    const double *sum = c->sum + 4 * (size_t)i;
    for (int k = 0; k < 3; k++) {
      made->vert[3 * i + k] = sum[0] > 0 ? sum[1 + k] / sum[0] : 0;
    }
  }
  if (ntri > 0) {
    memcpy(made->tri, c->tri, (size_t)ntri * sizeof *made->tri);
  }
  memcpy(made->part, part, (size_t)look->npart * sizeof *part);
  rh_look_measure(made);
  return made;
}

rh_look *rh_look_simplify(const rh_look *look, double cell)
{
  clusters c;
  rh_look *made = NULL;
  rh_look_part *part = rh_alloc((size_t)(look->npart + 1) * sizeof *part);
  int ntri = 0;
  if (open_clusters(&c, look) && part && find_clusters(&c, look, cell)) {
    place_clusters(&c, look);
    if (keep_triangles(&c, look, part, &ntri)) {
      made = take_clusters(&c, look, part, ntri);
    }
  }
  close_clusters(&c);
  rh_free(part);
  return made;
}

int rh_look_levels(const rh_look *look)
{
  int n = 1;
  for (int left = look->ntri; left > FEW && n < RH_LOOK_LEVELS_MAX && look->edge > 0; left /= 4) {
    n++;
  }
  return n;
}

double rh_look_cell(const rh_look *look, int level)
{
  return level > 0 ? ldexp(look->edge, level) : 0;
}

rh_look *rh_look_level(const rh_look *look, int level)
{
  if (level > 0) {
    return rh_look_simplify(look, rh_look_cell(look, level));
  }
  rh_look *copy = rh_look_create(look->nvert, look->ntri, look->npart);
  if (copy) {
    memcpy(copy->vert, look->vert, 3 * (size_t)look->nvert * sizeof *look->vert);
    memcpy(copy->tri, look->tri, (size_t)look->ntri * sizeof *look->tri);
    memcpy(copy->part, look->part, (size_t)look->npart * sizeof *look->part);
    copy->edge = look->edge;
  }
  return copy;
}
