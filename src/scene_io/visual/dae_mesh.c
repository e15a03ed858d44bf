// dae_mesh.c: a geometry of a COLLADA file as triangles. A primitive has several inputs, each with an offset
// into the groups of numbers of <p>; only that of the positions counts. Polygons become fans.
#include "dae_part.h"

#include <stdio.h>
#include <string.h>

typedef struct primitive {
  int element;
  int offset, stride;     // of the position in a group, numbers of a group
  const double *position; // numbers of the source (count)
  int count, first, step; // vertices; the first number of the first, numbers between two
  const rh_dae_frame *frame;
  bool mirrored;
} primitive;

// ---- Colours

static bool read_color(rh_dae *d, int holder, unsigned char rgba[4])
{
  int n = 0;
  double *x = rh_dae_numbers(d, rh_dae_child(d, holder, "color"), &n);
  bool good = n == 3 || n == 4;
  for (int k = 0; good && k < 3; k++) {
    rgba[k] = (unsigned char)(fmin(1, fmax(0, x[k])) * 255 + 0.5);
  }
  rgba[3] = good ? 255 : 0;
  rh_free(x);
  return good;
}

// The material of a symbol, as the instance binds it; else the material of that name.
static int find_material(rh_dae *d, int of, int instance)
{
  const char *symbol = rh_dae_attribute(d, of, "material");
  int bind = rh_dae_child(d, instance, "bind_material");
  int m = rh_dae_child(d, rh_dae_child(d, bind, "technique_common"), "instance_material");
  for (; m != RH_NONE; m = rh_dae_next(d, m)) {
    if (strcmp(rh_dae_attribute(d, m, "symbol"), symbol) == 0) {
      return rh_dae_target(d, m, "target");
    }
  }
  return rh_dae_target(d, of, "material");
}

// Alpha 0: it has none, as with a texture.
static void find_color(rh_dae *d, int of, int instance, unsigned char rgba[4])
{
  static const char *const models[] = {"phong", "lambert", "blinn", "constant"};
  int material = find_material(d, of, instance);
  int effect = rh_dae_target(d, rh_dae_child(d, material, "instance_effect"), "url");
  int technique = rh_dae_child(d, rh_dae_child(d, effect, "profile_COMMON"), "technique");
  memset(rgba, 0, 4);
  for (int k = 0; k < RH_COUNT(models); k++) {
    int model = rh_dae_child(d, technique, models[k]);
    int light = rh_dae_child(d, model, "diffuse");
    light = light == RH_NONE ? rh_dae_child(d, model, "emission") : light;
    if (light != RH_NONE) {
      (void)read_color(d, light, rgba);
      return;
    }
  }
}

// The triangles that follow have this colour. Where there are too many parts they keep that of the last.
static void begin_part(rh_dae *d, const unsigned char rgba[4])
{
  bool same = d->npart > 0 && memcmp(d->part[d->npart - 1].rgba, rgba, 4) == 0;
  if (!same && d->npart < RH_LOOK_PARTS_MAX) {
    rh_look_part *part = &d->part[d->npart++];
    part->first = d->mesh.ntri;
    memcpy(part->rgba, rgba, 4);
  }
}

// ---- Triangles

static bool add_vertex(rh_dae *d, const primitive *p, double index, int *vertex)
{
  if (!(index >= 0 && index < p->count && index == floor(index))) {
    rh_dae_refuse(d, d->xml.element[p->element].place,
                  "<%s> must name vertices from 0 to %d, got %g", d->xml.element[p->element].name,
                  p->count - 1, index);
    return false;
  }
  const double *x = p->position + p->first + (size_t)index * (size_t)p->step;
  rh_vec3 at = rh_add(rh_rotate(&p->frame->m, rh_v3(x[0], x[1], x[2])), p->frame->p);
  if (!rh_mesh_coord_ok(at.x) || !rh_mesh_coord_ok(at.y) || !rh_mesh_coord_ok(at.z)) {
    rh_dae_refuse(d, d->xml.element[p->element].place, "a vertex is farther than 1e9 m away");
    return false;
  }
  d->status = rh_mesh_weld(&d->job, at, vertex);
  return d->status == RH_OK;
}

