// propose.c: changes that a scene of bodies with contacts may need, each a few settings and free values: what the tracker's lengths
// and flights say, centre of mass, inertia, sizes, rounded edges, friction of impacts, restitution over speed, a tangential spring.
#include "suggest.h"

#include "model/schema.h"

#include <math.h>
#include <string.h>

#define SURE  3.0  // deviations of what flights say from the scene
#define BOTH  1.96 // of the centre of mass by the flights, to both sides
#define ROUND 0.03 // of the size of a body: edges to begin with
#define CENTRE                                                                                     \
  0.02 // of the size of a body: where its flights have the centre of mass so exactly, it is theirs

typedef struct builder {
  rh_suggester *sg;
  const rh_scene *scene;
  const rh_model *model;
  const rh_fit_scene *text;
} builder;

static bool has_word(const rh_words *words, const char *field)
{
  for (int i = 0; i < words->n; i++) {
    if (strstr(words->word[i], field) != NULL) {
      return true;
    }
  }
  return false;
}

static bool is_free(const builder *b, const char *field)
{
  return has_word(&b->sg->job->free, field);
}

// The change of this name, as it is now; NULL: it was taken over, or there is no room.
static rh_fit_change *add_change(builder *b, const char *name)
{
  rh_fit_suggestions *s = b->sg->to;
  rh_fit_change *change = NULL;
  for (int i = 0; i < s->n && change == NULL; i++) {
    change = strcmp(s->change[i].name, name) == 0 ? &s->change[i] : NULL;
  }
  if (change == NULL && s->n < RH_FIT_CHANGES) {
    change = &s->change[s->n++];
    (void)snprintf(change->name, sizeof change->name, "%s", name);
  }
  if (change != NULL && change->taken == 0) {
    change->nset = 0;
    change->nfree = 0;
    change->sure = 0;
    change->offered = true;
    return change;
  }
  return NULL;
}

static void add_free(rh_fit_change *change, const char *path, double lo, double hi)
{
  if (change != NULL && change->nfree < RH_FIT_ITEMS) {
    (void)snprintf(change->free[change->nfree++], RH_FIT_SET, "%s=%.6g:%.6g", path, lo, hi);
  }
}

static void mark_sure(rh_fit_change *change, int group, bool sure)
{
  if (change != NULL) {
    change->sure = sure ? group : 0;
  }
}

static void add_set(rh_fit_change *change, const char *path, const double *x, int n, bool list)
{
  if (change == NULL || change->nset == RH_FIT_SETS) {
    return;
  }
  char *to = change->set[change->nset++];
  int at = snprintf(to, RH_FIT_SET, "%s=%s", path, list ? "[" : "");
  for (int i = 0; i < n && at < RH_FIT_SET - 1; i++) {
    at += snprintf(to + at, (size_t)(RH_FIT_SET - at), i > 0 ? ", %.6g" : "%.6g", x[i]);
  }
  if (list && at < RH_FIT_SET - 1) {
    (void)snprintf(to + at, (size_t)(RH_FIT_SET - at), "]");
  }
}

// ---- Bodies

// Largest reach of the shapes of a body; 0: it has none.
static double size_of_body(const rh_model *m, const char *name)
{
  double size = 0;
  for (int i = 0; i < m->nshape; i++) {
    bool same = strcmp(rh_model_name(m, RH_OBJECT_BODY, m->shape[i].body), name) == 0;
    size = same && isfinite(m->shape[i].reach) ? fmax(size, m->shape[i].reach) : size;
  }
  return size;
}

// Number of the joint in space that carries a body of the scene; RH_NONE: none of which flights are known.
static int joint_of(const builder *b, const char *body)
{
  for (int i = 0; i < b->sg->njoint; i++) {
    for (int k = 0; k < rh_scene_count(b->scene, RH_SECTION_JOINTS); k++) {
      const rh_joint_def *def = rh_scene_item(b->scene, RH_SECTION_JOINTS, k);
      bool same = strcmp(def->name.text[0] != '\0' ? def->name.text : def->child.text,
                         b->sg->joint[i].text) == 0;
      if (same && strcmp(def->child.text, body) == 0 && b->sg->flights[i].flights > 0) {
        return i;
      }
    }
  }
  return RH_NONE;
}

