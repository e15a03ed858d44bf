// mjcf_mesh.c: mesh assets. Vertices are rounded to single precision, moved by refpos and refquat and
// scaled; then volume, centre and inertia are integrated over tetrahedra from the middle of the surface
// to its triangles (legacy: none counts as negative), over its convex hull, or over the surface itself.
#include "mjcf_part.h"

#include "geometry/hull/hull.h"
#include "scene_io/mesh.h"
#include "scene_io/visual/look_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WHERE_MAX = 8192 };

typedef enum mesh_inertia { MESH_CONVEX, MESH_EXACT, MESH_LEGACY, MESH_SHELL } mesh_inertia;

// ---- Assets

// The name of a file without folders and ending.
static const char *stem_of(rh_mjcf *m, const char *file)
{
  const char *slash = strrchr(file, '/');
  const char *name = slash ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : strlen(name);
  char *kept = rh_xml_keep(&m->xml, length + 1);
  if (!kept) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return "";
  }
  memcpy(kept, name, length);
  return kept;
}

static void add_mesh(rh_mjcf *m, int element)
{
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  const rh_xml_attribute *file = rh_xml_find(&m->xml, element, "file");
  const rh_xml_attribute *vertex = rh_xml_find(&m->xml, element, "vertex");
  if ((!file || !*file->value) == !vertex || (!name && !file)) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "<mesh> needs a file, or a name and vertices");
    return;
  }
  const char *called = name ? name->value : stem_of(m, file->value);
  if (rh_mjcf_find_mesh(m, called) != RH_NONE) {
    rh_mjcf_refuse(m, rh_mjcf_place(m, element), "there is a mesh '%.60s' already", called);
    return;
  }
  rh_mjcf_mesh *mesh = rh_mjcf_grow(m, (void **)&m->mesh, &m->nmesh, sizeof *mesh);
  if (mesh) {
    mesh->name = called;
    mesh->place = file ? file->place : rh_mjcf_place(m, element);
    mesh->element = element;
  }
}

int rh_mjcf_find_mesh(const rh_mjcf *m, const char *name)
{
  for (int i = 0; i < m->nmesh; i++) {
    if (strcmp(m->mesh[i].name, name) == 0) {
      return i;
    }
  }
  return RH_NONE;
}

// Heights between 0 and 1 by their least and greatest, times size[2]; none given: all 0. The first
// row of the attribute is the last along y.
static void read_elevation(rh_mjcf *m, rh_mjcf_hfield *h, const rh_xml_attribute *a)
{
  int n = h->nrow * h->ncol;
  double lo = HUGE_VAL;
  double hi = -HUGE_VAL;
  if (h->nrow < 2 || h->ncol < 2 || (double)h->nrow * h->ncol > 1e6) {
    rh_mjcf_refuse(m, h->place, "<hfield> needs nrow and ncol of at least 2, together up to 1e6");
    return;
  }
  double *x = rh_xml_keep(&m->xml, (size_t)n * sizeof *x);
  h->height = rh_xml_keep(&m->xml, (size_t)n * sizeof *x);
  if (!x || !h->height) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return;
  }
  if (a && rh_xml_numbers(a->value, n, x) != n) {
    rh_mjcf_refuse(m, a->place, "elevation must be %d finite numbers", n);
    return;
  }
  for (int i = 0; i < n; i++) {
    lo = fmin(lo, x[i]);
    hi = fmax(hi, x[i]);
  }
  for (int i = 0; i < n && hi > lo; i++) {
    int row = h->nrow - 1 - i / h->ncol;
    h->height[row * h->ncol + i % h->ncol] = h->size[2] * (x[i] - lo) / (hi - lo);
  }
}

