// Friction under a round body in motion. The contact of radius a is cut into 52 square cells, those
// of 8 x 8 whose centre lies in the circle, with the area of the circle. The surfaces are displaced along one another
// by
//   w = (1 / (E* h)) K q + b,
// K the influence of tangential forces q, b the displacement by Hertz's pressure (Johnson, 3.4),
//   b_r = -beta N / (pi E* r) (1 - (1 - r^2 / a^2)^(3/2)),
// which couples normal to tangential directions; q does not act back on the pressure. A cell keeps
// w but for slip, with the surface: dw/dt = v - s along its way, v the rigid slip of its place. The
// cells move over the surface as the contact rolls and grows, so that at a cell
//   dw/dt = v - s + (c . grad) w,   c = roll + (x / a) da/dt,
// with differences against the flow; ahead of the contact w is that of the free surface. The limit
// of a cell is mu times its part of Hertz's pressure. [WK] eq. 4.4, 4.5*; Kalker 1990
#include "round_patch.h"

#include <routh/elementary.h>

#include <math.h>
#include <string.h>

enum { SIDE = RH_ROUND_SIDE, CELLS = RH_ROUND_CELLS, UNKNOWNS = 2 * CELLS };

static const double PI = 3.14159265358979323846;
static const double CELL =
    0.24579512472436318; // h / a = sqrt(pi / 52): all cells are as large as the circle

typedef struct round_grid {
  int at[CELLS][2];                                             // column and row
  int number[SIDE][SIDE];                                       // of a cell, -1: outside the circle
  double along[SIDE + 1][SIDE + 1], across[SIDE + 1][SIDE + 1]; // influence XX and XY by |dx|, |dy|
  double weight[CELLS];                                         // part of the pressure
} round_grid;

static double cell_place(int k) // over a
{
  return CELL * (k - 0.5 * (SIDE - 1));
}

static void open_grid(round_grid *g, double shear)
{
  int n = 0;
  double sum = 0;
  for (int j = 0; j < SIDE; j++) {
    for (int i = 0; i < SIDE; i++) {
      double rest = 1 - cell_place(i) * cell_place(i) - cell_place(j) * cell_place(j);
      int out = (2 * i + 1 - SIDE) * (2 * i + 1 - SIDE) + (2 * j + 1 - SIDE) * (2 * j + 1 - SIDE);
      g->number[j][i] = out < SIDE * SIDE ? n : -1;
      if (out < SIDE * SIDE) {
        g->at[n][0] = i;
        g->at[n][1] = j;
        g->weight[n] = sqrt(rest);
        sum += g->weight[n++];
      }
    }
  }
  for (int k = 0; k < CELLS; k++) {
    g->weight[k] /= sum;
  }
  rh_influence_quarter(SIDE + 1, shear, &g->along[0][0], &g->across[0][0]);
}

// Influence of a force along `from` on the displacement along `to`, (dx, dy) cells away
static double influence_at(const round_grid *g, int dx, int dy, int to, int from)
{
  int x = dx < 0 ? -dx : dx;
  int y = dy < 0 ? -dy : dy;
  if (to == from) {
    return to == 0 ? g->along[y][x] : g->along[x][y];
  }
  return (dx < 0) == (dy < 0) ? g->across[y][x] : -g->across[y][x];
}

// ---- Forces from displacements

static void pressed_displacement(const rh_round_motion *in, double x, double y, double b[2])
{
  double r = rh_hypot(x, y); // over a
  double inner = r < 1 ? 1 - rh_pow(1 - r * r, 1.5) : 1;
  double size = r > 0 ? -in->pair.beta * in->normal * inner / (PI * in->pair.Estar * in->a * r) : 0;
  b[0] = r > 0 ? size * x / r : 0;
  b[1] = r > 0 ? size * y / r : 0;
}

// Fields that are even or odd in x and in y do not act on one another: along x even, along y odd,
// and so on. Each of the four has 26 unknowns, the forces along x and y of a quarter's cells.
enum { QUARTER = CELLS / 4, BLOCK = 2 * QUARTER, HALF = SIDE / 2 };

typedef struct quarter {
  int at[QUARTER][2]; // column and row, from the middle: 0 to 3
  // of the field along x and along y at the mirror images (bit 0: of x, bit 1: of y)
  double sign[2][4];
} quarter;