// With a better scene more rows are known to be in flight: what was taken over from flights stays what they say.
static void renew_set(builder *b, const char *name, const char *path, const double *x, int n)
{
  rh_fit_suggestions *s = b->sg->to;
  for (int i = 0; i < s->n; i++) {
    if (s->change[i].taken > 0 && strcmp(s->change[i].name, name) == 0) {
      s->change[i].nset = 0;
      add_set(&s->change[i], path, x, n, true);
    }
  }
}

static void add_centre(builder *b, int i, const rh_body_def *def, double size)
{
  const int joint = joint_of(b, def->name.text);
  const rh_fit_flights *f = joint != RH_NONE ? &b->sg->flights[joint] : NULL;
  char name[RH_FIT_PATH];
  char path[RH_FIT_PATH];
  bool sure = false;
  bool exact = f != NULL;
  if (is_free(b, ".com[")) {
    return;
  }
  (void)snprintf(path, sizeof path, "bodies.%d.com", i);
  if (f != NULL) {
    (void)snprintf(name, sizeof name, "centre of mass of %s as its flights say", def->name.text);
    renew_set(b, name, path, f->com, 3);
    rh_fit_change *fixed = add_change(b, name);
    add_set(fixed, path, f->com, 3, true);
    for (int k = 0; k < 3; k++) {
      sure = sure || fabs(f->com[k] - def->com[k]) > SURE * f->com_deviation[k];
      exact = exact && BOTH * f->com_deviation[k] < CENTRE * size;
    }
    mark_sure(fixed, 2, sure);
  }
  if (exact) { // what a law of contact would gain by moving it further is the law's own error
    b->sg->centre_held = true;
    return;
  }
  (void)snprintf(name, sizeof name, "centre of mass of %s%s", def->name.text,
                 f != NULL ? ", near that of its flights" : "");
  rh_fit_change *change = add_change(b, name);
  mark_sure(change, 2, sure);
  if (f != NULL) {
    add_set(change, path, f->com, 3, true);
  }
  for (int k = 0; k < 3; k++) {
    double middle = f != NULL ? f->com[k] : def->com[k];
    double reach = f != NULL ? fmin(BOTH * f->com_deviation[k], 0.2 * size) : 0.2 * size;
    (void)snprintf(path, sizeof path, "bodies.%d.com[%d]", i, k);
    add_free(change, path, middle - reach, middle + reach);
  }
}

// Inertia and edges as the balance of impacts has them: with the centre of mass of the flights it needs no law of contact.
static void add_balance(builder *b, const char *body)
{
  const int joint = joint_of(b, body);
  const rh_fit_impacts *impacts = joint != RH_NONE ? &b->sg->impacts[joint] : NULL;
  double list[RH_LIST_MAX];
  rh_fit_value moments = {.nlist = 0};
  char name[RH_FIT_PATH];
  bool sure = false;
  int n = 0;
  for (int i = 0; impacts != NULL && i < impacts->nmeasure; i++) {
    n += impacts->measure[i].determined && strstr(impacts->measure[i].name, ".inertia[") != NULL;
  }
  if (n == 0 || !b->sg->centre_held || is_free(b, ".inertia")) {
    return;
  }
  (void)snprintf(name, sizeof name, "%s as its impacts say", body);
  rh_fit_change *change = add_change(b, name);
  for (int i = 0; i < impacts->nmeasure; i++) {
    const rh_fit_measure *in = &impacts->measure[i];
    rh_fit_value v;
    if (!in->determined || rh_fit_read_value(in->name, &v) != RH_OK) {
      continue;
    }
    if (!rh_fit_has(b->text, &v)) { // edges that the scene has sharp
      v.start = 0;
    }
    sure = sure || fabs(in->x - v.start) > SURE / BOTH * 0.5 * (in->high - in->low);
    if (strstr(in->name, ".inertia[") != NULL) {
      memcpy(list, moments.nlist > 0 ? list : v.list, sizeof list);
      moments = v;
      list[v.index] = in->x;
    } else if (strstr(in->name, ".com[") == NULL) {
      add_set(change, v.path, &in->x, 1, false);
    }
  }
  add_set(change, moments.path, list, moments.nlist, true);
  mark_sure(change, 3, sure);
}

