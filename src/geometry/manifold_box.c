// manifold_box.c: box against box for time steps, fast: the same result as box.c (15 axes, then two
// faces clipped or two edges crossed), arranged so that one instruction tests three axes. Left out:
// second-order sides and areas.
//
// Axes are those of S. Gottschalk (1996): with C = A' B, t the way from A's centre to B's in A's axes, h half sides,
//   faces of A:  |t_i| - a_i - sum_j b_j |C_ij|              faces of B: the same from there
//   edges i, j:  (|t_i2 C_i1j - t_i1 C_i2j| - a_i1 |C_i2j| - a_i2 |C_i1j| - b_j1 |C_ij2| - b_j2 |C_ij1|) / sqrt(1 - C_ij^2)
// The greatest is the gap. Overlapping boxes have it exactly; boxes apart have it where the nearest points lie inside the
// features of that axis, and otherwise it is less than their distance: then GJK decides.
#include "math/four.h"
#include "pair.h"

// As in box.c: ties of this part of the size do not change the feature; edges that are nearly
// parallel (sin^2) add nothing to the faces; faces within 10 mrad of one another meet as faces.
static const double STEADY = 1e-6;
static const double PARALLEL = 1e-12;
static const double LYING = 1 - 5e-5;

static const int NEXT[3] = {1, 2, 0}; // axis

typedef struct boxes {
  const rh_geom *a, *b;
  double ha[4], hb[4]; // [m] half sides; the fourth is unused
  double t[4];         // B's centre in A's axes,
  double tb[4];        // the same way in B's
  double C[3][4];      // C[i]: a_i in B's axes
  double D[3][4];      // D[j]: b_j in A's axes
  double gap[2][4];    // of the faces
  double edge[3][4];   // of the edges
  double length[3][4]; // of their cross products
  double bias;         // [m] a tie
  double best;         // [m] the gap,
  int axis;            // and its axis: 0-2 faces of A, 3-5 faces of B, 6 + 3 i + j edges
} boxes;

// Axes and faces. False: they are apart by `margin` or more.
FOUR_INLINE bool test_faces(boxes *s, four C[3], double margin)
{
  const rh_geom *a = s->a;
  const rh_geom *b = s->b;
  const double *A = a->R.m;
  const double *B = b->R.m;
  const four half = four_all(0.5);
  four A0 = four_load(A);
  four A1 = four_load(A + 3);
  four A2 = four_load(A + 6); // the fourth number is that after the matrix
  four B0 = four_load(B);
  four B1 = four_load(B + 3);
  four B2 = four_load(B + 6);
  four x = four_sub(four_all(b->p.x), four_all(a->p.x));
  four y = four_sub(four_all(b->p.y), four_all(a->p.y));
  four z = four_sub(four_all(b->p.z), four_all(a->p.z));
  four t = four_add(four_add(four_mul(x, A0), four_mul(y, A1)), four_mul(z, A2));
  four tb = four_add(four_add(four_mul(x, B0), four_mul(y, B1)), four_mul(z, B2));
  four ha = four_mul(half, four_load(a->par));
  four hb = four_mul(half, four_load(b->par));
  four D[3];
  for (int i = 0; i < 3; i++) {
    C[i] = four_sum3(A[i], B0, A[3 + i], B1, A[6 + i], B2);
    D[i] = four_sum3(B[i], A0, B[3 + i], A1, B[6 + i], A2);
  }
  const double *pa = a->par;
  const double *pb = b->par;
  four ra = four_sum3(pb[0], four_abs(D[0]), pb[1], four_abs(D[1]), pb[2], four_abs(D[2]));
  four rb = four_sum3(pa[0], four_abs(C[0]), pa[1], four_abs(C[1]), pa[2], four_abs(C[2]));
  ra = four_mul(half, ra);
  rb = four_mul(half, rb);
  four ga = four_sub(four_sub(four_abs(t), ha), ra);
  four gb = four_sub(four_sub(four_abs(tb), hb), rb);
  if ((four_least(ga, four_all(margin)) | four_least(gb, four_all(margin))) & 7) {
    return false;
  }
  four_store(s->ha, ha);
  four_store(s->hb, hb);
  four_store(s->t, t);
  four_store(s->tb, tb);
  for (int i = 0; i < 3; i++) {
    four_store(s->C[i], C[i]);
    four_store(s->D[i], D[i]);
  }
  four_store(s->gap[0], ga);
  four_store(s->gap[1], gb);
  s->bias = STEADY * (s->ha[0] + s->ha[1] + s->ha[2] + s->hb[0] + s->hb[1] + s->hb[2]);
  s->best = four_most(four_max(ga, gb));
  four near = four_all(s->best - s->bias);
  int first = (four_least(ga, near) & 7) | (four_least(gb, near) & 7) << 3;
  s->axis = first ? __builtin_ctz((unsigned)first) : RH_NONE; // none: not numbers
  return true;
}

