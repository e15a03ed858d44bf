// problem_block.c: see problem_block.h. W and u of the points of a free block, or of one that rows
// Psi (v_com, omega) = 0 hold; the answer as velocities of its centre of mass.
#include "problem_block.h"

#include <math.h>
#include <string.h>

enum { MOST = 64, FREE = 6 }; // points; velocities v_com, omega

static const double KEPT = 1e-9; // of the velocities before: Psi qdot that counts as zero

typedef struct posed {
  double mass, e, inertia[3];
  rh_block dims, points, v, w, mu, weights;
  rh_block W, u, es, p, after, room, factors;
  rh_many_place place[MOST];
  double *share; // (n) NULL: not wanted
  rh_psi psi;
  rh_block M, L, f; // inertia in the velocities that Psi allows, its factor; f is not used
} posed;

static const rh_param number[] = {
    {.name = "mass", .unit = "kg", .def = 1, .lo = 0, .hi = 1e15, .open = true, .doc = ""},
    {.name = "e", .unit = "1", .def = 0, .lo = -1e300, .hi = 1e300, .doc = ""},
};

static bool read_weights(const rh_inputs *in, posed *q)
{
  static const char *const word[] = {
      "equal", "equal over the points approaching at the start of each event"};
  int node = rh_input_find(in, "weights");
  if (node == RH_NONE) {
    return true;
  }
  for (int i = 0; i < RH_COUNT(word); i++) {
    if (in->tree->node[node].kind == RH_NODE_SCALAR &&
        strcmp(rh_yaml_text(in->tree, node), word[i]) == 0) {
      return true;
    }
  }
  if (in->tree->node[node].kind == RH_NODE_SCALAR) {
    return rh_input_refuse(in, node, "weights must be 'equal' or a list of numbers");
  }
  bool good = rh_input_list(in, "weights", q->points.rows, MOST, &q->weights);
  for (int i = 0; good && i < q->weights.rows; i++) {
    good = q->weights.x[i] > 0 || rh_input_refuse(in, node, "weights[%d] must be > 0", i);
  }
  return good;
}

static bool check_values(const rh_inputs *in, const posed *q)
{
  bool good = true;
  for (int i = 0; i < 3; i++) {
    if (!(q->dims.x[i] > 0)) {
      good = rh_input_refuse(in, rh_input_find(in, "dims"), "dims[%d] must be > 0 m", i);
    }
  }
  for (int i = 0; i < q->mu.rows; i++) {
    if (!(q->mu.x[i] >= 0 && q->mu.x[i] <= 1e6)) {
      good = rh_input_refuse(in, rh_input_find(in, "mu"), "mu[%d] must be 0 to 1e6", i);
    }
  }
  return good;
}

static bool read_restitution(const rh_inputs *in, const rh_formulation *form, double *e)
{
  rh_param range = number[1];
  if (rh_input_find(in, "e") != RH_NONE && rh_input_one(in, &range, false, e) && *e < 0 &&
      !form->early) {
    return rh_input_refuse(in, rh_input_find(in, "e"),
                           "e < 0, an impact that ends in compression, is not defined by '%s'; it "
                           "is by winkler-global, fixed-split and thesis",
                           form->row.name);
  }
  range.lo = form->early ? -1 : 0;
  range.hi = form->plastic ? 0 : 1;
  return rh_input_one(in, &range, false, e);
}

static void fill_inertia(posed *q)
{
  const double *d = q->dims.x;
  for (int k = 0; k < 3; k++) {
    double a = d[(k + 1) % 3];
    double b = d[(k + 2) % 3];
    q->inertia[k] = q->mass / 12 * (a * a + b * b);
  }
}

// Rows of Psi, which the velocities before must keep
static bool read_rows(const rh_inputs *in, posed *q)
{
  if (!rh_psi_read(in, FREE, NULL, &q->psi)) {
    return false;
  }
  const rh_block *Psi = &q->psi.Psi;
  for (int r = 0; r < Psi->rows; r++) {
    double sum = 0;
    double size = 0;
    for (int i = 0; i < FREE; i++) {
      double part = Psi->x[(size_t)r * FREE + (size_t)i] * (i < 3 ? q->v.x[i] : q->w.x[i - 3]);
      sum += part;
      size += fabs(part);
    }
    if (fabs(sum) > KEPT * size) {
      return rh_input_refuse(in, rh_input_find(in, "Psi"),
                             "row %d of Psi does not hold before the impact: it gives %g", r, sum);
    }
  }
  return true;
}

