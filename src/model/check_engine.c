// check_engine.c: what the scene requires of its engine, by the capabilities of the engine's row.
#include "check.h"

#include "kinds.h"

#include "impact/impact.h"

#include <string.h>

static const rh_run_def *run_of(const rh_check *c)
{
  return rh_scene_item(c->scene, RH_SECTION_RUN, 0);
}

bool rh_check_ends_early(const rh_check *c)
{
  const rh_engine *engine = rh_engine_of(run_of(c));
  return engine && engine->haptic && engine->early_impacts &&
         rh_scene_count(c->scene, RH_SECTION_HAPTIC) > 0;
}

bool rh_check_sticks(const rh_check *c)
{
  const rh_engine *engine = rh_engine_of(run_of(c));
  return engine && engine->sticks;
}

static void check_integrator(rh_check *c, const rh_engine *engine)
{
  const rh_run_def *run = run_of(c);
  if (engine->integrator == NULL && run->integrator.text[0] != 0) {
    rh_complain(c, RH_SECTION_RUN, 0, "integrator", "is not for the engine %s, which has none",
                engine->row.name);
  }
  if (engine->integrator != NULL && run->integrator.text[0] == 0) {
    rh_complain(c, RH_SECTION_RUN, 0, "integrator", "is missing: the engine %s needs one",
                engine->row.name);
  }
}

static void check_events(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_EVENTS); i++) {
    const rh_event_def *def = rh_scene_item(c->scene, RH_SECTION_EVENTS, i);
    if (def->joint.text[0] && !engine->located) {
      rh_complain(c, RH_SECTION_EVENTS, i, "joint",
                  "passes unseen: the engine %s knows events of time only", engine->row.name);
    }
  }
}

static void check_joints(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_JOINTS); i++) {
    const rh_joint_def *def = rh_scene_item(c->scene, RH_SECTION_JOINTS, i);
    bool stops = def->limits.n > 0 || def->friction.n > 0 || def->stiction.n > 0;
    if (stops && (engine->stops & RH_STOPS_OF_JOINTS) == 0) {
      rh_complain(c, RH_SECTION_JOINTS, i, NULL,
                  "has limits or dry friction, which the engine %s does not know",
                  engine->row.name);
    }
  }
}

static void check_tendons(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_TENDONS); i++) {
    const rh_tendon_def *def = rh_scene_item(c->scene, RH_SECTION_TENDONS, i);
    if ((def->limits.n > 0 || def->friction > 0) && (engine->stops & RH_STOPS_OF_TENDONS) == 0) {
      rh_complain(
          c, RH_SECTION_TENDONS, i, def->limits.n > 0 ? "limits" : "friction",
          "of a tendon need the engine event or stepping: the engine %s knows only springs, "
          "dampers and actuators of tendons",
          engine->row.name);
    }
  }
}

static void check_rigid(rh_check *c, const rh_engine *engine, int i, const rh_impact_law *law)
{
  if (engine->restitution == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "must be compliant: the engine %s has no rigid contacts%s", engine->row.name,
                engine->haptic ? ", and its collisions are those of the section haptic" : "");
  } else if ((engine->restitution & 1U << law->ratio) == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law", "cannot be %s: the engine %s does not know it",
                law->row.name, engine->row.name);
  } else if ((law->tangential_spring || law->impulse_ratio) && !engine->tangential_springs) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "cannot be %s: the engine %s follows no path of an impact, and knows no %s",
                law->row.name, engine->row.name,
                law->impulse_ratio ? "ratio of impulses" : "tangential spring");
  }
}

static void check_compliant(rh_check *c, const rh_engine *engine, int i, const rh_normal_law *law)
{
  const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
  if (!engine->compliant) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law", "must be rigid: the engine %s knows no %s",
                engine->row.name, law->row.name);
  }
  if (law->face && (engine->faces & RH_FACES_LAWS) == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "cannot be %s: the engine %s knows no law of whole faces", law->row.name,
                engine->row.name);
  }
  if (law->nstate > 0 && !engine->normal_states) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "cannot be %s: the engine %s keeps no state of a normal law; take event",
                law->row.name, engine->row.name);
  }
  if (law->hold && !engine->adhesion) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "law",
                "cannot be %s: the engine %s knows no contact that holds on across a gap; take "
                "event",
                law->row.name, engine->row.name);
  }
  if (def->impact_law.text[0] && !engine->impact_law) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "impact_law", "is not for the engine %s%s",
                engine->row.name,
                engine->haptic ? ": the section haptic states how bodies collide"
                               : ": its compliant contacts have no impacts");
  }
  if (def->stiffness_per == 1 && (engine->faces & RH_FACES_AREAS) == 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "stiffness_per", "must be point for the engine %s",
                engine->row.name);
  }
}

