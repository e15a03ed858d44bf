// impact_scene.c: the impact of a scene for `routh impact`: the scene runs under its own laws until
// it happens; velocities before and the contact-space inertia at that time are stored.
#include "contacts/impact_place.h"
#include "impact.h"
#include "model/contact_speed.h"
#include "scene_io/urdf.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <string.h>

// Directions of an impact are in one plane if those across are below this part of the rest.
#define PLANAR 1e-9

// ---- Kind of a file

bool rh_impact_is_scene(const char *path)
{
  static const char *const key[] = {"problems", "entries", "cases"};
  rh_diag *diag = strcmp(path, "-") == 0 ? NULL : rh_diag_create();
  rh_yaml tree = {0};
  char *text = NULL;
  size_t bytes = 0;
  int root = RH_NONE;
  bool scene = false;
  if (diag != NULL && rh_file_read(path, diag, &text, &bytes, &tree.file[0]) == RH_OK) {
    bool robot = rh_text_is_xml(text, bytes);
    rh_status status =
        robot ? RH_OK : rh_yaml_read(&tree, text, bytes, (rh_yaml_start){0}, diag, &root);
    scene = robot || (status == RH_OK && root != RH_NONE && tree.node[root].kind == RH_NODE_MAP);
    for (int i = 0; i < RH_COUNT(key) && !robot; i++) {
      scene = scene && rh_yaml_find(&tree, root, key[i]) == RH_NONE;
    }
  }
  rh_yaml_free(&tree);
  rh_free(text);
  rh_diag_destroy(diag);
  return scene;
}

rh_status rh_impact_check_rigid(const rh_model *model, const char *label)
{
  for (int i = 0; i < model->ncontact; i++) {
    if (model->contact[i].impact != NULL) {
      return RH_OK;
    }
  }
  return model->ncontact == 0
             ? rh_refuse(RH_INPUT_REFUSED, "impact: %s has no contacts", label)
             : rh_refuse(RH_INPUT_REFUSED,
                         "impact: the contacts of %s are compliant, and their impacts take time; "
                         "see 'routh law', or make one rigid: -s %s.law=stronge",
                         label, rh_model_name(model, RH_OBJECT_CONTACT, 0));
}

// ---- Running

typedef struct watch {
  rh_impact_seen *seen; // (range.count)
  rh_impact_range range;
  int count, got;
} watch;

static bool make_room(rh_impact_seen *seen, int n)
{
  size_t size = (size_t)n;
  seen->W = rh_alloc(9 * size * size * sizeof *seen->W);
  seen->u = rh_alloc(3 * size * sizeof *seen->u);
  seen->mu_s = rh_alloc(size * sizeof *seen->mu_s);
  seen->mu_k = rh_alloc(size * sizeof *seen->mu_k);
  seen->e = rh_alloc(size * sizeof *seen->e);
  seen->eta2 = rh_alloc(size * sizeof *seen->eta2);
  seen->weight = rh_alloc(size * sizeof *seen->weight);
  seen->place = rh_alloc(size * sizeof *seen->place);
  seen->name = rh_alloc(size * sizeof *seen->name);
  seen->at = rh_alloc(size * sizeof *seen->at);
  seen->turn = rh_alloc(size * sizeof *seen->turn);
  bool good = seen->W != NULL && seen->u != NULL && seen->mu_s != NULL && seen->mu_k != NULL &&
              seen->e != NULL && seen->eta2 != NULL && seen->weight != NULL &&
              seen->place != NULL && seen->name != NULL && seen->at != NULL && seen->turn != NULL;
  seen->n = good ? n : 0;
  return good;
}

void rh_impact_seen_free(rh_impact_seen *seen)
{
  rh_free(seen->W);
  rh_free(seen->u);
  rh_free(seen->mu_s);
  rh_free(seen->mu_k);
  rh_free(seen->e);
  rh_free(seen->eta2);
  rh_free(seen->weight);
  rh_free(seen->place);
  rh_free(seen->name);
  rh_free(seen->at);
  rh_free(seen->turn);
  rh_free(seen->watched);
  rh_free(seen->Ww);
  rh_free(seen->uw);
  *seen = (rh_impact_seen){0};
}