static void add_triangle(rh_dae *d, const primitive *p, int a, int b, int c)
{
  if (a != b && b != c && c != a && d->status == RH_OK) {
    d->status = p->mirrored ? rh_mesh_add_tri(&d->job, a, c, b) : rh_mesh_add_tri(&d->job, a, b, c);
  }
}

// `n` groups from `x` on: a fan, or a strip whose every second triangle is turned.
static void add_polygon(rh_dae *d, const primitive *p, const double *x, int n, bool strip)
{
  int corner[2] = {0, 0};
  for (int i = 0; i < n && d->status == RH_OK; i++) {
    int v = 0;
    if (!add_vertex(d, p, x[(size_t)i * (size_t)p->stride + (size_t)p->offset], &v)) {
      return;
    }
    if (i >= 2) {
      bool turned = strip && i % 2 == 1;
      add_triangle(d, p, corner[turned], corner[!turned], v);
    }
    if (i == 0) {
      corner[0] = v;
    } else if (strip && i >= 2) {
      corner[0] = corner[1];
    }
    corner[i > 0] = v;
  }
}

static void add_polylist(rh_dae *d, const primitive *p, const double *x, int n)
{
  int count = 0;
  int list = rh_dae_child(d, p->element, "vcount");
  double *sides = rh_dae_numbers(d, list, &count);
  int at = 0;
  for (int i = 0; i < count && d->status == RH_OK; i++) {
    double k = sides[i];
    if (!(k >= 1 && k == floor(k) && k * p->stride <= n - at)) {
      rh_dae_refuse(d, d->xml.element[list].place,
                    "<vcount> must be the corners of each polygon, %d numbers of <p> in all",
                    n / p->stride);
      break;
    }
    add_polygon(d, p, x + at, (int)k, false);
    at += (int)k * p->stride;
  }
  rh_free(sides);
}

static void add_list(rh_dae *d, const primitive *p, int list)
{
  const char *tag = d->xml.element[p->element].name;
  int n = 0;
  double *x = rh_dae_numbers(d, list, &n);
  if (x && n % p->stride != 0) {
    rh_dae_refuse(d, d->xml.element[list].place,
                  "<p> must hold %d numbers for each corner, got %d in all", p->stride, n);
  } else if (x && strcmp(tag, "triangles") == 0) {
    for (int i = 0; i + 3 * p->stride <= n && d->status == RH_OK; i += 3 * p->stride) {
      add_polygon(d, p, x + i, 3, false);
    }
  } else if (x && strcmp(tag, "polylist") == 0) {
    add_polylist(d, p, x, n);
  } else if (x) { // polygons, trifans, tristrips: one for each <p>
    add_polygon(d, p, x, n / p->stride, strcmp(tag, "tristrips") == 0);
  }
  rh_free(x);
}

// ---- Inputs

// A number of an attribute; false: refused.
static bool read_count(rh_dae *d, int element, const char *name, int otherwise, int *value)
{
  double x = otherwise;
  const char *text = rh_dae_attribute(d, element, name);
  if (*text && (rh_xml_numbers(text, 1, &x) != 1 || !(x >= 0 && x < 1e8 && x == floor(x)))) {
    rh_dae_refuse(d, d->xml.element[element].place, "%s of <%.40s> must be a whole number", name,
                  d->xml.element[element].name);
    return false;
  }
  *value = (int)x;
  return true;
}

static int find_input(rh_dae *d, int holder, const char *semantic)
{
  int e = rh_dae_child(d, holder, "input");
  while (e != RH_NONE && strcmp(rh_dae_attribute(d, e, "semantic"), semantic) != 0) {
    e = rh_dae_next(d, e);
  }
  return e;
}

