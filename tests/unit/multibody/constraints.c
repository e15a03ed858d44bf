// unit_constraints.c: the section `constraints`: what is refused and where, that rows change at the
// rates they state, transmissions, rows that depend on others, and impacts under constraints.
#include "rigid.h"

#include "solved.h"

#include "impact/impact.h"
#include "model/schema.h"
#include "multibody/multibody.h"

// ---- What a scene may state

#define WORLD                                                                                      \
  "bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]},"                                      \
  " {name: b, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}]\n"                                            \
  "joints: [{kind: revolute, child: a, axis: [0, 0, 1], v: [0.5]},"                                \
  " {kind: free, child: b, q: [1, 0, 0, 1, 0, 0, 0], v: [0, 0.5, 0, 0, 0, 0]}]\n"

typedef struct refusal {
  const char *text;    // of the constraint
  const char *message; // part of it
} refusal;

static bool has_message(const rh_diag *diag, const char *text)
{
  for (int i = 0; i < rh_diag_kept(diag); i++) {
    if (strstr(rh_diag_get(diag, i).text, text) && rh_diag_get(diag, i).place.line > 0) {
      return true;
    }
  }
  return false;
}

// The status of compiling a scene; `message` must be reported.
static rh_status compile_text(const char *text, const char *message)
{
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, diag, &model);
  }
  bool told_it = has_message(diag, message);
  if (!told_it) {
    say_messages(diag);
  }
  ck_assert_msg(told_it, "no message '%s' for %s", message, text);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return status;
}

START_TEST(what_is_refused)
{
  static const refusal cases[] = {
      {"kind: knife-edge, body: c, along: [1, 0, 0]", "c.body names no body: 'c'"},
      {"kind: knife-edge, along: [1, 0, 0]", "c.body is missing: name a body"},
      {"kind: knife-edge, body: b", "c.along must be given and must not be the zero vector"},
      {"kind: knife-edge, body: b, to: b, along: [1, 0, 0]", "c.to must be another body"},
      {"kind: knife-edge, body: b, along: [1, 0, 0]",
       "c does not hold at the start: row 1 has 0.5"},
      {"kind: knife-edge, body: b, along: [1, 0, 0], joint: a", "c takes 0 to 0 joints, got 1"},
      {"kind: rolling, body: b", "c.radius is missing"},
      {"kind: rolling, body: b, radius: 1, axis: [1, 0, 0], bore: 2", "there are only balls"},
      {"kind: rolling, body: b, radius: 1, bore: 0.5", "must be below that of the bore"},
      {"kind: transmission, joint: a, ratio: 1", "c takes 2 to 3 joints, got 1"},
      {"kind: transmission, joint: a, joint2: d, ratio: 1", "c.joint2 names no joint: 'd'"},
      {"kind: transmission, joint: a, joint2: b, dofs: [0, 6], ratio: 1", "dofs"},
      {"kind: transmission, joint: a, joint2: b, dofs: [0, 1.5], ratio: 1",
       "takes a whole number below 6"},
      {"kind: transmission, joint: a, joint2: b, body: a, ratio: 1", "c.body is not for a transm"},
      {"kind: transmission, joint: a, joint2: b, dofs: [0, 1]", "c.ratio must not be 0"},
      {"kind: transmission, joint: a, joint3: b, ratio: 1", "names joint3 but not the one before"},
      {"kind: rows, joint: a", "c.coefficients takes 1 numbers, got 0"},
      {"kind: rows, joint: a, coefficients: [1], speed: 0.25",
       "row 1 has 0.5 in place of 0.25 m/s (rad/s)"},
      {"kind: sums, joint: b, coefficients: [1]", "one coordinate per"},
      {"kind: sums, joint: a, coefficients: [1], first: 5", "c.first must lie in [1, 4]"},
      {"kind: skate, body: a", "no constraint is called 'skate'"},
  };
  for (int i = 0; i < RH_COUNT(cases); i++) {
    char text[TEXT_MAX];
    (void)snprintf(text, sizeof text, WORLD "constraints: [{name: c, %s}]\n", cases[i].text);
    ck_assert_msg(compile_text(text, cases[i].message) == RH_INPUT_REFUSED, "%s", cases[i].text);
  }
}