static void add_body(builder *b, int i)
{
  const rh_body_def *def = rh_scene_item(b->scene, RH_SECTION_BODIES, i);
  double size = size_of_body(b->model, def->name.text);
  const double *I = def->inertia.x;
  char name[RH_FIT_PATH];
  char path[RH_FIT_PATH];
  if (!(size > 0)) {
    return;
  }
  add_centre(b, i, def, size);
  add_balance(b, def->name.text);
  if (def->inertia.n != 6 || is_free(b, ".inertia")) {
    return;
  }
  (void)snprintf(name, sizeof name, "inertia of %s, as a whole", def->name.text);
  (void)snprintf(path, sizeof path, "bodies.%d.inertia[*]", i);
  add_free(add_change(b, name), path, 0.5 * I[0], 2 * I[0]);
  if (I[0] != I[1] || I[0] != I[2]) {
    (void)snprintf(name, sizeof name, "moments of inertia of %s", def->name.text);
    rh_fit_change *change = add_change(b, name);
    for (int k = 0; k < 3; k++) {
      (void)snprintf(path, sizeof path, "bodies.%d.inertia[%d]", i, k);
      add_free(change, path, 0.6 * I[k], 1.6 * I[k]);
    }
  }
}

// ---- Shapes, and the lengths of the tracker

static bool has_numbers(const builder *b, int shape, const char *key, rh_fit_value *value)
{
  char path[RH_FIT_PATH];
  (void)snprintf(path, sizeof path, "shapes.%d.%s[0]", shape, key);
  if (rh_fit_read_value(path, value) == RH_OK && rh_fit_has(b->text, value)) {
    return true;
  }
  (void)snprintf(path, sizeof path, "shapes.%d.%s", shape, key);
  return rh_fit_read_value(path, value) == RH_OK && rh_fit_has(b->text, value);
}

// All lengths of the shapes of moving bodies, times a factor
static void add_lengths(builder *b, rh_fit_change *change, double factor)
{
  static const char *const key[] = {"at", "size", "radius", "length", "round"};
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_SHAPES); i++) {
    const rh_shape_def *def = rh_scene_item(b->scene, RH_SECTION_SHAPES, i);
    for (int k = 0; k < RH_COUNT(key) && strcmp(def->body.text, "world") != 0; k++) {
      rh_fit_value v;
      double x[RH_LIST_MAX];
      bool moved = false;
      if (!has_numbers(b, i, key[k], &v)) {
        continue;
      }
      for (int j = 0; j < v.nlist; j++) {
        x[j] = factor * v.list[j];
        moved = moved || x[j] != 0;
      }
      if (moved) {
        add_set(change, v.path, x, v.nlist, v.index != RH_NONE);
      }
    }
  }
}

static void add_gravity(builder *b)
{
  const double g[3] = {b->model->gravity.x, b->model->gravity.y, b->model->gravity.z};
  double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int i = 0; i < b->sg->njoint && size > 0; i++) {
    const rh_fit_flights *f = &b->sg->flights[i];
    double along = 0;
    double deviation = 0;
    double x[3];
    for (int k = 0; k < 3 && f->flights > 0; k++) {
      along += f->gravity[k] * g[k] / size;
      deviation += fabs(f->gravity_deviation[k] * g[k] / size);
    }
    if (f->flights == 0 || !(along > 0) || fabs(along - size) < SURE * deviation ||
        fabs(along - size) > 0.2 * size) {
      continue;
    }
    for (int k = 0; k < 3; k++) {
      x[k] = g[k] / size * along;
    }
    rh_fit_change *change = add_change(b, "gravity as the flights say");
    mark_sure(change, 1, true);
    add_set(change, "world.gravity", x, 3, true);
    change = add_change(b, "lengths of the measurements: gravity and shapes as the flights say");
    mark_sure(change, 1, true);
    add_set(change, "world.gravity", x, 3, true);
    add_lengths(b, change, along / size);
    return;
  }
}

