// Stage 10: the energy ledger. With v0, v1 the velocities before and after, the kinetic energy
// changes by h f.(v0 + v1)/2 through forces and by p.(u0 + u1)/2 through impulses, exactly: both
// are recorded so, sliding apart from the normals.
// Where contacts only last, bodies move by h (v0 + v1)/2, and gravity's work is that of the ledger.
// Where one came within the step, pressed bodies move by h v1, so that no gap is passed: the
// missing work of gravity is the contact's.
// A compliant contact records its spring's energy and its damper's loss separately (compliant.c); a
// step's error in them, and in gravity on bodies that only they carry, is the residue.
// The lift of the position pass (position_correction.c) is not recorded: it is the ledger's
// residue.
#include "contact_kernels.h"

#include <string.h>

void rh_step_ledger_begin(rh_step_world *w)
{
  memset(w->laws.slide, 0, (size_t)w->m->ncontact * sizeof *w->laws.slide);
}

typedef struct work { // [J] of an impulse
  double normal, slide;
} work;

static work work_of(const rh_step_world *w, int k, rh_vec3 P, rh_vec3 u)
{
  const rh_step_row *c = &w->row[k];
  double whole = 0.5 * rh_dot(P, rh_add(w->info[k].u0, u));
  double normal = 0.5 * c->p[3] * (w->info[k].un + rh_dot(rh_step_read_vec(c->n), u));
  return (work){normal, whole - normal};
}

// Work of the drive of a belt; what a body does not get of it slides away.
static void record_drive(const rh_step_worker *worker, int k, double drive)
{
  const rh_step_world *w = worker->world;
  rh_step_row_info *home = rh_step_home(worker, k);
  home->slide += drive;
  w->laws.belt[home - w->info].work += drive;
}

// A fast contact is an impact, and its impulse is no force; the mean force of the others over the
// step is the impulse by its length.
static void note_load(const rh_step_world *w, int k, rh_step_slice *s)
{
  double slow = w->laws.impacts ? w->info[k].slow : w->slow;
  bool fast = !w->row[k].soft && w->info[k].un < 0 && w->info[k].un < -slow;
  double *largest = fast ? &s->largest_impact : &s->largest;
  *largest = w->row[k].p[3] > *largest ? w->row[k].p[3] : *largest;
}

typedef struct lasting {
  rh_found_contact *touch;
  double h;
} lasting;

enum { AHEAD = 4 }; // contacts

static void record_slice(rh_step_worker *worker, rh_step_slice *s, const void *user)
{
  const rh_step_world *w = worker->world;
  const lasting *l = user;
  rh_found_contact *touch = l->touch;
  double h = l->h;
  int end = s->con + s->ncon;
  bool many = rh_step_is_large(s);
  bool smooth = true;
  double deepest = 0;
  double pressed = worker->tally.deepest;
  s->work = 0;
  s->largest = worker->tally.largest_load; // greater values
  s->largest_impact = worker->tally.largest_impact;
  for (int k = s->con; k < end; k++) {
    const rh_step_row *c = &w->row[k];
    rh_found_contact *t = &touch[w->info[k].touch];
    if (many && k + 2 * AHEAD < end) {
      rh_step_prefetch_bodies(w, k + AHEAD, end);
      __builtin_prefetch(&touch[w->info[k + 2 * AHEAD].touch]);
    }
    rh_vec3 u = rh_step_velocity_at(worker, c);
    double closing = -0.5 * h * (w->info[k].un + rh_dot(rh_step_read_vec(c->n), u));
    double gap = w->info[k].phi;
    double room = c->p[3] == 0 && gap > 0 ? gap : 0;
    bool real = c->p[3] > 0 || w->info[k].un < 0; // else it may be of a feature on the far side
    pressed = real && -gap > pressed ? -gap : pressed;
    deepest = !c->soft && -gap > deepest ? -gap : deepest;
    smooth = smooth && closing <= room + RH_STEP_FLAT && (c->p[3] == 0 || closing >= -RH_STEP_FLAT);
    if (c->soft) {
      smooth = smooth && c->p[3] == 0; // its depth is that at the end
      rh_step_compliant_ledger(worker, k, rh_dot(rh_step_read_vec(c->n), u), t);
    }
    bool has_impact = w->laws.impacts && w->info[k].has_impact;
    smooth = smooth && !has_impact;
    if (c->p[3] == 0 || has_impact) {
      t->f = rh_v3(0, 0, 0);
      t->since = 0;
      continue;
    }
    bool bends = c->jointed && c->bias < -RH_STEP_FLAT / h; // along the velocity at the end
    smooth = smooth && !bends;
    rh_vec3 P = rh_step_impulse(w, c, c->p);
    work x = work_of(w, k, P, u);
    rh_step_row_info *home = rh_step_home(worker, k);
    if (rh_step_turns(w, c)) {
      home->slide += rh_step_turn_loss(worker, c);
    }
    home->slide -= x.slide;
    if (w->laws.belt) {
      record_drive(worker, k, rh_step_belt_drive(w, c, P));
    }
    s->work += c->soft ? 0 : x.normal;
    t->since = rh_dot(t->f, t->f) > 0 ? t->since : *w->d->t;
    if (c->p[3] > s->largest || (w->info[k].un < 0 && c->p[3] > s->largest_impact)) {
      note_load(w, k, s);
    }
    t->f = rh_scale(1 / h, P);
  }
  s->smooth = smooth;
  s->deepest = deepest;
  s->pressed = pressed;
}