// The field along x is odd in x, in y as given; that along y the other way round.
static void set_signs(quarter *f, bool odd_x, bool odd_y)
{
  for (int mirror = 0; mirror < 4; mirror++) {
    bool x = (mirror & 1) != 0;
    bool y = (mirror & 2) != 0;
    f->sign[0][mirror] = (x && odd_x) != (y && odd_y) ? -1 : 1;
    f->sign[1][mirror] = (x && !odd_x) != (y && !odd_y) ? -1 : 1;
  }
}

// Column or row of a quarter's cell, mirrored or not
static int mirrored_place(int from_middle, bool mirrored)
{
  return mirrored ? HALF - 1 - from_middle : HALF + from_middle;
}

static double quarter_influence(const round_grid *g, const quarter *f, int to, int from)
{
  const int *a = f->at[to % QUARTER];
  const int *b = f->at[from % QUARTER];
  int along[2] = {to / QUARTER, from / QUARTER};
  double sum = 0;
  for (int mirror = 0; mirror < 4; mirror++) {
    int dx = HALF + a[0] - mirrored_place(b[0], (mirror & 1) != 0);
    int dy = HALF + a[1] - mirrored_place(b[1], (mirror & 2) != 0);
    sum += f->sign[along[1]][mirror] * influence_at(g, dx, dy, along[0], along[1]);
  }
  return sum;
}

// The field's part of the displacements, then its forces: L L' x = x
static void solve_field(const round_grid *g, const quarter *f, double x[BLOCK])
{
  double L[BLOCK][BLOCK];
  for (int i = 0; i < BLOCK; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = quarter_influence(g, f, i, j);
      for (int k = 0; k < j; k++) {
        sum -= L[i][k] * L[j][k];
      }
      L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
      x[i] -= j < i ? L[i][j] * x[j] : 0;
    }
    x[i] /= L[i][i];
  }
  for (int i = BLOCK - 1; i >= 0; i--) {
    for (int k = i + 1; k < BLOCK; k++) {
      x[i] -= L[k][i] * x[k];
    }
    x[i] /= L[i][i];
  }
}

// q := K^-1 u. False: not finite.
static bool solve_influence(const round_grid *g, const double *u, double *q)
{
  quarter f;
  int n = 0;
  for (int k = 0; k < CELLS; k++) {
    if (g->at[k][0] >= HALF && g->at[k][1] >= HALF) {
      f.at[n][0] = g->at[k][0] - HALF;
      f.at[n++][1] = g->at[k][1] - HALF;
    }
  }
  memset(q, 0, UNKNOWNS * sizeof *q);
  for (int kind = 0; kind < 4; kind++) {
    double x[BLOCK] = {0};
    set_signs(&f, (kind & 1) != 0, kind >= 2);
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < 4 * BLOCK; i++) {
        int part = i % BLOCK;
        int mirror = i / BLOCK;
        int column = mirrored_place(f.at[part % QUARTER][0], (mirror & 1) != 0);
        int row = mirrored_place(f.at[part % QUARTER][1], (mirror & 2) != 0);
        int cell = 2 * g->number[row][column] + part / QUARTER;
        double sign = f.sign[part / QUARTER][mirror];
        x[part] += pass == 0 ? 0.25 * sign * u[cell] : 0;
        q[cell] += pass == 1 ? sign * x[part] : 0;
      }
      if (pass == 0) {
        solve_field(g, &f, x);
      }
    }
  }
  return isfinite(q[0]);
}

// Weight of the pressure of one cell in the friction of another, `rho` in cells (Oden and Pires)
static double mollifier_weight(const round_grid *g, int i, int j, double rho)
{
  double dx = g->at[i][0] - g->at[j][0];
  double dy = g->at[i][1] - g->at[j][1];
  double r2 = dx * dx + dy * dy;
  return r2 < rho * rho ? rh_exp(rho * rho / (r2 - rho * rho)) : 0;
}

// The pressure of a cell is shared out among the cells around it, so that the whole limit stays.
static void friction_limits(const rh_round_motion *in, const round_grid *g, double limit[CELLS])
{
  double rho = in->rho / (CELL * in->a); // in cells
  double whole = in->mu * in->normal;
  for (int i = 0; i < CELLS; i++) {
    limit[i] = rho > 1 ? 0 : whole * g->weight[i];
  }
  for (int j = 0; j < CELLS && rho > 1; j++) {
    double sum = 0;
    for (int i = 0; i < CELLS; i++) {
      sum += mollifier_weight(g, i, j, rho);
    }
    for (int i = 0; i < CELLS; i++) {
      limit[i] += whole * g->weight[j] * mollifier_weight(g, i, j, rho) / sum;
    }
  }
}

