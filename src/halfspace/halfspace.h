// halfspace.h: the compliant patch of [WK] ch. 4 (L2): a contact area cut into cells that press on
// an elastic half-space. The influence of one cell on another is a coefficient [m/N]; the forces
// solve a problem with bounds. Nothing allocates; the caller provides the scratch.
#ifndef ROUTH_HALFSPACE_HALFSPACE_H
#define ROUTH_HALFSPACE_HALFSPACE_H

#include <stdbool.h>
#include <stddef.h>

#define RH_PATCH_MAX 128 // cells along a side of a grid
#define RH_PATCH_POINTS_MAX  16  // points of a face

// ---- Influence (influence.c): displacement at the centre of a cell under a unit force on another, (x, y) [m] away; h [m] side
// of the cells. Estar [Pa]: 1 / E* is the sum of (1 - nu^2) / E of both bodies.

double rh_influence_normal(double x, double y, double h, double Estar); // uniform pressure on the cell (Love)
double rh_influence_point(double x, double y, double h, double Estar);  // point force (Boussinesq); Love where x = y = 0
// Along x under uniform traction along x, two equal bodies of shear modulus G [Pa] and Poisson's ratio nu (Cerruti).
double rh_influence_tangential(double x, double y, double h, double G, double nu);
// Half-plane [m^2/N]: strips of width h, force per metre. The displacement is counted from that at
// the distance `datum`, since it has no limit far away.
double rh_influence_line(double x, double h, double Estar, double datum);

// ---- A grid of equal cells: nx along x, ny along y; cell (i, j) is number j nx + i.

typedef struct rh_patch {
  int nx, ny;
  const double *kernel; // [m/N] C of two cells: row |dy|, column dx + nx - 1 (ny x (2 nx - 1))
  const struct rh_convolution *fast; // the same by transforms (tractions.h); NULL: plain sums
} rh_patch;

typedef enum rh_influence { RH_INFLUENCE_LOVE, RH_INFLUENCE_POINT } rh_influence;

// Numbers in the kernel of an nx x ny grid.
size_t rh_patch_kernel_size(int nx, int ny);
// Fills the kernel and returns its patch.
rh_patch rh_patch_normal(int n, double h, double Estar, rh_influence influence, double *kernel);
rh_patch rh_patch_tangential(int n, double h, double G, double nu, double *kernel);
rh_patch rh_patch_line(int n, double h, double Estar, double *kernel); // datum: the width of the patch

// ---- Forces (halfspace.c): least 1/2 f'Cf - f'd with lo <= f <= hi. C f - d is then the
// separation (or slip), zero where f is free, of the right sign where it is at a bound. [WK] eq.
// 4.6-4.7*

typedef struct rh_patch_task {
  const double *drive; // d [m] displacement of the cells into the other body, or along it
  const double *lo;    // [N] (ncell)
  const double *hi;    // [N] >= lo; may be infinite
  double tol;          // worst separation that counts as none, over the largest |drive|
} rh_patch_task;

typedef struct rh_patch_result {
  bool solved;
  int products;    // C times a vector
  double residual; // [m] worst remaining separation
} rh_patch_result;

// Doubles of scratch for ncell cells.
size_t rh_patch_room(int ncell);
// f: a start (any numbers), then the result.
rh_patch_result rh_patch_solve(const rh_patch *patch, const rh_patch_task *task, double *room, double *f);

// ---- Pressing with a given load (load_control.c): the approach delta [m] at which forces f >= 0 over the gaps sum up to `load` [N].

typedef struct rh_press_task {
  const double *gap; // [m] between the undeformed bodies (ncell)
  double load;       // [N] > 0
  double tol;        // of the load, and as above
  double start;      // [m] an approach near the answer; at or below the least gap: none is known
} rh_press_task;

size_t rh_press_room(int ncell);
rh_patch_result rh_patch_press(const rh_patch *patch, const rh_press_task *task, double *room, double *f,
                             double *delta);

// ---- The paraboloid of a sphere (load_control.c): gaps r^2 / (2 R) on n x n cells of side h.

void rh_patch_sphere_gap(int n, double h, double R, double *gap);

// ---- Closed forms to compare with (hertz.c)

typedef struct rh_hertz {
  double load;   // [N], a line: [N/m]
  double radius; // a [m] of the contact area, a line: half its width
  double peak;   // p0 [Pa] greatest pressure
} rh_hertz;

rh_hertz rh_hertz_sphere(double R, double Estar, double delta);
rh_hertz rh_hertz_line(double R, double Estar, double load);
// Cattaneo and Mindlin: c / a of the part that sticks under a tangential load, `share` of the
// friction limit. On a line the part is wider.
double rh_mindlin_stick(double share);
double rh_mindlin_stick_line(double share);
// [m] shift at which all of it slips, two equal bodies; at c / a it is 1 - (c / a)^2 times this.
double rh_mindlin_full_slip(const rh_hertz *normal, double mu, double G, double nu);

// ---- A face of a few points (face.c): point i represents an area in the contact plane.

// Influence matrix C (n x n) [m/N] of points at (x, y) [m] (n x 2), areas [m^2]: symmetric and positive definite however the points lie, and the same in every frame.
void rh_face_influence(int n, const double *at, const double *area, double Estar, double *C);
// f >= 0 with C f - depth >= 0, one of the two zero for each point; n <= RH_PATCH_POINTS_MAX. [WK] eq. 4.6. False: C is not positive
// definite; f is zero then.
bool rh_face_solve(int n, const double *C, const double *depth, double *f);

#endif
