// linkage.c: three rods and two discs in an enclosure ([CSC] section VII, footnote 5): elastic, plastic, and by the split law.
#include "csc.h"

#include <string.h>

enum { DOF = 9, TICKS = 12, HITS = 32, PAIRS = 4, LONGEST = 512 };

typedef struct linkage_run {
  int n;
  double q[LONGEST][DOF], v[LONGEST][DOF], energy[LONGEST]; // after each tick
  double hit[HITS][3];                 // tick, contacts of the groups, change of the energy
  char pair[HITS][PAIRS][RH_NAME_MAX]; // the pairs in them
  int nhit;
} linkage_run;

static bool in_struck_group(const rh_haptic_contact *c, int n, int i)
{
  for (int j = 0; j < n; j++) {
    if (c[j].struck && c[j].group == c[i].group) {
      return true;
    }
  }
  return false;
}

static int order_of(const rh_model *m, const rh_haptic_contact *c)
{
  return c->contact.rule * m->nshape +
         (c->contact.shape[0] > c->contact.shape[1] ? c->contact.shape[0] : c->contact.shape[1]);
}

// "disc1-rod2", "disc1-left": the later body first, a wall by its shape
static void name_pair(const rh_model *m, const rh_haptic_contact *c, char name[RH_NAME_MAX])
{
  int last = c->contact.a > c->contact.b ? c->contact.a : c->contact.b;
  int other = c->contact.a + c->contact.b - last;
  int shape = c->contact.shape[c->contact.a > c->contact.b];
  snprintf(name, RH_NAME_MAX, "%s-%s", rh_model_name(m, RH_OBJECT_BODY, last),
           other == 0 ? rh_model_name(m, RH_OBJECT_SHAPE, shape)
                      : rh_model_name(m, RH_OBJECT_BODY, other));
}

// Contacts of the groups with an impact, by their rows in the scene
static int struck_contacts(const rh_csc_world *w, char name[PAIRS][RH_NAME_MAX])
{
  int n = 0;
  int count = 0;
  const rh_haptic_contact *c = rh_haptic_contacts(w->h, &n);
  for (int row = 0; row < (w->m->ncontact + 1) * w->m->nshape; row++) {
    for (int i = 0; i < n; i++) {
      if (order_of(w->m, &c[i]) == row && in_struck_group(c, n, i) && count < PAIRS) {
        name_pair(w->m, &c[i], name[count++]);
      }
    }
  }
  return count;
}

static rh_status run_linkage(double e, bool split, double until, linkage_run *run)
{
  rh_csc_world w;
  char text[RH_NAME_MAX];
  const char *const set[] = {text, split ? "haptic.split=yes" : "haptic.split=no"};
  snprintf(text, sizeof text, "haptic.e=%.17g", e);
  RH_TRY(rh_csc_open(&rh_csc_linkage_scene, set, 2, NULL, &w));
  run->nhit = 0;
  run->n = (int)fmin(lround(until * RH_CSC_RATE), LONGEST);
  for (int k = 0; k < run->n; k++) {
    rh_haptic_out out;
    rh_haptic_tick(w.h, w.d, NULL, &out);
    int contacts = run->nhit < HITS ? struck_contacts(&w, run->pair[run->nhit]) : 0;
    if (contacts > 0) {
      const double hit[3] = {k, contacts, rh_haptic_gain(w.h)};
      memcpy(run->hit[run->nhit++], hit, sizeof hit);
    }
    memcpy(run->q[k], w.d->q, sizeof *run->q);
    memcpy(run->v[k], w.d->v, sizeof *run->v);
    rh_kinematics(w.d);
    run->energy[k] = rh_kinetic_energy(w.d);
  }
  rh_csc_close(&w);
  return RH_OK;
}

