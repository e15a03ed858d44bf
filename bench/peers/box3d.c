/* Box3D adapter (single precision, soft steps), only with BOX3D_DIR. Variant: subN (N substeps, default 4), -stiff (contact frequency at its stability
 * limit), -TN (N worker threads). Planes are static boxes of 200 x 200 x 2 m, as the ground of Box3D's own
 * benchmarks. Scenes without trees: S1 to S4, S8, P1, P2. */
#include <box3d/box3d.h>
#include "bench.h"

enum { BODIES = 12000, GROUND = 1, MOVING = 2 };

typedef struct { Cfg c; b3WorldId w; b3BodyId b[BODIES]; int nb, sub; } W;

/* Friction belongs to the pair here, and Box3D mixes it from both shapes: the mixing functions get the pair's own. One world at a time. */
static float mu_bg_, mu_bb_, rest_;
static float mix_friction(float a, uint64_t ia, float b, uint64_t ib)
{
  (void)a;
  (void)b;
  return ia == GROUND || ib == GROUND ? mu_bg_ : mu_bb_;
}
static float mix_restitution(float a, uint64_t ia, float b, uint64_t ib)
{
  (void)a;
  (void)ia;
  (void)b;
  (void)ib;
  return rest_;
}

static b3Vec3 vec(const double x[3])
{
  return (b3Vec3){(float)x[0], (float)x[1], (float)x[2]};
}

static void *open_world(const Cfg *c)
{
  W *w = calloc(1, sizeof *w);
  b3WorldDef d = b3DefaultWorldDef();
  const char *sub = strstr(c->variant, "sub"), *threads = strstr(c->variant, "-T");
  w->c = *c;
  w->sub = sub ? atoi(sub + 3) : 4;
  mu_bg_ = (float)c->mu_bg;
  mu_bb_ = (float)c->mu_bb;
  rest_ = (float)c->rest;
  d.gravity = (b3Vec3){0, 0, (float)-c->g};
  d.enableSleep = false;
  d.restitutionThreshold = 0.02f;
  d.workerCount = threads ? (uint32_t)atoi(threads + 2) : 1;
  d.frictionCallback = mix_friction;
  d.restitutionCallback = mix_restitution;
  if (strstr(c->variant, "stiff")) d.contactHertz = (float)(0.25 * w->sub / c->dt);
  w->w = b3CreateWorld(&d);
  return w;
}

static b3ShapeDef shape(const W *w, uint64_t id, double density)
{
  b3ShapeDef s = b3DefaultShapeDef();
  s.baseMaterial.friction = id == GROUND ? mu_bg_ : mu_bb_;
  s.baseMaterial.restitution = rest_;
  s.baseMaterial.userMaterialId = id;
  s.density = (float)density;
  if (!w->c.collide) s.filter.maskBits = 0;
  return s;
}

static void add_hull(const W *w, b3BodyId id, uint64_t material, double density, const double h[3])
{
  b3BoxHull hull = b3MakeBoxHull((float)h[0], (float)h[1], (float)h[2]);
  b3ShapeDef s = shape(w, material, density);
  b3CreateHullShape(id, &s, &hull.base);
}

static void add_plane(void *p, const double n[3], double d)
{
  W *w = p;
  b3BodyDef b = b3DefaultBodyDef();
  double x[3], half[3]; /* thin along n: its face is then where it belongs to a rounding error of a float near 1 */
  for (int k = 0; k < 3; k++) {
    half[k] = fabs(n[k]) > 0.5 ? 1 : 100;
    x[k] = (d - 1) * n[k];
  }
  b.position = b3ToPos(vec(x));
  add_hull(w, b3CreateBody(w->w, &b), GROUND, 1, half);
}

static b3BodyId add_body(W *w, const double x[3])
{
  b3BodyDef b = b3DefaultBodyDef();
  if (w->nb == BODIES) {
    fprintf(stderr, "box3d: more than %d bodies\n", BODIES);
    exit(2);
  }
  b.type = b3_dynamicBody;
  b.position = b3ToPos(vec(x));
  b.enableSleep = false;
  return w->b[w->nb] = b3CreateBody(w->w, &b);
}

static int add_sphere(void *p, double r, double m, const double x[3])
{
  W *w = p;
  b3BodyId id = add_body(w, x);
  b3ShapeDef s = shape(w, MOVING, m / (4 * PI / 3 * r * r * r));
  b3Sphere ball = {.radius = (float)r};
  b3CreateSphereShape(id, &s, &ball);
  return w->nb++;
}

static int add_box(void *p, const double h[3], double m, const double x[3])
{
  W *w = p;
  add_hull(w, add_body(w, x), MOVING, m / (8 * h[0] * h[1] * h[2]), h);
  return w->nb++;
}

static void set_spin(void *p, int b, const double v[3])
{
  b3Body_SetAngularVelocity(((W *)p)->b[b], vec(v));
}

static void end_building(void *p)
{
  (void)p;
}

static void apply_force(void *p, int b, const double f[3])
{
  b3Body_ApplyForceToCenter(((W *)p)->b[b], vec(f), true);
}

static void step(void *p)
{
  W *w = p;
  b3World_Step(w->w, (float)w->c.dt, w->sub);
}

static void read_state(void *p, int i, double s[13])
{
  b3BodyId b = ((W *)p)->b[i];
  b3Vec3 x = b3ToVec3(b3Body_GetPosition(b)), v = b3Body_GetLinearVelocity(b), o = b3Body_GetAngularVelocity(b);
  b3Quat q = b3Body_GetRotation(b);
  double t[13] = {x.x, x.y, x.z, q.s, q.v.x, q.v.y, q.v.z, v.x, v.y, v.z, o.x, o.y, o.z};
  memcpy(s, t, sizeof t);
}

static int count_contacts(void *p) /* pairs of shapes, not points */
{
  return b3World_GetCounters(((W *)p)->w).contactCount;
}

static void close_world(void *p)
{
  b3DestroyWorld(((W *)p)->w);
  free(p);
}

int main(int argc, char **argv)
{
  static char name[40];
  b3Version v = b3GetVersion();
  snprintf(name, sizeof name, "box3d-%d.%d.%df", v.major, v.minor, v.revision);
  static Eng e;
  e = (Eng){.name = name, .open = open_world, .plane = add_plane, .sphere = add_sphere, .box = add_box, .spin = set_spin, .ready = end_building,
            .force = apply_force, .step = step, .get = read_state, .ncon = count_contacts, .close = close_world};
  return bench_main(&e, argc, argv);
}
