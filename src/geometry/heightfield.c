// heightfield.c: see heightfield.h. The nearest point of every triangle in reach is found; one on
// an edge or a corner counts only if no adjacent triangle is nearer, so a seam between two cells
// has no effect. Left out: the walls under the rim.
#include "heightfield.h"

#include "pair.h"

#include <string.h>

// Features are numbered by the sample at their lower left, six per sample.
enum { CORNER, EDGE_X, EDGE_Y, EDGE_CUT, FACE_LOW, FACE_HIGH, FEATURES };

static const double SAME = 1e-9; // of a cell's side: closer points are one
static const double SEAM =
    1e-12; // of an edge: nearer points belong to the faces, whose normal needs no quotient

typedef struct facet {
  int i, j;     // cell
  bool high;    // the triangle above the cut: (i,j) (i+1,j+1) (i,j+1); else (i,j) (i+1,j) (i+1,j+1)
  rh_vec3 v[3]; // counter-clockwise seen from above
} facet;

typedef struct foot { // nearest point of a triangle
  rh_vec3 point;
  double far; // squared
  int id;     // feature it lies on
} foot;

static const char *size_complaint(int nx, int ny, const double size[2])
{
  if (nx < 2 || ny < 2) {
    return "a field needs at least 2 x 2 heights";
  }
  if (nx > RH_FIELD_SIDE_MAX || ny > RH_FIELD_SIDE_MAX || nx > RH_FIELD_NUMBER_MAX / ny) {
    return "the maximum of a field is 8192 heights along a side and 16777216 in all";
  }
  for (int k = 0; k < 2; k++) {
    if (!(size[k] > 0 && size[k] <= RH_FIELD_SIZE_MAX)) {
      return "the sides of a field must be > 0 m and at most 1e6 m";
    }
  }
  return NULL;
}

rh_status rh_heightfield_create(int nx, int ny, const double size[2], const double *height,
                                rh_heightfield **field, const char **why)
{
  const char *nobody = NULL;
  why = why ? why : &nobody;
  *field = NULL;
  *why = size_complaint(nx, ny, size);
  size_t count = *why ? 0 : (size_t)nx * (size_t)ny;
  for (size_t k = 0; k < count; k++) {
    if (!(fabs(height[k]) <= RH_FIELD_SIZE_MAX)) {
      *why = "the heights of a field must be finite and at most 1e6 m";
    }
  }
  if (*why) {
    return RH_INPUT_REFUSED;
  }
  rh_heightfield *f = rh_alloc(sizeof *f + count * sizeof(double));
  if (!f) {
    return RH_OUT_OF_MEMORY;
  }
  double *copy = (double *)(void *)(f + 1);
  memcpy(copy, height, count * sizeof(double));
  *f = (rh_heightfield){.nx = nx,
                        .ny = ny,
                        .dx = size[0] / (nx - 1),
                        .dy = size[1] / (ny - 1),
                        .x0 = -size[0] / 2,
                        .y0 = -size[1] / 2,
                        .lo = height[0],
                        .hi = height[0],
                        .height = copy};
  for (size_t k = 1; k < count; k++) {
    f->lo = fmin(f->lo, height[k]);
    f->hi = fmax(f->hi, height[k]);
  }
  *field = f;
  return RH_OK;
}

// ---- Triangles

static rh_vec3 sample_point(const rh_heightfield *f, int i, int j)
{
  return rh_v3(f->x0 + i * f->dx, f->y0 + j * f->dy,
               f->height[(size_t)j * (size_t)f->nx + (size_t)i]);
}

static facet facet_of(const rh_heightfield *f, int i, int j, bool high)
{
  facet t = {.i = i, .j = j, .high = high};
  t.v[0] = sample_point(f, i, j);
  t.v[1] = high ? sample_point(f, i + 1, j + 1) : sample_point(f, i + 1, j);
  t.v[2] = high ? sample_point(f, i, j + 1) : sample_point(f, i + 1, j + 1);
  return t;
}

static rh_vec3 facet_normal(const facet *t)
{
  rh_vec3 n = rh_cross(rh_sub(t->v[1], t->v[0]), rh_sub(t->v[2], t->v[0]));
  return rh_scale(1 / rh_norm(n), n);
}

static int clamp_index(double x, int hi)
{
  return x > 0 ? (x < hi ? (int)x : hi) : 0;
}

