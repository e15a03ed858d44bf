// mjcf_settings.c: compiler and option, merged in the order of the file (and what it includes);
// classes of defaults.
#include "mjcf_part.h"

#include <math.h>
#include <string.h>

static void read_compiler(rh_mjcf *m, int element)
{
  rh_mjcf_settings *set = &m->set;
  rh_mjcf_scope s = rh_mjcf_alone(element);
  set->radian = rh_mjcf_choice(m, &s, "angle", "degree|radian", set->radian);
  set->autolimits = rh_mjcf_choice(m, &s, "autolimits", "false|true", set->autolimits);
  set->balance = rh_mjcf_choice(m, &s, "balanceinertia", "false|true", set->balance);
  set->strippath = rh_mjcf_choice(m, &s, "strippath", "false|true", set->strippath);
  set->inertiafromgeom =
      rh_mjcf_choice(m, &s, "inertiafromgeom", "false|true|auto", set->inertiafromgeom);
  set->fit_box = rh_mjcf_choice(m, &s, "fitaabb", "false|true", set->fit_box);
  (void)rh_mjcf_numbers(m, &s, "inertiagrouprange", 2, 2, set->group);
  set->total_mass = rh_mjcf_number(m, &s, "settotalmass", set->total_mass);
  set->bound_mass = rh_mjcf_number(m, &s, "boundmass", set->bound_mass);
  set->bound_inertia = rh_mjcf_number(m, &s, "boundinertia", set->bound_inertia);
  const char *folder = rh_mjcf_text(m, &s, "assetdir");
  set->meshdir = folder ? folder : set->meshdir;
  folder = rh_mjcf_text(m, &s, "meshdir");
  set->meshdir = folder ? folder : set->meshdir;
  const rh_xml_attribute *sequence = rh_xml_find(&m->xml, element, "eulerseq");
  if (sequence) {
    if (strlen(sequence->value) != 3 || strspn(sequence->value, "xyzXYZ") != 3) {
      rh_mjcf_refuse(m, sequence->place, "eulerseq must be three letters of xyzXYZ, got '%.20s'",
                     sequence->value);
      return;
    }
    memcpy(set->eulerseq, sequence->value, 4);
  }
}

static void read_flags(rh_mjcf *m, int element)
{
  rh_mjcf_settings *set = &m->set;
  rh_mjcf_scope s = rh_mjcf_alone(element);

  struct {
    const char *name;
    bool *off[6];
  } const flags[] = {
      {"constraint",
       {&set->no_contact, &set->no_limit, &set->no_friction, &set->no_equality, NULL, NULL}},
      {"contact", {&set->no_contact}},
      {"limit", {&set->no_limit}},
      {"frictionloss", {&set->no_friction}},
      {"equality", {&set->no_equality}},
      {"actuation", {&set->no_actuation}},
      {"passive", {&set->no_spring, &set->no_damper, &set->no_medium}},
      {"spring", {&set->no_spring}},
      {"damper", {&set->no_damper}},
      {"clampctrl", {&set->no_clamp}},
      {"filterparent", {&set->no_parent_filter}},
  };

  for (int i = 0; i < RH_COUNT(flags); i++) {
    bool off = rh_mjcf_choice(m, &s, flags[i].name, "enable|disable", 0) == 1;
    for (int k = 0; off && flags[i].off[k]; k++) {
      *flags[i].off[k] = true;
    }
  }
  if (rh_mjcf_choice(m, &s, "gravity", "enable|disable", 0) == 1) {
    memset(set->gravity, 0, sizeof set->gravity);
  }
}

static void read_option(rh_mjcf *m, int element)
{
  rh_mjcf_scope s = rh_mjcf_alone(element);
  (void)rh_mjcf_numbers(m, &s, "gravity", 3, 3, m->set.gravity);
  (void)rh_mjcf_numbers(m, &s, "wind", 3, 3, m->set.wind);
  double group[31] = {0};
  int off = rh_mjcf_numbers(m, &s, "actuatorgroupdisable", 0, RH_COUNT(group), group);
  for (int i = 0; i < off; i++) {
    if (!(group[i] >= 0 && group[i] <= 30 && group[i] == floor(group[i]))) {
      rh_mjcf_refuse(m, rh_mjcf_find(m, &s, "actuatorgroupdisable")->place,
                     "groups of actuators are 0 to 30, got %g", group[i]);
      return;
    }
    m->set.off_groups |= 1U << (unsigned)group[i];
  }
  m->set.density = rh_mjcf_number(m, &s, "density", m->set.density);
  m->set.viscosity = rh_mjcf_number(m, &s, "viscosity", m->set.viscosity);
}

// ---- Classes

static void add_class(rh_mjcf *m, int element, int parent)
{
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "class");
  if (!name || !*name->value) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "<default> within another needs a class");
    return;
  }
  for (int i = 0; i < m->nclass; i++) {
    if (strcmp(m->class[i].name, name->value) == 0) {
      rh_mjcf_refuse(m, name->place, "the class '%.60s' of defaults is there already", name->value);
      return;
    }
  }
  rh_mjcf_class *c = rh_mjcf_grow(m, (void **)&m->class, &m->nclass, sizeof *c);
  if (c) {
    *c = (rh_mjcf_class){name->value, parent, element};
  }
}

// The class of an element <default>; the outermost ones are the first class.
static int class_at(const rh_mjcf *m, int element)
{
  int found = 0;
  for (int i = 1; i < m->nclass; i++) {
    found = m->class[i].element == element ? i : found;
  }
  return found;
}

static void read_classes(rh_mjcf *m, int top)
{
  int e = rh_xml_following(&m->xml, top, top, true);
  while (e != RH_NONE) {
    if (strcmp(rh_mjcf_tag(m, e), "default") == 0) {
      add_class(m, e, class_at(m, m->xml.element[e].parent));
    }
    e = rh_xml_following(&m->xml, e, top, true);
  }
}

static void name_first_class(rh_mjcf *m, int element)
{
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "class");
  if (name) {
    m->class[0].name = name->value;
  }
}

void rh_mjcf_read_settings(rh_mjcf *m)
{
  m->set = (rh_mjcf_settings){.autolimits = true,
                              .eulerseq = "xyz",
                              .meshdir = "",
                              .inertiafromgeom = RH_MJCF_AUTO,
                              .group = {0, 5},
                              .total_mass = -1,
                              .gravity = {0, 0, -9.81}};
  rh_mjcf_class *c = rh_mjcf_grow(m, (void **)&m->class, &m->nclass, sizeof *c);
  if (!c) {
    return;
  }
  *c = (rh_mjcf_class){"main", RH_NONE, RH_NONE};
  const rh_xml *xml = &m->xml;
  for (int e = xml->element[m->root].first; e != RH_NONE; e = xml->element[e].next) {
    const char *tag = rh_mjcf_tag(m, e);
    if (strcmp(tag, "compiler") == 0) {
      read_compiler(m, e);
    } else if (strcmp(tag, "option") == 0) {
      read_option(m, e);
    } else if (strcmp(tag, "default") == 0) {
      name_first_class(m, e);
      read_classes(m, e);
    }
  }
  for (int e = xml->element[m->root].first; e != RH_NONE; e = xml->element[e].next) {
    for (int f = xml->element[e].first; f != RH_NONE; f = xml->element[f].next) {
      if (strcmp(rh_mjcf_tag(m, e), "option") == 0 && strcmp(rh_mjcf_tag(m, f), "flag") == 0) {
        read_flags(m, f);
      }
    }
  }
}
