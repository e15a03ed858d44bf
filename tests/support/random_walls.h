// random_walls.h: random thin walls and plates with something that flies at them, as scenes. Nothing here is under test.
#ifndef ROUTH_TEST_RANDOM_WALLS_H
#define ROUTH_TEST_RANDOM_WALLS_H

#include "world.h"

#include <math.h>
#include <stdarg.h>

// In the frame of the wall: x is its normal, the missile comes from x < 0. One of the two is a plate, the other is small; so
// it may be the plate that flies.
typedef enum wall_mount { WALL_WORLD, WALL_FREE, WALL_HINGE, WALL_SLIDE, WALL_MOUNTS } wall_mount;
typedef enum missile_mount {
  MISSILE_FREE,
  MISSILE_RAIL,   // on a prismatic joint
  MISSILE_SPRING, // pulled along a rail from rest
  MISSILE_ARM,    // at the end of an arm
  MISSILE_MOUNTS
} missile_mount;

typedef struct wall_case {
  rng r;
  const char *stepper;
  wall_mount wall;
  missile_mount missile;
  bool plate_flies;
  const char *plate, *small; // kinds
  double thick, wide;        // [m] of the plate
  double size;               // [m] half of the small one
  double speed;              // [m/s]
  double far;                // [m] between the centres at the start
  double spin;               // [rad/s]
  rh_vec3 gravity;           // in the frame of the wall
  rh_mat3 R;                 // of that frame
  rh_vec3 at;
  rh_vec3 slant;             // direction of the flight
  rh_vec3 off;               // of the missile, along the wall
  double until, dt, every;
  char law[200];
} wall_case;

static inline double rng_log(rng *r, double lo, double hi)
{
  return exp(rng_in(r, log(lo), log(hi)));
}

typedef struct page { // text that is written bit by bit
  char text[8000];
  int n;
} page;

__attribute__((format(printf, 2, 3))) static inline void put_text(page *p, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  p->n += vsnprintf(p->text + p->n, sizeof p->text - (size_t)p->n, format, list);
  va_end(list);
  ck_assert_int_lt(p->n, (int)sizeof p->text);
}

static inline void put_three(page *p, const char *name, rh_vec3 x)
{
  put_text(p, "%s: [%.17g, %.17g, %.17g]", name, x.x, x.y, x.z);
}

// ---- Choosing

static inline void choose_law(wall_case *c)
{
  static const char *const soft[] = {"kelvin-voigt", "hunt-crossley", "hertz"};
  static const char *const rigid[] = {"newton", "poisson", "stronge"};
  bool ticks = strcmp(c->stepper, "haptic") == 0;
  if (ticks || rng_int(&c->r, 3) == 0) {
    int which = ticks ? 0 : rng_int(&c->r, 3);
    double k = rng_log(&c->r, 1e3, 1e9);
    (void)snprintf(c->law, sizeof c->law, "law: %s, %s: %g%s", soft[which], which == 2 ? "K" : "k", k,
                   which == 0 ? ", b: 1" : "");
    return;
  }
  int which = rng_int(&c->r, strcmp(c->stepper, "moreau") == 0 ? 2 : 3);
  (void)snprintf(c->law, sizeof c->law, "law: %s, e: %g", rigid[which],
                 rng_int(&c->r, 3) == 0 ? 0 : rng_in(&c->r, 0, 1));
}

static inline void choose_gravity(wall_case *c)
{
  // what hangs on a joint would swing or slide away by itself
  bool apt = c->missile == MISSILE_FREE && (c->wall == WALL_WORLD || c->wall == WALL_FREE);
  bool any = rng_int(&c->r, 2) == 0 && apt;
  rh_vec3 g = rh_v3(1, rng_in(&c->r, -0.2, 0.2), rng_in(&c->r, -0.2, 0.2));
  c->gravity = any ? rh_scale(9.81, g) : rh_v3(0, 0, 0);
}

