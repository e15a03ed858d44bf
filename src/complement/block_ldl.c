// block_ldl.c: see block_ldl.h. The order is that of least degree in the quotient graph, degrees bounded from above (Amestoy, Davis
// and Duff 1996): eliminated rows are kept as elements, lists of rows that have become neighbours.
// The factor is made column by column from the left: the columns k < j with L_jk != 0 act on column
// j of L and row j of U.
#include "block_ldl.h"
#include "base/wide.h"

#include "blocks.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { FILL = 16 }; // blocks of the factor for each of the matrix, at most

enum { ROWS = 7 }; // lists of integers with one for each row

static size_t most_blocks(int n, int entries)
{
  size_t all = (size_t)n * (size_t)(n > 0 ? n - 1 : 0) / 2;
  size_t some = (size_t)FILL * (size_t)entries;
  return all < some ? all : some;
}

static size_t doubles_for_ints(size_t ints) // doubles that hold `ints` integers
{
  return (ints + 1) / 2;
}

// Scratch of the ordering: two lists as long as the matrix and some numbers per row, in the memory
// of the later numbers.
static size_t graph_room(int n, int entries)
{
  return doubles_for_ints(2 * (size_t)entries + 10 * ((size_t)n + 1));
}

size_t rh_sparse_room(int n, int entries)
{
  size_t most = most_blocks(n, entries);
  size_t numbers = 18 * most + 27 * (size_t)n;
  size_t graph = graph_room(n, entries);
  return 2 * doubles_for_ints(most) + doubles_for_ints((size_t)entries) +
         ROWS * doubles_for_ints((size_t)n + 1) + (numbers > graph ? numbers : graph);
}

// ---- Order

typedef struct graph {
  rh_sparse *f;
  int *rowlist, *elementlist; // (entries) neighbours of each row: rows, and elements
  int *begin;                 // (n) start of the lists of a row
  int *rows, *elements;       // (n) their lengths
  int *degree;                // (n) bound
  int *head, *after, *before; // rows by degree
  int *mark;                  // (n) last pivot that met the row or element
  int *outside;               // (n) |L_e \ L_p| of an element that p has met
  int *length;                // (n) |L_e|, 0: absorbed; -1: not yet eliminated
} graph;

static void put_by_degree(graph *g, int i, int degree)
{
  g->degree[i] = degree;
  g->before[i] = -1;
  g->after[i] = g->head[degree];
  if (g->head[degree] >= 0) {
    g->before[g->head[degree]] = i;
  }
  g->head[degree] = i;
}

static void take_out(graph *g, int i)
{
  if (g->before[i] >= 0) {
    g->after[g->before[i]] = g->after[i];
  } else {
    g->head[g->degree[i]] = g->after[i];
  }
  if (g->after[i] >= 0) {
    g->before[g->after[i]] = g->before[i];
  }
}