// Offsets of the inputs: where the vertex is, and how many numbers a corner has.
static bool read_inputs(rh_dae *d, primitive *p)
{
  int vertex = find_input(d, p->element, "VERTEX");
  p->stride = 1;
  for (int e = rh_dae_child(d, p->element, "input"); e != RH_NONE; e = rh_dae_next(d, e)) {
    int offset = 0;
    if (!read_count(d, e, "offset", 0, &offset)) {
      return false;
    }
    p->stride = offset >= p->stride ? offset + 1 : p->stride;
    p->offset = e == vertex ? offset : p->offset;
  }
  if (vertex == RH_NONE || p->stride > 64) {
    rh_dae_refuse(d, d->xml.element[p->element].place, "<%s> needs an <input> with the vertices",
                  d->xml.element[p->element].name);
    return false;
  }
  return true;
}

// The source of the positions, its numbers (rh_free) and how they are grouped
static double *read_positions(rh_dae *d, primitive *p)
{
  int vertices = rh_dae_target(d, find_input(d, p->element, "VERTEX"), "source");
  int source = rh_dae_target(d, find_input(d, vertices, "POSITION"), "source");
  int accessor = rh_dae_child(d, rh_dae_child(d, source, "technique_common"), "accessor");
  int array = rh_dae_target(d, accessor, "source");
  array = array == RH_NONE ? rh_dae_child(d, source, "float_array") : array;
  int n = 0;
  double *x = rh_dae_numbers(d, array, &n);
  if (!x || !read_count(d, accessor, "stride", 3, &p->step) ||
      !read_count(d, accessor, "offset", 0, &p->first)) {
    rh_dae_refuse(d, d->xml.element[p->element].place, "the vertices of <%s> have no positions",
                  d->xml.element[p->element].name);
    rh_free(x);
    return NULL;
  }
  p->count = p->step >= 3 && n >= p->first + 3 ? (n - p->first - 3) / p->step + 1 : 0;
  return x;
}

static bool is_same_source(rh_dae *d, int a, int b)
{
  return a != RH_NONE && b != RH_NONE &&
         rh_dae_target(d, find_input(d, a, "VERTEX"), "source") ==
             rh_dae_target(d, find_input(d, b, "VERTEX"), "source");
}

static bool is_primitive(const char *tag)
{
  static const char *const tags[] = {"triangles", "polylist", "polygons", "tristrips", "trifans"};
  for (int i = 0; i < RH_COUNT(tags); i++) {
    if (strcmp(tag, tags[i]) == 0) {
      return true;
    }
  }
  return false;
}

void rh_dae_add_geometry(rh_dae *d, int geometry, int instance, const rh_dae_frame *frame)
{
  int mesh = rh_dae_child(d, geometry, "mesh");
  const double *m = frame->m.m;
  double det = m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
               m[2] * (m[3] * m[7] - m[4] * m[6]);
  primitive p = {.frame = frame, .mirrored = det < 0};
  double *position = NULL;
  int last = RH_NONE; // primitive that these positions were read for
  int e = mesh == RH_NONE ? RH_NONE : d->xml.element[mesh].first;
  for (; e != RH_NONE && d->status == RH_OK; e = d->xml.element[e].next) {
    unsigned char rgba[4];
    if (!is_primitive(d->xml.element[e].name)) {
      continue;
    }
    p.element = e;
    p.offset = 0;
    if (!read_inputs(d, &p)) {
      break;
    }
    if (!is_same_source(d, e, last)) {
      rh_free(position);
      position = read_positions(d, &p);
      last = e;
    }
    p.position = position;
    find_color(d, e, instance, rgba);
    begin_part(d, rgba);
    for (int list = rh_dae_child(d, e, "p"); list != RH_NONE && d->status == RH_OK;
         list = rh_dae_next(d, list)) {
      add_list(d, &p, list);
    }
  }
  rh_free(position);
}