// The three edges of A's axis i, i1 and i2 the axes after it.
FOUR_INLINE four test_edges_of(boxes *s, const four C[3], int i)
{
  int i1 = (i + 1) % 3;
  int i2 = (i + 2) % 3;
  four hb = four_load(s->hb);
  four Q = four_abs(C[i]);
  four across = four_sub(four_mul(four_all(s->t[i2]), C[i1]), four_mul(four_all(s->t[i1]), C[i2]));
  four of_a = four_add(four_mul(four_all(s->ha[i1]), four_abs(C[i2])),
                       four_mul(four_all(s->ha[i2]), four_abs(C[i1])));
  four of_b = four_add(four_mul(four_yzx(hb), four_zxy(Q)), four_mul(four_zxy(hb), four_yzx(Q)));
  four raw = four_sub(four_sub(four_abs(across), of_a), of_b);
  four ll = four_sub(four_all(1), four_mul(C[i], C[i]));
  four_store(s->length[i], four_root(four_max(ll, four_all(PARALLEL))));
  four gap = four_div(raw, four_load(s->length[i]));
  gap = four_pick(four_all(PARALLEL), ll, four_all(-HUGE_VAL), gap);
  four_store(s->edge[i], gap);
  return gap;
}

// False: an edge axis separates them by `margin` or more.
FOUR_INLINE bool test_edges(boxes *s, const four C[3], double margin)
{
  four e0 = test_edges_of(s, C, 0);
  four e1 = test_edges_of(s, C, 1);
  four e2 = test_edges_of(s, C, 2);
  four most = four_max(four_max(e0, e1), e2);
  if (four_least(most, four_all(margin)) & 7) {
    return false;
  }
  double best = four_most(most);
  if (best > s->best + s->bias) {
    four near = four_all(best - s->bias);
    int first = (four_least(e0, near) & 7) | (four_least(e1, near) & 7) << 3 |
                (four_least(e2, near) & 7) << 6;
    s->axis = 6 + __builtin_ctz((unsigned)first);
    s->best = s->edge[(s->axis - 6) / 3][(s->axis - 6) % 3];
  }
  return true;
}

// ---- face against face

typedef struct facing { // the boxes seen from the reference box
  const rh_geom *ref;
  const double *href, *hinc;
  const double (*inc)[4]; // the other's axes in those of the reference
  double t[3];            // [m] its centre
  double sign;            // of the face: +1 points along the axis
  int k, u, v;            // the axis across, the two along
  int j, j1, j2;          // the same of the other box,
  double turn;            // and the sign of its face
  double tilt;            // cosine between the two axes across
  bool ref_is_a;
} facing;

static void face_to(const boxes *s, facing *f)
{
  f->ref_is_a = s->axis < 3;
  f->k = s->axis < 3 ? s->axis : s->axis - 3;
  f->ref = f->ref_is_a ? s->a : s->b;
  f->href = f->ref_is_a ? s->ha : s->hb;
  f->hinc = f->ref_is_a ? s->hb : s->ha;
  f->inc = f->ref_is_a ? s->D : s->C;
  const double *t = f->ref_is_a ? s->t : s->tb;
  double way = f->ref_is_a ? 1 : -1;
  for (int i = 0; i < 3; i++) {
    f->t[i] = way * t[i];
  }
  f->u = NEXT[f->k];
  f->v = NEXT[f->u];
  f->sign = f->t[f->k] < 0 ? -1 : 1;
  const double *across = f->ref_is_a ? s->C[f->k] : s->D[f->k]; // the face's axis in the other's
  double x = fabs(across[0]);
  double y = fabs(across[1]);
  double z = fabs(across[2]);
  f->j = y > x * (1 + 1e-9) ? 1 : 0; // a tie gives the lower axis, whatever the rounding
  f->j = z > (f->j ? y : x) * (1 + 1e-9) ? 2 : f->j;
  f->j1 = NEXT[f->j];
  f->j2 = NEXT[f->j1];
  f->tilt = across[f->j];
  f->turn = f->sign * f->tilt < 0 ? 1 : -1;
}