static void check_laws(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    const rh_impact_law *rigid = rh_impact_law_find(def->law.text);
    const rh_normal_law *law = rh_normal_law_find(def->law.text);
    const rh_friction_law *friction = rh_friction_law_find(def->friction.text);
    if (law) {
      check_compliant(c, engine, i, law);
    } else if (rigid) {
      check_rigid(c, engine, i, rigid);
    }
    if (friction && friction->nstate > 0 && !engine->friction_states) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "friction", "must be without states for the engine %s",
                  engine->row.name);
    }
  }
}

static void check_belts(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_SHAPES) && !engine->belts; i++) {
    const rh_shape_def *def = rh_scene_item(c->scene, RH_SECTION_SHAPES, i);
    const double *v = def->surface_velocity;
    if (v[0] != 0 || v[1] != 0 || v[2] != 0) {
      rh_complain(c, RH_SECTION_SHAPES, i, "surface_velocity",
                  "must be zero: the engine %s knows no surface that moves; take event or stepping",
                  engine->row.name);
    }
  }
}

static void check_turning(rh_check *c, const rh_engine *engine)
{
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    if ((def->mu_roll > 0 || def->mu_pivot > 0) && !engine->turn_friction) {
      rh_complain(
          c, RH_SECTION_CONTACTS, i, def->mu_roll > 0 ? "mu_roll" : "mu_pivot",
          "must be 0: the engine %s knows no rolling or pivoting friction; take event or stepping",
          engine->row.name);
    }
    const char *key = def->mu_impact.n > 0         ? "mu_impact"
                      : def->mu_impact_speed > 0   ? "mu_impact_speed"
                      : def->mu_impact_table.n > 0 ? "mu_impact_table"
                                                   : NULL;
    if (key && !engine->impact_friction) {
      rh_complain(c, RH_SECTION_CONTACTS, i, key,
                  "is not for the engine %s, whose impacts have the friction of contacts; take "
                  "event or stepping",
                  engine->row.name);
    }
  }
}

// The first formulation is that of scenes that name none.
static void check_formulation(rh_check *c, const rh_engine *engine)
{
  int count;
  const rh_formulation *usual = rh_formulation_table(&count)[0];
  const rh_formulation *given = rh_formulation_find(run_of(c)->multi_impact.text);
  if (engine->impacts_together && given && given != usual && !given->together && !given->springs) {
    rh_complain(
        c, RH_SECTION_RUN, 0, "multi_impact",
        "cannot be %s: the engine %s solves all points of an impact as one problem, or one after "
        "the other; leave it out, or take sequential, or the engine event",
        given->row.name, engine->row.name);
  }
}

// Restitution of the impacts of a contact; 0: it has none.
static double impact_e_of(const rh_contact_def *def, const char **key)
{
  bool rigid = rh_impact_law_find(def->law.text) != NULL;
  bool table = rigid && def->e_table.n > 0;
  *key = rigid ? "e" : "impact_e";
  return table ? 0 : rigid ? def->par[0] : def->impact_e.n == 1 ? def->impact_e.x[0] : 0;
}

// e < 0 is one number for all points of an impact, energetic, and leaves them approaching.
static void check_early(rh_check *c, const rh_engine *engine, int i, double e, const char *key)
{
  const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
  bool rigid = rh_impact_law_find(def->law.text) != NULL;
  if (!engine->early_impacts) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key,
                "must not be below 0: the engine %s follows no compression that could end early; "
                "take event",
                engine->row.name);
  } else if (!rigid && strcmp(def->impact_law.text, "stronge") != 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key,
                "must not be below 0 but with impact_law: stronge, whose e is energetic");
  } else if (rigid && !(e > -1)) {
    rh_complain(c, RH_SECTION_CONTACTS, i, key,
                "must be above -1: an impact without an impulse stops no rigid body");
  } else if (def->e_speed > 0) {
    rh_complain(c, RH_SECTION_CONTACTS, i, "e_speed",
                "must be 0 with e < 0, which is one number for all points of an impact");
  }
}