static bool reduce_inertia(posed *q)
{
  if (q->psi.N.x == NULL) {
    return true;
  }
  if (!rh_block_make(&q->M, FREE, FREE) || !rh_block_make(&q->f, FREE, 1)) {
    return false;
  }
  for (int i = 0; i < FREE; i++) {
    q->M.x[i * (FREE + 1)] = i < 3 ? q->mass : q->inertia[i - 3];
  }
  return rh_psi_reduce(&q->psi, &q->M, &q->L, &q->f);
}

// Places of the points of the block, and the factors of their normal impulses where they are given
static bool read_factors(const rh_inputs *in, posed *q)
{
  int node = rh_input_find(in, "factors");
  bool good = node == RH_NONE || rh_input_list(in, "factors", q->points.rows, MOST, &q->factors);
  for (int i = 0; good && i < q->points.rows; i++) {
    double factor = node == RH_NONE ? 0 : q->factors.x[i];
    q->place[i] = (rh_many_place){
        .axis = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .body = {1, RH_NONE}, .factor = factor};
    memcpy(q->place[i].at, q->points.x + (ptrdiff_t)3 * i, sizeof q->place[i].at);
    good = (factor >= 0 && factor <= 1e6) ||
           rh_input_refuse(in, node, "factors[%d] must be 0 to 1e6; 0: not given", i);
  }
  return good;
}

static bool read_all(const rh_inputs *in, const rh_formulation *form, posed *q)
{
  bool good = rh_input_one(in, &number[0], true, &q->mass);
  good = read_restitution(in, form, &q->e) && good;
  good = rh_input_list(in, "dims", 3, 3, &q->dims) && good;
  good = rh_input_list(in, "v_com", 3, 3, &q->v) && good;
  good = rh_input_list(in, "omega", 3, 3, &q->w) && good;
  bool known = rh_input_matrix(in, "points", RH_NONE, 3, MOST, &q->points);
  good = known && rh_input_list(in, "mu", q->points.rows, MOST, &q->mu) && good;
  good = known && read_weights(in, q) && good;
  good = known && read_factors(in, q) && good;
  return good && check_values(in, q) && read_rows(in, q);
}

static bool make_all(posed *q, const rh_formulation *form)
{
  int n = q->points.rows;
  size_t room = form->room(n);
  size_t part = rh_many_determined_room(n);
  fill_inertia(q);
  return reduce_inertia(q) && rh_block_make(&q->W, 3 * n, 3 * n) &&
         rh_block_make(&q->u, 3 * n, 1) && rh_block_make(&q->es, n, 1) &&
         rh_block_make(&q->p, 3 * n, 1) && rh_block_make(&q->after, 3 * n, 1) &&
         rh_block_make(&q->room, (int)(room > part ? room : part), 1);
}