// Candidates for corners of the common part: 0-3 corners of the other face, 4-7 where its edges come in over a side of the
// reference, 8-11 where they leave, 12-15 corners of the reference.
typedef struct clip {
  double u[16], v[16], depth[16]; // [m] in the plane of the reference, and below it
  int bits;                       // valid candidates
  int in_u, out_u;                // bit k: edge k comes in (leaves) over a side across u, not v,
  int up_u, up_v;                 // and goes towards greater u, v
} clip;

typedef struct quad {        // the other face: centre and half edges
  double c[3], e1[3], e2[3]; // along u, v and downwards
} quad;

static void quad_of(const facing *f, quad *q)
{
  const double *x = f->inc[f->j];
  const double *x1 = f->inc[f->j1];
  const double *x2 = f->inc[f->j2];
  double h = f->turn * f->hinc[f->j];
  double h1 = f->hinc[f->j1];
  double h2 = f->hinc[f->j2];
  q->c[0] = f->t[f->u] + h * x[f->u];
  q->c[1] = f->t[f->v] + h * x[f->v];
  q->c[2] = f->href[f->k] - f->sign * (f->t[f->k] + h * x[f->k]);
  q->e1[0] = h1 * x1[f->u];
  q->e1[1] = h1 * x1[f->v];
  q->e1[2] = -f->sign * (h1 * x1[f->k]);
  q->e2[0] = h2 * x2[f->u];
  q->e2[1] = h2 * x2[f->v];
  q->e2[2] = -f->sign * (h2 * x2[f->k]);
}

// Corners are -e1-e2, +e1-e2, +e1+e2, -e1+e2; edge k goes from corner k to the next.
FOUR_INLINE four quad_corners(const quad *q, int x)
{
  four c = four_all(q->c[x]);
  four s1 = four_of(-q->e1[x], q->e1[x], q->e1[x], -q->e1[x]);
  four s2 = four_of(-q->e2[x], -q->e2[x], q->e2[x], q->e2[x]);
  return four_add(four_add(c, s1), s2);
}

FOUR_INLINE four quad_edges(const quad *q, int x)
{
  return four_of(2 * q->e1[x], 2 * q->e2[x], -2 * q->e1[x], -2 * q->e2[x]);
}

// Each edge of the other face cut to the rectangle (Y. Liang and B. Barsky 1984). A corner that sticks out by less than
// the slack is left: features that coincide must not change with the rounding.
FOUR_INLINE void cut_edges(const quad *q, double hu, double hv, clip *p)
{
  const four zero = four_all(0);
  const four one = four_all(1);
  double slack = STEADY * (hu + hv);
  four u = quad_corners(q, 0);
  four v = quad_corners(q, 1);
  four d = quad_corners(q, 2);
  four du = quad_edges(q, 0);
  four dv = quad_edges(q, 1);
  four dd = quad_edges(q, 2);
  four ru = four_div(one, du);
  four rv = four_div(one, dv);
  four U = four_all(hu + slack);
  four V = four_all(hv + slack);
  four lo_u = four_mul(four_sub(four_sub(zero, U), u), ru);
  four hi_u = four_mul(four_sub(U, u), ru);
  four lo_v = four_mul(four_sub(four_sub(zero, V), v), rv);
  four hi_v = four_mul(four_sub(V, v), rv);
  four in_u = four_min(
      lo_u, hi_u); // an edge along a side has minus and plus infinity, or twice the same: outside
  four out_u = four_max(lo_u, hi_u);
  four in_v = four_min(lo_v, hi_v);
  four out_v = four_max(lo_v, hi_v);
  four t0 = four_max(in_u, four_max(in_v, zero));
  four t1 = four_min(out_u, four_min(out_v, one));
  int seen = four_over(t1, t0);
  int cut = four_over(t0, zero);
  four su = four_mul(four_all(slack), four_abs(ru)); // crossings lie on the sides themselves
  four sv = four_mul(four_all(slack), four_abs(rv));
  t0 = four_pick(in_u, in_v, four_add(in_u, su), four_add(in_v, sv));
  four end = four_pick(out_v, out_u, four_sub(out_u, su), four_sub(out_v, sv));
  four_store(p->u, u);
  four_store(p->v, v);
  four_store(p->depth, d);
  four_store(p->u + 4, four_add(u, four_mul(t0, du)));
  four_store(p->v + 4, four_add(v, four_mul(t0, dv)));
  four_store(p->depth + 4, four_add(d, four_mul(t0, dd)));
  four_store(p->u + 8, four_add(u, four_mul(end, du)));
  four_store(p->v + 8, four_add(v, four_mul(end, dv)));
  four_store(p->depth + 8, four_add(d, four_mul(end, dd)));
  p->bits = (seen & ~cut) | (seen & cut) << 4 | (seen & four_over(one, t1)) << 8;
  p->in_u = four_over(in_u, in_v);
  p->out_u = four_over(out_v, out_u);
  p->up_u = four_over(du, zero);
  p->up_v = four_over(dv, zero);
}