END_TEST

START_TEST(no_number_is_poisoned)
{
  static const double poison[] = {(double)NAN, (double)HUGE_VAL, -(double)HUGE_VAL};
  const rh_section *section = &rh_sections[RH_SECTION_CONSTRAINTS];
  for (int f = 0; f < section->nfield; f++) {
    for (int k = 0; k < RH_COUNT(poison); k++) {
      rh_constraint_def def = rh_constraint_default("rows");
      void *at = (char *)&def + section->field[f].offset;
      bool number = true;
      if (section->field[f].param.type == RH_VECTOR) {
        ((double *)at)[1] = poison[k];
      } else if (section->field[f].param.type == RH_LIST) {
        *(rh_list *)at = (rh_list){3, {0, poison[k], 0}};
      } else {
        def.par[6] = poison[k]; // the speed, with one of the names
        number = false;
      }
      rh_scene *scene = rh_scene_create();
      ck_assert_int_eq(rh_scene_add_constraint(scene, &def), 0);
      rh_diag *diag = rh_diag_create();
      rh_model *model = NULL;
      ck_assert_int_eq(rh_scene_compile(scene, diag, &model), RH_INPUT_REFUSED);
      bool named = false;
      for (int i = 0; i < rh_diag_kept(diag); i++) {
        named = named || strstr(rh_diag_get(diag, i).text,
                                number ? section->field[f].param.name : "speed") != NULL;
      }
      ck_assert_msg(named, "%s", section->field[f].param.name);
      rh_diag_destroy(diag);
      rh_scene_destroy(scene);
    }
  }
}

END_TEST

// ---- Rates

static rh_constraint_at moved_by(const rh_constraint_at *at, double h)
{
  rh_constraint_at next = *at;
  for (int i = 0; i < 2; i++) {
    rh_mat3 turn = rh_quat_matrix(rh_quat_exp(rh_scale(h, at->v[i].ang)));
    next.end[i].R = rh_mat3_mul(&turn, &at->end[i].R);
    next.end[i].p = rh_addscaled(at->end[i].p, h, at->v[i].lin);
  }
  for (int i = 0; i < at->n; i++) {
    next.q[i] += h * at->dq[i];
  }
  return next;
}

static rh_constraint_at random_ends(rng *r)
{
  rh_constraint_at at = {.n = 3};
  for (int i = 0; i < 2; i++) {
    rh_quat q = rng_quat(r);
    at.end[i] = (rh_xform){rh_quat_matrix(q), rng_vec3(r, 1)};
    at.v[i] = (rh_motion){rng_vec3(r, 2), rng_vec3(r, 2)};
  }
  for (int i = 0; i < at.n; i++) {
    at.q[i] = rng_in(r, -1, 1);
    at.dq[i] = rng_in(r, -1, 1);
    at.given[i] = rng_in(r, -1, 1);
  }
  return at;
}

// Parameters of each kind, in the order of the table
static const double sample[][RH_PAR_MAX] = {
    {0.3, 0.8, -0.4},                         // along
    {0.2, 0.5, -0.2, 0.7, 0, 3, 1},           // wheel on a turntable
    {1.5, 0.7},                               // ratio, shift
    {0.1, -0.7, 0.4, 0.3, -0.2, 0.5, 0.2},    // polynomial, at1, at2
    {0.1, -0.7, 0.4, 0.3, -0.2, 0.5, 0.2, 2}, // the same, two joints in the first sum
    {0.2, 0.4, 0.6, -0.3, 0.1, 0.9, 0.4},
    {0.2, 0, 0, 0, 2, -1, 1}, // a ball in a bore that turns: rolling
};

