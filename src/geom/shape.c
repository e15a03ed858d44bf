// The shape table. So far a shape knows its volume and its inertia, from which bodies without stated inertia get theirs.
// Lengths along the shape's own z where there is an axis; the shape's frame sits at its centre.
#include <routh/kind.h>

#include <string.h>

static const double PI = 3.14159265358979323846;

#define LENGTH(key, text)                                                                          \
  {                                                                                                \
    key, "m", 0.1, 0, 1e6, text, RH_NUMBER, 0, NULL, true                                          \
  }
#define LENGTHS(key, text)                                                                         \
  {                                                                                                \
    key, "m", 0.1, 0, 1e6, text, RH_VECTOR, 3, NULL, true                                          \
  }

static rh_sym3 diagonal(double xx, double yy, double zz)
{
  return (rh_sym3){xx, yy, zz, 0, 0, 0};
}

// ---- sphere

static const rh_param sphere_param[] = {LENGTH("radius", "radius")};

static double sphere_volume(const double *p)
{
  return 4 * PI / 3 * p[0] * p[0] * p[0];
}

static rh_sym3 sphere_inertia(const double *p)
{
  double i = 0.4 * p[0] * p[0];
  return diagonal(i, i, i);
}

// ---- box

static const rh_param box_param[] = {LENGTHS("size", "full lengths of the sides")};

static double box_volume(const double *p)
{
  return p[0] * p[1] * p[2];
}

static rh_sym3 box_inertia(const double *p)
{
  double x = p[0] * p[0] / 12;
  double y = p[1] * p[1] / 12;
  double z = p[2] * p[2] / 12;
  return diagonal(y + z, x + z, x + y);
}

// ---- cylinder

static const rh_param cylinder_param[] = {LENGTH("radius", "radius"),
                                          LENGTH("length", "length along z")};

static double cylinder_volume(const double *p)
{
  return PI * p[0] * p[0] * p[1];
}

static rh_sym3 cylinder_inertia(const double *p)
{
  double across = p[0] * p[0] / 4 + p[1] * p[1] / 12;
  return diagonal(across, across, p[0] * p[0] / 2);
}

// ---- capsule: a cylinder with two half spheres on its ends

static const rh_param capsule_param[] = {
    LENGTH("radius", "radius"),
    LENGTH("length", "length along z between the centres of the end caps")};

static double capsule_volume(const double *p)
{
  return cylinder_volume(p) + sphere_volume(p);
}

// A half sphere's centre of mass lies 3/8 r from its flat side; about that its transverse inertia is 83/320 m r^2.
static rh_sym3 capsule_inertia(const double *p)
{
  double part = cylinder_volume(p) / capsule_volume(p); // of the mass in the cylinder
  double arm = p[1] / 2 + 0.375 * p[0];
  double across =
      part * cylinder_inertia(p).xx + (1 - part) * (83.0 / 320 * p[0] * p[0] + arm * arm);
  double along = part * 0.5 * p[0] * p[0] + (1 - part) * 0.4 * p[0] * p[0];
  return diagonal(across, across, along);
}

// ---- ellipsoid

static const rh_param ellipsoid_param[] = {LENGTHS("semi", "semi-axes")};

static double ellipsoid_volume(const double *p)
{
  return 4 * PI / 3 * p[0] * p[1] * p[2];
}

static rh_sym3 ellipsoid_inertia(const double *p)
{
  double x = 0.2 * p[0] * p[0];
  double y = 0.2 * p[1] * p[1];
  double z = 0.2 * p[2] * p[2];
  return diagonal(y + z, x + z, x + y);
}

// ---- the table

#define SHAPE(id, text)                                                                            \
  {                                                                                                \
    {#id, "", text, id##_param, RH_COUNT(id##_param)}, id##_volume, id##_inertia                   \
  }

static const rh_shape sphere = SHAPE(sphere, "ball");
static const rh_shape box = SHAPE(box, "rectangular block");
static const rh_shape cylinder = SHAPE(cylinder, "circular cylinder about z");
static const rh_shape capsule = SHAPE(capsule, "cylinder about z with round ends");
static const rh_shape ellipsoid = SHAPE(ellipsoid, "ellipsoid along its axes");

static const rh_shape *const table[] = {&sphere, &box, &cylinder, &capsule, &ellipsoid};

const rh_shape *const *rh_shape_table(int *count)
{
  *count = RH_COUNT(table);
  return table;
}

const rh_shape *rh_shape_find(const char *name)
{
  for (int i = 0; i < RH_COUNT(table); i++) {
    if (strcmp(table[i]->row.name, name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