static facet facet_under(const rh_heightfield *f, double x, double y)
{
  double u = (x - f->x0) / f->dx;
  double v = (y - f->y0) / f->dy;
  int i = clamp_index(u, f->nx - 2);
  int j = clamp_index(v, f->ny - 2);
  return facet_of(f, i, j, v - j > u - i);
}

bool rh_heightfield_height(const rh_heightfield *field, double x, double y, double *z,
                           rh_vec3 *normal)
{
  if (!(fabs(x) <= -field->x0 && fabs(y) <= -field->y0)) {
    return false;
  }
  facet t = facet_under(field, x, y);
  rh_vec3 n = facet_normal(&t);
  *z = t.v[0].z - (n.x * (x - t.v[0].x) + n.y * (y - t.v[0].y)) / n.z;
  if (normal) {
    *normal = n;
  }
  return true;
}

static int feature_id(const rh_heightfield *f, int i, int j, int kind)
{
  return FEATURES * (j * f->nx + i) + kind;
}

// Corner k of the triangle, or the edge from corner k to the next.
static int corner_id(const rh_heightfield *f, const facet *t, int k)
{
  int right = t->high ? k == 1 : k > 0;
  int up = t->high ? k > 0 : k == 2;
  return feature_id(f, t->i + right, t->j + up, CORNER);
}

static int edge_id(const rh_heightfield *f, const facet *t, int k)
{
  if (t->high) {
    return k == 0   ? feature_id(f, t->i, t->j, EDGE_CUT)
           : k == 1 ? feature_id(f, t->i, t->j + 1, EDGE_X)
                    : feature_id(f, t->i, t->j, EDGE_Y);
  }
  return k == 0   ? feature_id(f, t->i, t->j, EDGE_X)
         : k == 1 ? feature_id(f, t->i + 1, t->j, EDGE_Y)
                  : feature_id(f, t->i, t->j, EDGE_CUT);
}

// The nearest point of a triangle: in its face if c is above or below it, else the nearest one of
// its edges.
static foot nearest_foot(const rh_heightfield *f, const facet *t, rh_vec3 c)
{
  rh_vec3 n = facet_normal(t);
  foot best = {.far = (double)INFINITY};
  bool inside = true;
  for (int k = 0; k < 3; k++) {
    rh_vec3 a = t->v[k];
    rh_vec3 edge = rh_sub(t->v[(k + 1) % 3], a);
    rh_vec3 r = rh_sub(c, a);
    if (rh_dot(rh_cross(n, edge), r) >= -SEAM * rh_dot(edge, edge)) {
      continue; // on the inner side
    }
    inside = false;
    double s = rh_dot(r, edge) / rh_dot(edge, edge);
    rh_vec3 p = s <= 0 ? a : s >= 1 ? t->v[(k + 1) % 3] : rh_addscaled(a, s, edge);
    rh_vec3 gap = rh_sub(c, p);
    double far = rh_dot(gap, gap);
    if (far < best.far) {
      int id = s <= 0   ? corner_id(f, t, k)
               : s >= 1 ? corner_id(f, t, (k + 1) % 3)
                        : edge_id(f, t, k);
      best = (foot){p, far, id};
    }
  }
  if (inside) {
    double height = rh_dot(n, rh_sub(c, t->v[0]));
    best = (foot){rh_addscaled(c, -height, n), height * height,
                  feature_id(f, t->i, t->j, t->high ? FACE_HIGH : FACE_LOW)};
  }
  return best;
}

// ---- The search

typedef struct probe {
  const rh_heightfield *f;
  rh_vec3 c; // centre, in the field's frame
  double radius, reach;
  int lo[2], hi[2]; // cells in reach, both ends included
} probe;

static bool set_window(probe *p)
{
  const rh_heightfield *f = p->f;
  double u[2] = {(p->c.x - p->reach - f->x0) / f->dx, (p->c.y - p->reach - f->y0) / f->dy};
  double v[2] = {(p->c.x + p->reach - f->x0) / f->dx, (p->c.y + p->reach - f->y0) / f->dy};
  int last[2] = {f->nx - 2, f->ny - 2};
  for (int k = 0; k < 2; k++) {
    if (!(v[k] >= 0 && u[k] <= last[k] + 1)) {
      return false;
    }
    p->lo[k] = clamp_index(u[k], last[k]);
    p->hi[k] = clamp_index(v[k], last[k]);
  }
  return true;
}

static bool has_feature(const rh_heightfield *f, const facet *t, int id)
{
  bool has = false;
  for (int k = 0; k < 3; k++) {
    has = has || corner_id(f, t, k) == id || edge_id(f, t, k) == id;
  }
  return has;
}