START_TEST(rates)
{
  static const double h = 1e-5;
  int count;
  const rh_constraint_kind *const *table = rh_constraint_kind_table(&count);
  ck_assert_int_eq(count + 1, RH_COUNT(sample));
  rng r = {20260};
  for (int trial = 0; trial < 200; trial++) {
    const rh_constraint_kind *kind = table[trial % 7 == 6 ? 1 : trial % 7];
    const double *par = sample[trial % 7];
    rh_constraint_at at = random_ends(&r);
    rh_constraint_at side[2] = {moved_by(&at, h), moved_by(&at, -h)};
    rh_constraint_rows row = {0};
    rh_constraint_rows rate = {0};
    rh_constraint_rows none = {0};
    rh_constraint_rows x[2];
    memset(x, 0, sizeof x);
    kind->rows(&at, par, &row, &rate);
    for (int k = 0; k < 2; k++) {
      none = (rh_constraint_rows){0};
      kind->rows(&side[k], par, &x[k], &none);
    }

    enum { NUMBERS = sizeof row / sizeof(double) };

    const double *a = (const double *)(const void *)&x[0];
    const double *b = (const double *)(const void *)&x[1];
    const double *given = (const double *)(const void *)&rate;
    size_t gap = offsetof(rh_constraint_rows, gap) / sizeof(double);
    for (size_t i = 0; i < NUMBERS; i++) {
      bool of_gap = i >= gap && i < gap + RH_CONSTRAINT_ROWS; // its rate is the row itself
      double found = (a[i] - b[i]) / (2 * h);
      if (!of_gap) { // h^2 of the third derivatives: the wheel's point moves fast where it lies flat
        near_abs(given[i], found, 1e-6 * (1 + fabs(found) * (1 + fabs(found))));
      }
    }
    rh_vec3 v[2];
    for (int k = 0; k < 2; k++) {
      v[k] = rh_add(at.v[k].lin, rh_cross(at.v[k].ang, rh_sub(row.point, at.end[k].p)));
    }
    double speed = rh_dot(row.push[2], rh_sub(v[0], v[1]));
    near_abs(row.gap[2] == 0 ? 0 : (x[0].gap[2] - x[1].gap[2]) / (2 * h),
             row.gap[2] == 0 ? 0 : speed, 1e-6 * (1 + fabs(speed)));
  }
}

END_TEST

// ---- Transmissions

// Two flywheels in the ratio 3: J_eff a = tau + 3 T
START_TEST(gears)
{
  static const char *const engine[] = {"engine: event, rtol: 1e-11, atol: 1e-13",
                                       "engine: stepping, dt: 1e-3"};
  for (int i = 0; i < RH_COUNT(engine); i++) {
    play("bodies: [{name: a, mass: 1, inertia: [1, 1, 2, 0, 0, 0]}, {name: b, mass: 1, inertia: "
         "[1, 1, 0.5, 0, 0, 0]}]\n"
         "joints: [{kind: revolute, axis: [0, 0, 1], child: a}, {kind: revolute, axis: [0, 0, 1], "
         "child: b}]\n"
         "actuators: [{name: m, joint: a, effort: 3}, {name: n, joint: b, effort: -0.25}]\n"
         "constraints: [{name: gear, kind: transmission, joint: b, joint2: a, ratio: 3}]\n"
         "run: {until: 2, %s}\n",
         engine[i]);
    double a = (3 - 0.25 * 3) / (2 + 9 * 0.5);
    near_rel(told.v[0], a * told.t, 1e-10);
    near_rel(told.v[1], 3 * a * told.t, 1e-10);
    near_abs(told.residue, 0, i == 0 ? 1e-10 : 1e-3);
  }
}

END_TEST

// The disk and ball of an integrator: v1 = k q3 v2. The energy of the flywheels is kept while the
// ball is shifted, so that v2 sqrt(I2 + I1 k^2 q3^2) is constant.
START_TEST(variable_ratio)
{
  play("world: {gravity: [0, 0, 0]}\n"
       "bodies: [{name: a, mass: 1, inertia: [1, 1, 0.3, 0, 0, 0]}, {name: b, mass: 1, inertia: "
       "[1, 1, 0.7, 0, 0, 0]}, {name: c, mass: 2}]\n"
       "joints: [{kind: revolute, axis: [0, 0, 1], child: a, v: [1]}, {kind: revolute, axis: [0, "
       "0, 1], child: b, v: [2]}, {kind: prismatic, axis: [1, 0, 0], child: c, q: [0.25], v: "
       "[0.5]}]\n"
       "constraints: [{kind: transmission, joint: a, joint2: b, joint3: c, shift: 2}]\n"
       "run: {until: 3, rtol: 1e-12, atol: 1e-14}\n");
  double kept = 2 * sqrt(0.7 + 0.3 * 0.25);
  double ratio = 2 * told.q[2];
  near_rel(told.q[2], 0.25 + 1.5, 1e-9);
  near_rel(told.v[1], kept / sqrt(0.7 + 0.3 * ratio * ratio), 1e-9);
  near_rel(told.v[0], ratio * told.v[1], 1e-9);
  near_abs(told.residue, 0, 1e-9);
}

