// kind_joints.c: every row of the joint table must keep what routh/kind.h promises. No joint is named here: a new
// row is tested by being in the table.
//
// Derivatives are taken by the five-point rule with step 1e-3. On motions of speed about 2 rad/s or m/s its truncation
// error h^4/30 |f^(5)| is below 1e-12, its rounding error eps |f| / h about 1e-12: 1e-11 holds both.
#include "multibody/multibody.h"
#include "world.h"

#define STEP          1e-3
#define BY_DIFFERENCE 1e-11
#define ROUNDING      4e-15 // a few dozen operations on numbers of size one

typedef struct sample { // a joint somewhere, in some state
  const rh_joint *row;
  double konst[RH_JOINT_CONST];
  double q[RH_LIST_MAX], v[RH_LIST_MAX];
  rh_kin_body parent;
} sample;

static void zero_of(const rh_joint *row, double *q)
{
  memset(q, 0, RH_LIST_MAX * sizeof *q);
  if (row->zero != NULL) {
    row->zero(q);
  }
}

static void advance(const rh_joint *row, const double *q, const double *v, double h, double *next)
{
  if (row->advance != NULL) {
    row->advance(q, v, h, next);
    return;
  }
  for (int i = 0; i < row->nq; i++) {
    next[i] = q[i] + h * v[i];
  }
}

static void rate(const rh_joint *row, const double *q, const double *v, double *qdot)
{
  if (row->rate != NULL) {
    row->rate(q, v, qdot);
    return;
  }
  memcpy(qdot, v, (size_t)row->nq * sizeof *v);
}

static void delta(const rh_joint *row, const double *q, const double *rest, double *d)
{
  if (row->delta != NULL) {
    row->delta(q, rest, d);
    return;
  }
  for (int i = 0; i < row->nq; i++) {
    d[i] = q[i] - rest[i];
  }
}

// Any valid q is reached from zero by a random move.
static sample random_sample(rng *r, const rh_joint *row)
{
  sample s = {.row = row};
  double par[RH_PAR_MAX] = {0};
  rh_row_defaults(&row->row, par);
  for (int k = 0; k < row->row.nparam; k++) {
    if (row->row.param[k].type == RH_VECTOR) {
      set3(par + rh_row_offset(&row->row, k), rh_scale(rng_in(r, 0.2, 4), rng_unit(r)));
    }
  }
  rh_xform place = {rh_quat_matrix(rng_quat(r)), rng_vec3(r, 1)};
  row->prepare(par, &place, s.konst);
  double start[RH_LIST_MAX];
  double move[RH_LIST_MAX] = {0};
  zero_of(row, start);
  for (int i = 0; i < row->nv; i++) {
    move[i] = rng_in(r, -1.5, 1.5);
    s.v[i] = rng_in(r, -1, 1);
  }
  advance(row, start, move, 1, s.q);
  s.parent.R = rh_quat_matrix(rng_quat(r));
  s.parent.p = rng_vec3(r, 1);
  return s;
}

typedef struct posed {
  rh_kin_body body;
  rh_motion S[6];
} posed;

// The pose after moving along v for h.
static posed pose_after(const sample *s, double h)
{
  posed p;
  memset(&p, 0, sizeof p);
  double q[RH_LIST_MAX];
  advance(s->row, s->q, s->v, h, q);
  double trig[2 * RH_LIST_MAX];
  rh_trig(s->row->nq, q, trig);
  s->row->pose(s->konst, q, trig, &s->parent, &p.body, p.S);
  return p;
}

static double five_point(const double f[4]) // at -2h, -h, h, 2h
{
  return (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * STEP);
}

static const double offsets[4] = {-2 * STEP, -STEP, STEP, 2 * STEP};

static rh_motion sum(const rh_motion *S, const double *v, int n)
{
  rh_motion m = {{0, 0, 0}, {0, 0, 0}};
  for (int i = 0; i < n; i++) {
    m = rh_motion_addscaled(m, v[i], S[i]);
  }
  return m;
}

#define FOR_EACH_ROW                                                                               \
  int count = 0;                                                                                   \
  const rh_joint *const *table = rh_joint_table(&count);                                           \
  const rh_joint *row = table[_i];                                                                 \
  ck_assert_int_lt(_i, count);                                                                     \
  rng r = {(uint64_t)(100 + _i)}

static int words(const char *text)
{
  int n = 0;
  for (const char *c = text; *c != '\0'; c++) {
    n += *c != ' ' && (c == text || c[-1] == ' ');
  }
  return n;
}