static void cross(const double *a, const double *b, double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Change of v_com and omega by the impulse p at a point r
static void respond_to_impulse(const posed *q, const double *r, const double *p, double *dv,
                               double *dw)
{
  cross(r, p, dw);
  if (q->psi.N.x != NULL) {
    const double y[FREE] = {p[0], p[1], p[2], dw[0], dw[1], dw[2]};
    double work[FREE];
    double x[FREE];
    rh_psi_respond(&q->psi, &q->L, y, work, x);
    memcpy(dv, x, 3 * sizeof *x);
    memcpy(dw, x + 3, 3 * sizeof *x);
    return;
  }
  for (int k = 0; k < 3; k++) {
    dv[k] = p[k] / q->mass;
    dw[k] /= q->inertia[k];
  }
}

// A unit impulse on each row in turn
static void fill_contact_inertia(posed *q)
{
  const int rows = 3 * q->points.rows;
  for (int j = 0; j < rows; j++) {
    double unit[3] = {0, 0, 0};
    double dv[3];
    double spin[3];
    unit[j % 3] = 1;
    respond_to_impulse(q, q->points.x + (ptrdiff_t)(j - j % 3), unit, dv, spin);
    for (int i = 0; i < rows; i += 3) {
      double du[3];
      cross(spin, q->points.x + i, du);
      for (int k = 0; k < 3; k++) {
        q->W.x[(i + k) * rows + j] = du[k] + dv[k];
      }
    }
  }
  for (int i = 0; i < rows; i++) {
    double turn[3];
    cross(q->w.x, q->points.x + (ptrdiff_t)(i - i % 3), turn);
    q->u.x[i] = q->v.x[i % 3] + turn[i % 3];
    q->es.x[i / 3] = q->e;
  }
}

static double velocities_after(posed *q, double *v, double *w)
{
  double energy = 0;
  memcpy(v, q->v.x, 3 * sizeof(double));
  memcpy(w, q->w.x, 3 * sizeof(double));
  for (int i = 0; i < q->points.rows; i++) {
    double dv[3];
    double dw[3];
    respond_to_impulse(q, q->points.x + (ptrdiff_t)3 * i, q->p.x + (ptrdiff_t)3 * i, dv, dw);
    for (int k = 0; k < 3; k++) {
      v[k] += dv[k];
      w[k] += dw[k];
    }
  }
  for (int k = 0; k < 3; k++) {
    energy += 0.5 * (q->mass * v[k] * v[k] + q->inertia[k] * w[k] * w[k]);
  }
  return energy;
}

static bool answer_all(posed *q, const rh_many_in *in, const rh_many_out *out, rh_answer *answer)
{
  int n = q->points.rows;
  int events = out->impacts < RH_MANY_EVENTS ? out->impacts : RH_MANY_EVENTS;
  double *v = rh_answer_add(answer, "v_com", 1, 3, 1, 1);
  double *w = rh_answer_add(answer, "omega", 1, 3, 1, 1);
  double *pn = rh_answer_add(answer, "normal_impulses", 1, n, 1, 1);
  double *part = rh_answer_add(answer, "determined", 2, n, 3, 1);
  double *Wn = rh_answer_add(answer, "W_n", 1, events, 1, 1);
  if (v == NULL || w == NULL || pn == NULL || part == NULL || Wn == NULL) {
    return false;
  }
  double energy = velocities_after(q, v, w);
  double least = HUGE_VAL;
  for (int i = 0; i < n; i++) {
    pn[i] = q->p.x[3 * i + 2];
    least = fmin(least, q->after.x[3 * i + 2]);
  }
  memcpy(Wn, out->Wn, (size_t)events * sizeof(double));
  rh_many_determined(in, q->room.x, q->p.x, part);
  return rh_answer_number(answer, "v_n_min", least) &&
         rh_answer_number(answer, "kinetic_energy", energy) &&
         rh_answer_number(answer, "free", out->free) &&
         (q->psi.N.x == NULL || rh_answer_number(answer, "rank_Psi", q->psi.rank)) &&
         rh_answer_number(answer, "events", out->impacts) &&
         rh_answer_number(answer, "D_n", out->Dn) && rh_answer_number(answer, "D_t", out->Dt) &&
         rh_answer_flag(answer, "energy_created", out->gained);
}

static rh_status solve_impact(const rh_inputs *in, const rh_formulation *form, posed *q,
                              rh_answer *answer)
{
  double par[RH_PAR_MAX];
  rh_many_out out;
  fill_contact_inertia(q);
  const rh_many_in many = {.n = q->points.rows,
                           .W = q->W.x,
                           .u = q->u.x,
                           .mu = q->mu.x,
                           .e = q->es.x,
                           .law = rh_impact_law_find("stronge"),
                           .weight = q->weights.x,
                           .place = q->place,
                           .share = q->share};
  rh_row_defaults(&form->row, par);
  if (!form->strike(&many, par, q->room.x, q->p.x, q->after.x, &out)) {
    (void)rh_input_refuse(in, in->map, "the impulses were not found");
    return RH_STOPPED;
  }
  return answer_all(q, &many, &out, answer) ? RH_OK : RH_OUT_OF_MEMORY;
}

rh_status rh_block_strike(const rh_inputs *in, const char *formulation, rh_block *split,
                          rh_answer *answer)
{
  posed q = {0};
  rh_status status = RH_INPUT_REFUSED;
  const rh_formulation *form = rh_formulation_find(formulation);
  if (read_all(in, form, &q)) {
    bool made = make_all(&q, form) && (split == NULL || rh_block_make(split, q.points.rows, 1));
    q.share = made && split != NULL ? split->x : NULL;
    status = made ? solve_impact(in, form, &q, answer) : RH_OUT_OF_MEMORY;
  }
  rh_block *const all[] = {&q.dims,    &q.points, &q.v,  &q.w, &q.mu,    &q.weights,
                           &q.W,       &q.u,      &q.es, &q.p, &q.after, &q.room,
                           &q.factors, &q.M,      &q.L,  &q.f};
  for (int i = 0; i < RH_COUNT(all); i++) {
    rh_block_free(all[i]);
  }
  rh_psi_free(&q.psi);
  return status;
}
