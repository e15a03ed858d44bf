// A collision of a contact group with friction: [CSC] section II leaves friction out (assumption iii)
// and names it as further work. The impulses are those of the engine haptic with haptic.collide:
// friction: one contact along the path of Stronge's law, several by a formulation of
// `routh list formulations`.
#include "laws/laws.h"
#include "problems/problem_group.h"
#include "scene_io/scene_entry.h"

#include <math.h>

static const rh_param input[] = {
    {.name = "D",
     .unit = "kg, kg m, kg m^2",
     .type = RH_TEXT,
     .doc = "inertia of the group: nv rows of nv numbers, symmetric, positive definite"},
    {.name = "J",
     .unit = "1, m",
     .type = RH_TEXT,
     .doc = "rows of nv numbers, three per contact: two tangents, then the normal; J qd is the "
            "velocity of the contact, its normal part negative where bodies approach"},
    {.name = "qd0", .unit = "m/s, rad/s", .type = RH_LIST, .doc = "velocities before (nv)"},
    {.name = "mu", .unit = "1", .type = RH_LIST, .doc = "friction of each contact, or of all"},
    {.name = "e", .unit = "1", .type = RH_LIST, .doc = "restitution of each contact, or of all"},
    {.name = "formulation",
     .unit = "1",
     .type = RH_TEXT,
     .doc = "of several contacts (default: the first of `routh list formulations`)"},
};

static const rh_output output[] = {
    {"u0", "m/s", "3n", "velocities of the contacts before: t1, t2, n of each"},
    {"u1", "m/s", "3n", "after"},
    {"p", "N s", "3n", "impulses"},
    {"qd", "m/s, rad/s", "nv", "velocities after"},
    {"ke0", "J", "", "kinetic energy before"},
    {"ke1", "J", "", "after"},
    {"dissipated", "J", "2", "by the normal impulses, by friction"},
};

static bool check_range(const rh_inputs *in, const char *name, const rh_block *x, double hi)
{
  for (int i = 0; i < x->rows; i++) {
    if (!(x->x[i] >= 0 && x->x[i] <= hi)) {
      return rh_input_refuse(in, rh_input_find(in, name), "%s[%d] must lie in [0, %g], got %g",
                             name, i, hi, x->x[i]);
    }
  }
  return true;
}

static bool read_formulation(const rh_inputs *in, const rh_formulation **form)
{
  int count;
  int node = rh_input_find(in, "formulation");
  *form = rh_formulation_table(&count)[0];
  if (node == RH_NONE) {
    return true;
  }
  const char *name = rh_input_text(in, node, "formulation");
  *form = name != NULL ? rh_formulation_find(name) : NULL;
  return *form != NULL ||
         rh_input_refuse(in, node, "formulation must be one of `routh list formulations`");
}

typedef struct collision {
  rh_group group;
  rh_block mu, e, scratch;
  const rh_formulation *form;
} collision;

static void add_numbers(rh_answer *answer, const char *name, const rh_block *x)
{
  double *to = rh_answer_add(answer, name, 1, x->rows, 1, 1);
  for (int i = 0; to != NULL && i < x->rows; i++) {
    to[i] = x->x[i];
  }
}

static rh_status answer_collision(const rh_inputs *in, collision *c, rh_answer *answer)
{
  rh_group *g = &c->group;
  rh_many_out many = {0};
  rh_model_run run = {.multi_impact = &c->form->row};
  int n = g->J.rows / 3;
  if (!rh_group_make(g) || !rh_block_make(&c->scratch, (int)c->form->room(n), 1)) {
    return RH_OUT_OF_MEMORY;
  }
  rh_row_defaults(&c->form->row, run.multi_impact_par);
  rh_many_in problem = {
      .n = n, .W = g->W.x, .u = g->u.x, .mu = c->mu.x, .e = c->e.x, .law = &rh_impact_law_stronge};
  if (!rh_impact_solve(&run, &problem, c->mu.x[0], c->scratch.x, g->p.x, g->after.x, &many)) {
    (void)rh_input_refuse(in, in->map, "no impulses were found; take another formulation");
    return RH_NOT_FINITE;
  }
  rh_block_left(&g->X, g->p.x, g->qd.x); // D^-1 J'p
  for (int i = 0; i < g->v.rows; i++) {
    g->qd.x[i] += g->v.x[i];
  }
  add_numbers(answer, "u0", &g->u);
  add_numbers(answer, "u1", &g->after);
  add_numbers(answer, "p", &g->p);
  add_numbers(answer, "qd", &g->qd);
  bool good = rh_answer_number(answer, "ke0", rh_group_energy(g, g->v.x)) &&
              rh_answer_number(answer, "ke1", rh_group_energy(g, g->qd.x));
  double *lost = rh_answer_add(answer, "dissipated", 1, 2, 1, 1);
  if (!good || lost == NULL || !rh_answer_is_whole(answer)) {
    return RH_OUT_OF_MEMORY;
  }
  lost[0] = many.Dn;
  lost[1] = many.Dt;
  return RH_OK;
}

static rh_status solve_collide_friction(const rh_inputs *in, rh_answer *answer)
{
  collision c = {0};
  rh_status status = RH_INPUT_REFUSED;
  bool good = rh_group_read(in, &c.group);
  if (good && c.group.J.rows % 3 != 0) {
    good = rh_input_refuse(in, rh_input_find(in, "J"),
                           "J must have three rows per contact (two tangents, the normal), got %d",
                           c.group.J.rows);
  }
  int n = good ? c.group.J.rows / 3 : RH_NONE;
  good = rh_input_list(in, "mu", n, RH_GROUP_CONTACTS, &c.mu) && good;
  good = rh_input_list(in, "e", n, RH_GROUP_CONTACTS, &c.e) && good;
  good = good && check_range(in, "mu", &c.mu, 1e6) && check_range(in, "e", &c.e, 1);
  good = read_formulation(in, &c.form) && good;
  if (good) {
    status = answer_collision(in, &c, answer);
  }
  rh_group_free(&c.group);
  rh_block_free(&c.mu);
  rh_block_free(&c.e);
  rh_block_free(&c.scratch);
  return status;
}

const rh_problem rh_problem_collide_friction = {
    .row = {"collide_friction", "[CSC] VIII, [WK] 3",
            "a collision of a contact group with friction", input, RH_COUNT(input)},
    .output = output,
    .noutput = RH_COUNT(output),
    .solve = solve_collide_friction,
};