// Angle from the world's x, or y where that is the normal, to t1 in the plane of the contact
static double turn_of(const rh_contact *c)
{
  rh_vec3 x = fabs(c->n.x) < 0.9 ? rh_v3(1, 0, 0) : rh_v3(0, 1, 0);
  return -rh_atan2(rh_dot(x, c->t2), rh_dot(x, c->t1));
}

static void keep_impact(const rh_data *d, const rh_impact_contacts *hit, const rh_event *event,
                        rh_impact_seen *seen)
{
  size_t rows = 3 * (size_t)seen->n;
  size_t all = 3 * (size_t)hit->all;
  for (size_t r = 0; r < rows; r++) {
    memcpy(seen->W + r * rows, hit->W + (3 * (size_t)hit->first + r) * all + 3 * (size_t)hit->first,
           rows * sizeof *seen->W);
  }
  memcpy(seen->u, hit->u + 3 * (size_t)hit->first, rows * sizeof *seen->u);
  for (int i = 0; i < seen->n; i++) {
    const rh_contact *c = &d->contact[hit->slot[hit->first + i]];
    const rh_model_contact *law = &d->model->contact[c->rule];
    double speed = -seen->u[3 * i + 2];
    seen->mu_s[i] = rh_contact_impact_friction(law, speed, true);
    seen->mu_k[i] = rh_contact_impact_friction(law, speed, false);
    seen->e[i] = rh_contact_restitution(law, speed);
    seen->eta2[i] = law->impact->tangential_spring ? law->eta2 : RH_ETA2_USUAL;
    seen->weight[i] = c->area;
    seen->place[i] = rh_impact_place(d->model, c);
    seen->repeated = seen->repeated || law->law == NULL;
    seen->name[i] = rh_name_of(rh_model_name(d->model, RH_OBJECT_CONTACT, c->rule));
    seen->at[i] = c->point;
    seen->turn[i] = turn_of(c);
  }
  if (seen->n == 1 && !(event->before < 0)) {
    seen->u[2] = 0; // a jam: the rest of the normal velocity is rounding
  }
  seen->t1 = d->contact[hit->slot[hit->first]].t1;
  seen->t2 = d->contact[hit->slot[hit->first]].t2;
  seen->t = event->t;
  seen->law = d->model->contact[d->contact[hit->slot[hit->first]].rule].impact;
  seen->form = rh_formulation_of(&d->model->run);
  memcpy(seen->form_par, d->model->run.multi_impact_par, sizeof seen->form_par);
}

// An impact of several contacts gives one event each; the first represents it.
static rh_status on_event(void *user, const rh_sim *sim, const rh_event *event)
{
  watch *w = user;
  const rh_data *d = rh_sim_view(sim);
  const rh_impact_contacts hit = rh_sim_impact_contacts(sim, event);
  int leader = hit.first;
  while (leader < hit.first + hit.n - 1 && hit.p[3 * (size_t)leader + 2] == 0) {
    leader++;
  }
  if (hit.n == 0 || hit.slot[leader] != event->slot || ++w->count < w->range.first) {
    return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
  }
  rh_impact_seen *seen = &w->seen[w->got];
  if (!make_room(seen, hit.n)) {
    return RH_OUT_OF_MEMORY;
  }
  keep_impact(d, &hit, event, seen);
  if (!rh_impact_watch(d, &hit, seen)) {
    return RH_OUT_OF_MEMORY;
  }
  (void)snprintf(seen->title, sizeof seen->title, "impact %d at %.9g s, contact %s%s", w->count,
                 event->t, event->name, hit.n > 1 ? " and others" : "");
  return ++w->got == w->range.count ? RH_INTERRUPTED : RH_OK;
}

static rh_status on_poll(void *user, const rh_sim *sim)
{
  (void)user;
  (void)sim;
  return rh_interrupt_seen() != 0 ? RH_INTERRUPTED : RH_OK;
}