// True if a triangle that shares this edge or corner is nearer: then this is no separate contact.
static bool is_passed(const probe *p, const foot *x)
{
  const rh_heightfield *f = p->f;
  if (x->id % FEATURES >= FACE_LOW) {
    return false;
  }
  int i = x->id / FEATURES % f->nx;
  int j = x->id / FEATURES / f->nx;
  // Two triangles of each of the four cells around a corner; those of an edge are among those
  // around its first corner.
  for (int k = 0; k < 8; k++) {
    int a = i - (k & 1);
    int b = j - (k >> 1 & 1);
    if (a < 0 || b < 0 || a > f->nx - 2 || b > f->ny - 2) {
      continue;
    }
    facet t = facet_of(f, a, b, k >= 4);
    if (has_feature(f, &t, x->id) && nearest_foot(f, &t, p->c).far < x->far) {
      return true;
    }
  }
  return false;
}

typedef struct found { // the nearest ones, by distance
  foot foot[RH_TOUCH_MAX];
  int count;
} found;

static void keep_foot(const probe *p, found *list, const foot *x)
{
  double same = SAME * (p->f->dx + p->f->dy);
  for (int k = 0; k < list->count; k++) {
    rh_vec3 d = rh_sub(list->foot[k].point, x->point);
    if (list->foot[k].id == x->id || rh_dot(d, d) < same * same) {
      return;
    }
  }
  int at = list->count;
  if (at == RH_TOUCH_KEPT && list->foot[at - 1].far <= x->far) {
    return;
  }
  at = at < RH_TOUCH_KEPT ? list->count++ : RH_TOUCH_KEPT - 1;
  while (at > 0 && list->foot[at - 1].far > x->far) {
    list->foot[at] = list->foot[at - 1];
    at--;
  }
  list->foot[at] = *x;
}

// Finds all places of contact; with `single` only the nearest point.
static void scan_cells(const probe *p, bool single, found *list)
{
  foot best = {.far = (double)INFINITY};
  int wide = p->hi[0] - p->lo[0] + 1;
  int64_t count = 2 * (int64_t)wide * (p->hi[1] - p->lo[1] + 1);
  for (int64_t k = 0; k < count; k++) {
    int cell = (int)(k / 2);
    facet t = facet_of(p->f, p->lo[0] + cell % wide, p->lo[1] + cell / wide, k % 2 != 0);
    foot x = nearest_foot(p->f, &t, p->c);
    if (!(x.far < p->reach * p->reach)) {
      continue;
    }
    best = x.far < best.far ? x : best;
    if (!single && !is_passed(p, &x)) {
      keep_foot(p, list, &x);
    }
  }
  if (best.far < (double)INFINITY &&
      list->count == 0) { // rounding cannot make the nearest one vanish
    keep_foot(p, list, &best);
  }
}

// Side of the ground at a feature, its own axes.
static rh_side side_of(const rh_heightfield *f, int id)
{
  int kind = id % FEATURES;
  if (kind >= FACE_LOW || kind == CORNER) {
    return kind == CORNER ? rh_side_corner() : rh_side_flat();
  }
  int i = id / FEATURES % f->nx;
  int j = id / FEATURES / f->nx;
  rh_vec3 e =
      rh_sub(sample_point(f, i + (kind != EDGE_Y), j + (kind != EDGE_X)), sample_point(f, i, j));
  return rh_side_edge(rh_scale(1 / rh_norm(e), e), 0);
}

static rh_touch touch_of(const probe *p, const foot *x, bool below, const rh_xform *pose)
{
  double distance = sqrt(x->far);
  int kind = x->id % FEATURES;
  facet t = facet_under(p->f, p->c.x, p->c.y);
  if (kind >= FACE_LOW) {
    int cell = x->id / FEATURES;
    t = facet_of(p->f, cell % p->f->nx, cell / p->f->nx, kind == FACE_HIGH);
  }
  rh_vec3 n = facet_normal(&t);
  if (kind < FACE_LOW &&
      distance > SAME * (p->f->dx + p->f->dy)) { // else the line has no direction
    n = rh_scale((below ? -1 : 1) / distance, rh_sub(p->c, x->point));
  }
  rh_touch touch = {.depth = p->radius + (below ? distance : -distance),
                    .radius = p->radius > 0 ? p->radius : (double)INFINITY,
                    .id = x->id};
  rh_vec3 local = rh_addscaled(x->point, -touch.depth / 2, n); // between the two surfaces
  touch.point = rh_add(pose->p, rh_rotate(&pose->R, local));
  touch.normal = rh_rotate(&pose->R, n);
  touch.a = p->radius > 0 ? rh_side_sphere(p->radius) : rh_side_corner();
  touch.b = side_of(p->f, x->id);
  touch.b.e = rh_rotate(&pose->R, touch.b.e);
  return touch;
}