END_TEST

// A row over four joints, two of them of one free body, under both engines: the result is the one by
// hand, v - s psi with psi orthogonal in the inertia's metric.
START_TEST(own_rows)
{
  static const char *const engine[] = {"engine: event, rtol: 1e-11, atol: 1e-13",
                                       "engine: stepping, dt: 1e-3"};
  for (int i = 0; i < RH_COUNT(engine); i++) {
    play("world: {gravity: [0, 0, -2]}\n"
         "bodies: [{name: a, mass: 4}, {name: b, mass: 2, inertia: [1, 1, 1, 0, 0, 0]}, {name: c, "
         "mass: 1, inertia: [1, 1, 0.5, 0, 0, 0]}]\n"
         "joints: [{kind: prismatic, axis: [0, 0, 1], child: a}, {kind: free, child: b}, {kind: "
         "revolute, axis: [0, 0, 1], child: c}]\n"
         "constraints: [{name: r, kind: rows, joint: a, joint2: b, joint3: b, joint4: c, dofs: [0, "
         "2, 5, 0], coefficients: [1, -2, 0.5, 3]}]\n"
         "run: {until: 1, %s}\n",
         engine[i]);
    double W = 1.0 / 4 + 4.0 / 2 + 0.25 / 1 + 9 / 0.5;
    double force = -(-2 * 1 + -2 * -2) / W; // psi . a0 = a0_a - 2 a0_b
    near_rel(told.v[0], (-2 + force / 4) * told.t, 1e-9);
    near_rel(told.v[3], (-2 - 2 * force / 2) * told.t, 1e-9);
    near_rel(told.v[6], 0.5 * force * told.t, 1e-9);
    near_rel(told.v[7], 3 * force / 0.5 * told.t, 1e-9);
  }
}

END_TEST

// ---- Rows that depend on one another

// A cart on two wheels of one axle, driven by their motors: the wheels' lateral rows are one, and
// the joints keep their heights. m a = 2 T / r - 2 J a / r^2.
#define CART                                                                                       \
  "world: {gravity: [0, 0, 0]}\n"                                                                  \
  "bodies: [{name: cart, mass: 5, com: [0.1, 0, 0], inertia: [1, 1, 0.4, 0, 0, 0]}, {name: l, "    \
  "mass: 1, inertia: [0.01, 0.02, 0.01, 0, 0, 0]}, {name: r, mass: 1, inertia: [0.01, 0.02, "      \
  "0.01, 0, 0, 0]}]\n"                                                                             \
  "joints: [{kind: planar, normal: [0, 0, 1], child: cart}, {kind: revolute, axis: [0, 1, 0], "    \
  "parent: cart, child: l, at: [0, 0.3, 0]}, {kind: revolute, axis: [0, 1, 0], parent: cart, "     \
  "child: r, at: [0, -0.3, 0]}]\n"                                                                 \
  "actuators: [{name: ml, joint: l, effort: 0.5}, {name: mr, joint: r, effort: 0.5}]\n"            \
  "constraints: [{name: left, kind: rolling, body: l, radius: 0.1, axis: [0, 1, 0], to_at: [0, "   \
  "0, -0.1]}, {name: right, kind: rolling, body: r, radius: 0.1, axis: [0, 1, 0], to_at: [0, 0, "  \
  "-0.1]}]\n"

