// sandbox.c: the contents of a sandbox, its scene as text, and the edits that a page may request.
// Messages of a page come from outside: numbers are read strictly, and checked against the ranges
// below before the scene reader sees them.
#include "sandbox.h"

#include <routh/routh.h>

#include <math.h>
#include <string.h>

#define SMALLEST    0.01 // [m]
#define LARGEST     2.0
#define DENSITY_MIN 1.0 // [kg/m^3]
#define DENSITY_MAX 25000.0
#define FAR_MAX     50.0 // [m] from the middle of the ground
#define SPEED_MAX   50.0 // [m/s]
#define GAP         2e-3 // [m] gap below and between placed things
#define FULL        13   // numbers of a thing's state: q and v

static const rh_sandbox_kind kinds[] = {{"ball", "sphere", 1},
                                        {"box", "box", 3},
                                        {"capsule", "capsule", 2},
                                        {"cylinder", "cylinder", 2}};

// ---- Laws

// Stiffnesses with contacts of some milliseconds for bodies of a few kilograms, or of a few grams;
// a sandbox must run in real time.
static const struct {
  const char *law, *par;
  double value;
} softer[] = {
    {"hertz", "K", 2e6}, {"lankarani-nikravesh", "K", 2e6}, {"azad-featherstone", "Kn", 2e6}};

static void add_law(rh_sandbox_world *w, const rh_row *row, const rh_normal_law *normal)
{
  RH_ASSERT(w->nlaw < RH_SANDBOX_LAWS);
  bool own = normal != NULL && strcmp(row->name, "azad-featherstone") == 0;
  const char *friction = normal == NULL ? "dry" : own ? row->name : "threshold";
  rh_sandbox_law *law = &w->law[w->nlaw++];
  *law = (rh_sandbox_law){
      .row = row, .normal = normal, .friction = &rh_friction_law_find(friction)->row};
  rh_row_defaults(row, law->par);
  rh_row_defaults(law->friction, law->friction_par);
  for (int i = 0; i < RH_COUNT(softer); i++) {
    int k = strcmp(softer[i].law, row->name) == 0 ? rh_row_find(row, softer[i].par) : RH_NONE;
    if (k != RH_NONE) {
      law->par[rh_row_offset(row, k)] = softer[i].value;
    }
  }
}

static void add_laws(rh_sandbox_world *w)
{
  int n = 0;
  const rh_impact_law *const *impact = rh_impact_law_table(&n);
  for (int i = 0; i < n; i++) {
    add_law(w, &impact[i]->row, NULL);
  }
  const rh_normal_law *const *normal = rh_normal_law_table(&n);
  for (int i = 0; i < n; i++) {
    add_law(w, &normal[i]->row, normal[i]);
  }
}

void rh_sandbox_begin(rh_sandbox_world *w)
{
  *w = (rh_sandbox_world){.e = 0.6, .mu = 0.4, .g = 9.81};
  add_laws(w);
  rh_text why = {0};
  (void)rh_sandbox_read(w, "add ball 0 0 0.6 1 0 0 0 0 0 0 1000 0.1", NULL, &why);
  rh_text_free(&why);
}

