// changes.c: what a program wrote into a world between two runs, found by comparison with a copy:
// coordinates and velocities, commands of actuators, tau and fext.
#include "run.h"

#include <math.h>
#include <string.h>

enum { PARTS = 4 };

typedef struct part {
  const char *name;
  double *x;
  size_t n;
} part;

static void list_parts(const rh_data *d, part list[PARTS])
{
  const rh_model *m = d->model;
  list[0] = (part){"q and v", d->q, (size_t)m->nq + (size_t)m->nv};
  list[1] = (part){"command", (double *)(void *)d->command, RH_COMMAND_SIZE * (size_t)m->nactuator};
  list[2] = (part){"tau", d->tau, (size_t)m->nv};
  list[3] = (part){"fext", (double *)(void *)d->fext, 6 * (size_t)m->nbody};
}

size_t rh_sim_changes_size(const rh_model *m)
{
  return (size_t)m->nq + 2 * (size_t)m->nv + RH_COMMAND_SIZE * (size_t)m->nactuator +
         6 * (size_t)m->nbody;
}

void rh_sim_keep_changes(const rh_sim *sim, double *copy)
{
  part list[PARTS];
  list_parts(sim->data, list);
  for (int i = 0; i < PARTS; i++) {
    memcpy(copy, list[i].x, list[i].n * sizeof *copy);
    copy += list[i].n;
  }
}

static rh_status check_finite(const part *p, const double *was, rh_diag *diag)
{
  for (size_t i = 0; i < p->n; i++) {
    if (!isfinite(p->x[i]) && memcmp(&p->x[i], &was[i], sizeof *was) != 0) {
      rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "number %zu of %s is not finite", i, p->name);
      return RH_INPUT_REFUSED;
    }
  }
  return RH_OK;
}

enum { JOINT_NQ_MAX = 16 }; // coordinates of a joint with a quaternion

// Quaternions get unit length; one that has no direction is left as it is.
static rh_status unit_quaternions(rh_data *d, rh_diag *diag)
{
  for (int i = 1; i < d->model->nbody; i++) {
    const rh_joint *joint = d->model->body[i].joint;
    if (!joint->unit_length) {
      continue;
    }
    double *q = d->q + d->model->body[i].qadr;
    double unit[JOINT_NQ_MAX];
    RH_ASSERT(joint->nq <= JOINT_NQ_MAX);
    memcpy(unit, q, (size_t)joint->nq * sizeof *q);
    joint->unit_length(unit);
    for (int k = 0; k < joint->nq; k++) {
      if (!isfinite(unit[k])) {
        rh_diag_add(diag, RH_ERROR, RH_NOWHERE, "the quaternion of joint '%s' has no direction",
                    rh_model_name(d->model, RH_OBJECT_JOINT, i));
        return RH_INPUT_REFUSED;
      }
    }
    memcpy(q, unit, (size_t)joint->nq * sizeof *q);
  }
  return RH_OK;
}

// Checks what differs from the copy; `*changed`: something does.
static rh_status find_changes(rh_data *d, const double *copy, rh_diag *diag, bool *changed)
{
  part list[PARTS];
  list_parts(d, list);
  *changed = false;
  for (int i = 0; i < PARTS; i++) {
    if (memcmp(copy, list[i].x, list[i].n * sizeof *copy) != 0) {
      RH_TRY(check_finite(&list[i], copy, diag));
      if (i == 0 && memcmp(copy, d->q, (size_t)d->model->nq * sizeof *copy) != 0) {
        RH_TRY(unit_quaternions(d, diag));
      }
      *changed = true;
    }
    copy += list[i].n;
  }
  return RH_OK;
}

rh_status rh_sim_check_changes(rh_sim *sim, const double *copy, rh_diag *diag)
{
  bool changed;
  return find_changes(sim->data, copy, diag, &changed);
}

static void swap_numbers(double *a, double *b, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    double x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

// A program that writes q and v puts energy in, as an action of an event does. Before the first run
// it writes the state that the ledger begins with.
static void enter_energy(rh_sim *sim, double *copy)
{
  rh_data *d = sim->data;
  size_t n = (size_t)d->model->nq + (size_t)d->model->nv;
  if (sim->started && memcmp(copy, d->q, n * sizeof *copy) != 0) {
    swap_numbers(d->q, copy, n);
    double before = rh_ledger_open(sim);
    swap_numbers(d->q, copy, n);
    (void)rh_ledger_close(sim, before);
  }
}

rh_status rh_sim_take_changes(rh_sim *sim, double *copy, rh_diag *diag)
{
  bool changed;
  RH_TRY(find_changes(sim->data, copy, diag, &changed));
  if (changed) {
    enter_energy(sim, copy);
    rh_sim_state_changed(sim);
  }
  return RH_OK;
}

// ---- A world that has not run yet

static bool keep_numbers(double *to, const double *from, const double *start, int n)
{
  if (memcmp(from, start, (size_t)n * sizeof *from) == 0) {
    return false;
  }
  memcpy(to, from, (size_t)n * sizeof *to);
  return true;
}

bool rh_data_keep_start(rh_data *d, const rh_data *from, const rh_data *start)
{
  const rh_model *m = from->model;
  bool kept = false;
  for (int i = 1; i < m->nbody; i++) {
    int at = m->body[i].qadr;
    kept |= keep_numbers(d->q + at, from->q + at, start->q + at, m->body[i].joint->nq);
  }
  for (int k = 0; k < m->nv; k++) {
    kept |= keep_numbers(d->v + k, from->v + k, start->v + k, 1);
  }
  double *command = (double *)(void *)d->command;
  for (int k = 0; k < RH_COMMAND_SIZE * m->nactuator; k++) {
    kept |= keep_numbers(command + k, (const double *)(void *)from->command + k,
                         (const double *)(void *)start->command + k, 1);
  }
  return kept;
}

void rh_sim_control(rh_sim *sim, rh_program_fn *decide, void *user)
{
  sim->data->control.program = decide;
  sim->data->control.program_user = user;
}