START_TEST(head_is_complete)
{
  FOR_EACH_ROW;
  (void)r;
  ck_assert_ptr_eq(rh_joint_find(row->row.name), row);
  ck_assert(row->row.name[0] != '\0' && row->row.doc[0] != '\0' && row->row.cite != NULL);
  ck_assert(row->prepare != NULL && row->pose != NULL);
  ck_assert_int_le(row->nv, 6);
  ck_assert_int_le(row->nq, RH_LIST_MAX);
  ck_assert_int_eq(words(row->coord), row->nq);
  ck_assert_int_eq(words(row->unit), row->nv);
  ck_assert(!row->scalar || row->nq == row->nv);
  for (const char *u = row->unit; *u != '\0'; u += strspn(u, " ")) {
    char unit[16] = "";
    size_t n = strcspn(u, " ");
    memcpy(unit, u, n);
    ck_assert_msg(rh_unit_known(unit), "unit '%s'", unit);
    u += n;
  }
  int numbers = 0;
  for (int k = 0; k < row->row.nparam; k++) {
    const rh_param *p = &row->row.param[k];
    ck_assert(p->name[0] != '\0' && p->doc[0] != '\0');
    ck_assert_msg(strcmp(p->unit, "1") == 0 || strcmp(p->unit, "joint") == 0 ||
                      rh_unit_known(p->unit),
                  "unit '%s' of %s", p->unit, p->name);
    ck_assert(p->lo < p->hi && p->lo <= p->def && p->def <= p->hi);
    ck_assert_int_eq(rh_row_find(&row->row, p->name), k);
    ck_assert_int_eq(rh_row_offset(&row->row, k), numbers);
    numbers += rh_param_size(p);
  }
  ck_assert_int_le(numbers, RH_PAR_MAX);
}

END_TEST

START_TEST(names_differ)
{
  int count = 0;
  const rh_joint *const *table = rh_joint_table(&count);
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < i; j++) {
      ck_assert_str_ne(table[i]->row.name, table[j]->row.name);
    }
  }
  ck_assert_ptr_null(rh_joint_find("no-such-joint"));
  ck_assert_ptr_null(rh_joint_find(""));
}

END_TEST

// At q = zero the body's frame is the joint's frame, whatever the axes are.
START_TEST(zero_is_the_joint_frame)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    sample s = random_sample(&r, row);
    rh_xform place = {rh_quat_matrix(rng_quat(&r)), rng_vec3(&r, 1)};
    double par[RH_PAR_MAX] = {0};
    for (int i = 0; i < row->row.nparam; i++) {
      set3(par + rh_row_offset(&row->row, i), rh_scale(rng_in(&r, 0.2, 4), rng_unit(&r)));
    }
    row->prepare(par, &place, s.konst);
    zero_of(row, s.q);
    posed p = pose_after(&s, 0);
    rh_mat3 R = rh_mat3_mul(&s.parent.R, &place.R);
    near_array(p.body.R.m, R.m, 9, ROUNDING, 0);
    rh_vec3 want = rh_rotate(&s.parent.R, place.p);
    near_array(&p.body.r.x, &want.x, 3, ROUNDING, 0);
  }
}

END_TEST

static void check_advance_moves_at_the_rate(sample s)
{
  const rh_joint *row = s.row;
  double qdot[RH_LIST_MAX] = {0};
  rate(row, s.q, s.v, qdot);
  double f[RH_LIST_MAX][4] = {{0}};
  for (int j = 0; j < 4; j++) {
    double q[RH_LIST_MAX];
    advance(row, s.q, s.v, offsets[j], q);
    for (int i = 0; i < row->nq; i++) {
      f[i][j] = q[i];
    }
  }
  for (int i = 0; i < row->nq; i++) {
    near_abs(five_point(f[i]), qdot[i], BY_DIFFERENCE);
  }
  // Moving for no time changes nothing, and two halves make a whole.
  double same[RH_LIST_MAX];
  double half[RH_LIST_MAX];
  double whole[RH_LIST_MAX];
  advance(row, s.q, s.v, 0, same);
  near_array(same, s.q, row->nq, ROUNDING, 0);
  advance(row, s.q, s.v, 0.5, half);
  advance(row, half, s.v, 0.5, half); // in place, as an integrator would
  advance(row, s.q, s.v, 1, whole);
  near_array(half, whole, row->nq, ROUNDING, 0);
}