static void open_graph(graph *g, int n, const int *start, const int *col, int *space)
{
  int **const part[] = {&g->begin, &g->elements, &g->rows, &g->degree,  &g->head,
                        &g->after, &g->before,   &g->mark, &g->outside, &g->length};
  for (int i = 0; i < (int)(sizeof(part) / sizeof(part[0])); i++) {
    *part[i] = space;
    space += n + 1;
  }
  g->rowlist = space;
  g->elementlist = space + start[n];
  for (int i = 0; i <= n; i++) {
    g->head[i] = -1;
    g->mark[i] = -1;
    g->length[i] = -1;
    g->elements[i] = 0;
  }
  for (int i = 0; i < n; i++) {
    g->begin[i] = start[i];
    g->rows[i] = 0;
    for (int e = start[i]; e < start[i + 1]; e++) {
      if (col[e] != i) {
        g->rowlist[start[i] + g->rows[i]++] = col[e];
      }
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    put_by_degree(g, i, g->rows[i]);
  }
}

// Adds those of `member` that are neither eliminated nor met. False: no capacity.
static bool add_rows(graph *g, int p, const int *member, int count, int *to)
{
  for (int m = 0; m < count; m++) {
    int i = member[m];
    if (g->length[i] >= 0 || g->mark[i] == p) {
      continue;
    }
    if (*to >= g->f->most) {
      return false;
    }
    g->mark[i] = p;
    g->f->row[(*to)++] = i;
  }
  return true;
}

// Collects the neighbours made by eliminating p, the k-th: the element p. Its elements are
// absorbed.
static bool gather_element(graph *g, int p, int k)
{
  rh_sparse *f = g->f;
  int to = f->start[k];
  g->length[p] = 0;
  bool room = add_rows(g, p, g->rowlist + g->begin[p], g->rows[p], &to);
  for (int m = 0; m < g->elements[p] && room; m++) {
    int e = g->elementlist[g->begin[p] + m];
    room = add_rows(g, p, f->row + f->start[f->place[e]], g->length[e], &to);
    g->length[e] = 0;
  }
  f->start[k + 1] = to;
  g->length[p] = to - f->start[k];
  return room;
}

static void count_outside(graph *g, int p, int i)
{
  for (int m = 0; m < g->elements[i]; m++) {
    int e = g->elementlist[g->begin[i] + m];
    if (g->mark[e] != p) {
      g->mark[e] = p;
      g->outside[e] = g->length[e];
    }
    g->outside[e]--;
  }
}

// Row i of the new element p: drops covered entries from its lists.
static void renew_row(graph *g, int i, int p, int left)
{
  int *list = g->elementlist + g->begin[i];
  int kept = 0;
  int bound = g->length[p] - 1;
  for (int m = 0; m < g->elements[i]; m++) {
    int e = list[m];
    if (g->length[e] > 0 && g->outside[e] > 0) {
      bound += g->outside[e];
      list[kept++] = e;
    } else {
      g->length[e] = 0;
    }
  }
  list[kept++] = p;
  g->elements[i] = kept;
  list = g->rowlist + g->begin[i];
  kept = 0;
  for (int m = 0; m < g->rows[i]; m++) {
    int j = list[m];
    if (g->length[j] < 0 && g->mark[j] != p) {
      list[kept++] = j;
    }
  }
  g->rows[i] = kept;
  bound += kept;
  take_out(g, i);
  put_by_degree(g, i, bound < left ? bound : left);
}

static bool find_order(graph *g)
{
  rh_sparse *f = g->f;
  int least = 0;
  f->start[0] = 0;
  for (int k = 0; k < f->n; k++) {
    while (g->head[least] < 0) {
      least++;
    }
    int p = g->head[least];
    take_out(g, p);
    f->order[k] = p;
    f->place[p] = k;
    if (!gather_element(g, p, k)) {
      return false;
    }
    for (int e = f->start[k]; e < f->start[k + 1]; e++) {
      count_outside(g, p, f->row[e]);
    }
    for (int e = f->start[k]; e < f->start[k + 1]; e++) {
      renew_row(g, f->row[e], p, f->n - k - 2);
      least = g->degree[f->row[e]] < least ? g->degree[f->row[e]] : least;
    }
  }
  return true;
}

// Rows of each column as places, ascending: by going through the transpose twice.
static void sort_places(rh_sparse *f, int *count, int *of)
{
  int n = f->n;
  memset(count, 0, ((size_t)n + 1) * sizeof(int));
  for (int e = 0; e < f->start[n]; e++) {
    f->row[e] = f->place[f->row[e]];
    count[f->row[e] + 1]++;
  }
  for (int i = 0; i < n; i++) {
    count[i + 1] += count[i];
  }
  for (int k = 0; k < n; k++) {
    for (int e = f->start[k]; e < f->start[k + 1]; e++) {
      of[count[f->row[e]]++] = k;
    }
  }
  memcpy(f->next, f->start, (size_t)n * sizeof(int));
  for (int i = 0, e = 0; i < n; i++) {
    for (; e < count[i]; e++) {
      f->row[f->next[of[e]]++] = i;
    }
  }
}

static void find_mirrors(rh_sparse *f, const int *start, const int *col)
{
  memcpy(f->next, start, (size_t)f->n * sizeof(int));
  for (int i = 0; i < f->n; i++) { // rows ascend, and so do the columns of the rows that name them
    for (int e = start[i]; e < start[i + 1]; e++) {
      f->mirror[e] = f->next[col[e]]++;
    }
  }
}

bool rh_sparse_analyse(rh_sparse *f, int n, const int *start, const int *col, double *room)
{
  size_t most = most_blocks(n, start[n]);
  size_t row = doubles_for_ints((size_t)n + 1);
  *f = (rh_sparse){.n = n, .most = (int)(most < INT32_MAX ? most : INT32_MAX)};
  int **const part[] = {&f->order, &f->place, &f->start, &f->end, &f->at, &f->link, &f->next};
  for (int i = 0; i < ROWS; i++) {
    *part[i] = (int *)room;
    room += row;
  }
  f->mirror = (int *)room;
  f->row = (int *)(room + doubles_for_ints((size_t)start[n]));
  f->live = (int *)(room + doubles_for_ints((size_t)start[n]) + doubles_for_ints(most));
  double *numbers = room + doubles_for_ints((size_t)start[n]) + 2 * doubles_for_ints(most);
  f->pivot = numbers;
  f->work = f->pivot + (size_t)9 * (size_t)n;
  f->LU = f->work + (size_t)18 * (size_t)n;
  graph g = {.f = f};
  open_graph(&g, n, start, col, (int *)numbers);
  if (!find_order(&g)) {
    return false;
  }
  sort_places(f, f->link, f->live);
  find_mirrors(f, start, col);
  return true;
}

// ---- Numbers

// L and the transpose of U go through the same products as pairs, for vector instructions.
typedef double pair __attribute__((vector_size(16)));
typedef double pair_memory __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair_memory *pair_block(double *x, int i)
{
  return (pair_memory *)(x + (size_t)18 * (size_t)i);
}

// A row of three: w -= f c, c (3 x 3)
static inline void take_row(pair_memory *w, const pair_memory *f, const pair *c)
{
  pair x = f[0];
  pair y = f[1];
  pair z = f[2];
  w[0] -= x * c[0] + y * c[3] + z * c[6];
  w[1] -= x * c[1] + y * c[4] + z * c[7];
  w[2] -= x * c[2] + y * c[5] + z * c[8];
}

// Largest element of m in rows and columns that have not been used.
static void find_pivot(double (*m)[6], const int *row_of, const bool *used, int *r, int *c)
{
  *r = -1;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      bool free = !used[i] && row_of[j] < 0;
      if (free && (*r < 0 || fabs(m[i][j]) > fabs(m[*r][*c]))) {
        *r = i;
        *c = j;
      }
    }
  }
}