static void add_shape(builder *b, int i)
{
  const rh_shape_def *def = rh_scene_item(b->scene, RH_SECTION_SHAPES, i);
  const rh_shape *kind = rh_shape_find(def->kind.text);
  double size = size_of_body(b->model, def->body.text);
  char text[RH_FIT_PATH];
  char path[RH_FIT_PATH];
  rh_fit_value v;
  if (kind == NULL || !(size > 0) || strcmp(def->body.text, "world") == 0) {
    return;
  }
  static const char *const key[] = {"size", "radius"};
  for (int k = 0; k < RH_COUNT(key); k++) {
    char field[16];
    (void)snprintf(field, sizeof field, ".%s", key[k]);
    if (!is_free(b, field) && has_numbers(b, i, key[k], &v)) {
      (void)snprintf(text, sizeof text, "%s of shape %d (%s)", key[k], i, def->body.text);
      (void)snprintf(path, sizeof path, "shapes.%d.%s%s", i, key[k],
                     v.index != RH_NONE ? "[*]" : "");
      add_free(add_change(b, text), path, 0.95 * v.list[0], 1.05 * v.list[0]);
    }
  }
  if (rh_row_find(&kind->row, "round") != RH_NONE && !is_free(b, ".round")) {
    (void)snprintf(path, sizeof path, "shapes.%d.round", i);
    bool rounded = rh_fit_read_value(path, &v) == RH_OK && rh_fit_has(b->text, &v) && v.start > 0;
    const double begin = rounded ? v.start : ROUND * size;
    (void)snprintf(text, sizeof text, "round edges of shape %d (%s)", i, def->body.text);
    (void)snprintf(path, sizeof path, "shapes.%d.round", i);
    rh_fit_change *change = add_change(b, text);
    add_set(change, path, &begin, 1, false);
    add_free(change, path, 1e-3 * size, 0.15 * size);
  }
}

// ---- Contacts

static rh_fit_change *add_named(builder *b, const char *what, int i)
{
  char text[RH_FIT_PATH];
  (void)snprintf(text, sizeof text, "%s (contact %d)", what, i);
  return add_change(b, text);
}

// A value of the law by the jumps; NULL: it is not determined.
static const rh_fit_measure *find_law_value(const rh_fit_jumps *jumps, const char *name)
{
  for (int k = 0; k < jumps->nvalue; k++) {
    if (strcmp(jumps->value[k].name, name) == 0) {
      return jumps->value[k].determined ? &jumps->value[k] : NULL;
    }
  }
  return NULL;
}

// Restitution and friction of contacts are free by themselves: the search begins where single impacts and slides have them.
static void add_law_starts(const builder *b, rh_fit_change *change, int i,
                           const rh_fit_jumps *jumps, const rh_fit_slides *slides)
{
  static const char *const key[] = {"mu_s", "mu_k"};
  char path[RH_FIT_PATH];
  const rh_fit_measure *e = find_law_value(jumps, "e");
  if (b->sg->job->free.n > 0) {
    return;
  }
  if (e != NULL && e->x > 0 && e->x < 1) {
    (void)snprintf(path, sizeof path, "contacts.%d.e", i);
    add_set(change, path, &e->x, 1, false);
  }
  const rh_model_contact *contact = &b->model->contact[i];
  bool both = contact->mu_s == contact->mu_k;
  for (int k = both ? 0 : 1; k < RH_COUNT(key) && slides->level.x > 0; k++) {
    (void)snprintf(path, sizeof path, "contacts.%d.%s", i, key[k]);
    add_set(change, path, &slides->level.x, 1, false);
  }
}