START_TEST(cart)
{
  static const char *const engine[] = {"engine: event, rtol: 1e-11, atol: 1e-13",
                                       "engine: stepping, dt: 1e-3"};
  for (int i = 0; i < RH_COUNT(engine); i++) {
    play(CART "run: {until: 2, %s}\n", engine[i]);
    double a = 2 * 0.5 / 0.1 / (7 + 2 * 0.02 / 0.01);
    near_rel(told.v[0], a * told.t, 1e-9);
    near_abs(told.v[1], 0, 1e-12);
    near_rel(told.v[3], a * told.t / 0.1, 1e-9);
  }
  ck_assert_int_eq(
      compile_text(CART, "row 3 depends on the joints alone: its force is not determined"), RH_OK);
  ck_assert_int_eq(compile_text(CART, "row 2 depends on the joints and the rows before it"), RH_OK);
}

END_TEST

START_TEST(rows_that_contradict)
{
  ck_assert_int_eq(
      compile_text("bodies: [{name: a, mass: 1}]\n"
                   "joints: [{kind: prismatic, axis: [0, 0, 1], child: a, v: [1]}]\n"
                   "constraints: [{name: x, kind: rows, joint: a, coefficients: [1], speed: 1}, "
                   "{name: y, kind: rows, joint: a, coefficients: [2], speed: 1}]\n",
                   "y does not hold at the start: row 1 has 2 in place of 1"),
      RH_INPUT_REFUSED);
  // v1 = q3 v2 with v1 = v2 = 1 given, while q3 moves: the rows hold at the start and contradict one
  // another in their accelerations.
  char text[] =
      "world: {gravity: [0, 0, 0]}\n"
      "bodies: [{name: a, mass: 1}, {name: b, mass: 1}, {name: c, mass: 1}]\n"
      "joints: [{kind: prismatic, axis: [1, 0, 0], child: a, v: [1]}, {kind: prismatic, "
      "axis: [1, 0, 0], child: b, v: [1]}, {kind: prismatic, axis: [1, 0, 0], child: c, q: "
      "[1], v: [0.5]}]\n"
      "constraints: [{name: x, kind: rows, joint: a, coefficients: [1], speed: 1}, {name: "
      "y, kind: rows, joint: b, coefficients: [1], speed: 1}, {name: z, kind: "
      "transmission, joint: a, joint2: b, joint3: c, shift: 1}]\n";
  ck_assert_int_eq(compile_text(text, "row 1 depends on the joints and the rows before"), RH_OK);
  rh_diag *diag = rh_diag_create();
  rh_scene *scene = NULL;
  ck_assert_int_eq(rh_scene_parse(text, strlen(text), "f", NULL, 0, diag, &scene), RH_OK);
  rh_diag_destroy(diag);
  rh_model *model = model_of(scene);
  tell(model);
  rh_model_destroy(model);
  ck_assert_int_eq(told.status, RH_STOPPED);
  ck_assert_msg(strstr(told.reason, "row 1 of the constraint z contradicts") != NULL, "%s",
                told.reason);
}

END_TEST

// ---- Impacts

// A sleigh with one or two round noses runs into a wall at an angle.
static void hit_wall(const char *law, const char *formulation, bool two, const char *engine)
{
  play("world: {gravity: [0, 0, 0]}\n"
       "bodies: [{name: s, mass: 2, com: [0.2, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]\n"
       "joints: [{kind: planar, normal: [0, 0, 1], child: s, q: [0, 0, %s], v: [%s, 0.3]}]\n"
       "shapes: [{body: s, kind: sphere, radius: 0.05, at: [0.5, 0.2, 0]}, {body: s, kind: sphere, "
       "radius: 0.05, at: [0.5, -0.2, 0]},\n"
       "  {body: world, kind: plane, at: [1, 0, 0], rpy: [0, -1.5707963267948966, 0]}]\n"
       "contacts: [{body: s, against: world, %s}]\n"
       "constraints: [{name: blade, kind: knife-edge, body: s, along: [1, 0, 0]}]\n"
       "run: {until: 1.2, multi_impact: %s, %s}\nrecord: {every: 0.1}\n",
       two ? "0" : "0.3", two ? "1, 0" : "0.9553364891256060, 0.2955202066613396", law, formulation,
       engine);
}

static double speed_across(const double *q, const double *v)
{
  return v[1] * cos(q[2]) - v[0] * sin(q[2]);
}

