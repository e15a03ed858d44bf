// Gait: waypoints of the feet. A step of duration T goes from x_i to x_f,
//   k(u) = 3 u^2 - 2 u^3, u = (t - t_i)/T, x = x_i + (x_f - x_i) k       [Ch] 4.1*
//   z = 4 z_max k (1 - k)                                                [Ch] 4.5*
// which is at rest at both ends (its acceleration is not zero there: z'' = 24 z_max/T^2 at lift-off
// and touch-down). A step is over at t >= t_i + T ([Ch] 4.2*), and its end is where the next one of
// that foot begins ([Ch] 4.3*). The first step is the right foot's and half a stride long. The
// centre of mass is midway in x ([Ch] 4.4); the controller decides its y. A walk that turns goes
// along a polygon: step k leads to a frame k half strides on, its heading k turns on.
#include <routh/robot.h>

#include <math.h>

#define ROUND 1e-12 // rounding of a time, as a fraction of a step: the step includes its ends

rh_way rh_cubic(double t, double T, double from, double to)
{
  double u = t / T;
  double D = to - from;
  if (u < -ROUND || u > 1 + ROUND) {
    return (rh_way){u < 0 ? from : to, 0, 0};
  }
  return (rh_way){from + D * (u * u * (3 - 2 * u)), D * 6 * u * (1 - u) / T,
                  D * (6 - 12 * u) / (T * T)};
}

rh_way rh_swing_arc(double t, double T, double height)
{
  rh_way k = rh_cubic(t, T, 0, 1);
  return (rh_way){4 * height * k.x * (1 - k.x), 4 * height * k.v * (1 - 2 * k.x),
                  4 * height * (k.a * (1 - 2 * k.x) - 2 * k.v * k.v)};
}

// Position of a foot after `made` of its steps; `half`: its first step is half a stride.
static double foot_distance(const rh_walk *walk, int made, bool half)
{
  return made <= 0 ? 0 : walk->stride * (half ? made - 0.5 : made);
}

// Even steps are the right foot's.
double rh_walk_stand(const rh_walk *walk, int foot, int before)
{
  int made = foot == 1 ? (before + 1) / 2 : before / 2; // of its own among the first `before`
  double x = foot_distance(walk, made, foot == 1);
  bool over = walk->steps > 0 && before >= walk->steps;
  bool last = over && (walk->steps % 2 == 1) == (foot == 1);
  return last ? x - 0.5 * walk->stride : x; // the last brings the feet together
}

rh_foothold rh_walk_place(const rh_walk *walk, int foot, int before)
{
  int made = foot == 1 ? (before + 1) / 2 : before / 2;
  int frame = foot == 1 ? 2 * made - 1 : 2 * made;
  frame = walk->steps > 0 && frame >= walk->steps ? walk->steps - 1 : frame;
  if (walk->turn == 0 || frame <= 0) {
    return (rh_foothold){rh_walk_stand(walk, foot, before), 0, 0};
  }
  double half = 0.5 * walk->turn;
  double chords =
      rh_sin(half) != 0 ? rh_sin(frame * half) / rh_sin(half) : frame; // of half a stride each
  double away = 0.5 * walk->stride * chords;
  return (rh_foothold){away * rh_cos(frame * half), away * rh_sin(frame * half),
                       frame * walk->turn};
}

static void swing_foot(const rh_walk *walk, double since, int foot, rh_walk_at *at)
{
  double T = walk->duration;
  rh_foothold from = rh_walk_place(walk, foot, at->step);
  rh_foothold to = rh_walk_place(walk, foot, at->step + 1);
  at->swinging = foot;
  at->foot[foot][0] = rh_cubic(since, T, from.x, to.x);
  at->foot[foot][1] = rh_swing_arc(since, T, walk->height);
  at->side[foot] = rh_cubic(since, T, from.y, to.y);
  at->heading[foot] = rh_cubic(since, T, from.turn, to.turn);
}

void rh_walk_plan(const rh_walk *walk, double t, rh_walk_at *at)
{
  double T = walk->duration;
  int step = t > 0 ? (int)fmin(floor(t / T), 1e6) : 0;
  bool going = t >= 0 && (walk->steps == 0 || step < walk->steps);
  step = going || t < 0 ? step : walk->steps;
  *at = (rh_walk_at){.swinging = RH_NONE, .step = step};
  for (int foot = 0; foot < 2; foot++) {
    rh_foothold stands = rh_walk_place(walk, foot, step);
    at->foot[foot][0].x = stands.x;
    at->side[foot].x = stands.y;
    at->heading[foot].x = stands.turn;
  }
  if (going) {
    swing_foot(walk, t - step * T, step % 2 == 0 ? 1 : 0, at);
  }
  rh_way left = at->foot[0][0];
  rh_way right = at->foot[1][0];
  at->com = (rh_way){0.5 * (left.x + right.x), 0.5 * (left.v + right.v), 0.5 * (left.a + right.a)};
}