static void answer_linkage(const rh_ch_case *c, const linkage_run *run, rh_json *json)
{
  double tick[TICKS];
  int n = rh_ch_numbers(c, c->inputs, "ticks", tick, TICKS);
  for (int part = 0; part < 2; part++) {
    rh_json_open_array(json, part == 0 ? "q" : "qd");
    for (int i = 0; i < n; i++) {
      int k = (int)tick[i] - 1;
      rh_json_numbers(json, NULL, part == 0 ? run->q[k] : run->v[k], DOF);
    }
    rh_json_close(json);
  }
  rh_json_integer(json, "n_collision_steps", run->nhit);
  rh_json_open_array(json, "pairs");
  for (int i = 0; i < run->nhit; i++) {
    rh_json_open_array(json, NULL);
    for (int k = 0; k < (int)run->hit[i][1]; k++) {
      rh_json_string(json, NULL, run->pair[i][k]);
    }
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_open_array(json, "collisions");
  for (int i = 0; i < run->nhit; i++) {
    rh_json_numbers(json, NULL, run->hit[i], 3);
  }
  rh_json_close(json);
}

rh_status rh_csc_linkage(const rh_ch_case *c, rh_json *json)
{
  linkage_run *run = rh_alloc(sizeof *run);
  bool split = strcmp(rh_ch_word(c, c->inputs, "split"), "yes") == 0;
  if (run == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  rh_status status =
      run_linkage(rh_ch_number(c, c->inputs, "e"), split, rh_ch_number(c, c->inputs, "until"), run);
  if (status == RH_OK) {
    answer_linkage(c, run, json);
  }
  rh_free(run);
  return status;
}

// ---- The figure

static const struct {
  const char *name;
  double e;
  bool split;
} cases[] = {{"e = 1", 1, false}, {"e = 0", 0, false}, {"e = 0, split law", 0, true}};

static void drop_runs(void *kept)
{
  rh_free(kept);
}

rh_status rh_find_csc_linkage(rh_redone *redone)
{
  linkage_run *run = rh_alloc(RH_COUNT(cases) * sizeof *run);
  if (run == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  redone->kept = run;
  redone->drop = drop_runs;
  for (int i = 0; i < RH_COUNT(cases); i++) {
    double gain = 0;
    RH_TRY(run_linkage(cases[i].e, cases[i].split, 1, &run[i]));
    for (int k = 0; k < run[i].nhit; k++) {
      gain = fmax(gain, run[i].hit[k][2]);
    }
    RH_TRY(
        rh_redone_number(redone, cases[i].name, "maximum energy gained at a collision [J]", gain));
  }
  return RH_OK;
}

static void draw_way(FILE *to, const linkage_run *run, int i)
{
  static const double length[] = {0.1, 0.1, 0.08};
  static const double radius[] = {0.03, 0.025};
  fprintf(to, "$way%d << end\n", i);
  for (int k = 0; k < run->n; k += 64) {
    double x = 0;
    double y = 0;
    double angle = 0;
    fputs("0 0\n", to);
    for (int l = 0; l < 3; l++) {
      angle += run->q[k][l];
      x += length[l] * rh_cos(angle);
      y += length[l] * rh_sin(angle);
      fprintf(to, "%.6g %.6g\n", x, y);
    }
    fputc('\n', to);
  }
  fprintf(to, "end\n$disc%d << end\n", i);
  for (int k = 0; k < run->n; k += 64) {
    for (int d = 0; d < 2; d++) {
      fprintf(to, "%.6g %.6g %.6g %d\n", run->q[k][3 + 3 * d], run->q[k][4 + 3 * d], radius[d], d);
    }
  }
  fputs("end\n", to);
}

void rh_draw_csc_linkage(FILE *to, const rh_redone *redone)
{
  const linkage_run *run = redone->kept;
  for (int i = 0; i < 2; i++) {
    rh_ch_panel(to, 0.35 * i, 0, 0.35, 0.93,
                i == 0 ? "elastic: every 1/8 s" : "plastic: every 1/8 s");
    draw_way(to, &run[i], i);
    fprintf(to,
            "set size square\nset xrange [-0.26:0.26]\nset yrange [-0.26:0.26]\nset xlabel 'x "
            "[m]'\nset ylabel 'y [m]'\nset xtics 0.1\nset ytics 0.1\nunset key\nset object 1 "
            "rectangle from -0.25,-0.25 to 0.25,0.25 fillstyle empty border lc rgb '#404040' lw "
            "1.5\nplot $disc%d using 1:2:3 with circles fillstyle transparent solid 0.15 border lc "
            "rgb '#D55E00', $way%d with linespoints lt 1 lw 1.5 pt 7 ps 0.4\nunset object 1\n",
            i, i);
  }
  rh_ch_panel(to, 0.7, 0, 0.3, 0.93, "kinetic energy");
  for (int i = 0; i < RH_COUNT(cases); i++) {
    fprintf(to, "$ke%d << end\n", i);
    for (int k = 0; k < run[i].n; k += 2) {
      fprintf(to, "%.6g %.9g\n", (k + 1.0) / RH_CSC_RATE, 1e3 * run[i].energy[k]);
    }
    fputs("end\n", to);
  }
  fputs("set xlabel 'time [s]'\nset ylabel 'energy [mJ]'\nset yrange [0:80]\nset xrange [0:1]\nset "
        "key inside top right vertical\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(cases); i++) {
    fprintf(to, "%s$ke%d with lines lt %d title '%s'", i > 0 ? ", " : "", i, i + 1, cases[i].name);
  }
  fputc('\n', to);
}