START_TEST(sleigh_hits_wall)
{
  static const char *const law[] = {"law: newton, e: 0.6", "law: poisson, e: 0.6, friction: dry, "
                                                           "mu_s: 0.3, mu_k: 0.3"};
  int count;
  const rh_formulation *const *row = rh_formulation_table(&count);
  for (int i = 0; i < count * 2; i++) {
    hit_wall(law[i % 2], row[i / 2]->row.name, false, FINE);
    int impacts = 0;
    for (int k = 0; k < told.n && k < TALE_MAX; k++) {
      const moment *m = &told.at[k];
      if (m->e.kind == RH_EVENT_IMPACT) {
        impacts++;
        near_abs(speed_across(m->q, m->v), 0, 1e-12); // Psi v+ = 0
        ck_assert_msg(i > 0 || impacts > 1 || fabs(m->e.after + 0.6 * m->e.before) < 1e-9,
                      "%s: %g after %g", row[i / 2]->row.name, m->e.after, m->e.before);
      }
    }
    ck_assert_msg(impacts > 0, "%s", row[i / 2]->row.name);
    near_abs(told.residue, 0, 1e-9);
    near_abs(speed_across(told.q, told.v), 0, 1e-9);
  }
}

END_TEST

START_TEST(wall_stepped)
{
  static const char *const law[] = {"law: newton, e: 0.6", "law: newton, e: 0.3, friction: dry, "
                                                           "mu_s: 0.3, mu_k: 0.3"};
  for (int i = 0; i < 2; i++) {
    hit_wall(law[i], "simultaneous", false, FINE);
    tale exact = told;
    hit_wall(law[i], "simultaneous", false, "engine: stepping, dt: 2.5e-4");
    ck_assert_int_gt(told.count[RH_EVENT_IMPACT], 0);
    near_abs(speed_across(told.q, told.v), 0, 2.5e-4); // of the row at the start of the last step
    for (int k = 0; k < 3; k++) {                      // of first order in the step
      near_abs(told.q[k], exact.q[k], 5e-3);
    }
  }
}

END_TEST

// A ball on a floor, in space, that a blade guides, with friction: Psi v+ = 0 after each impact.
START_TEST(blade_in_space)
{
  play("bodies: [{name: s, mass: 2, inertia: [0.02, 0.03, 0.04, 0, 0, 0]}]\n"
       "joints: [{kind: free, child: s, q: [0, 0, 0.3, 1, 0, 0, 0], v: [1, 0, 0, 0.4, -0.3, "
       "0.9]}]\n"
       "shapes: [{body: s, kind: sphere, radius: 0.1, at: [0.05, 0, -0.02]}, " FLAT_FLOOR "]\n"
       "contacts: [{body: s, against: world, law: stronge, e: 0.7, friction: dry, mu_s: 0.4, mu_k: "
       "0.4}]\n"
       "constraints: [{name: blade, kind: knife-edge, body: s, along: [1, 0, 0]}]\n"
       "run: {until: 1, " FINE "}\nrecord: {every: 0.1}\n");
  int impacts = 0;
  for (int k = 0; k < told.n && k < TALE_MAX; k++) {
    const moment *m = &told.at[k];
    if (m->e.kind == RH_EVENT_IMPACT) {
      rh_mat3 R = rh_quat_matrix((rh_quat){m->q[3], m->q[4], m->q[5], m->q[6]});
      rh_vec3 lateral = rh_cross(rh_v3(0, 0, 1), rh_rotate(&R, rh_v3(1, 0, 0)));
      near_abs(rh_dot(lateral, rh_v3(m->v[0], m->v[1], m->v[2])), 0, 1e-10);
      impacts++;
    }
  }
  ck_assert_int_gt(impacts, 1);
  near_abs(told.residue, 0, 1e-9);
}

END_TEST

// ---- Problems