static void add_hfield(rh_mjcf *m, int element)
{
  rh_mjcf_scope s = rh_mjcf_alone(element);
  const rh_xml_attribute *name = rh_xml_find(&m->xml, element, "name");
  rh_mjcf_hfield *h = rh_mjcf_grow(m, (void **)&m->hfield, &m->nhfield, sizeof *h);
  if (!h) {
    return;
  }
  const char *file = rh_mjcf_text(m, &s, "file");
  h->name = name ? name->value : file ? stem_of(m, file) : "";
  h->place = rh_mjcf_place(m, element);
  h->nrow = (int)fmax(0, fmin(1e5, rh_mjcf_number(m, &s, "nrow", 0)));
  h->ncol = (int)fmax(0, fmin(1e5, rh_mjcf_number(m, &s, "ncol", 0)));
  if (rh_mjcf_numbers(m, &s, "size", 4, 4, h->size) == 0 || !(h->size[0] > 0) ||
      !(h->size[1] > 0) || !(h->size[2] > 0)) {
    rh_mjcf_refuse(m, h->place, "<hfield> needs a size of four positive numbers");
  }
  if (!file && !m->refused) {
    read_elevation(m, h, rh_mjcf_find(m, &s, "elevation"));
  }
}

void rh_mjcf_read_meshes(rh_mjcf *m)
{
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    for (int f = m->xml.element[e].first; f != RH_NONE; f = m->xml.element[f].next) {
      bool asset = strcmp(rh_mjcf_tag(m, e), "asset") == 0;
      if (asset && strcmp(rh_mjcf_tag(m, f), "mesh") == 0) {
        add_mesh(m, f);
      } else if (asset && strcmp(rh_mjcf_tag(m, f), "hfield") == 0) {
        add_hfield(m, f);
      }
    }
  }
}

// ---- Vertices

static bool take_mesh(rh_mjcf *m, rh_mjcf_mesh *mesh, const rh_mesh *from)
{
  mesh->vert = rh_xml_keep(&m->xml, ((size_t)from->nvert + 1) * sizeof *mesh->vert);
  mesh->tri = rh_xml_keep(&m->xml, ((size_t)from->ntri + 1) * sizeof *mesh->tri);
  if (!mesh->vert || !mesh->tri) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return false;
  }
  memcpy(mesh->vert, from->vert, (size_t)from->nvert * sizeof *mesh->vert);
  if (from->ntri > 0) {
    memcpy(mesh->tri, from->tri, (size_t)from->ntri * sizeof *mesh->tri);
  }
  mesh->nvert = from->nvert;
  mesh->ntri = from->ntri;
  return true;
}

// The path of a mesh's file, from the present folder. False: refused
static bool mesh_path(rh_mjcf *m, const rh_xml_attribute *file, char where[WHERE_MAX])
{
  const char *name = file->value;
  const char *slash = strrchr(name, '/');
  name = m->set.strippath && slash ? slash + 1 : name;
  if (!m->opt->scene) {
    rh_mjcf_refuse(m, file->place, "no files can be read here");
    return false;
  }
  const char *part[3] = {m->opt->scene, m->opt->folder, m->set.meshdir};
  int start = name[0] == '/' ? 3 : part[2][0] == '/' ? 2 : part[1][0] == '/' ? 1 : 0;
  size_t used = 0;
  where[0] = '\0';
  for (int i = start; i < 3; i++) {
    size_t length = strlen(part[i]);
    bool ends = length > 0 && part[i][length - 1] == '/';
    int more =
        snprintf(where + used, WHERE_MAX - used, "%s%s", part[i], length == 0 || ends ? "" : "/");
    used += (size_t)more;
    if (used >= WHERE_MAX) {
      used = WHERE_MAX - 1;
    }
  }
  int more = snprintf(where + used, WHERE_MAX - used, "%s", name);
  if (used + (size_t)more >= WHERE_MAX) {
    rh_mjcf_refuse(m, file->place, "the name of the mesh is too long");
    return false;
  }
  return true;
}

static bool read_mesh_file(rh_mjcf *m, rh_mjcf_mesh *mesh, const rh_xml_attribute *file)
{
  char where[WHERE_MAX];
  if (!mesh_path(m, file, where)) {
    return false;
  }
  rh_mesh read;
  rh_status status = rh_mesh_read(where, m->diag, &read);
  if (status == RH_INPUT_REFUSED || status == RH_OVER_LIMIT) {
    rh_diag_add(m->diag, RH_NOTE, file->place, "it is read for this mesh");
    m->refused = true;
    return false;
  }
  if (status != RH_OK) {
    m->nodes.status = status;
    return false;
  }
  bool good = take_mesh(m, mesh, &read);
  rh_mesh_free(&read);
  return good;
}

