// hull_grown.c: see hull_grown.h. The body is the hull, a prism on each face, a sector of a cylinder
// along each edge and a sector of a ball at each vertex (J. Steiner 1840). Their integrals of 1, x
// and x x' are polynomials in r. A sector of a ball is a polygon on the unit sphere with the normals
// of the faces as corners; its solid angle is 2 pi less the angles of the faces at the vertex. The
// integral of the normal over it is, by the divergence theorem on the sphere, half the sum over its
// edges of angle times u, the unit vector along the edge towards the vertex. That of n n' is needed
// for all sectors together only: they make a whole ball.
#include "hull_grown.h"

static const double PI = 3.14159265358979323846;

typedef struct moments { // integrals over a body
  double volume;
  rh_vec3 first;
  rh_sym3 second; // of x x'
} moments;

static void add_square(rh_sym3 *s, double w, rh_vec3 a) // w a a'
{
  s->xx += w * a.x * a.x;
  s->yy += w * a.y * a.y;
  s->zz += w * a.z * a.z;
  s->xy += w * a.x * a.y;
  s->xz += w * a.x * a.z;
  s->yz += w * a.y * a.z;
}

static void add_product(rh_sym3 *s, double w, rh_vec3 a, rh_vec3 b) // w (a b' + b a')
{
  s->xx += w * 2 * a.x * b.x;
  s->yy += w * 2 * a.y * b.y;
  s->zz += w * 2 * a.z * b.z;
  s->xy += w * (a.x * b.y + b.x * a.y);
  s->xz += w * (a.x * b.z + b.x * a.z);
  s->yz += w * (a.y * b.z + b.y * a.z);
}

static void add_diagonal(rh_sym3 *s, double w)
{
  s->xx += w;
  s->yy += w;
  s->zz += w;
}

static moments core_moments(const rh_hull *hull)
{
  const rh_sym3 *I = &hull->inertia;
  double half = (I->xx + I->yy + I->zz) / 2;
  double V = hull->volume;
  moments m = {V,
               rh_scale(V, hull->centre),
               {V * (half - I->xx), V * (half - I->yy), V * (half - I->zz), -V * I->xy, -V * I->xz,
                -V * I->yz}};
  add_square(&m.second, V, hull->centre);
  return m;
}

// A part of the solid angle of a vertex: the ball's volume there.
static void add_corner(moments *m, rh_vec3 v, double angle, double r)
{
  double part = r * r * r / 3 * angle;
  m->volume += part;
  m->first = rh_addscaled(m->first, part, v);
  add_square(&m->second, part, v);
}

static double angle_between(rh_vec3 a, rh_vec3 b)
{
  return rh_atan2(rh_norm(rh_cross(a, b)), rh_dot(a, b));
}

// Prism on a face, and the angles of its corners.
static void add_face(const rh_hull *hull, const rh_hull_face *f, double r, moments *m)
{
  const int *loop = hull->loop + f->first;
  rh_vec3 sum = {0, 0, 0};
  double area = 0;
  for (int k = 0; k < f->count; k++) {
    rh_vec3 v = hull->vert[loop[k]];
    rh_vec3 before = rh_sub(hull->vert[loop[(k + f->count - 1) % f->count]], v);
    rh_vec3 after = rh_sub(hull->vert[loop[(k + 1) % f->count]], v);
    add_corner(m, v, -angle_between(after, before), r);
  }
  for (int k = 1; k + 1 < f->count; k++) {
    rh_vec3 p[3] = {hull->vert[loop[0]], hull->vert[loop[k]], hull->vert[loop[k + 1]]};
    double part = 0.5 * rh_dot(f->normal, rh_cross(rh_sub(p[1], p[0]), rh_sub(p[2], p[0])));
    rh_vec3 all = rh_add(p[0], rh_add(p[1], p[2]));
    area += part;
    sum = rh_addscaled(sum, part / 3, all);
    add_square(&m->second, r * part / 12, all);
    for (int i = 0; i < 3; i++) {
      add_square(&m->second, r * part / 12, p[i]);
    }
  }
  m->volume += r * area;
  m->first = rh_addscaled(rh_addscaled(m->first, r, sum), r * r / 2 * area, f->normal);
  add_product(&m->second, r * r / 2, sum, f->normal);
  add_square(&m->second, r * r * r / 3 * area, f->normal);
}