// A block on a blade that hits the ground, without friction, against the closed form: the row takes
// (J M^-1 Psi')^2 / (Psi M^-1 Psi') from K. And a block that rows keep in the plane x-z against the
// mechanism of three coordinates, with friction.
START_TEST(rows_of_impacts)
{
  static const char *const kind[] = {"winkler_global", "winkler_local", "moreau", "fixed_split"};
  const double m = 2;
  const double I[3] = {m / 12 * (0.04 + 0.01), m / 12 * (0.16 + 0.01), m / 12 * (0.16 + 0.04)};
  const double r[3] = {0.2, 0.1, -0.05};
  const double psi[6] = {0, 1, 0, 0.05, 0, 0.1};
  const double J[6] = {0, 0, 1, r[1], -r[0], 0};
  double K[3] = {0, 0, 0};
  for (int i = 0; i < 6; i++) {
    double of = i < 3 ? m : I[i - 3];
    K[0] += J[i] * J[i] / of;
    K[1] += J[i] * psi[i] / of;
    K[2] += psi[i] * psi[i] / of;
  }
  double p = 1.5 * 0.5 / (K[0] - K[1] * K[1] / K[2]);
  // paths on springs are followed to a tolerance of 1e-6 of the impulse, with friction 1e-3
  const double exact[] = {1e-6, 1e-6, 1e-9, 1e-9};
  const double rubs[] = {1e-3, 1e-3, 1e-9, 1e-9};
  for (int k = 0; k < RH_COUNT(kind); k++) {
    char text[1024];
    (void)snprintf(
        text, sizeof text,
        "- {id: a, kind: %s, inputs: {mass: 2, dims: [0.4, 0.2, 0.1], points: [[0.2, 0.1, "
        "-0.05]], v_com: [1, 0, -0.5], omega: [0, 0, 0], mu: 0, e: 0.5, Psi: [[0, 1, 0, "
        "0.05, 0, 0.1], [0, 2, 0, 0.1, 0, 0.2]]}}\n"
        "- {id: b, kind: %s, inputs: {mass: 2, dims: [0.4, 0.2, 0.1], points: [[0.2, 0.1, "
        "-0.05]], v_com: [1, 0, -0.5], omega: [0, 3, 0], mu: 0.3, e: 0.5, Psi: [[0, 1, 0, "
        "0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 1]]}}\n"
        "- {id: c, kind: generalized_impact, inputs: {M: [[2, 0, 0], [0, 2, 0], [0, 0, "
        "%.17g]], Jt: [1, 0, -0.05], Jn: [0, 1, -0.2], v0: [1, -0.5, 3], mu_k: 0.3, e: "
        "0.5, law: %s}}\n",
        kind[k], kind[k], I[1], k == 2 ? "newton" : "stronge");
    solved s = solve(text);
    ck_assert_int_eq(s.status, RH_OK);
    double x[6];
    near_abs(number(&s, "a", "rank_Psi"), 1, 0); // the second row is the first again
    ck_assert_int_eq(output(&s, "a", "normal_impulses", x, 1), 1);
    near_rel(x[0], p, exact[k]);
    ck_assert_int_eq(output(&s, "a", "v_com", x, 3), 3);
    ck_assert_int_eq(output(&s, "a", "omega", x + 3, 3), 3);
    double kept = 0;
    for (int i = 0; i < 6; i++) {
      double push = J[i] - psi[i] * K[1] / K[2];
      near_abs(x[i], (i == 0) - 0.5 * (i == 2) + p * push / (i < 3 ? m : I[i - 3]), 10 * exact[k]);
      kept += psi[i] * x[i];
    }
    near_abs(kept, 0, 1e-12);
    double y[3];
    ck_assert_int_eq(output(&s, "b", "v_com", x, 3), 3);
    ck_assert_int_eq(output(&s, "b", "omega", x + 3, 3), 3);
    ck_assert_int_eq(output(&s, "c", "v", y, 3), 3);
    if (k != 2) { // Moreau's friction takes part in restitution
      near_abs(x[0], y[0], rubs[k]);
      near_abs(x[2], y[1], rubs[k]);
      near_abs(x[4], y[2], 10 * rubs[k]); // over its lever of 0.1 m
    }
    near_abs(x[1], 0, 1e-14);
    near_abs(x[3], 0, 1e-14);
    near_abs(x[5], 0, 1e-14);
    done(&s);
  }
  check_refused(
      "kind: moreau, inputs: {mass: 2, dims: [0.4, 0.2, 0.1], points: [[0.2, 0.1, -0.05]], "
      "v_com: [1, 0, -0.5], omega: [0, 0, 0], mu: 0, Psi: [[1, 0, 0, 0, 0, 0]]}",
      "row 0 of Psi does not hold before");
}