static int count_words(const char *text)
{
  int n = 0;
  for (const char *t = text; *t; t++) {
    n += !rh_xml_is_blank(*t) && (t == text || rh_xml_is_blank(t[-1]));
  }
  return n;
}

// Numbers of an attribute of any length, in threes.
static double *read_triples(rh_mjcf *m, const rh_xml_attribute *a, int *count)
{
  int n = count_words(a->value);
  double *x = rh_xml_keep(&m->xml, ((size_t)n + 1) * sizeof *x);
  if (!x) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return NULL;
  }
  if (n % 3 != 0 || n == 0 || rh_xml_numbers(a->value, n, x) != n) {
    rh_mjcf_refuse(m, a->place, "%s must be finite numbers, three for each", a->name);
    return NULL;
  }
  *count = n / 3;
  return x;
}

static bool read_inline(rh_mjcf *m, rh_mjcf_mesh *mesh, const rh_xml_attribute *vertex)
{
  const rh_xml_attribute *face = rh_xml_find(&m->xml, mesh->element, "face");
  double *x = read_triples(m, vertex, &mesh->nvert);
  double *f = face && x ? read_triples(m, face, &mesh->ntri) : NULL;
  if (!x || (face && !f)) {
    return false;
  }
  mesh->vert = rh_xml_keep(&m->xml, (size_t)mesh->nvert * sizeof *mesh->vert);
  mesh->tri = rh_xml_keep(&m->xml, ((size_t)mesh->ntri + 1) * sizeof *mesh->tri);
  if (!mesh->vert || !mesh->tri) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    return false;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    mesh->vert[i] = rh_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  }
  for (int i = 0; i < 3 * mesh->ntri; i++) {
    if (!(f[i] >= 0 && f[i] < mesh->nvert && f[i] == floor(f[i]))) {
      rh_mjcf_refuse(m, face->place, "face must be indices of vertices, 0 to %d, got %g",
                     mesh->nvert - 1, f[i]);
      return false;
    }
    mesh->tri[i / 3][i % 3] = (int)f[i];
  }
  return true;
}

// The optimiser drops conversions to float and back of neighbouring numbers: the store is kept.
static double round_single(double x)
{
  volatile float single = (float)x;
  return (double)single;
}

static void place_vertices(rh_mjcf *m, rh_mjcf_mesh *mesh, const rh_mjcf_scope *s)
{
  double scale[3] = {1, 1, 1};
  double q[4] = {1, 0, 0, 0};
  rh_vec3 at = rh_mjcf_vector(m, s, "refpos");
  (void)rh_mjcf_numbers(m, s, "scale", 3, 3, scale);
  (void)rh_mjcf_numbers(m, s, "refquat", 4, 4, q);
  rh_quat turn = rh_quat_unit((rh_quat){q[0], -q[1], -q[2], -q[3]});
  bool turned = rh_mjcf_find(m, s, "refquat") != NULL;
  for (int i = 0; i < mesh->nvert; i++) {
    rh_vec3 v = mesh->vert[i];
    v = rh_v3(round_single(v.x), round_single(v.y), round_single(v.z));
    v = rh_sub(v, at);
    v = turned ? rh_mjcf_turn(turn, v) : v;
    mesh->vert[i] = rh_v3(scale[0] * v.x, scale[1] * v.y, scale[2] * v.z);
  }
  if (scale[0] * scale[1] * scale[2] < 0) { // mirrored: the other side is outside
    for (int i = 0; i < mesh->ntri; i++) {
      int swap = mesh->tri[i][1];
      mesh->tri[i][1] = mesh->tri[i][2];
      mesh->tri[i][2] = swap;
    }
  }
}

// ---- Volume and inertia

typedef struct triangle {
  rh_vec3 a, b, c, middle;
  rh_vec3 normal; // twice its area long
} triangle;