// Inverse by elimination, the largest element first. Pivots below `least` are left out: the unknown
// is 0, its equation is dropped. (Raised to `least` they would spread rounding / `least`.) Returns
// their number.
static int invert_block(const double *a, double least, double *inverse)
{
  double m[3][6];
  int row_of[3] = {-1, -1, -1};
  bool used[3] = {false, false, false};
  int lost = 0;
  for (int i = 0; i < 9; i++) {
    m[i / 3][i % 3] = a[i];
    m[i / 3][3 + i % 3] = i % 4 == 0;
  }
  for (int k = 0; k < 3; k++) {
    int r = 0;
    int c = 0;
    find_pivot(m, row_of, used, &r, &c);
    used[r] = true;
    row_of[c] = r;
    if (!(fabs(m[r][c]) >= least)) {
      memset(m[r], 0, sizeof(m[r]));
      lost++;
      continue;
    }
    double scale = 1 / m[r][c];
    for (int j = 0; j < 6; j++) {
      m[r][j] *= scale;
    }
    for (int i = 0; i < 3; i++) {
      double t = m[i][c];
      for (int j = 0; j < 6 && i != r; j++) {
        m[i][j] -= t * m[r][j];
      }
    }
  }
  for (int c = 0; c < 3; c++) {
    memcpy(inverse + (ptrdiff_t)3 * c, &m[row_of[c]][3], 3 * sizeof(double));
  }
  return lost;
}

// The least of the largest numbers of the rows that are not zero.
static double size_of(const double *m)
{
  double least = HUGE_VAL;
  for (int i = 0; i < 3; i++) {
    double row = fmax(fabs(m[3 * i]), fmax(fabs(m[3 * i + 1]), fabs(m[3 * i + 2])));
    least = row > 0 && row < least ? row : least;
  }
  return least < HUGE_VAL ? least : 1;
}

// Column j and row j of the matrix into the work. Returns the size of the diagonal block.
static double scatter_column(rh_sparse *f, int j, const rh_sparse_matrix *m, double *diagonal)
{
  int own = f->order[j];
  double size = 1;
  for (int e = f->start[j]; e < f->start[j + 1]; e++) {
    pair_memory *work = pair_block(f->work, f->row[e]);
    for (int k = 0; k < 9; k++) {
      work[k] = (pair){0, 0};
    }
  }
  for (int e = m->start[own]; e < m->start[own + 1]; e++) {
    int i = f->place[m->col[e]];
    const double *U = m->M + (ptrdiff_t)9 * e;
    const double *L = m->M + (ptrdiff_t)9 * f->mirror[e];
    if (i == j) {
      memcpy(diagonal, U, 9 * sizeof(double));
      size = size_of(U);
    } else if (i > j && !m->skip[m->col[e]]) {
      double *work = f->work + (size_t)18 * (size_t)i;
      for (int k = 0; k < 9; k++) {
        work[2 * k] = L[k];
        work[2 * k + 1] = U[3 * (k % 3) + k / 3];
      }
    }
  }
  return size;
}