static void check_early_impacts(rh_check *c, const rh_engine *engine)
{
  const char *key;
  double least = 0;
  int count = rh_scene_count(c->scene, RH_SECTION_CONTACTS);
  for (int i = 0; i < count && !rh_check_ends_early(c); i++) {
    double e = impact_e_of(rh_scene_item(c->scene, RH_SECTION_CONTACTS, i), &key);
    least = e < least ? e : least;
    if (e < 0) {
      check_early(c, engine, i, e, key);
    }
  }
  for (int i = 0; i < count && least < 0; i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    bool impacts = rh_impact_law_find(def->law.text) || def->impact_law.text[0];
    if (impacts && impact_e_of(def, &key) != least) {
      rh_complain(c, RH_SECTION_CONTACTS, i, key,
                  "must be %g as at another contact: e < 0 is one number for all points of an "
                  "impact",
                  least);
    }
  }
}

// Factors of pairs need impacts at several points with proportions.
static void check_factors(rh_check *c, const rh_engine *engine)
{
  const rh_formulation *given = rh_formulation_find(run_of(c)->multi_impact.text);
  for (int i = 0; i < rh_scene_count(c->scene, RH_SECTION_CONTACTS); i++) {
    const rh_contact_def *def = rh_scene_item(c->scene, RH_SECTION_CONTACTS, i);
    bool rigid = rh_impact_law_find(def->law.text) || def->impact_law.text[0];
    if (def->pair_factor == 0) {
      continue;
    }
    if (!engine->pair_factors) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "pair_factor",
                  "is not for the engine %s, whose impacts at several points have no proportions; "
                  "take event",
                  engine->row.name);
    } else if (!rigid) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "pair_factor",
                  "needs impacts: a rigid law, or impact_law; %s is compliant", def->law.text);
    } else if (given && !given->shares) {
      rh_complain(c, RH_SECTION_CONTACTS, i, "pair_factor",
                  "needs run.multi_impact thesis or fixed-split: %s has no proportions",
                  given->row.name);
    }
  }
}

static void check_sections(rh_check *c, const rh_engine *engine)
{
  const rh_run_def *run = run_of(c);
  const rh_record_def *record = rh_scene_item(c->scene, RH_SECTION_RECORD, 0);
  if (!engine->selects && run->select != RH_SELECT_LEAST_NORM && run->select != RH_SELECT_STOP) {
    rh_complain(c, RH_SECTION_RUN, 0, "select",
                "must be least-norm or stop for the engine %s: it solves all contacts of a step at "
                "once, and takes the first motion it finds; take event",
                engine->row.name);
  }
  if (run->facets % 4 != 0) {
    rh_complain(c, RH_SECTION_RUN, 0, "facets", "must be a multiple of 4");
  }
  if (engine->haptic && rh_scene_count(c->scene, RH_SECTION_HAPTIC) == 0) {
    rh_complain(c, RH_SECTION_RUN, 0, "engine", "%s needs the section haptic", engine->row.name);
  }
  if (engine->haptic && record->every < run->par[0]) {
    rh_complain(c, RH_SECTION_RECORD, 0, "every", "must not be shorter than run.dt, a tick");
  }
}

// A run takes at least as many steps as the longest one allows.
static void check_steps(rh_check *c, const rh_row *row, const double *par)
{
  static const char *const lengths[] = {"dt", "max_step"};
  double until = run_of(c)->until;
  for (int i = 0; row && i < RH_COUNT(lengths); i++) {
    int k = rh_row_find(row, lengths[i]);
    double step = k != RH_NONE ? par[rh_row_offset(row, k)] : 0;
    if (k != RH_NONE && until / step > RH_RUN_STEPS_MAX) {
      rh_complain(c, RH_SECTION_RUN, 0, lengths[i],
                  "is too short: %g s are more than %g steps of %g s", until, RH_RUN_STEPS_MAX,
                  step);
    }
  }
}

void rh_check_engine(rh_check *c)
{
  const rh_run_def *run = run_of(c);
  const rh_engine *engine = rh_engine_of(run);
  if (engine == NULL) {
    if (run->engine.text[0] == 0) {
      rh_complain(c, RH_SECTION_RUN, 0, "engine", "is missing");
    }
    return; // an unknown one is reported elsewhere
  }
  check_integrator(c, engine);
  check_sections(c, engine);
  check_events(c, engine);
  check_joints(c, engine);
  check_tendons(c, engine);
  check_laws(c, engine);
  check_formulation(c, engine);
  check_factors(c, engine);
  check_early_impacts(c, engine);
  check_turning(c, engine);
  check_belts(c, engine);
  check_steps(c, &engine->row, run->par);
  check_steps(c, rh_integrator_of(run), run->integrator_par);
}