END_TEST

// Rows as inputs of a problem against the same mechanism without the coordinate that they fix, and
// what is refused
START_TEST(rows_of_problems)
{
  // Two masses that a row ties, y = 2 x in velocities; y is above a floor.
  solved s = solve(
      "- {id: a, kind: friction_modes, inputs: {M: [[2, 0], [0, 3]], b: [1, -5], Jn: [[0], [1]], "
      "Jt: [[1], [0]], mu_s: 0.5, Psi: [[2, -1], [4, -2]]}}\n"
      "- {id: b, kind: friction_modes, inputs: {M: [[14]], b: [-9], Jn: [[2]], Jt: [[1]], mu_s: "
      "0.5}}\n"
      "- {id: c, kind: lcp_frictionless, inputs: {M: [[2, 0], [0, 3]], b: [1, 5], G: [[0], [1]], "
      "Psi: [[2, -1]]}}\n"
      "- {id: d, kind: lcp_frictionless, inputs: {M: [[2, 0], [0, 3]], b: [1, -5], G: [[0], [1]], "
      "Psi: [[2, -1]]}}\n");
  ck_assert_int_eq(s.status, RH_OK);
  double x[2];
  near_abs(number(&s, "a", "n_distinct"), number(&s, "b", "n_distinct"), 0);
  near_abs(number(&s, "a", "rank_Psi"), 1, 0);
  ck_assert_int_eq(output(&s, "c", "qdd", x, 2), 2);
  near_rel(x[0], 11.0 / 14, 1e-14);
  near_rel(x[1], 22.0 / 14, 1e-14);
  ck_assert_int_eq(output(&s, "c", "mu", x, 2), 1);
  near_rel(x[0], (22.0 / 14 - 1) / 2, 1e-14);
  ck_assert_int_eq(output(&s, "d", "lambda_min_norm", x, 2), 1);
  near_rel(x[0], 4.5, 1e-14);
  done(&s);

  static const struct {
    const char *problem, *words;
  } bad[] = {
      {"kind: lcp_frictionless, inputs: {M: [[2, 0], [0, 2]], G: [[1], [0]], b: [1, 0], Psi: [[1, "
       "0], [2, 0]], psidot: [0, 1]}",
       "row 1 of Psi depends on the rows before and contradicts them"},
      {"kind: lcp_frictionless, inputs: {M: [[2, 0], [0, 2]], G: [[1], [0]], b: [1, 0], Psi: [[1, "
       "0], [1, 1]]}",
       "Psi leaves no motion"},
      {"kind: lcp_frictionless, inputs: {M: [[2]], G: [[1]], b: [1], Psi: [[1, 0]]}", "Psi"},
      {"kind: generalized_impact, inputs: {M: [[2, 0], [0, 3]], Jn: [0, 1], Jt: [1, 0], v0: [1, "
       "-1], law: newton, e: 0.5, mu_k: 0, Psi: [[1, 0]]}",
       "row 0 of Psi does not hold before"},
  };

  for (int i = 0; i < RH_COUNT(bad); i++) {
    check_refused(bad[i].problem, bad[i].words);
  }
}

END_TEST

Suite *rh_suite_unit_constraints(void)
{
  Suite *suite = suite_create("unit_constraints");
  TCase *tests = tcase_create("constraints");
  tcase_add_test(tests, what_is_refused);
  tcase_add_test(tests, no_number_is_poisoned);
  tcase_add_test(tests, rates);
  tcase_add_test(tests, gears);
  tcase_add_test(tests, variable_ratio);
  tcase_add_test(tests, own_rows);
  tcase_add_test(tests, cart);
  tcase_add_test(tests, rows_that_contradict);
  tcase_add_test(tests, sleigh_hits_wall);
  tcase_add_test(tests, wall_stepped);
  tcase_add_test(tests, blade_in_space);
  tcase_add_test(tests, rows_of_problems);
  tcase_add_test(tests, rows_of_impacts);
  suite_add_tcase(suite, tests);
  return suite;
}
