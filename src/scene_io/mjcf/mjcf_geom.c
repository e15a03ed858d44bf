// mjcf_geom.c: geoms: type, size, pose, mass and inertia. A geom that only shows has mass too.
#include "mjcf_part.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// Numbers of size that a type needs
static const int sizes[] = {
    [RH_MJCF_PLANE] = 0,     [RH_MJCF_HFIELD] = 0,   [RH_MJCF_SPHERE] = 1, [RH_MJCF_CAPSULE] = 2,
    [RH_MJCF_ELLIPSOID] = 3, [RH_MJCF_CYLINDER] = 2, [RH_MJCF_BOX] = 3,    [RH_MJCF_MESH] = 0};

// ---- Volume and inertia of density 1: `I` about the axes

static double measure_solid(int type, const double *s, double I[3])
{
  double v = 0;
  double length = 2 * s[1];
  switch (type) {
  case RH_MJCF_SPHERE:
    v = 4.0 / 3 * PI * s[0] * s[0] * s[0];
    I[0] = I[1] = I[2] = 0.4 * v * s[0] * s[0];
    break;
  case RH_MJCF_CAPSULE: {
    double rod = PI * s[0] * s[0] * length;
    double ends = 4.0 / 3 * PI * s[0] * s[0] * s[0];
    v = rod + ends;
    I[2] = rod * s[0] * s[0] / 2 + ends * 0.4 * s[0] * s[0];
    I[0] = I[1] = rod * (3 * s[0] * s[0] + length * length) / 12 +
                  ends * (0.4 * s[0] * s[0] + 0.375 * length * s[0] + length * length / 4);
    break;
  }
  case RH_MJCF_CYLINDER:
    v = PI * s[0] * s[0] * length;
    I[2] = v * s[0] * s[0] / 2;
    I[0] = I[1] = v * (3 * s[0] * s[0] + length * length) / 12;
    break;
  case RH_MJCF_ELLIPSOID:
  case RH_MJCF_BOX: {
    double part = type == RH_MJCF_BOX ? 3 : 5;
    v = (type == RH_MJCF_BOX ? 8 : 4.0 / 3 * PI) * s[0] * s[1] * s[2];
    I[0] = v * (s[1] * s[1] + s[2] * s[2]) / part;
    I[1] = v * (s[0] * s[0] + s[2] * s[2]) / part;
    I[2] = v * (s[0] * s[0] + s[1] * s[1]) / part;
    break;
  }
  default:
    break;
  }
  return v;
}

// The faces of a box across axis i have the area of the two others' sides.
static double measure_box_shell(const double *s, double I[3])
{
  double all = 0;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3;
    int k = (i + 2) % 3;
    double area = 8 * s[j] * s[k];
    all += area;
    I[i] += area * (s[j] * s[j] + s[k] * s[k]) / 3;
    I[j] += area * (s[k] * s[k] / 3 + s[i] * s[i]);
    I[k] += area * (s[j] * s[j] / 3 + s[i] * s[i]);
  }
  return all;
}

static double measure_shell(int type, const double *s, double I[3])
{
  double r = s[0];
  double length = 2 * s[1];
  double side = 2 * PI * r * length;
  double ends = type == RH_MJCF_CYLINDER ? 2 * PI * r * r : 4 * PI * r * r;
  switch (type) {
  case RH_MJCF_SPHERE:
    I[0] = I[1] = I[2] = ends * 2 * r * r / 3;
    return ends;
  case RH_MJCF_CAPSULE:
    I[2] = side * r * r + ends * 2 * r * r / 3;
    I[0] = I[1] = side * (r * r / 2 + length * length / 12) +
                  ends * (2 * r * r / 3 + length * length / 4 + length * r / 2);
    return side + ends;
  case RH_MJCF_CYLINDER:
    I[2] = side * r * r + ends * r * r / 2;
    I[0] = I[1] =
        side * (r * r / 2 + length * length / 12) + ends * (r * r / 4 + length * length / 4);
    return side + ends;
  case RH_MJCF_BOX:
    return measure_box_shell(s, I);
  default:
    return 0;
  }
}