rh_status rh_impact_run(const rh_model *model, rh_impact_range range, rh_diag *diag,
                        rh_impact_seen *seen)
{
  watch w = {.seen = seen, .range = range};
  rh_observer observer = {.user = &w, .event = on_event, .poll = on_poll};
  rh_sim *sim = NULL;
  RH_TRY(rh_sim_create(model, diag, &sim));
  rh_interrupt_catch();
  rh_sim_observe(sim, &observer);
  rh_status status = rh_sim_run(sim, model->run.until);
  double end = *rh_sim_view(sim)->t;
  if (w.got == range.count) {
    status = RH_OK;
  } else if (status == RH_OK) {
    status = rh_refuse(RH_INPUT_REFUSED,
                       "impact: %d impact%s up to %g s, the end of the run; expected number %d",
                       w.count, rh_plural(w.count), end, range.first + range.count - 1);
  } else {
    (void)rh_refuse(status, "impact: the run stopped at %g s: %s", end,
                    status == RH_OUT_OF_MEMORY ? "out of memory" : rh_sim_reason(sim));
  }
  rh_sim_destroy(sim);
  return status;
}

// ---- In a plane?

// The common tangential direction in the contact plane: that of the slip, else of the coupling,
// else of the inertia.
static void direction_of(const rh_impact_seen *seen, double t[2])
{
  const double *W = seen->W;
  const double *u = seen->u;
  double speed = rh_hypot(rh_hypot(u[0], u[1]), u[2]);
  double inertia = W[0] + W[4] + W[8];
  double angle = 0.5 * rh_atan2(2 * W[1], W[0] - W[4]);
  if (rh_hypot(u[0], u[1]) > PLANAR * speed) {
    angle = rh_atan2(u[1], u[0]);
  } else if (rh_hypot(W[2], W[5]) > PLANAR * inertia) {
    angle = rh_atan2(W[5], W[2]);
  }
  t[0] = rh_cos(angle);
  t[1] = rh_sin(angle);
  rh_vec3 world = rh_add(rh_scale(t[0], seen->t1), rh_scale(t[1], seen->t2));
  const double axis[3] = {world.x, world.y, world.z};
  double largest = 0;
  for (int i = 0; i < 3; i++) {
    largest = fabs(axis[i]) > fabs(largest) * (1 + PLANAR) ? axis[i] : largest;
  }
  t[0] *= largest < 0 ? -1 : 1;
  t[1] *= largest < 0 ? -1 : 1;
}

bool rh_impact_planar(const rh_impact_seen *seen, rh_planar_in *in)
{
  if (seen->n != 1 || seen->e[0] < 0) {
    return false;
  }
  const double *W = seen->W;
  const double *u = seen->u;
  double t[2];
  direction_of(seen, t);
  const double across[2] = {-t[1], t[0]};
  double Wt[2] = {W[0] * t[0] + W[1] * t[1], W[3] * t[0] + W[4] * t[1]};
  double speed = rh_hypot(rh_hypot(u[0], u[1]), u[2]);
  double inertia = W[0] + W[4] + W[8];
  bool planar = fabs(across[0] * u[0] + across[1] * u[1]) <= PLANAR * speed &&
                fabs(across[0] * W[2] + across[1] * W[5]) <= PLANAR * inertia &&
                fabs(across[0] * Wt[0] + across[1] * Wt[1]) <= PLANAR * inertia;
  *in = (rh_planar_in){.Ktt = t[0] * Wt[0] + t[1] * Wt[1],
                       .Knn = W[8],
                       .Ktn = t[0] * W[2] + t[1] * W[5],
                       .S0 = t[0] * u[0] + t[1] * u[1],
                       .C0 = u[2],
                       .mu_s = seen->mu_s[0],
                       .mu_k = seen->mu_k[0],
                       .e = seen->e[0],
                       .eta2 = seen->eta2[0]};
  in->Ktn = fabs(in->Ktn) <= PLANAR * inertia ? 0 : in->Ktn;
  in->S0 = fabs(in->S0) <= PLANAR * speed ? 0 : in->S0;
  return planar && in->Ktt > PLANAR * inertia; // a point that cannot move along t has no diagram
}