// Friction of impacts where impacts and slides say that it is another one than in sliding; false: they do not say so.
static bool add_friction_of_phases(builder *b, int i)
{
  for (int k = 0; k < b->sg->njoint; k++) {
    const rh_fit_slides *slides = &b->sg->slides[k];
    const rh_fit_impacts *impacts = &b->sg->impacts[k];
    for (int j = 0; j < impacts->njumps && slides->windows > 0 && slides->rule == i; j++) {
      const rh_fit_measure *of_law = find_law_value(&impacts->jumps[j], "mu");
      const rh_fit_measure *in[2] = {of_law != NULL ? of_law : &impacts->jumps[j].ratio,
                                     &slides->level};
      double half = rh_hypot(in[0]->high - in[0]->low, in[1]->high - in[1]->low) / 2;
      if (impacts->jumps[j].rule != i || !in[0]->determined || !in[1]->determined ||
          !(in[0]->x > 0 && fabs(in[0]->x - in[1]->x) > SURE / BOTH * half)) {
        continue;
      }
      rh_fit_change *change = add_named(b, "friction of impacts as impacts and slides say", i);
      char path[RH_FIT_PATH];
      mark_sure(change, 4, true);
      add_law_starts(b, change, i, &impacts->jumps[j], slides);
      (void)snprintf(path, sizeof path, "contacts.%d.mu_impact", i);
      add_set(change, path, &in[0]->x, 1, true);
      (void)snprintf(path, sizeof path, "contacts.%d.mu_impact[0]", i);
      add_free(change, path, 0.2 * in[0]->x, 5 * in[0]->x);
      return true;
    }
  }
  return false;
}

// Usual speed of approach in the impacts of a contact [m/s]; `other` where they are not known
static double speed_of_impacts(const builder *b, int contact, double other)
{
  for (int k = 0; k < b->sg->njoint; k++) {
    const rh_fit_impacts *impacts = &b->sg->impacts[k];
    for (int j = 0; j < impacts->njumps; j++) {
      if (impacts->jumps[j].rule == contact && impacts->jumps[j].law_speed > 0) {
        return impacts->jumps[j].law_speed;
      }
    }
  }
  return other;
}

// It begins with the restitution that the usual impact has now: the fourth root of the speed (Johnson 1985, sec. 11.5).
static void add_restitution(builder *b, int i, const rh_model_contact *contact, double speed)
{
  rh_fit_change *change = add_named(b, "restitution that falls with the speed", i);
  char path[RH_FIT_PATH];
  double e = contact->e * sqrt(sqrt(fmax(speed_of_impacts(b, i, speed) / speed, 1)));
  (void)snprintf(path, sizeof path, "contacts.%d.e_speed", i);
  add_set(change, path, &speed, 1, false);
  add_free(change, path, 0.01, 10);
  if (e < 0.95) {
    (void)snprintf(path, sizeof path, "contacts.%d.e", i);
    add_set(change, path, &e, 1, false);
  }
}

static void add_contact(builder *b, int i)
{
  static const double speed = 0.3; // [m/s] to begin with
  static const double power = 0.2;
  const rh_contact_def *def = rh_scene_item(b->scene, RH_SECTION_CONTACTS, i);
  const rh_model_contact *contact = &b->model->contact[i];
  char path[RH_FIT_PATH];
  rh_fit_change *change;
  if (contact->law != NULL) {
    return;
  }
  if (!is_free(b, ".mu_impact") && contact->mu_k > 0 && def->mu_impact.n == 0 &&
      !add_friction_of_phases(b, i)) {
    change = add_named(b, "friction of impacts", i);
    (void)snprintf(path, sizeof path, "contacts.%d.mu_impact", i);
    add_set(change, path, &contact->mu_k, 1, true);
    (void)snprintf(path, sizeof path, "contacts.%d.mu_impact[0]", i);
    add_free(change, path, 0.2 * contact->mu_k, 5 * contact->mu_k);
  }
  if (def->mu_impact.n > 0 && !is_free(b, ".mu_impact_power")) {
    change = add_named(b, "friction of impacts that falls with the speed", i);
    (void)snprintf(path, sizeof path, "contacts.%d.mu_impact_speed", i);
    add_set(change, path, &speed, 1, false);
    (void)snprintf(path, sizeof path, "contacts.%d.mu_impact_power", i);
    add_set(change, path, &power, 1, false);
    add_free(change, path, 0.01, 1);
  }
  if (!is_free(b, ".e_speed") && contact->e_table.n == 0) {
    add_restitution(b, i, contact, speed);
  }
  if (!is_free(b, ".eta2") && strcmp(def->law.text, "bistiff") != 0) {
    change = add_named(b, "law bistiff, a tangential spring", i);
    if (change != NULL) {
      (void)snprintf(change->set[change->nset++], RH_FIT_SET, "contacts.%d.law=bistiff", i);
      (void)snprintf(change->set[change->nset++], RH_FIT_SET, "run.multi_impact=sequential");
    }
    (void)snprintf(path, sizeof path, "contacts.%d.eta2", i);
    add_free(change, path, 0.02, 3);
  }
}