// ---- Rates

typedef struct round_state {
  const rh_round_motion *in;
  const round_grid *g;
  double q[UNKNOWNS]; // [N] forces that hold every cell
  double scale;       // [m/N] 1 / (E* h)
} round_state;

// Displacement at a cell of the grid or next to it
static double displacement_at(const round_state *s, int column, int row, int k)
{
  bool inside = column >= 0 && column < SIDE && row >= 0 && row < SIDE;
  int cell = inside ? s->g->number[row][column] : -1;
  if (cell >= 0) {
    return s->in->w[2 * cell + k];
  }
  double b[2];
  double sum = 0;
  pressed_displacement(s->in, cell_place(column), cell_place(row), b);
  for (int j = 0; j < CELLS; j++) {
    int dx = column - s->g->at[j][0];
    int dy = row - s->g->at[j][1];
    sum += influence_at(s->g, dx, dy, k, 0) * s->q[2 * j] +
           influence_at(s->g, dx, dy, k, 1) * s->q[2 * j + 1];
  }
  return b[k] + sum * s->scale;
}

// (c . grad) w at a cell: what the motion of the cell over the surface brings
static void carried_rate(const round_state *s, int cell, double rate[2])
{
  const rh_round_motion *in = s->in;
  const int *at = s->g->at[cell];
  double h = CELL * in->a;
  rate[0] = rate[1] = 0;
  for (int axis = 0; axis < 2; axis++) {
    double c = in->roll[axis] + cell_place(at[axis]) * in->growth;
    int step = c > 0 ? 1 : -1;
    int to[2] = {at[0] + (axis == 0 ? step : 0), at[1] + (axis == 1 ? step : 0)};
    for (int k = 0; k < 2 && c != 0; k++) {
      rate[k] += fabs(c) / h * (displacement_at(s, to[0], to[1], k) - in->w[2 * cell + k]);
    }
  }
}

static void cell_rates(const round_state *s, int cell, double limit, rh_round_forces *out)
{
  const rh_round_motion *in = s->in;
  const double *q = s->q + 2 * (size_t)cell;
  double x = cell_place(s->g->at[cell][0]) * in->a;
  double y = cell_place(s->g->at[cell][1]) * in->a;
  double size = rh_hypot(q[0], q[1]);
  double share = size > limit ? limit / size : 1;
  double slider = in->relax * (1 - share) * s->scale * s->g->along[0][0];
  double v[2] = {in->slip[0] - in->spin * y, in->slip[1] + in->spin * x};
  double carried[2];
  carried_rate(s, cell, carried);
  for (int k = 0; k < 2; k++) {
    double slide = slider * q[k];
    double force = share * q[k];
    double rate = v[k] - slide + carried[k];
    out->rate[2 * cell + k] = rate;
    out->force[k] -= force;
    out->p_slide += force * slide;
    out->p_lost -= force * carried[k];
    out->p_spring += force * rate;
  }
  out->torque -= share * (x * q[1] - y * q[0]);
  out->margin = fmax(out->margin, limit - size);
}

bool rh_round_friction(const rh_round_motion *in, rh_round_forces *out)
{
  round_grid g;
  round_state s = {.in = in, .g = &g, .scale = 1 / (CELL * in->a * in->pair.Estar)};
  double limit[CELLS];
  double elastic[UNKNOWNS];
  open_grid(&g, in->pair.shear);
  *out = (rh_round_forces){.margin = -HUGE_VAL};
  for (int i = 0; i < CELLS; i++) {
    double b[2];
    pressed_displacement(in, cell_place(g.at[i][0]), cell_place(g.at[i][1]), b);
    for (int k = 0; k < 2; k++) {
      elastic[2 * i + k] = (in->w[2 * i + k] - b[k]) / s.scale;
    }
  }
  bool good = solve_influence(&g, elastic, s.q);
  friction_limits(in, &g, limit);
  for (int i = 0; i < CELLS; i++) {
    cell_rates(&s, i, limit[i], out);
  }
  for (int i = 0; i < UNKNOWNS; i++) {
    out->stored += 0.5 * s.q[i] * elastic[i] * s.scale;
  }
  return good;
}