static void set_mass(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s, double volume)
{
  double mass = rh_mjcf_number(m, s, "mass", -1);
  double density = rh_mjcf_number(m, s, "density", 1000);
  const rh_xml_attribute *given = rh_mjcf_find(m, s, "mass");
  if ((given && mass < 0) || density < 0) {
    given = given && mass < 0 ? given : rh_mjcf_find(m, s, "density");
    rh_mjcf_refuse(m, given->place, "%s of a geom must not be negative", given->name);
    return;
  }
  g->mass = given ? mass : density * volume;
  double factor = volume > 0 ? g->mass / volume : 0;
  g->mass = volume > 0 ? g->mass : 0;
  g->inertia.xx *= factor;
  g->inertia.yy *= factor;
  g->inertia.zz *= factor;
  g->inertia.xy *= factor;
  g->inertia.xz *= factor;
  g->inertia.yz *= factor;
}

static void measure_geom(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  double I[3] = {0, 0, 0};
  bool shell = rh_mjcf_choice(m, s, "shellinertia", "false|true", 0) == 1;
  if (g->type == RH_MJCF_MESH) {
    const rh_mjcf_mesh *mesh = &m->mesh[g->mesh];
    if (shell) {
      rh_mjcf_refuse(m, rh_mjcf_find(m, s, "shellinertia")->place,
                     "shellinertia of a mesh is its asset's: inertia=\"shell\"");
    }
    g->com = mesh->com;
    g->inertia = mesh->inertia;
    set_mass(m, g, s, mesh->volume);
    return;
  }
  if (shell && g->type == RH_MJCF_ELLIPSOID) {
    rh_mjcf_refuse(m, rh_mjcf_find(m, s, "shellinertia")->place,
                   "the inertia of the shell of an ellipsoid is not read");
    return;
  }
  double volume = shell ? measure_shell(g->type, g->size, I) : measure_solid(g->type, g->size, I);
  g->inertia = (rh_sym3){I[0], I[1], I[2], 0, 0, 0};
  set_mass(m, g, s, volume);
}

// ---- Size and pose

static void read_fromto(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  double x[6];
  if (rh_mjcf_numbers(m, s, "fromto", 6, 6, x) == 0) {
    return;
  }
  rh_vec3 a = rh_v3(x[0], x[1], x[2]);
  rh_vec3 b = rh_v3(x[3], x[4], x[5]);
  rh_vec3 along = rh_sub(a, b);
  bool wide = g->type == RH_MJCF_BOX || g->type == RH_MJCF_ELLIPSOID;
  rh_place place = rh_mjcf_find(m, s, "fromto")->place;
  if (!wide && g->type != RH_MJCF_CAPSULE && g->type != RH_MJCF_CYLINDER) {
    rh_mjcf_refuse(m, place, "fromto is for capsules, cylinders, boxes and ellipsoids");
    return;
  }
  if (!(rh_norm(along) > 1e-14)) {
    rh_mjcf_refuse(m, place, "the ends of fromto must differ");
    return;
  }
  g->pose.pos = rh_scale(0.5, rh_add(a, b));
  g->pose.quat = rh_mjcf_along(along);
  g->size[1] = rh_norm(along) / 2;
  if (wide) {
    g->size[2] = g->size[1];
    g->size[1] = g->size[0];
  }
}

static void check_size(rh_mjcf *m, const rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  const rh_xml_attribute *a = rh_mjcf_find(m, s, "size");
  for (int i = 0; i < sizes[g->type]; i++) {
    if (!(g->size[i] > 0)) {
      rh_mjcf_refuse(m, a ? a->place : g->place,
                     "a geom of this type needs %d positive number%s "
                     "in size",
                     sizes[g->type], sizes[g->type] == 1 ? "" : "s");
      return;
    }
  }
}