// Corners of the reference that the other face covers, by more than the slack.
FOUR_INLINE void cover_corners(const quad *q, double hu, double hv, clip *p)
{
  four u = four_of(-hu, hu, hu, -hu);
  four v = four_of(-hv, -hv, hv, hv);
  four x = four_sub(u, four_all(q->c[0]));
  four y = four_sub(v, four_all(q->c[1]));
  double det = q->e1[0] * q->e2[1] - q->e1[1] * q->e2[0];
  four r = four_all(1 / det);
  four a = four_sub(four_mul(x, four_all(q->e2[1])), four_mul(y, four_all(q->e2[0])));
  four b = four_sub(four_mul(y, four_all(q->e1[0])), four_mul(x, four_all(q->e1[1])));
  a = four_mul(a, r);
  b = four_mul(b, r);
  four inside = four_all(1 - STEADY);
  four_store(p->u + 12, u);
  four_store(p->v + 12, v);
  four d = four_add(four_all(q->c[2]), four_mul(a, four_all(q->e1[2])));
  four_store(p->depth + 12, four_add(d, four_mul(b, four_all(q->e2[2]))));
  p->bits |= (four_over(inside, four_abs(a)) & four_over(inside, four_abs(b))) << 12;
}

// Corner k of the face across an axis, down and up, ordered by the axes after it: bits x, y, z.
static const unsigned char CORNER[3][2][4] = {
    {{0, 2, 6, 4}, {1, 3, 7, 5}}, {{0, 4, 5, 1}, {2, 6, 7, 3}}, {{0, 1, 3, 2}, {4, 5, 7, 6}}};

// The edge from corner k to the next, as rh_box_edge numbers it.
static const unsigned char EDGE[3][2][4] = {
    {{4, 10, 6, 8}, {5, 11, 7, 9}}, {{8, 2, 9, 0}, {10, 3, 11, 1}}, {{0, 5, 1, 4}, {2, 7, 3, 6}}};

// The features that make candidate i; the numbers are those of rh_touch_box_box.
static int id_of(const facing *f, const clip *p, int i)
{
  int k = i & 3;
  int of_ref = f->ref_is_a ? 0 : RH_ID_CORNER_B;
  int of_inc = f->ref_is_a ? RH_ID_CORNER_B : 0;
  if (i < 4) {
    return of_inc + CORNER[f->j][f->turn > 0][k];
  }
  if (i >= 12) {
    return of_ref + CORNER[f->k][f->sign > 0][k];
  }
  // Sides 0 to 3 are v = -h, u = h, v = h, u = -h, as the edges of the reference face run.
  bool in = i < 8;
  bool over_u = (in ? p->in_u : p->out_u) >> k & 1;
  bool rises = (over_u ? p->up_u : p->up_v) >> k & 1;
  int side = over_u ? (rises == in ? 3 : 1) : (rises == in ? 0 : 2);
  int ref = EDGE[f->k][f->sign > 0][side];
  int inc = EDGE[f->j][f->turn > 0][k];
  return f->ref_is_a ? rh_id_edges(ref, inc) : rh_id_edges(inc, ref);
}

FOUR_INLINE four matrix_column(const rh_geom *g, int k)
{
  return four_of(g->R.m[k], g->R.m[3 + k], g->R.m[6 + k], 0);
}