typedef struct edge {
  rh_vec3 from, to;
  rh_vec3 normal[2]; // of its faces
} edge;

// Sector of a cylinder along an edge, and the part of the edge in the sectors of its two vertices.
static void add_edge(const edge *e, double r, moments *m)
{
  rh_vec3 d = rh_sub(e->to, e->from);
  double length = rh_norm(d);
  rh_vec3 u = rh_scale(1 / length, d);
  rh_vec3 middle = rh_scale(0.5, rh_add(e->from, e->to));
  double angle = angle_between(e->normal[0], e->normal[1]);
  rh_vec3 b = rh_add(e->normal[0], e->normal[1]);
  rh_vec3 arc = rh_scale(rh_tan(angle / 2), b); // integral of n along it
  b = rh_scale(1 / rh_norm(b), b);
  double square = r * r / 2;
  double cube = r * r * r / 3;
  double fourth = r * r * r * r / 4;
  m->volume += square * angle * length;
  m->first = rh_addscaled(m->first, square * angle * length, middle);
  m->first = rh_addscaled(m->first, cube * length, arc);
  add_square(&m->second, square * angle * length, middle);
  add_square(&m->second, square * angle * length * length * length / 12, u);
  add_product(&m->second, cube * length, middle, arc);
  rh_vec3 c = rh_cross(u, b);
  add_square(&m->second, fourth * length * (angle + rh_sin(angle)) / 2, b);
  add_square(&m->second, fourth * length * (angle - rh_sin(angle)) / 2, c);
  // The normal integrated over the sectors at its ends
  add_product(&m->second, -fourth * angle / 2, e->from, u);
  add_product(&m->second, fourth * angle / 2, e->to, u);
}

// The face on the other side of the edge from vertex i to j has it from j to i.
static bool face_across(const rh_hull *hull, int i, int j, rh_vec3 *normal)
{
  for (int f = 0; f < hull->nface; f++) {
    const int *loop = hull->loop + hull->face[f].first;
    int count = hull->face[f].count;
    for (int k = 0; k < count; k++) {
      if (loop[k] == j && loop[(k + 1) % count] == i) {
        *normal = hull->face[f].normal;
        return true;
      }
    }
  }
  return false;
}

rh_hull_solid rh_hull_grown(const rh_hull *hull, double r)
{
  moments m = core_moments(hull);
  add_diagonal(&m.second, 4 * PI / 15 * r * r * r * r * r);
  for (int i = 0; i < hull->nvert; i++) { // the whole angles, of which the faces' are subtracted
    add_corner(&m, hull->vert[i], 2 * PI, r);
  }
  for (int i = 0; i < hull->nface; i++) {
    const rh_hull_face *f = &hull->face[i];
    add_face(hull, f, r, &m);
    for (int k = 0; k < f->count; k++) {
      int from = hull->loop[f->first + k];
      int to = hull->loop[f->first + (k + 1) % f->count];
      edge e = {hull->vert[from], hull->vert[to], {f->normal}};
      if (from < to && face_across(hull, from, to, &e.normal[1])) {
        add_edge(&e, r, &m);
      }
    }
  }
  rh_hull_solid s = {.volume = m.volume, .centre = rh_scale(1 / m.volume, m.first)};
  rh_vec3 c = s.centre;
  double xx = m.second.xx / m.volume - c.x * c.x;
  double yy = m.second.yy / m.volume - c.y * c.y;
  double zz = m.second.zz / m.volume - c.z * c.z;
  s.inertia = (rh_sym3){yy + zz,
                        xx + zz,
                        xx + yy,
                        c.x * c.y - m.second.xy / m.volume,
                        c.x * c.z - m.second.xz / m.volume,
                        c.y * c.z - m.second.yz / m.volume};
  return s;
}
