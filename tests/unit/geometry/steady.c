// unit_steady.c: normals and points of contacts follow the motion of their shapes without jitter, where a side is round. Three poses along a straight motion, 1 nm
// apart: what is left of the middle one beside the mean of the two others is rounding, for the
// curvature of the motion is below 1e-17. A normal that is only known to 1e-8 turns the velocity of approach into a slip of
// 1e-8 of it, and the friction of a contact that creeps jumps by so much that no step of an integrator passes.
#include "geometry/geometry.h"

#include "shapes.h"

#include <stdlib.h>

typedef struct jitter {
  double normal, point; // [1], [m]
} jitter;

static const double STEP = 1e-9; // [m]

static piece advanced(piece p, rh_vec3 v, rh_vec3 w, double s)
{
  double angle = s * rh_norm(w);
  p.g.p = rh_addscaled(p.g.p, s, v);
  return turned(p, w, angle);
}

// The distance of a and b becomes `gap`, along the normal of b's nearest point
static bool bring_near(piece *a, piece *b, double gap)
{
  for (int i = 0; i < 30; i++) {
    rh_near near;
    rh_near_pair(placed(a), placed(b), &near);
    double off = gap - near.gap;
    a->g.p = rh_addscaled(a->g.p, off, near.normal);
    if (fabs(off) < 1e-12) {
      return true;
    }
  }
  return false;
}

static const rh_touch *same(const rh_touch *list, int n, int id)
{
  for (int i = 0; i < n; i++) {
    if (list[i].id == id) {
      return &list[i];
    }
  }
  return NULL;
}

static double off_mean(rh_vec3 x, rh_vec3 y, rh_vec3 z)
{
  return rh_norm(rh_addscaled(y, -0.5, rh_add(x, z)));
}

static jitter jitter_of(const piece *a, piece *b, rh_vec3 v, rh_vec3 w)
{
  static rh_touch touch[3][RH_TOUCH_MAX];
  int n[3];
  jitter j = {0, 0};
  for (int k = 0; k < 3; k++) {
    piece p = advanced(*a, v, w, (k - 1) * STEP);
    n[k] = meet(&p, b, 1e-3, touch[k]);
  }
  for (int i = 0; i < n[1]; i++) {
    const rh_touch *y = &touch[1][i];
    const rh_touch *x = same(touch[0], n[0], y->id);
    const rh_touch *z = same(touch[2], n[2], y->id);
    if (x && z) {
      j.normal = fmax(j.normal, off_mean(x->normal, y->normal, z->normal));
      j.point = fmax(j.point, off_mean(x->point, y->point, z->point));
    }
  }
  return j;
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a;
  double y = *(const double *)b;
  return x < y ? -1 : x > y;
}

enum { TRIALS = 100 };

static const double GAP[] = {-1e-7, -1e-5, -1e-4,
                             -1e-3, -4e-3, -2e-2}; // [m] of shapes of some decimetres

static bool is_sharp(int kind)
{
  return kind == RH_SHAPE_BOX || kind == RH_SHAPE_HULL;
}

// Rounding is some 1e-16; a face that is cut has some tens of terms. A pose in ten or so is near one where other features
// meet, or where the direction is known to fewer digits.
static void check_pair(int ka, int kb, double gap)
{
  dice d = {(uint64_t)(100 * ka + 10 * kb) + 7};
  double normal[TRIALS];
  double point[TRIALS];
  int n = 0;
  for (int k = 0; k < TRIALS; k++) {
    piece b = roll_piece(&d, kb, 0, 1);
    piece a = roll_piece(&d, ka, 0, 1);
    b.g.p = rh_v3(0, 0, 0);
    a.g.p = roll_unit(&d);
    rh_vec3 v = roll_unit(&d);
    rh_vec3 w = rh_scale(5, roll_unit(&d));
    if (bring_near(&a, &b, gap)) {
      jitter j = jitter_of(&a, &b, v, w);
      normal[n] = j.normal;
      point[n++] = j.point;
    }
  }
  qsort(normal, (size_t)n, sizeof *normal, by_size);
  qsort(point, (size_t)n, sizeof *point, by_size);
  const char *name[2] = {rh_shape_rows[ka].row.name, rh_shape_rows[kb].row.name};
  if (n < TRIALS / 2 || normal[n / 2] > 1e-14 || point[n / 2] > 1e-14 ||
      normal[n * 8 / 10] > 1e-12 || point[n * 8 / 10] > 1e-12) {
    ck_abort_msg("%s and %s, gap %g: of %d poses half jitter by more than %.1e (%.1e m), a fifth "
                 "by more than %.1e (%.1e m)",
                 name[0], name[1], gap, n, normal[n / 2], point[n / 2], normal[n * 8 / 10],
                 point[n * 8 / 10]);
  }
}

START_TEST(all_pairs)
{
  for (int ka = 0; ka < RH_SHAPE_FIELD; ka++) {
    for (int kb = RH_SHAPE_SPHERE; kb <= ka; kb++) {
      for (int g = 0; g < RH_COUNT(GAP) && !(is_sharp(ka) && is_sharp(kb)); g++) {
        check_pair(ka, kb, GAP[g]);
      }
    }
  }
}

END_TEST

Suite *rh_suite_unit_steady(void)
{
  Suite *suite = suite_create("unit_steady");
  TCase *tcase = tcase_create("steady");
  tcase_add_test(tcase, all_pairs);
  suite_add_tcase(suite, tcase);
  return suite;
}