bool rh_step_ledger_contacts(rh_step_worker *worker, const rh_step_island *s,
                             rh_found_contact *touch, double h)
{
  const lasting l = {touch, h};
  rh_step_slice sum = rh_step_for_each_slice(worker, s, record_slice, &l, RH_STEP_SUMMED);
  worker->result.impact_work += sum.work;
  worker->deepest = sum.deepest;
  worker->tally.deepest = sum.pressed;
  worker->tally.largest_load =
      sum.largest > worker->tally.largest_load ? sum.largest : worker->tally.largest_load;
  worker->tally.largest_impact = sum.largest_impact > worker->tally.largest_impact
                                     ? sum.largest_impact
                                     : worker->tally.largest_impact;
  return sum.smooth;
}

rh_impact_record *rh_step_ledger_impact(rh_step_worker *worker, int k, double fastest,
                                        rh_vec3 since)
{
  const rh_step_world *w = worker->world;
  const rh_step_row *c = &w->row[k];
  const rh_step_row_info *side = &w->info[k];
  rh_vec3 P = rh_step_impulse(w, c, c->p);
  rh_vec3 u = rh_sub(rh_step_velocity_at(worker, c), since);
  double drive = w->laws.belt ? rh_step_belt_drive(w, c, P) : 0;
  work x = work_of(w, k, P, u);
  if (side->split) { // the drive works what friction loses beyond what it takes from the bodies
    x = (work){-side->p1[0], -side->p1[1] + drive};
  }
  rh_step_home(worker, k)->slide -= x.slide;
  if (w->laws.belt) {
    record_drive(worker, k, drive);
  }
  worker->result.impact_work += x.normal;
  bool passed_on = side->on_path && c->p[3] > 0; // from other contacts, along the path
  if ((side->un >= -side->slow && !passed_on) ||
      worker->result.nimpact == worker->impact_capacity) {
    return NULL;
  }
  double after = rh_dot(rh_step_read_vec(c->n), u);
  rh_impact_record *e = rh_step_impact_record_add(worker, side->rule, RH_NONE);
  e->a = side->a;
  e->b = side->b;
  e->point = side->point;
  e->before = side->un;
  e->after = after;
  e->impulse = c->p[3];
  e->friction = rh_norm(rh_addscaled(P, -c->p[3], rh_step_read_vec(c->n)));
  e->normal = x.normal;
  e->slide = x.slide;
  e->work = x.normal + x.slide;
  // A body that hardly approached leaves as the others send it: that is no restitution of its own.
  e->counts = c->p[3] > 0 && side->un <= 0.5 * fastest;
  worker->tally.impacts++;
  return e;
}

void rh_step_ledger_force(const rh_step_world *w, int i, double h)
{
  rh_step_body *c = &w->body[i];
  const rh_step_velocity *b = &w->velocity[i];
  rh_vec3 f = rh_scale(c->mass, rh_sub(c->a, w->m->gravity));
  rh_vec3 v = rh_add(c->v0, rh_step_read_vec(b->v));
  rh_vec3 spin = rh_add(c->w0, rh_step_read_vec(b->w));
  c->work += 0.5 * h * (rh_dot(f, v) + rh_dot(c->torque, spin));
  if (i == w->hand.mobile) {
    double hand = 0.5 * h * (rh_dot(w->hand.pull.lin, v) + rh_dot(w->hand.pull.ang, spin));
    c->hand += hand;
    c->work -= hand;
  }
}