// Without --free: restitution and friction of the rigid contacts.
static rh_status free_contacts(builder *b)
{
  rh_words *words = &b->sg->to->free;
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_CONTACTS); i++) {
    const rh_model_contact *c = &b->model->contact[i];
    char text[RH_FIT_PATH];
    rh_fit_value v;
    (void)snprintf(text, sizeof text, "contacts.%d.e", i);
    if (c->law == NULL && rh_fit_read_value(text, &v) == RH_OK && rh_fit_has(b->text, &v)) {
      int n = snprintf(text, sizeof text, "contacts.%d.e=0.001:0.99", i);
      RH_TRY(rh_words_add(words, text, (size_t)n));
    }
    if (c->law == NULL && c->mu_k > 0) {
      int n = c->mu_s == c->mu_k
                  ? snprintf(text, sizeof text, "contacts.%d.mu_s+contacts.%d.mu_k=%.6g:%.6g", i, i,
                             0.1 * c->mu_k, 10 * c->mu_k)
                  : snprintf(text, sizeof text, "contacts.%d.mu_k=%.6g:%.6g", i, 0.1 * c->mu_k,
                             c->mu_s);
      RH_TRY(rh_words_add(words, text, (size_t)n));
    }
  }
  return RH_OK;
}

// Edges that the scene has sharp: some rounding to begin with
static void round_edges(const builder *b, rh_fit_change *change)
{
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_SHAPES); i++) {
    const rh_shape_def *def = rh_scene_item(b->scene, RH_SECTION_SHAPES, i);
    const rh_shape *kind = rh_shape_find(def->kind.text);
    const double begin = ROUND * size_of_body(b->model, def->body.text);
    rh_fit_value v;
    if (kind != NULL && begin > 0 && strcmp(def->body.text, "world") != 0 &&
        rh_row_find(&kind->row, "round") != RH_NONE &&
        (!has_numbers(b, i, "round", &v) || v.start == 0)) {
      char path[RH_FIT_PATH];
      (void)snprintf(path, sizeof path, "shapes.%d.round", i);
      add_set(change, path, &begin, 1, false);
    }
  }
}

static rh_status propose_all(builder *b)
{
  rh_fit_suggestions *s = b->sg->to;
  for (int i = 0; i < b->sg->job->free.n && s->free.n == 0; i++) {
    RH_TRY(rh_words_add(&s->free, b->sg->job->free.word[i], strlen(b->sg->job->free.word[i])));
  }
  if (s->free.n == 0) {
    RH_TRY(free_contacts(b));
  }
  for (int i = 0; i < s->n; i++) {
    s->change[i].offered = false;
  }
  if (!b->sg->chosen) {
    return RH_OK;
  }
  add_gravity(b);
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_BODIES); i++) {
    add_body(b, i);
  }
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_SHAPES); i++) {
    add_shape(b, i);
  }
  for (int i = 0; i < rh_scene_count(b->scene, RH_SECTION_CONTACTS); i++) {
    add_contact(b, i);
  }
  return RH_OK;
}

// `edges` NULL: proposes; else the settings that round edges.
static rh_status look_at_scene(rh_suggester *sg, rh_fit_change *edges)
{
  rh_fit_scene text = {0};
  rh_suggest_fit now = {0};
  builder b = {.sg = sg, .text = &text};
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_status status = rh_suggest_read_scene(sg, &now, &text, &scene);
  if (status == RH_OK) {
    status = rh_scene_compile(scene, sg->diag, &model);
  }
  if (status == RH_OK) {
    b.scene = scene;
    b.model = model;
    if (edges != NULL) {
      round_edges(&b, edges);
    } else {
      status = propose_all(&b);
    }
  }
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  rh_fit_scene_close(&text);
  rh_suggest_close(&now);
  return status;
}

rh_status rh_suggest_propose(rh_suggester *sg)
{
  return look_at_scene(sg, NULL);
}

rh_status rh_suggest_round_edges(rh_suggester *sg, rh_fit_change *change)
{
  *change = (rh_fit_change){.nset = 0};
  return look_at_scene(sg, change);
}