// The time until they meet, and as much again as will show on which side it ended
static inline void choose_times(wall_case *c)
{
  double g = c->missile == MISSILE_FREE && c->wall != WALL_FREE ? c->gravity.x : 0;
  double meet = g > 0 ? (sqrt(c->speed * c->speed + 2 * g * c->far) - c->speed) / g : c->far / c->speed;
  if (c->missile == MISSILE_SPRING) {
    meet = 1.3 * c->far / c->speed; // a quarter of the swing is 1.57 of them
  }
  c->until = rng_in(&c->r, 1.3, 1.7) * meet;
  c->dt = fmin(c->until / rng_log(&c->r, 3, 300), 1);
  c->every = c->until * rng_log(&c->r, 0.003, 2);
  if (strcmp(c->stepper, "haptic") == 0) { // frames are not shorter than ticks there
    c->every = fmax(c->every, c->dt);
  }
}

static inline wall_case random_wall(uint64_t seed, const char *stepper)
{
  static const char *const plates[] = {"box", "cylinder", "ellipsoid", "hull"};
  static const char *const smalls[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid", "hull"};
  wall_case c = {.r = {seed}, .stepper = stepper};
  rng *r = &c.r;
  bool ticks = strcmp(stepper, "haptic") == 0;
  c.plate_flies = rng_int(r, 4) == 0;
  c.wall = ticks ? WALL_WORLD : (wall_mount)rng_int(r, WALL_MOUNTS);
  c.missile = ticks || c.plate_flies ? MISSILE_FREE : (missile_mount)rng_int(r, MISSILE_MOUNTS);
  c.plate = plates[rng_int(r, RH_COUNT(plates))];
  c.small = smalls[rng_int(r, RH_COUNT(smalls))];
  c.thick = rng_log(r, 1e-4, 0.03);
  c.wide = rng_in(r, 1, 2);
  if (strcmp(c.plate, "ellipsoid") == 0) { // a flatter one has no digits left for where it is touched
    c.thick = fmax(c.thick, 0.01 * c.wide);
  }
  c.size = rng_log(r, 1e-3, 0.05);
  c.speed = rng_log(r, 0.1, 1000);
  c.spin = rng_int(r, 2) == 0 ? 0 : rng_log(r, 0.1, c.plate_flies ? 0.1 * c.speed + 0.2 : 300);
  c.far = 0.5 * c.thick + 2 * c.size + rng_log(r, 0.01, 0.4) + (c.plate_flies ? 0.1 : 0);
  c.R = rng_int(r, 4) == 0 ? rh_mat3_identity() : rh_quat_matrix(rng_quat(r));
  c.at = rng_int(r, 4) == 0 ? rh_v3(0, 0, 0) : rng_vec3(r, 1);
  bool slants = c.missile == MISSILE_FREE || c.missile == MISSILE_RAIL;
  double slant = slants && rng_int(r, 2) == 0 ? 0.2 : 0;
  c.slant = rh_v3(1, rng_in(r, -slant, slant), rng_in(r, -slant, slant));
  c.off = rh_v3(0, rng_in(r, -0.2, 0.2), rng_in(r, -0.2, 0.2));
  choose_law(&c);
  choose_gravity(&c);
  choose_times(&c);
  return c;
}

// ---- Writing

// The meshes of a hull are turned against its body, so that their own axes say nothing of how thin they are.
static inline void put_hull_mesh(page *p, rng *r, rh_vec3 size, rh_mat3 *turn)
{
  *turn = rh_quat_matrix(rng_quat(r));
  put_text(p, "meshes: [{name: solid, vertices: [");
  for (int i = 0; i < 8; i++) {
    rh_vec3 x = rh_v3((i & 1 ? 0.5 : -0.5) * size.x, (i & 2 ? 0.5 : -0.5) * size.y,
                      (i & 4 ? 0.5 : -0.5) * size.z);
    x = rh_unrotate(turn, x);
    put_text(p, "%s[%.17g, %.17g, %.17g]", i ? ", " : "", x.x, x.y, x.z);
  }
  put_text(p, "]}]\n");
}

// A shape whose thin direction is x, within a box of `size`
static inline void put_shape(page *p, const char *body, const char *kind, rh_vec3 size,
                             const rh_mat3 *place, rh_vec3 at)
{
  static const rh_mat3 lie = {{0, 0, 1, 0, 1, 0, -1, 0, 0}}; // z to x
  bool round = strcmp(kind, "cylinder") == 0 || strcmp(kind, "capsule") == 0;
  rh_mat3 R = round ? rh_mat3_mul(place, &lie) : *place;
  rh_vec3 rpy = rpy_of(&R);
  put_text(p, "  - {body: %s, kind: %s, ", body, kind);
  if (strcmp(kind, "sphere") == 0) {
    put_text(p, "radius: %.17g", 0.5 * size.x);
  } else if (strcmp(kind, "capsule") == 0) {
    put_text(p, "radius: %.17g, length: %.17g", 0.25 * size.x, size.x);
  } else if (round) {
    put_text(p, "radius: %.17g, length: %.17g", 0.5 * size.y, size.x);
  } else if (strcmp(kind, "hull") == 0) {
    put_text(p, "mesh: solid");
  } else if (strcmp(kind, "ellipsoid") == 0) {
    put_three(p, "semi", rh_scale(0.5, size));
  } else {
    put_three(p, "size", size);
  }
  put_text(p, ", ");
  put_three(p, "at", at);
  put_text(p, ", ");
  put_three(p, "rpy", rpy);
  put_text(p, "}\n");
}

static inline void put_free_joint(page *p, const wall_case *c, const char *body, rh_vec3 x, rh_vec3 v)
{
  rh_quat q = rh_quat_of_matrix(&c->R);
  rng r = c->r;
  rh_vec3 at = rh_add(c->at, rh_rotate(&c->R, x));
  rh_vec3 spin = rh_scale(rh_norm(v) > 0 ? c->spin : 0, rng_unit(&r));
  put_text(p, "  - {kind: free, child: %s, q: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g, %.17g], ", body,
           at.x, at.y, at.z, q.w, q.x, q.y, q.z);
  put_text(p, "v: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}\n", v.x, v.y, v.z, spin.x, spin.y, spin.z);
}

static inline void put_joints(page *p, const wall_case *c)
{
  rh_vec3 rpy = rpy_of(&c->R);
  rh_vec3 start = rh_add(rh_v3(-c->far, 0, 0), c->off);
  rh_vec3 at = rh_add(c->at, rh_rotate(&c->R, start));
  put_text(p, "joints:\n");
  if (c->missile == MISSILE_FREE) { // v is in the axes of the world at its place
    put_free_joint(p, c, "missile", start, rh_rotate(&c->R, rh_scale(c->speed, c->slant)));
  } else if (c->missile == MISSILE_ARM) { // about z, half a metre long
    rh_vec3 pivot = rh_add(start, rh_v3(c->far, 0.5, 0));
    double angle = -asin(fmin(c->far / 0.5, 0.99));
    pivot = rh_add(c->at, rh_rotate(&c->R, pivot));
    put_text(p, "  - {kind: revolute, child: missile, axis: [0, 0, 1], q: %.17g, v: %.17g, ", angle,
             c->speed / 0.5);
    put_three(p, "at", pivot);
    put_text(p, ", ");
    put_three(p, "rpy", rpy);
    put_text(p, "}\n");
  } else {
    double w = c->speed / c->far; // of the swing, to as far behind the wall
    put_text(p, "  - {kind: prismatic, child: missile, ");
    put_three(p, "axis", c->slant);
    put_text(p, ", v: %.17g, ", c->missile == MISSILE_SPRING ? 0 : c->speed * rh_norm(c->slant));
    if (c->missile == MISSILE_SPRING) {
      put_text(p, "spring: %.17g, rest: %.17g, ", 0.1 * w * w, c->far);
    }
    put_three(p, "at", at);
    put_text(p, ", ");
    put_three(p, "rpy", rpy);
    put_text(p, "}\n");
  }
  if (c->wall == WALL_FREE) {
    put_free_joint(p, c, "wall", rh_v3(0, 0, 0), rh_v3(0, 0, 0));
  } else if (c->wall != WALL_WORLD) {
    bool hinge = c->wall == WALL_HINGE;
    rh_vec3 edge = rh_v3(0, hinge ? -0.5 * c->wide : 0, 0);
    put_text(p, "  - {kind: %s, child: wall, axis: [%d, 0, %d], ", hinge ? "revolute" : "prismatic",
             !hinge, hinge);
    put_three(p, "at", rh_add(c->at, rh_rotate(&c->R, edge)));
    put_text(p, ", ");
    put_three(p, "rpy", rpy);
    put_text(p, "}\n");
  }
}

// Where the shape of the missile, and of the wall, is seen from its body
static inline rh_vec3 missile_in_body(const wall_case *c)
{
  return c->missile == MISSILE_ARM ? rh_v3(0, -0.5, 0) : rh_v3(0, 0, 0);
}

static inline rh_vec3 wall_in_body(const wall_case *c)
{
  return c->wall == WALL_HINGE ? rh_v3(0, 0.5 * c->wide, 0) : rh_v3(0, 0, 0);
}

static inline void put_shapes(page *p, wall_case *c)
{
  rh_vec3 plate = rh_v3(c->thick, c->wide, c->wide);
  rh_vec3 small = rh_v3(2 * c->size, c->size * rng_in(&c->r, 0.5, 1.5), c->size * rng_in(&c->r, 0.5, 1.5));
  bool both = strcmp(c->plate, "hull") == 0 && strcmp(c->small, "hull") == 0;
  c->small = both ? "box" : c->small;
  rh_mat3 one = rh_mat3_identity();
  rh_mat3 mesh = one;
  if (strcmp(c->plate, "hull") == 0 || strcmp(c->small, "hull") == 0) {
    put_hull_mesh(p, &c->r, strcmp(c->plate, "hull") == 0 ? plate : small, &mesh);
  }
  put_text(p, "shapes:\n");
  for (int i = 0; i < 2; i++) {
    bool is_plate = (i == 0) != c->plate_flies; // the wall comes first
    const char *kind = is_plate ? c->plate : c->small;
    bool world = i == 0 && c->wall == WALL_WORLD;
    rh_mat3 place = strcmp(kind, "hull") == 0 ? mesh : one;
    place = world ? rh_mat3_mul(&c->R, &place) : place;
    put_shape(p, i == 1 ? "missile" : world ? "world" : "wall", kind, is_plate ? plate : small, &place,
              world    ? c->at
              : i == 0 ? wall_in_body(c)
                       : missile_in_body(c));
  }
}

static inline void write_wall(wall_case *c, page *p)
{
  p->n = 0;
  bool carried = c->wall != WALL_WORLD;
  double mass = rng_log(&c->r, 0.02, 50);
  put_text(p, "world: {");
  put_three(p, "gravity", rh_rotate(&c->R, c->gravity));
  put_text(p, "}\nbodies: [{name: missile, mass: 0.1}");
  put_text(p, carried ? ", {name: wall, mass: %g}]\n" : "]\n", mass);
  put_joints(p, c);
  put_shapes(p, c);
  put_text(p, "contacts: [{name: meet, body: missile, against: %s, %s}]\n", carried ? "wall" : "world",
           c->law);
  bool cvode = strcmp(c->stepper, "cvode") == 0;
  if (strcmp(c->stepper, "haptic") == 0) {
    static const char *const methods[] = {"iapb", "pb", "ideal-glue", "ideal-moreau"};
    put_text(p, "haptic: {tool: missile, method: %s}\n", methods[rng_int(&c->r, RH_COUNT(methods))]);
  }
  put_text(p, "run: {until: %.17g, stepper: %s", c->until, c->stepper);
  put_text(p, cvode ? "}\n" : ", dt: %.17g}\n", c->dt);
  put_text(p, "record: {every: %.17g}\n", c->every);
}

// ---- Which side

static inline rh_xform pose_of_body(const rh_data *d, int body, rh_vec3 at)
{
  const rh_kin_body *k = &d->kin[body];
  return (rh_xform){k->R, rh_add(k->p, rh_rotate(&k->R, at))};
}

// [m] of the small one from the middle of the plate, along its normal; 0: not over the plate, which was hit so hard that it turned away
static inline double side_of(const wall_case *c, rh_data *d)
{
  rh_kinematics(d);
  int missile = rh_model_find(d->model, RH_OBJECT_BODY, "missile");
  int wall = rh_model_find(d->model, RH_OBJECT_BODY, "wall");
  rh_xform w = wall == RH_NONE ? (rh_xform){c->R, c->at} : pose_of_body(d, wall, wall_in_body(c));
  rh_xform m = pose_of_body(d, missile, missile_in_body(c));
  const rh_xform *plate = c->plate_flies ? &m : &w;
  rh_vec3 between = rh_sub(m.p, w.p);
  between = rh_unrotate(&plate->R, between);
  return hypot(between.y, between.z) < 0.5 * c->wide ? between.x : 0;
}

#endif