// The candidates that are close enough, by their ids; the lower four bits are the index. Their
// count.
static int sort_bits(const facing *f, const clip *p, int bits, int *key)
{
  int n = 0;
  for (; bits && n < RH_MANIFOLD_MAX; bits &= bits - 1) {
    int i = __builtin_ctz((unsigned)bits);
    int own = id_of(f, p, i) << 4 | i;
    int k = n++;
    for (; k > 0 && key[k - 1] > own; k--) {
      key[k] = key[k - 1];
    }
    key[k] = own;
  }
  return n;
}

// The points: halfway between the surfaces.
static int put_faces(const facing *f, const clip *p, double margin, rh_touch *out)
{
  int bits = p->bits;
  for (int i = 0; i < 16; i += 4) {
    bits &= ~(0xf << i) | four_over(four_load(p->depth + i), four_all(-margin)) << i;
  }
  int key[RH_MANIFOLD_MAX];
  int n = sort_bits(f, p, bits, key);
  four U = matrix_column(f->ref, f->u);
  four V = matrix_column(f->ref, f->v);
  four N = four_mul(four_all(f->sign), matrix_column(f->ref, f->k));
  four o = four_of(f->ref->p.x, f->ref->p.y, f->ref->p.z, 0);
  four normal = f->ref_is_a ? four_sub(four_all(0), N) : N;
  for (int m = 0; m < n; m++) {
    int i = key[m] & 15;
    double up = f->href[f->k] - p->depth[i] / 2;
    four x = four_sum3(p->u[i], U, p->v[i], V, up, N);
    four_store(&out[m].point.x, four_add(o, x));
    four_store(&out[m].normal.x, normal);
    out[m].depth = p->depth[i];
    out[m].id = key[m] >> 4;
  }
  return n;
}

// Boxes apart, faces not parallel, and the nearest corner outside the face: another feature is
// nearer.
static bool lies_beside(const boxes *s, const facing *f, const rh_manifold *out)
{
  if (s->best <= 0 || fabs(f->tilt) > LYING) {
    return false;
  }
  double least = HUGE_VAL;
  for (int i = 0; i < out->n; i++) {
    least = -out->at[i].depth < least ? -out->at[i].depth : least;
  }
  return least > s->best + 2 * s->bias;
}

static __attribute__((noinline)) int meet_faces(const boxes *s, double margin, rh_manifold *out)
{
  facing f;
  quad q;
  clip p;
  face_to(s, &f);
  quad_of(&f, &q);
  cut_edges(&q, f.href[f.u], f.href[f.v], &p);
  cover_corners(&q, f.href[f.u], f.href[f.v], &p);
  out->n = put_faces(&f, &p, margin, out->at);
  return lies_beside(s, &f, out) ? 0 : out->n;
}

// ---- edge against edge

// Of the edge along axis k, from the signs of its two other places; as rh_box_edge numbers it.
static int edge_number(int k, double s1, double s2)
{
  int up1 = s1 > 0;
  int up2 = s2 > 0;
  return 4 * k + (k == 1 ? up2 | up1 << 1 : up1 | up2 << 1);
}

// The crossing of two edges, in A's axes. 0: it lies beyond the end of one, and the boxes are
// apart, so another feature is nearer. The normal is +-(a_i x b_j) / length: -D_i2 and D_i1 along
// A's axes after i, C_j2 and -C_j1 along B's after j.
static __attribute__((noinline)) int meet_edges(const boxes *s, rh_manifold *out)
{
  int i = (s->axis - 6) / 3;
  int j = (s->axis - 6) % 3;
  int i1 = NEXT[i];
  int i2 = NEXT[i1];
  int j1 = NEXT[j];
  int j2 = NEXT[j1];
  const double *b = s->D[j];
  double c = s->C[i][j];
  double length = s->length[i][j];
  double sign = copysign(1, s->t[i1] * b[i2] - s->t[i2] * b[i1]); // from B into A
  double n[3];
  n[i] = 0;
  n[i1] = -sign * b[i2] / length;
  n[i2] = sign * b[i1] / length;
  double a1 = copysign(s->ha[i1], -n[i1]); // the edge of A that lies farthest against n,
  double a2 = copysign(s->ha[i2], -n[i2]);
  double b1 = copysign(s->hb[j1], sign * s->C[i][j2]); // that of B farthest along it
  double b2 = copysign(s->hb[j2], -sign * s->C[i][j1]);
  double d[3]; // from its middle to that of B's
  for (int k = 0; k < 3; k++) {
    d[k] = s->t[k] + b1 * s->D[j1][k] + b2 * s->D[j2][k];
  }
  d[i1] -= a1;
  d[i2] -= a2;
  double db = d[0] * b[0] + d[1] * b[1] + d[2] * b[2];
  double ta = (d[i] - c * db) / (length * length);
  double tb = (c * d[i] - db) / (length * length);
  double half = s->ha[i];
  if (s->best > 0 && (fabs(ta) > half || fabs(tb) > s->hb[j])) {
    return 0;
  }
  double x[3];
  x[i] = ta < -half ? -half : ta > half ? half : ta;
  x[i1] = a1 - n[i1] * (s->best / 2);
  x[i2] = a2 - n[i2] * (s->best / 2);
  const rh_geom *g = s->a;
  rh_touch_put(&out->at[0], rh_add(g->p, rh_rotate(&g->R, rh_v3(x[0], x[1], x[2]))),
               rh_rotate(&g->R, rh_v3(n[0], n[1], n[2])), s->best,
               rh_id_edges(edge_number(i, a1, a2), edge_number(j, b1, b2)));
  return 1;
}