int rh_heightfield_touch(const rh_heightfield *field, const rh_xform *pose,
                         const rh_heightfield_ball *ball, double margin,
                         rh_touch touch[RH_TOUCH_MAX])
{
  probe p = {.f = field, .radius = ball->radius, .reach = ball->radius + margin};
  p.c = rh_unrotate(&pose->R, rh_sub(ball->centre, pose->p));
  double ground = p.c.z;
  bool over = rh_heightfield_height(field, p.c.x, p.c.y, &ground, NULL);
  bool below = over && p.c.z < ground;
  double straight = fabs(p.c.z - ground) * (1 + SAME) + SAME * (field->dx + field->dy);
  if (below) { // the least depth is at most that straight up
    p.reach = straight;
  } else if (over && (p.radius == 0 || margin == HUGE_VAL)) { // so is the nearest distance
    p.reach = fmin(p.reach, straight);
  }
  if (!below && p.c.z - p.reach > field->hi) {
    return 0;
  }
  found list = {.count = 0};
  if (!set_window(&p)) {
    return 0;
  }
  scan_cells(&p, below || p.radius == 0, &list);
  int count = 0;
  for (int k = 0; k < list.count; k++) {
    const foot *x = &list.foot[k];
    if (!over && x->point.z > p.c.z) {
      continue;
    }
    rh_touch made = touch_of(&p, x, below, pose);
    int at = count++;
    for (; at > 0 && touch[at - 1].id > made.id; at--) {
      touch[at] = touch[at - 1];
    }
    touch[at] = made;
  }
  return count;
}

// ---- Hollow creases
//
// A ball in a groove has an energy on each face, U(d1) + U(d2). Over a nearly flat crease this
// would jump to twice that of a plane where the foot of the second face appears. The common part of
// both is the line of the crease, at the depth d = r - |q|, q from the line to the centre: U(d1) +
// U(d2) - U(d) goes over into U(d1) and U(d2) on either side, with its slope. The force of the last
// term, along q = |q| (a1 n1 + a2 n2), is subtracted from those of the faces: with Hertz, F ~
// d^(3/2), by depths such that d1'^(3/2) = d1^(3/2) - a1 d^(3/2). Other laws lose a little energy
// there. Left out: the corners where creases meet; the rest is kept at least at that of the deepest
// alone.

static double force_of(double depth)
{
  return depth > 0 ? depth * sqrt(depth) : 0;
}

static double depth_of(double force)
{
  double root = rh_cbrt(force);
  return force > 0 ? root * root : -root * root;
}

// The triangle across the edge from corner k to the next. False: none, at the rim.
static bool neighbour_facet(const rh_heightfield *f, const facet *t, int k, facet *other)
{
  static const int step[2][3][2] = {{{0, -1}, {1, 0}, {0, 0}}, {{0, 0}, {0, 1}, {-1, 0}}};
  int i = t->i + step[t->high][k][0];
  int j = t->j + step[t->high][k][1];
  if (i < 0 || j < 0 || i > f->nx - 2 || j > f->ny - 2) {
    return false;
  }
  *other = facet_of(f, i, j, !t->high);
  return true;
}

typedef struct shared {
  double force; // remaining force
  double inner; // [m] distance of the foot inside its face
  double taken; // by creases
  double lean;  // sine of the sharpest of these
} shared;