static void record_forces(rh_step_world *w)
{
  for (int i = 1; i <= w->nfree && w->hand.loads; i++) {
    if (w->body[i].forced) {
      w->d->work[RH_WORK_EXTERNAL] += w->body[i].work;
    }
  }
  if (w->hand.mobile != 0 && w->hand.mobile <= w->nfree) {
    w->d->work[RH_WORK_HAND] += w->body[w->hand.mobile].hand;
  }
}

// Energy stored in springs, and loss of dampers
static void record_compliant(rh_step_world *w)
{
  double *past = w->d->past;
  for (int i = 0; i < w->m->ncontact; i++) {
    past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] = 0;
  }
  double most = 0;
  for (int k = 0; k < w->contacts.n; k++) {
    const rh_step_row_info *side = &w->info[k]; // in the order of islands
    const rh_found_contact *t = &w->contacts.now[k];
    if (t->stored > most) { // no event reports it
      most = t->stored;
      w->sim->met = (rh_met){*w->d->t, t->rule, {w->m->shape[t->a].body, w->m->shape[t->b].body}};
    }
    past[w->contacts.now[k].rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] +=
        w->contacts.now[k].stored;
    past[side->rule * RH_CONTACT_WORK_COUNT + RH_CONTACT_DAMPER] += side->damped;
  }
  int used = w->sleep.n > 0 ? rh_slots_used(w->d) : 0;
  for (int k = 0; k < used; k++) {
    if (rh_step_slot_sleeps(w, k)) {
      past[(int)w->d->slot[k].contact * RH_CONTACT_WORK_COUNT + RH_CONTACT_NORMAL] +=
          w->sleep.stored[k];
    }
  }
}

enum { PART = 1024, RULES = 8 }; // contacts of a task; rules whose sums are kept by parts

static int end_of_part(const rh_step_world *w, int task)
{
  return (task + 1) * PART < w->contacts.n ? (task + 1) * PART : w->contacts.n;
}

static void add_slides(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  double *sum = w->parts.amount + (size_t)task * RULES;
  memset(sum, 0, RULES * sizeof *sum);
  for (int k = task * PART; k < end_of_part(w, task); k++) {
    sum[w->info[k].rule] += w->info[k].slide;
  }
}

static void list_slides(rh_step_worker *worker, int task)
{
  const rh_step_world *w = worker->world;
  for (int k = task * PART; k < end_of_part(w, task); k++) {
    w->parts.cell[k] = w->info[k].rule;
    w->parts.amount[k] = w->info[k].slide;
  }
}

// Parts of the contacts are of one size with any number of threads. Of many rules threads only read the
// contacts, and one adds.
static void record_slides(rh_step_world *w)
{
  int parts = (w->contacts.n + PART - 1) / PART;
  if (parts <= 1 || (w->m->ncontact > RULES && !w->pool)) {
    for (int k = 0; k < w->contacts.n; k++) {
      w->laws.slide[w->info[k].rule] += w->info[k].slide;
    }
    return;
  }
  if (w->m->ncontact <= RULES) {
    rh_step_parallel_for(w, add_slides, parts);
    for (int i = 0; i < parts * w->m->ncontact; i++) {
      int rule = i % w->m->ncontact;
      w->laws.slide[rule] += w->parts.amount[i / w->m->ncontact * RULES + rule];
    }
    return;
  }
  rh_step_parallel_for(w, list_slides, parts);
  for (int k = 0; k < w->contacts.n; k++) {
    w->laws.slide[w->parts.cell[k]] += w->parts.amount[k];
  }
}

int rh_step_ledger_end(rh_step_world *w)
{
  rh_data *d = w->d;
  record_forces(w);
  record_slides(w);
  for (int k = 0; w->laws.belt && k < w->contacts.n; k++) {
    d->work[RH_WORK_ACTUATOR] += w->laws.belt[k].work;
  }
  if (w->laws.compliant) {
    record_compliant(w);
  }
  double impact_work = 0;
  int notes = 0;
  for (int i = 0; i < w->nisland; i++) {
    const rh_step_result *result = &w->result[i];
    impact_work += result->impact_work;
    d->work[RH_WORK_ACTUATOR] += result->drive_work;
    notes += result->nimpact;
    for (int k = 0; w->trees.n > 0 && k < w->m->layout.nwork; k++) {
      d->work[k] += result->work[k];
    }
  }
  for (int i = 0; i < w->m->ncontact; i++) {
    d->past[i * RH_CONTACT_WORK_COUNT + RH_CONTACT_SLIDE] += w->laws.slide[i];
  }
  d->energy_base[1] += impact_work;
  return notes;
}