START_TEST(advance_moves_at_the_rate)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    check_advance_moves_at_the_rate(random_sample(&r, row));
  }
}

END_TEST

static void check_delta_undoes_advance(sample s)
{
  const rh_joint *row = s.row;
  for (int e = 0; e < 13; e++) {
    double h = e < 12 ? pow(10, -e) : 0;
    double next[RH_LIST_MAX];
    double d[RH_LIST_MAX] = {0};
    double want[RH_LIST_MAX] = {0};
    for (int i = 0; i < row->nv; i++) {
      want[i] = h * s.v[i];
    }
    advance(row, s.q, s.v, h, next);
    delta(row, next, s.q, d);
    near_array(d, want, row->nv, ROUNDING, 0);
    // A quaternion as far off unit length as an integrator leaves it must not change the deflection.
    for (int i = row->nq - 4; row->unit_length != NULL && i < row->nq; i++) {
      next[i] *= 1 + 1e-6;
    }
    delta(row, next, s.q, d);
    near_array(d, want, row->nv, ROUNDING, 0);
  }
}

START_TEST(delta_undoes_advance)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    check_delta_undoes_advance(random_sample(&r, row));
  }
}

END_TEST

START_TEST(unit_length_is_idempotent)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50 && row->unit_length != NULL; k++) {
    sample s = random_sample(&r, row);
    double once[RH_LIST_MAX];
    double twice[RH_LIST_MAX];
    memcpy(once, s.q, sizeof once);
    row->unit_length(once); // a unit quaternion stays where it is
    near_array(once, s.q, row->nq, ROUNDING, 0);
    for (int i = row->nq - 4; i < row->nq; i++) {
      once[i] *= 1.7;
    }
    row->unit_length(once);
    near_array(once, s.q, row->nq, ROUNDING, 0);
    memcpy(twice, once, sizeof twice);
    row->unit_length(twice);
    near_array(twice, once, row->nq, 3e-16, 0); // one rounding at most
  }
}

END_TEST

START_TEST(rotation_stays_proper)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    sample s = random_sample(&r, row);
    posed p = pose_after(&s, 3);
    rh_mat3 T = rh_mat3_transpose(&p.body.R);
    rh_mat3 E = rh_mat3_mul(&p.body.R, &T);
    rh_mat3 one = rh_mat3_identity();
    near_array(E.m, one.m, 9, 2 * ROUNDING, 0); // product of two such chains
  }
}

END_TEST

// S v is the velocity of the body seen from the parent: the rate of r, and of R through Rdot R' = [w].
START_TEST(axes_are_the_rate_of_the_pose)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    sample s = random_sample(&r, row);
    posed at = pose_after(&s, 0);
    double f[12][4];
    for (int j = 0; j < 4; j++) {
      posed p = pose_after(&s, offsets[j]);
      f[0][j] = p.body.r.x;
      f[1][j] = p.body.r.y;
      f[2][j] = p.body.r.z;
      for (int i = 0; i < 9; i++) {
        f[3 + i][j] = p.body.R.m[i];
      }
    }
    rh_mat3 Rdot;
    for (int i = 0; i < 9; i++) {
      Rdot.m[i] = five_point(f[3 + i]);
    }
    rh_mat3 T = rh_mat3_transpose(&at.body.R);
    rh_mat3 W = rh_mat3_mul(&Rdot, &T);
    rh_motion V = sum(at.S, s.v, row->nv);
    const double got[6] = {V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y, V.lin.z};
    const double want[6] = {W.m[7],           W.m[2],           W.m[3],
                            five_point(f[0]), five_point(f[1]), five_point(f[2])};
    near_array(got, want, 6, BY_DIFFERENCE, 0);
    near_abs(W.m[5], -W.m[7], BY_DIFFERENCE); // and that rate is a rotation
  }
}

END_TEST

// At constant v, S v changes (seen from the parent, which stands still here) by the drift, which is angular alone.
static void check_drift_is_the_rate_of_the_axes(sample s)
{
  const rh_joint *row = s.row;
  posed at = pose_after(&s, 0);
  double f[6][4];
  for (int j = 0; j < 4; j++) {
    posed p = pose_after(&s, offsets[j]);
    rh_motion V = sum(p.S, s.v, row->nv);
    const double x[6] = {V.ang.x, V.ang.y, V.ang.z, V.lin.x, V.lin.y, V.lin.z};
    for (int i = 0; i < 6; i++) {
      f[i][j] = x[i];
    }
  }
  rh_vec3 d = row->drift != NULL ? row->drift(at.S, s.v) : rh_v3(0, 0, 0);
  const double want[6] = {d.x, d.y, d.z, 0, 0, 0};
  for (int i = 0; i < 6; i++) {
    near_abs(five_point(f[i]), want[i], BY_DIFFERENCE);
  }
}