static int find_hfield(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->nhfield; i++) {
    if (strcmp(m->hfield[i].name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// The mesh or height field that the geom is made of. False: refused.
static bool read_asset(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  const rh_xml_attribute *mesh = rh_mjcf_find(m, s, "mesh");
  const rh_xml_attribute *field = rh_mjcf_find(m, s, "hfield");
  const char *missing = g->type == RH_MJCF_MESH && !mesh      ? "mesh"
                        : g->type == RH_MJCF_HFIELD && !field ? "hfield"
                                                              : NULL;
  if (missing) {
    rh_mjcf_refuse(m, g->place, "a geom of type %s needs the attribute %s", missing, missing);
    return false;
  }
  g->mesh = mesh ? rh_mjcf_find_mesh(m, mesh->value) : RH_NONE;
  g->hfield = g->type == RH_MJCF_HFIELD ? find_hfield(m, field->value) : RH_NONE;
  if (mesh && g->mesh == RH_NONE) {
    rh_mjcf_refuse(m, mesh->place, "there is no mesh '%.60s'", mesh->value);
    return false;
  }
  if (g->type == RH_MJCF_HFIELD && g->hfield == RH_NONE) {
    rh_mjcf_refuse(m, field->place, "there is no height field '%.60s'", field->value);
    return false;
  }
  return true;
}

// With fitaabb: the box about the vertices, in the principal axes of the mesh, whose frame the geom has
static void fit_box(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_mesh *mesh, const rh_mat3 *turn)
{
  double least[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  double most[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < mesh->nvert; i++) {
    rh_vec3 v = rh_unrotate(turn, rh_sub(mesh->vert[i], mesh->com));
    const double x[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
      least[k] = fmin(least[k], x[k]);
      most[k] = fmax(most[k], x[k]);
    }
  }
  double *s = g->size;
  for (int k = 0; k < 3; k++) {
    s[k] = (most[k] - least[k]) / 2;
  }
  rh_mjcf_pose middle = {
      rh_v3((least[0] + most[0]) / 2, (least[1] + most[1]) / 2, (least[2] + most[2]) / 2),
      rh_quat_identity()};
  g->pose = rh_mjcf_compose(g->pose, middle);
  if (g->type == RH_MJCF_SPHERE) {
    s[0] = fmax(fmax(s[0], s[1]), s[2]);
  } else if (g->type == RH_MJCF_CAPSULE || g->type == RH_MJCF_CYLINDER) {
    s[0] = fmax(s[0], s[1]);
    s[1] = g->type == RH_MJCF_CAPSULE ? s[2] - s[0] : s[2];
  }
  if (g->type == RH_MJCF_CAPSULE && !(s[1] > 0)) {
    rh_mjcf_refuse(m, g->place, "fitaabb: no capsule along the third axis has this box");
  }
}

// A primitive with a mesh has the size of the box with the mesh's inertia, and its principal axes.
static void fit_primitive(rh_mjcf *m, rh_mjcf_geom *g)
{
  const rh_mjcf_mesh *mesh = &m->mesh[g->mesh];
  double e[3]; // ascending
  rh_mat3 R;   // columns are their axes
  rh_sym3_eigen(&mesh->inertia, e, &R);
  double box[3];
  double sum = e[0] + e[1] + e[2];
  for (int i = 0; i < 3; i++) { // the largest moment first: its side is the shortest
    box[i] = sqrt(fmax(0, 6 * (sum - 2 * e[2 - i]) / mesh->volume)) / 2;
  }
  const double *r = R.m;
  rh_vec3 x = rh_v3(r[2], r[5], r[8]);
  rh_vec3 y = rh_v3(r[1], r[4], r[7]);
  rh_vec3 z = rh_cross(x, y);
  rh_mat3 turn = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  g->pose = rh_mjcf_compose(g->pose, (rh_mjcf_pose){mesh->com, rh_quat_of_matrix(&turn)});
  if (m->set.fit_box) {
    fit_box(m, g, mesh, &turn);
    return;
  }
  memcpy(g->size, box, sizeof box);
  if (g->type == RH_MJCF_SPHERE) {
    g->size[0] = (box[0] + box[1] + box[2]) / 3;
  } else if (g->type == RH_MJCF_CAPSULE || g->type == RH_MJCF_CYLINDER) {
    g->size[0] = (box[0] + box[1]) / 2;
    g->size[1] = g->type == RH_MJCF_CAPSULE ? fmax(0, box[2] - g->size[0] / 2) : box[2];
  }
}

// ---- Contact parameters

static void read_contact(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  rh_mjcf_solver *c = &g->contact;
  *c = (rh_mjcf_solver){.solref = {0.02, 1},
                        .solimp = {0.9, 0.95, 0.001, 0.5, 2},
                        .friction = {1, 0.005, 0.0001},
                        .solmix = 1};
  c->condim = (int)rh_mjcf_number(m, s, "condim", 3);
  c->priority = (int)rh_mjcf_number(m, s, "priority", 0);
  c->solmix = rh_mjcf_number(m, s, "solmix", 1);
  c->margin = rh_mjcf_number(m, s, "margin", 0);
  c->gap = rh_mjcf_number(m, s, "gap", 0);
  (void)rh_mjcf_numbers(m, s, "solref", 1, 2, c->solref);
  (void)rh_mjcf_numbers(m, s, "solimp", 1, 5, c->solimp);
  (void)rh_mjcf_numbers(m, s, "friction", 1, 3, c->friction);
  g->contype = (int)rh_mjcf_number(m, s, "contype", 1);
  g->conaffinity = (int)rh_mjcf_number(m, s, "conaffinity", 1);
  const rh_xml_attribute *a = rh_mjcf_find(m, s, "condim");
  if (a && c->condim != 1 && c->condim != 3 && c->condim != 4 && c->condim != 6) {
    rh_mjcf_refuse(m, a->place, "condim must be 1, 3, 4 or 6, got %d", c->condim);
  }
}

static void read_look(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s)
{
  const double usual[4] = {0.5, 0.5, 0.5, 1};
  memcpy(g->rgba, usual, sizeof g->rgba);
  if (rh_mjcf_numbers(m, s, "rgba", 0, 4, g->rgba) == 0) {
    g->rgba[3] = -1;
  }
  g->material = rh_mjcf_text(m, s, "material");
}

void rh_mjcf_read_geom(rh_mjcf *m, rh_mjcf_geom *g, const rh_mjcf_scope *s, rh_mjcf_pose frame)
{
  static const char types[] = "plane|hfield|sphere|capsule|ellipsoid|cylinder|box|mesh";
  g->type = rh_mjcf_choice(m, s, "type", types, RH_MJCF_SPHERE);
  g->mesh = g->hfield = RH_NONE;
  g->pose = rh_mjcf_pose_of(m, s);
  g->group = (int)rh_mjcf_number(m, s, "group", 0);
  (void)rh_mjcf_numbers(m, s, "size", 0, 3, g->size);
  read_contact(m, g, s);
  read_look(m, g, s);
  read_fromto(m, g, s);
  if (!read_asset(m, g, s)) {
    return;
  }
  if (g->type == RH_MJCF_PLANE && m->body[g->body].parent != RH_NONE) {
    rh_ignored_add(&m->ignored, RH_NOTE, g->place, "a plane belongs to a body");
  }
  if (g->mesh != RH_NONE) {
    // a mesh without mass and contact is not even opened: it only shows
    bool mass = rh_mjcf_number(m, s, "mass", 1) != 0 && rh_mjcf_number(m, s, "density", 1) != 0 &&
                g->group >= m->set.group[0] && g->group <= m->set.group[1] &&
                m->set.inertiafromgeom != RH_MJCF_FALSE && g->body != 0;
    bool inertial = m->set.inertiafromgeom == RH_MJCF_AUTO && m->body[g->body].given;
    bool needed =
        (mass && !inertial) || g->contype != 0 || g->conaffinity != 0 || g->type != RH_MJCF_MESH;
    if (needed && !rh_mjcf_measure_mesh(m, g->mesh)) {
      return;
    }
    if (g->type != RH_MJCF_MESH) {
      fit_primitive(m, g);
      double factor = rh_mjcf_number(m, s, "fitscale", 1);
      for (int i = 0; i < 3; i++) {
        g->size[i] *= factor;
      }
      check_size(m, g, s);
    }
  } else {
    check_size(m, g, s);
  }
  measure_geom(m, g, s);
  g->pose = rh_mjcf_compose(frame, g->pose);
}