static triangle triangle_at(const rh_mjcf_mesh *mesh, int i)
{
  triangle t = {.a = mesh->vert[mesh->tri[i][0]],
                .b = mesh->vert[mesh->tri[i][1]],
                .c = mesh->vert[mesh->tri[i][2]]};
  t.middle = rh_scale(1.0 / 3, rh_add(t.a, rh_add(t.b, t.c)));
  t.normal = rh_cross(rh_sub(t.b, t.a), rh_sub(t.c, t.a));
  return t;
}

static rh_vec3 middle_of_surface(const rh_mjcf_mesh *mesh, double *area)
{
  rh_vec3 sum = rh_v3(0, 0, 0);
  *area = 0;
  for (int i = 0; i < mesh->ntri; i++) {
    triangle t = triangle_at(mesh, i);
    double a = 0.5 * rh_norm(t.normal);
    sum = rh_addscaled(sum, a, t.middle);
    *area += a;
  }
  return *area > 0 ? rh_scale(1 / *area, sum) : sum;
}

// Volume of the tetrahedron from `apex` to a triangle, or the area of the triangle
static double weight_of(const triangle *t, rh_vec3 apex, mesh_inertia how)
{
  double volume = rh_dot(rh_sub(t->middle, apex), t->normal) / 6;
  return how == MESH_SHELL ? 0.5 * rh_norm(t->normal) : how == MESH_LEGACY ? fabs(volume) : volume;
}

// Second moments about `com` of a triangle, with the corner `com` too unless it is a shell
static void add_moments(const triangle *t, rh_vec3 com, double weight, bool shell, double P[6])
{
  rh_vec3 d[3] = {rh_sub(t->a, com), rh_sub(t->b, com), rh_sub(t->c, com)};
  rh_vec3 sum = rh_add(d[0], rh_add(d[1], d[2]));
  double w = weight / (shell ? 12 : 20);
  for (int i = 0; i < 3; i++) {
    P[0] += w * d[i].x * d[i].x;
    P[1] += w * d[i].y * d[i].y;
    P[2] += w * d[i].z * d[i].z;
    P[3] += w * d[i].x * d[i].y;
    P[4] += w * d[i].x * d[i].z;
    P[5] += w * d[i].y * d[i].z;
  }
  P[0] += w * sum.x * sum.x;
  P[1] += w * sum.y * sum.y;
  P[2] += w * sum.z * sum.z;
  P[3] += w * sum.x * sum.y;
  P[4] += w * sum.x * sum.z;
  P[5] += w * sum.y * sum.z;
}