int rh_sandbox_find(const rh_sandbox_world *w, const char *name)
{
  for (int i = 0; i < w->n; i++) {
    if (strcmp(w->thing[i].name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

static double mass_of(const rh_sandbox_thing *thing)
{
  return thing->density * rh_shape_find(thing->kind->shape)->volume(thing->size);
}

// ---- Placing things

// Half the extent of a thing along the axes of the world, at pose q.
static rh_vec3 half_extent(const rh_sandbox_thing *thing, const double *q)
{
  const rh_shape *shape = rh_shape_find(thing->kind->shape);
  rh_mat3 R = rh_quat_matrix((rh_quat){q[3], q[4], q[5], q[6]});
  double round = rh_shape_rounding(shape, thing->size);
  double half[3];
  for (int i = 0; i < 3; i++) {
    rh_vec3 axis = rh_v3(i == 0, i == 1, i == 2);
    rh_vec3 along = rh_unrotate(&R, axis);
    half[i] = rh_dot(shape->support(thing->size, along), along) + round;
  }
  return rh_v3(half[0], half[1], half[2]);
}

static const double *place_of(const rh_sandbox_world *w, const double *now, int i)
{
  return now != NULL ? now + (size_t)i * FULL : w->thing[i].q;
}

// Lifts thing `i` until it is clear of the ground and of all things before it, which are at `now`
// (13 numbers each).
static void lift_clear(rh_sandbox_world *w, int i, const double *now)
{
  double *q = w->thing[i].q;
  rh_vec3 mine = half_extent(&w->thing[i], q);
  q[2] = fmax(q[2], mine.z + GAP);
  for (int k = 0; k < i; k++) {
    const double *p = place_of(w, now, k);
    rh_vec3 theirs = half_extent(&w->thing[k], p);
    bool apart = fabs(q[0] - p[0]) > mine.x + theirs.x + GAP ||
                 fabs(q[1] - p[1]) > mine.y + theirs.y + GAP ||
                 fabs(q[2] - p[2]) > mine.z + theirs.z + GAP;
    if (!apart) {
      q[2] = p[2] + mine.z + theirs.z + 2 * GAP; // it only rises: this ends
      k = -1;                                    // and may touch one that was clear
    }
  }
}

// ---- The text

static void put_numbers(rh_text *out, const char *key, const double *x, int n)
{
  rh_text_addf(out, "%s: [", key);
  for (int i = 0; i < n; i++) {
    rh_text_add(out, i > 0 ? ", " : "");
    rh_text_add_number(out, x[i]);
  }
  rh_text_add(out, "]");
}

static void put_number(rh_text *out, const char *key, double x)
{
  rh_text_addf(out, ", %s: ", key);
  rh_text_add_number(out, x);
}

static void put_bodies(const rh_sandbox_world *w, const double *now, rh_text *out)
{
  rh_text_add(out, w->n > 0 ? "bodies: # the mass is density times volume\n" : "");
  for (int i = 0; i < w->n; i++) {
    rh_text_addf(out, "  - {name: %s", w->thing[i].name);
    put_number(out, "mass", mass_of(&w->thing[i]));
    rh_text_addf(out, "} # %g kg/m^3\n", w->thing[i].density);
  }
  rh_text_add(
      out, w->n > 0
               ? "joints: # q: x y z [m] and quaternion w x y z; v: velocity and angular velocity\n"
               : "");
  for (int i = 0; i < w->n; i++) {
    rh_text_addf(out, "  - {kind: free, child: %s, ", w->thing[i].name);
    put_numbers(out, "q", place_of(w, now, i), 7);
    put_numbers(out, ", v", now != NULL ? now + (size_t)i * FULL + 7 : w->thing[i].v, 6);
    rh_text_add(out, "}\n");
  }
}

static void put_shapes(const rh_sandbox_world *w, rh_text *out)
{
  rh_text_add(out, "shapes:\n  - {name: ground, body: world, kind: plane}\n");
  for (int i = 0; i < w->n; i++) {
    const rh_sandbox_thing *x = &w->thing[i];
    const rh_row *row = &rh_shape_find(x->kind->shape)->row;
    rh_text_addf(out, "  - {name: %s, body: %s, kind: %s", x->name, x->name, row->name);
    for (int k = 0; k < row->nparam && rh_row_offset(row, k) < x->kind->sizes; k++) {
      const double *from = x->size + rh_row_offset(row, k);
      rh_text_add(out, ", ");
      if (row->param[k].type == RH_VECTOR) {
        put_numbers(out, row->param[k].name, from, row->param[k].count);
      } else {
        rh_text_addf(out, "%s: ", row->param[k].name);
        rh_text_add_number(out, *from);
      }
    }
    rh_text_add(out, "}\n");
  }
}

static bool is_mu(const char *name) // under any name in a friction law
{
  return strcmp(name, "mu") == 0 || strcmp(name, "mu_s") == 0 || strcmp(name, "mu_k") == 0;
}

// The parameters of a row that differ from their defaults; e and mu have other names in every law.
static void put_row(const rh_sandbox_world *w, const rh_row *row, const double *par, rh_text *out)
{
  for (int k = 0; k < row->nparam; k++) {
    const rh_param *p = &row->param[k];
    double x = par[rh_row_offset(row, k)];
    if (strcmp(p->name, "e") == 0 || is_mu(p->name)) {
      put_number(out, p->name, is_mu(p->name) ? w->mu : w->e);
    } else if (x != p->def && p->type == RH_CHOICE) {
      const char *word = p->choices;
      for (int i = 0; i < (int)x; i++) {
        word += strcspn(word, "|") + 1;
      }
      rh_text_addf(out, ", %s: %.*s", p->name, (int)strcspn(word, "|"), word);
    } else if (x != p->def) {
      put_number(out, p->name, x);
    }
  }
}

static void put_law(const rh_sandbox_world *w, rh_text *out)
{
  const rh_sandbox_law *law = &w->law[w->chosen];
  rh_text_addf(out, "law: %s", law->row->name);
  put_row(w, law->row, law->par, out);
  if (law->normal != NULL && rh_row_find(law->row, "e") == RH_NONE && law->normal->fit != NULL) {
    put_number(out, "restitution", w->e);
    rh_text_add(out, ", mass: 1 kg");
  }
  rh_text_addf(out, ", friction: %s", law->friction->name);
  put_row(w, law->friction, law->friction_par, out);
}

#define FEW 8 // bodies

static bool has_own_path(const rh_sandbox_law *law)
{
  const rh_impact_law *impact = rh_impact_law_find(law->row->name);
  return law->normal == NULL && impact != NULL &&
         (impact->tangential_spring || impact->impulse_ratio);
}

// The only place that selects the engine of a sandbox: it must run in real time. Few bodies: order
// 4, impacts of rigid bodies located between its steps; free flight is exact, and the energy
// account closes. Many rigid bodies: all contacts of a step at once, by time stepping. Other
// many bodies: semi-implicit Euler. Springs need about ten or more steps per contact.
static void put_engine(const rh_sandbox_world *w, rh_text *out)
{
  const rh_sandbox_law *law = &w->law[w->chosen];
  bool rigid = law->normal == NULL;
  bool few = w->n <= FEW;
  bool steps = rigid && strcmp(law->row->name, "stronge") != 0 && !has_own_path(law);
  bool pile = steps && !few;
  rh_text_addf(out, "%s, dt: %s%s%s",
               pile  ? "engine: stepping"
               : few ? "integrator: rk4"
                     : "integrator: euler",
               rigid ? "2 ms" : "0.5 ms", rigid && !pile ? ", rest_speed: 0.05 m/s" : "",
               has_own_path(law) ? ", multi_impact: sequential" : "");
}

void rh_sandbox_write(const rh_sandbox_world *w, const double *now, double t, rh_text *out)
{
  rh_text_addf(out, "# A sandbox of `routh view`: %d %s on a ground, at t = %.3f s.\n", w->n,
               w->n == 1 ? "body" : "bodies", t);
  rh_text_addf(out, "# Everything meets everything by one law. Try: %s.\n",
               w->law[w->chosen].normal == NULL
                   ? "-s contact.e=0.9; `routh compare` with --laws newton,poisson,stronge"
                   : "-s contact.mu=0.8");
  rh_text_add(out, "world: {gravity: [0, 0, ");
  rh_text_add_number(out, -w->g);
  rh_text_add(out, "]}\n");
  put_bodies(w, now, out);
  put_shapes(w, out);
  rh_text_add(out, "contacts:\n  - {name: contact, body: all, against: all, ");
  put_law(w, out);
  rh_text_add(out, "}\nrun: {until: 5 s, ");
  put_engine(w, out);
  rh_text_add(out, now == NULL ? ", hand: yes" : "");
  rh_text_add(out, "}\nrecord: {every: 10 ms}\n");
}

// ---- Edits

static rh_sandbox_edit refuse_range(rh_text *why, const char *what, const double range[2],
                                    double got)
{
  rh_text_addf(why, "%s must lie in %g .. %g, got %g", what, range[0], range[1], got);
  return RH_SANDBOX_REFUSED;
}

// Exactly `n` numbers, blanks between
static bool read_numbers(const char *text, double *x, int n)
{
  for (int i = 0; i < n; i++) {
    text += strspn(text, " ");
    size_t length = rh_number_read(text, &x[i]);
    if (length == 0 || !(fabs(x[i]) < 1e12)) {
      return false;
    }
    text += length;
  }
  return *text == '\0';
}

// Is x[i] of a thing within its range? Numbers as in "add".
static rh_sandbox_edit check_thing(const double *x, int sizes, rh_text *why)
{
  static const double size[2] = {SMALLEST, LARGEST};
  static const double density[2] = {DENSITY_MIN, DENSITY_MAX};
  static const double place[2] = {-FAR_MAX, FAR_MAX};
  static const double speed[2] = {-SPEED_MAX, SPEED_MAX};
  for (int i = 0; i < 11 + sizes; i++) {
    const double *range = i < 3 ? place : i < 7 ? NULL : i < 10 ? speed : i < 11 ? density : size;
    const char *what = i < 3    ? "a place [m]"
                       : i < 10 ? "a velocity [m/s]"
                       : i < 11 ? "the density [kg/m^3]"
                                : "a size [m]";
    if (range != NULL && !(x[i] >= range[0] && x[i] <= range[1])) {
      return refuse_range(why, what, range, x[i]);
    }
  }
  return RH_SANDBOX_BODIES;
}

static const rh_sandbox_kind *kind_of(const char **text)
{
  size_t length = strcspn(*text, " ");
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    if (strlen(kinds[i].name) == length && memcmp(kinds[i].name, *text, length) == 0) {
      *text += length;
      return &kinds[i];
    }
  }
  return NULL;
}

static rh_sandbox_edit add_thing(rh_sandbox_world *w, const char *text, const double *now,
                                 rh_text *why)
{
  double x[14];
  const rh_sandbox_kind *kind = kind_of(&text);
  if (kind == NULL || !read_numbers(text, x, 11 + kind->sizes) ||
      !(rh_quat_norm((rh_quat){x[3], x[4], x[5], x[6]}) > 1e-6)) {
    return RH_SANDBOX_MALFORMED;
  }
  if (w->n == RH_SANDBOX_MAX) {
    rh_text_addf(why, "there are %d bodies already, the maximum; remove some", w->n);
    return RH_SANDBOX_REFUSED;
  }
  if (check_thing(x, kind->sizes, why) == RH_SANDBOX_REFUSED) {
    return RH_SANDBOX_REFUSED;
  }
  rh_quat turn = rh_quat_unit((rh_quat){x[3], x[4], x[5], x[6]});
  rh_sandbox_thing *thing = &w->thing[w->n];
  *thing = (rh_sandbox_thing){.kind = kind,
                              .density = x[10],
                              .q = {x[0], x[1], x[2], turn.w, turn.x, turn.y, turn.z},
                              .v = {x[7], x[8], x[9]}};
  memcpy(thing->size, x + 11, (size_t)kind->sizes * sizeof *x);
  (void)snprintf(thing->name, sizeof thing->name, "%s%ld", kind->name, ++w->made);
  lift_clear(w, w->n, now);
  w->n++;
  return RH_SANDBOX_BODIES;
}

static rh_sandbox_edit take_away(rh_sandbox_world *w, int i, rh_text *why)
{
  if (i == RH_NONE) {
    rh_text_add(why, "there is no such body");
    return RH_SANDBOX_REFUSED;
  }
  memmove(&w->thing[i], &w->thing[i + 1], (size_t)(w->n - 1 - i) * sizeof w->thing[0]);
  w->n--;
  return RH_SANDBOX_BODIES;
}

static rh_sandbox_edit choose_law(rh_sandbox_world *w, const char *name)
{
  for (int i = 0; i < w->nlaw; i++) {
    if (strcmp(w->law[i].row->name, name) == 0) {
      w->chosen = i;
      return RH_SANDBOX_VALUES;
    }
  }
  return RH_SANDBOX_MALFORMED;
}

static bool read_choice(const char *choices, const char *text, double *value)
{
  size_t length = strlen(text);
  for (*value = 0; *choices != '\0'; (*value)++) {
    size_t word = strcspn(choices, "|");
    if (word == length && memcmp(choices, text, word) == 0) {
      return true;
    }
    choices += word + (choices[word] == '|');
  }
  return false;
}

static rh_sandbox_edit set_par(const rh_row *row, double *par, const char *name, const char *text,
                               rh_text *why)
{
  int k = rh_row_find(row, name);
  const rh_param *p = k != RH_NONE ? &row->param[k] : NULL;
  char wrong[RH_WHY_MAX];
  double value = 0;
  bool good =
      p != NULL && (p->type == RH_CHOICE ? read_choice(p->choices, text, &value)
                    : p->type == RH_NUMBER || p->type == RH_INTEGER ? read_numbers(text, &value, 1)
                                                                    : false);
  if (!good) {
    return RH_SANDBOX_MALFORMED;
  }
  if (!rh_param_check(p, value, wrong)) {
    rh_text_addf(why, "%s %s", name, wrong);
    return RH_SANDBOX_REFUSED;
  }
  par[rh_row_offset(row, k)] = value;
  return RH_SANDBOX_VALUES;
}

// e, mu or g. MALFORMED: none of these, or no number.
static rh_sandbox_edit set_known(rh_sandbox_world *w, const char *name, const char *text,
                                 rh_text *why)
{
  const struct {
    const char *name;
    double *to;
    double range[2];
  } known[] = {{"e", &w->e, {0, 1}}, {"mu", &w->mu, {0, 5}}, {"g", &w->g, {-100, 100}}};

  double value;
  for (int i = 0; i < RH_COUNT(known); i++) {
    if (strcmp(known[i].name, name) != 0 || !read_numbers(text, &value, 1)) {
      continue;
    }
    if (!(value >= known[i].range[0] && value <= known[i].range[1])) {
      return refuse_range(why, name, known[i].range, value);
    }
    *known[i].to = value;
    return RH_SANDBOX_VALUES;
  }
  return RH_SANDBOX_MALFORMED;
}

static rh_sandbox_edit set_value(rh_sandbox_world *w, const char *text, rh_text *why)
{
  static const char contact[] = "contacts.0.";
  char name[RH_NAME_MAX];
  rh_sandbox_law *law = &w->law[w->chosen];
  size_t length = strcspn(text, " ");
  bool of_contact = strncmp(text, contact, strlen(contact)) == 0;
  size_t from = of_contact ? strlen(contact) : 0;
  if (length <= from || length - from >= sizeof name || text[length] == '\0') {
    return RH_SANDBOX_MALFORMED;
  }
  memcpy(name, text + from, length - from);
  name[length - from] = '\0';
  text += length + 1;
  if (!of_contact) {
    return set_known(w, name, text, why);
  }
  if (strcmp(name, "e") == 0 || strcmp(name, "restitution") == 0) {
    return set_known(w, "e", text, why);
  }
  if (is_mu(name)) {
    return set_known(w, "mu", text, why);
  }
  return rh_row_find(law->row, name) != RH_NONE
             ? set_par(law->row, law->par, name, text, why)
             : set_par(law->friction, law->friction_par, name, text, why);
}

static rh_sandbox_edit put_back(rh_sandbox_world *w)
{
  for (int i = 0; i < w->n; i++) {
    lift_clear(w, i, NULL); // two things may have been dropped at one place
  }
  return RH_SANDBOX_ANEW;
}

rh_sandbox_edit rh_sandbox_read(rh_sandbox_world *w, const char *line, const double *now,
                                rh_text *why)
{
  size_t length = strcspn(line, " ");
  const char *rest = line[length] == ' ' ? line + length + 1 : NULL;
  bool alone = rest == NULL;
  if (strcmp(line, "undo") == 0) {
    return take_away(w, w->n - 1, why);
  }
  if (strcmp(line, "clear") == 0) {
    w->n = 0;
    return RH_SANDBOX_BODIES;
  }
  if (strcmp(line, "reset") == 0) {
    return put_back(w);
  }
  if (!alone && strncmp(line, "add ", 4) == 0) {
    return add_thing(w, rest, now, why);
  }
  if (!alone && strncmp(line, "remove ", 7) == 0) {
    return take_away(w, rh_sandbox_find(w, rest), why);
  }
  if (!alone && strncmp(line, "law ", 4) == 0) {
    return choose_law(w, rest);
  }
  return !alone && strncmp(line, "set ", 4) == 0 ? set_value(w, rest, why) : RH_SANDBOX_MALFORMED;
}