// Applies column k, whose row j is its entry e, to column j.
static void apply_column(rh_sparse *f, int k, int e, double *diagonal)
{
  pair c[9];
  const double *at = f->LU + (size_t)18 * (size_t)e;
  for (int i = 0; i < 9; i++) {
    const double *from = at + (ptrdiff_t)2 * (3 * (i % 3) + i / 3);
    c[i] = (pair){from[1], from[0]};
    const double *l = at + (ptrdiff_t)6 * (i / 3);
    const double *u = at + (ptrdiff_t)6 * (i % 3) + 1;
    diagonal[i] -= l[0] * u[0] + l[2] * u[2] + l[4] * u[4];
  }
  for (int i = e + 1; i < f->end[k]; i++) {
    const pair_memory *from = pair_block(f->LU, i);
    pair_memory *to = pair_block(f->work, f->live[i]);
    take_row(to, from, c);
    take_row(to + 3, from + 3, c);
    take_row(to + 6, from + 6, c);
  }
}

// Column k will act next on the row of its entry e.
static void link_to(rh_sparse *f, int k, int e)
{
  f->at[k] = e;
  if (e < f->end[k]) {
    f->next[k] = f->link[f->live[e]];
    f->link[f->live[e]] = k;
  }
}

// Column j from the work: skipped rows are left out.
static void store_column(rh_sparse *f, int j, const bool *skip)
{
  int to = f->start[j];
  const double *pivot = f->pivot + (size_t)9 * (size_t)j;
  for (int e = f->start[j]; e < f->start[j + 1]; e++) {
    int i = f->row[e];
    const double *work = f->work + (size_t)18 * (size_t)i;
    if (skip[f->order[i]]) {
      continue;
    }
    double *LU = f->LU + (size_t)18 * (size_t)to;
    for (int k = 0; k < 9; k++) {
      const double *l = work + (ptrdiff_t)6 * (k / 3);
      const double *c = pivot + k % 3;
      LU[2 * k] = l[0] * c[0] + l[2] * c[3] + l[4] * c[6];
      LU[2 * k + 1] = work[2 * k + 1];
    }
    f->live[to++] = i;
  }
  f->end[j] = to;
  link_to(f, j, f->start[j]);
}

RH_WIDE
int rh_sparse_factor(rh_sparse *f, const rh_sparse_matrix *m)
{
  int lost = 0;
  for (int j = 0; j < f->n; j++) {
    f->link[j] = -1;
  }
  for (int j = 0; j < f->n; j++) {
    double *pivot = f->pivot + (size_t)9 * (size_t)j;
    double diagonal[9] = {0};
    if (m->skip[f->order[j]]) {
      f->end[j] = f->start[j];
      continue;
    }
    double size = scatter_column(f, j, m, diagonal);
    for (int k = f->link[j]; k >= 0;) {
      int then = f->next[k];
      int e = f->at[k];
      apply_column(f, k, e, diagonal);
      link_to(f, k, e + 1);
      k = then;
    }
    lost += invert_block(diagonal, m->small * size, pivot);
    store_column(f, j, m->skip);
  }
  return lost;
}

void rh_sparse_solve(const rh_sparse *f, const bool *skip, double *x)
{
  double *y = f->work;
  for (int k = 0; k < f->n; k++) {
    memcpy(y + (ptrdiff_t)3 * k, x + (ptrdiff_t)3 * f->order[k], 3 * sizeof(double));
  }
  for (int k = 0; k < f->n; k++) {
    const double *own = y + (ptrdiff_t)3 * k;
    for (int e = f->start[k]; e < f->end[k]; e++) {
      const double *L = f->LU + (size_t)18 * (size_t)e;
      double *to = y + (ptrdiff_t)3 * f->live[e];
      for (int a = 0; a < 3; a++) {
        to[a] -= L[6 * a] * own[0] + L[6 * a + 2] * own[1] + L[6 * a + 4] * own[2];
      }
    }
  }
  for (int k = f->n - 1; k >= 0; k--) {
    double *own = y + (ptrdiff_t)3 * k;
    const double *P = f->pivot + (size_t)9 * (size_t)k;
    double r[3] = {own[0], own[1], own[2]};
    if (skip[f->order[k]]) {
      continue;
    }
    for (int e = f->start[k]; e < f->end[k]; e++) {
      const double *U = f->LU + (size_t)18 * (size_t)e + 1; // transposed
      const double *from = y + (ptrdiff_t)3 * f->live[e];
      for (int a = 0; a < 3; a++) {
        r[a] -= U[2 * a] * from[0] + U[6 + 2 * a] * from[1] + U[12 + 2 * a] * from[2];
      }
    }
    for (int a = 0; a < 3; a++) {
      own[a] = P[3 * a] * r[0] + P[3 * a + 1] * r[1] + P[3 * a + 2] * r[2];
    }
  }
  for (int k = 0; k < f->n; k++) {
    memcpy(x + (ptrdiff_t)3 * f->order[k], y + (ptrdiff_t)3 * k, 3 * sizeof(double));
  }
}