// Two edges cross, but faces of both lie across their normal: the face of the greater gap is the reference instead.
static void prefer_faces(boxes *s)
{
  int i = (s->axis - 6) / 3;
  int j = (s->axis - 6) % 3;
  int i1 = NEXT[i];
  int i2 = NEXT[i1];
  int j1 = NEXT[j];
  int j2 = NEXT[j1];
  double least = LYING * s->length[i][j];
  double a1 = fabs(s->D[j][i2]); // n is a_i x b_j: along a_i1 it has -D_i2, along a_i2 D_i1
  double a2 = fabs(s->D[j][i1]);
  double b1 = fabs(s->C[i][j2]);
  double b2 = fabs(s->C[i][j1]);
  if (!((a1 > least || a2 > least) && (b1 > least || b2 > least))) {
    return;
  }
  int ka = a1 > a2 ? i1 : i2;
  int kb = b1 > b2 ? j1 : j2;
  bool second = s->gap[1][kb] > s->gap[0][ka] + s->bias;
  s->axis = second ? 3 + kb : ka;
  s->best = s->gap[second][second ? kb : ka];
}

static int meet_nearest(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  rh_near near;
  rh_near_convex(a, b, &near);
  if (!(near.gap < margin)) {
    return 0;
  }
  rh_touch_put(&out->at[0], rh_scale(0.5, rh_add(near.on_a, near.on_b)), near.normal, near.gap,
               RH_ID_NEAREST);
  return 1;
}

int rh_points_box_box(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  boxes s;
  four C[3];
  s.a = a;
  s.b = b;
  out->n = 0;
  if (!test_faces(&s, C, margin) || !test_edges(&s, C, margin) || s.axis == RH_NONE) {
    return 0;
  }
  if (s.axis >= 6) {
    prefer_faces(&s);
  }
  out->n = s.axis < 6 ? meet_faces(&s, margin, out) : meet_edges(&s, out);
  if (out->n == 0) {
    out->n = meet_nearest(a, b, margin, out);
  }
  return out->n;
}

// ---- A box on a plane: numbers of plane.c

int rh_points_box_plane(const rh_geom *a, const rh_geom *b, double margin, rh_manifold *out)
{
  if (a->par[RH_BOX_SAMPLES] > RH_BOX_CORNERS) {
    out->n = rh_touch_plane_box(a, b, margin, out->at);
    return out->n;
  }
  rh_vec3 up = rh_mat3_column(&b->R, 2);
  rh_vec3 n = rh_unrotate(&a->R, up);
  rh_vec3 h = {a->par[0] / 2, a->par[1] / 2, a->par[2] / 2};
  double height = rh_dot(up, rh_sub(a->p, b->p));
  out->n = 0;
  if (height - (fabs(n.x) * h.x + fabs(n.y) * h.y + fabs(n.z) * h.z) >= margin) {
    return 0;
  }
  int once = (h.x == 0) | (h.y == 0) << 1 | (h.z == 0) << 2; // no thickness: the same corners
  for (int i = 0; i < 8; i++) {
    rh_vec3 x = {i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
    double gap = height + rh_dot(n, x);
    if (gap < margin && (i & once) == 0) {
      rh_vec3 at = rh_add(a->p, rh_rotate(&a->R, x));
      rh_touch_put(&out->at[out->n++], at, up, gap, i);
    }
  }
  return out->n;
}