START_TEST(drift_is_the_rate_of_the_axes)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    check_drift_is_the_rate_of_the_axes(random_sample(&r, row));
  }
}

END_TEST

// The parent's pose only carries the joint along: turning the parent turns r, R and S.
static void check_parent_carries_the_joint(sample s, rng *r)
{
  const rh_joint *row = s.row;
  posed a = pose_after(&s, 0);
  rh_mat3 T = rh_quat_matrix(rng_quat(r));
  s.parent.R = rh_mat3_mul(&T, &s.parent.R);
  s.parent.p = rng_vec3(r, 5);
  posed b = pose_after(&s, 0);
  rh_vec3 want = rh_rotate(&T, a.body.r);
  near_array(&b.body.r.x, &want.x, 3, 2 * ROUNDING, 0);
  rh_mat3 R = rh_mat3_mul(&T, &a.body.R);
  near_array(b.body.R.m, R.m, 9, 2 * ROUNDING, 0);
  for (int i = 0; i < row->nv; i++) {
    rh_vec3 ang = rh_rotate(&T, a.S[i].ang);
    rh_vec3 lin = rh_rotate(&T, a.S[i].lin);
    near_array(&b.S[i].ang.x, &ang.x, 3, 2 * ROUNDING, 0);
    near_array(&b.S[i].lin.x, &lin.x, 3, 2 * ROUNDING, 0);
  }
}

START_TEST(parent_carries_the_joint)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 20; k++) {
    check_parent_carries_the_joint(random_sample(&r, row), &r);
  }
}

END_TEST

// Spring forces -k delta must be the gradient of 1/2 k |delta|^2: d/dt of it along v is k delta . v.
static void check_spring_has_a_potential(sample s)
{
  const rh_joint *row = s.row;
  double rest[RH_LIST_MAX];
  double d[RH_LIST_MAX] = {0};
  zero_of(row, rest);
  double f[4];
  for (int j = 0; j < 4; j++) {
    double q[RH_LIST_MAX];
    advance(row, s.q, s.v, offsets[j], q);
    delta(row, q, rest, d);
    f[j] = 0;
    for (int i = 0; i < row->nv; i++) {
      f[j] += 0.5 * d[i] * d[i];
    }
  }
  delta(row, s.q, rest, d);
  double power = 0;
  double angle = 0;
  for (int i = 0; i < row->nv; i++) {
    power += d[i] * s.v[i];
    angle += d[i] * d[i];
  }
  // At the half turn a rotation vector jumps to its other end.
  if (row->scalar || sqrt(angle) < 3) {
    near_abs(five_point(f), power, 4 * BY_DIFFERENCE); // squares of numbers up to 2
  }
}

START_TEST(spring_has_a_potential)
{
  FOR_EACH_ROW;
  for (int k = 0; k < 50; k++) {
    check_spring_has_a_potential(random_sample(&r, row));
  }
}

END_TEST

Suite *rh_suite_kind_joints(void)
{
  Suite *suite = suite_create("kind_joints");
  TCase *tc = tcase_create("rows");
  int count = 0;
  (void)rh_joint_table(&count);
  tcase_add_test(tc, names_differ);
  tcase_add_loop_test(tc, head_is_complete, 0, count);
  tcase_add_loop_test(tc, zero_is_the_joint_frame, 0, count);
  tcase_add_loop_test(tc, advance_moves_at_the_rate, 0, count);
  tcase_add_loop_test(tc, delta_undoes_advance, 0, count);
  tcase_add_loop_test(tc, unit_length_is_idempotent, 0, count);
  tcase_add_loop_test(tc, rotation_stays_proper, 0, count);
  tcase_add_loop_test(tc, axes_are_the_rate_of_the_pose, 0, count);
  tcase_add_loop_test(tc, drift_is_the_rate_of_the_axes, 0, count);
  tcase_add_loop_test(tc, parent_carries_the_joint, 0, count);
  tcase_add_loop_test(tc, spring_has_a_potential, 0, count);
  suite_add_tcase(suite, tc);
  return suite;
}