// Subtracts the share of the crease at edge k from a face.
static void take_part(const rh_heightfield *f, const facet *t, int k,
                      const rh_heightfield_ball *ball, shared *left)
{
  rh_vec3 n = facet_normal(t);
  rh_vec3 edge = rh_sub(t->v[(k + 1) % 3], t->v[k]);
  double length = rh_norm(edge);
  rh_vec3 along = rh_scale(1 / length, edge);
  rh_vec3 inward = rh_cross(n, along);
  rh_vec3 r = rh_sub(ball->centre, t->v[k]);
  double s = rh_dot(r, along);
  double x = fmax(0, rh_dot(r, inward));
  double z = rh_dot(r, n);
  facet other;
  left->inner = fmin(left->inner, x);
  if (s < 0 || s > length || !neighbour_facet(f, t, k, &other)) {
    return;
  }
  rh_vec3 m = facet_normal(&other);
  double lean = rh_dot(m, inward); // sine of the angle between the normals; > 0: hollow
  double far = sqrt(x * x + z * z);
  double a = lean > 0 ? (z - x * rh_dot(m, n) / lean) / far : 0;
  double part = a > 0 ? a * force_of(ball->radius - far) : 0;
  left->force -= part;
  left->taken += part;
  left->lean = part > 0 ? fmax(left->lean, lean) : left->lean;
}

// Shares out the rest of `whole` by the distances of the feet inside.
static void make_up(shared *s, int n, double whole)
{
  double inner = 0;
  for (int k = 0; k < n; k++) {
    whole -= fmax(0, s[k].force);
    inner += s[k].inner;
  }
  for (int k = 0; k < n && whole > 0; k++) {
    s[k].force += whole * (inner > 0 ? s[k].inner / inner : k == 0);
  }
}

// Subtracts the parts of all creases; false: none. `whole` gets the least force of all faces: a
// single crease leaves that of the deepest but for the square of its angle, corners leave less.
static bool take_parts(const rh_heightfield *f, const rh_heightfield_ball *ball,
                       const rh_touch *touch, int n, shared *s, double *whole)
{
  double taken = 0;
  double lean = 0;
  *whole = 0;
  for (int k = 0; k < n; k++) {
    int kind = touch[k].id % FEATURES;
    int cell = touch[k].id / FEATURES;
    s[k] = (shared){.force = force_of(touch[k].depth)};
    *whole = fmax(*whole, s[k].force);
    if (kind < FACE_LOW || !(touch[k].depth > 0 && touch[k].depth < ball->radius)) {
      continue; // a ridge, no contact, or the centre is below
    }
    facet t = facet_of(f, cell % f->nx, cell / f->nx, kind == FACE_HIGH);
    s[k].inner = (double)INFINITY;
    for (int e = 0; e < 3; e++) {
      take_part(f, &t, e, ball, &s[k]);
    }
    taken += s[k].taken;
    lean = fmax(lean, s[k].lean);
  }
  *whole *= 1 - lean * lean;
  return taken > 0;
}

int rh_heightfield_share(const rh_heightfield *field, const rh_xform *pose,
                         const rh_heightfield_ball *ball, rh_touch *touch, int n, int most)
{
  shared s[RH_TOUCH_MAX] = {{0}};
  rh_heightfield_ball own = {rh_unrotate(&pose->R, rh_sub(ball->centre, pose->p)), ball->radius};
  double whole;
  if (!take_parts(field, &own, touch, n, s, &whole)) {
    return n;
  }
  make_up(s, n, whole);
  for (int k = 1; k < n; k++) { // the largest first
    for (int j = k; j > 0 && s[j].force > s[j - 1].force; j--) {
      shared left = s[j];
      rh_touch place = touch[j];
      s[j] = s[j - 1];
      touch[j] = touch[j - 1];
      s[j - 1] = left;
      touch[j - 1] = place;
    }
  }
  n = n < most ? n : most;
  make_up(s, n, whole);
  for (int k = 0; k < n; k++) {
    touch[k].depth = touch[k].depth > 0 ? depth_of(s[k].force) : touch[k].depth;
  }
  return n;
}

rh_bounds rh_heightfield_bounds(const rh_heightfield *field, const rh_xform *pose, double margin)
{
  double bottom = field->lo + 2 * fmin(field->x0, field->y0);
  rh_vec3 middle = {0, 0, (bottom + field->hi) / 2};
  rh_vec3 half = {-field->x0, -field->y0, (field->hi - bottom) / 2};
  const double *m = pose->R.m;
  rh_vec3 c = rh_add(pose->p, rh_rotate(&pose->R, middle));
  rh_vec3 e = {fabs(m[0]) * half.x + fabs(m[1]) * half.y + fabs(m[2]) * half.z + margin,
               fabs(m[3]) * half.x + fabs(m[4]) * half.y + fabs(m[5]) * half.z + margin,
               fabs(m[6]) * half.x + fabs(m[7]) * half.y + fabs(m[8]) * half.z + margin};
  return (rh_bounds){rh_sub(c, e), rh_add(c, e)};
}