static bool integrate_mesh(rh_mjcf_mesh *mesh, mesh_inertia how)
{
  double area = 0;
  double P[6] = {0};
  rh_vec3 middle = middle_of_surface(mesh, &area);
  rh_vec3 sum = rh_v3(0, 0, 0);
  double all = 0;
  for (int i = 0; i < mesh->ntri; i++) {
    triangle t = triangle_at(mesh, i);
    double w = weight_of(&t, middle, how);
    rh_vec3 at =
        how == MESH_SHELL ? t.middle : rh_add(rh_scale(0.75, t.middle), rh_scale(0.25, middle));
    sum = rh_addscaled(sum, w, at);
    all += w;
  }
  if (!(all > 0)) {
    return false;
  }
  mesh->com = rh_scale(1 / all, sum);
  for (int i = 0; i < mesh->ntri; i++) {
    triangle t = triangle_at(mesh, i);
    double w = weight_of(&t, mesh->com, how);
    add_moments(&t, mesh->com, w, how == MESH_SHELL, P);
    mesh->volume += w; // from the centre of mass, which differs where legacy counts parts twice
  }
  mesh->inertia = (rh_sym3){P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
  return true;
}

// The faces of the convex hull in place of the mesh's own
static bool take_hull(rh_mjcf *m, rh_mjcf_mesh *mesh)
{
  rh_hull *hull = NULL;
  const char *why = "";
  rh_status status = rh_hull_create(mesh->vert, mesh->nvert, RH_HULL_TOLERANCE, &hull, &why);
  if (status == RH_OUT_OF_MEMORY) {
    m->nodes.status = status;
    return false;
  }
  if (status != RH_OK) {
    rh_mjcf_refuse(m, mesh->place, "the mesh '%.60s' has no convex hull: %s", mesh->name, why);
    return false;
  }
  int n = 0;
  for (int i = 0; i < hull->nface; i++) {
    n += hull->face[i].count - 2;
  }
  mesh->tri = rh_xml_keep(&m->xml, ((size_t)n + 1) * sizeof *mesh->tri);
  if (!mesh->tri) {
    m->nodes.status = RH_OUT_OF_MEMORY;
    rh_free(hull);
    return false;
  }
  mesh->ntri = 0;
  for (int i = 0; i < hull->nface; i++) {
    const int *loop = hull->loop + hull->face[i].first;
    for (int k = 1; k + 1 < hull->face[i].count; k++) {
      int *t = mesh->tri[mesh->ntri++];
      t[0] = hull->source[loop[0]];
      t[1] = hull->source[loop[k]];
      t[2] = hull->source[loop[k + 1]];
    }
  }
  rh_free(hull);
  return true;
}

bool rh_mjcf_measure_mesh(rh_mjcf *m, int index)
{
  rh_mjcf_mesh *mesh = &m->mesh[index];
  if (mesh->measured) {
    return mesh->volume > 0;
  }
  mesh->measured = true;
  rh_mjcf_scope s;
  rh_mjcf_scope_of(m, mesh->element, "mesh", 0, &s);
  const rh_xml_attribute *file = rh_xml_find(&m->xml, mesh->element, "file");
  const rh_xml_attribute *vertex = rh_xml_find(&m->xml, mesh->element, "vertex");
  if (!(file ? read_mesh_file(m, mesh, file) : read_inline(m, mesh, vertex))) {
    return false;
  }
  place_vertices(m, mesh, &s);
  int how = rh_mjcf_choice(m, &s, "inertia", "convex|exact|legacy|shell", MESH_LEGACY);
  if ((how == MESH_CONVEX || mesh->ntri == 0) && !take_hull(m, mesh)) {
    return false;
  }
  if (!integrate_mesh(mesh, (mesh_inertia)how)) {
    rh_mjcf_refuse(m, mesh->place, "the mesh '%.60s' encloses no volume", mesh->name);
    return false;
  }
  return true;
}

// ---- What it looks like

static rh_status read_surface(rh_mjcf *m, const rh_mjcf_mesh *mesh, rh_look **look)
{
  char where[WHERE_MAX];
  const rh_xml_attribute *file = rh_xml_find(&m->xml, mesh->element, "file");
  const rh_xml_attribute *vertex = rh_xml_find(&m->xml, mesh->element, "vertex");
  if (file) {
    rh_robot_mesh named = {.file = file->value, .place = file->place};
    return mesh_path(m, file, where) ? rh_look_read_apart(&m->nodes, &named, where, look)
                                     : RH_INPUT_REFUSED;
  }
  rh_mjcf_mesh own = {.element = mesh->element};
  if (!read_inline(m, &own, vertex)) {
    return RH_INPUT_REFUSED;
  }
  const rh_mesh made = {.nvert = own.nvert, .ntri = own.ntri, .vert = own.vert, .tri = own.tri};
  return rh_look_of_mesh(&made, look);
}

struct rh_look *rh_mjcf_read_look(rh_mjcf *m, int mesh)
{
  rh_look *look = NULL;
  rh_mjcf_scope s;
  rh_status status = read_surface(m, &m->mesh[mesh], &look);
  if (status != RH_OK) {
    m->nodes.status = status == RH_OUT_OF_MEMORY ? status : m->nodes.status;
    return NULL;
  }
  rh_mjcf_mesh placed = {.vert = (rh_vec3 *)(void *)look->vert, // three numbers each
                         .nvert = look->nvert,
                         .tri = look->tri,
                         .ntri = look->ntri};
  rh_mjcf_scope_of(m, m->mesh[mesh].element, "mesh", 0, &s);
  place_vertices(m, &placed, &s);
  return look;
}
