// poses.c: frequency of the orders that [CSC] claims, over 40 random starts of the peg.
#include "csc.h"

#include <math.h>
#include <stdlib.h>

enum { POSES = 40, SUB = 4 }; // steps of the ideal per tick

enum { GLUE, FULL, SPREAD, SCALE, SATURATE, PENALTY, COUPLER, MOREAU, METHODS };

static const struct {
  const char *method, *limits;
} method[METHODS] = {
    [GLUE] = {"ideal-glue", "none"},   [FULL] = {"iapb", "none"},
    [SPREAD] = {"iapb", "spread"},     [SCALE] = {"iapb", "scale"},
    [SATURATE] = {"iapb", "saturate"}, [PENALTY] = {"pb", "none"},
    [COUPLER] = {"cb-uc", "none"},     [MOREAU] = {"ideal-moreau", "none"},
};

typedef struct pose { // of each method
  rh_metrics_result r[METHODS];
  double rms[METHODS];        // [m] to the ideal by eq. 15
  double unilateral[METHODS]; // [m] to the other
} pose;

// ---- Claims

static bool full_closest(const pose *p)
{
  return p->rms[FULL] < p->rms[PENALTY] && p->rms[FULL] < p->rms[COUPLER];
}

static bool spread_closer(const pose *p)
{
  return p->rms[SPREAD] < p->rms[PENALTY] && p->rms[SPREAD] < p->rms[COUPLER];
}

static bool has_expected_order(const pose *p)
{
  return p->rms[FULL] <= 1.02 * p->rms[SPREAD] && p->rms[SPREAD] < p->rms[SCALE] &&
         p->rms[SCALE] < p->rms[SATURATE];
}

static bool saturate_deepest(const pose *p)
{
  return p->r[SATURATE].pen_hand > p->r[FULL].pen_hand &&
         p->r[SATURATE].pen_hand > p->r[SCALE].pen_hand &&
         p->r[SATURATE].pen_hand > p->r[SPREAD].pen_hand;
}

static bool saturate_slowest(const pose *p)
{
  return p->r[SATURATE].t_settle > p->r[FULL].t_settle &&
         p->r[SATURATE].t_settle > p->r[SCALE].t_settle &&
         p->r[SATURATE].t_settle > p->r[SPREAD].t_settle;
}

static bool spread_shallowest(const pose *p)
{
  return p->r[SPREAD].pen_hand < p->r[SCALE].pen_hand &&
         p->r[SPREAD].pen_hand < p->r[SATURATE].pen_hand;
}

static bool tool_shallower(const pose *p)
{
  return p->r[FULL].pen_tool < p->r[PENALTY].pen_tool &&
         p->r[SPREAD].pen_tool < p->r[PENALTY].pen_tool;
}

static bool full_settles(const pose *p)
{
  return p->r[FULL].t_settle <= p->r[PENALTY].t_settle &&
         p->r[FULL].bounces <= p->r[PENALTY].bounces;
}

static bool spread_settles(const pose *p)
{
  return p->r[SPREAD].t_settle <= p->r[PENALTY].t_settle;
}

static bool force_larger(const pose *p)
{
  return fmax(p->r[SPREAD].peak[0], p->r[SPREAD].peak[1]) >
         fmax(p->r[PENALTY].peak[0], p->r[PENALTY].peak[1]);
}

static const struct {
  const char *name;
  bool (*holds)(const pose *p);
  int reference; // count of the reference, where it is compared by pooled rates; 0: by the figure's row
} claims[] = {
    {"IAPB full is closest to the ideal (15)", full_closest, 0},
    {"IAPB spread is closer to it than PB and CB_uc", spread_closer, 0},
    {"rms: full <= 1.02 spread < scaled < saturated", has_expected_order, 0},
    {"saturated penetrates deepest", saturate_deepest, 0},
    {"saturated settles last", saturate_slowest, 29},
    {"spread penetrates least of the limited", spread_shallowest, 0},
    {"tool penetrates less than with PB", tool_shallower, 0},
    {"full settles and bounces no more than PB", full_settles, 0},
    {"spread settles no later than PB", spread_settles, 0},
    {"limited force is larger than that of PB", force_larger, 0},
};

#define ALL_STARTS "of 40 starts"

enum { CLAIMS = RH_COUNT(claims) };

typedef struct tally {
  int held[CLAIMS];
  int unilateral; // IAPB full closest to that ideal
} tally;

// ---- Running

static double uniform_random(uint64_t *seed, double lo, double hi)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * ((double)(*seed >> 11) * 0x1p-53);
}

static rh_status find_distances(const rh_csc_run *run, pose *p)
{
  for (int i = 0; i < METHODS; i++) {
    p->r[i] = run[i].r;
    RH_TRY(rh_csc_rms(&run[i], &run[GLUE], &p->rms[i]));
    RH_TRY(rh_csc_rms(&run[i], &run[MOREAU], &p->unilateral[i]));
  }
  return RH_OK;
}

static rh_status run_pose(const rh_request *request, const double q0[3], pose *p)
{
  rh_csc_run run[METHODS] = {{.n = 0}};
  rh_status status = RH_OK;
  for (int i = 0; i < METHODS && status == RH_OK; i++) {
    rh_csc_ask ask = rh_csc_asked("", method[i].method, method[i].limits);
    ask.until = 4;
    ask.sub = ask.sub > 1 ? SUB : 1;
    for (int c = 0; c < 3; c++) {
      ask.q0[c] = q0[c];
    }
    status = rh_csc_go(&ask, request, &run[i]);
  }
  status = status == RH_OK ? find_distances(run, p) : status;
  for (int i = 0; i < METHODS; i++) {
    rh_csc_run_free(&run[i]);
  }
  return status;
}

// May two counts of POSES be of one rate? Three standard deviations of their difference, with the
// rate of both together.
static bool rates_agree(int here, int reference)
{
  double rate = (double)(here + reference) / (2.0 * POSES);
  return abs(here - reference) <= 3 * sqrt(2.0 * POSES * rate * (1 - rate));
}

static void drop_tally(void *kept)
{
  rh_free(kept);
}

rh_status rh_find_csc_poses(rh_redone *redone)
{
  tally *t = rh_alloc(sizeof *t);
  uint64_t seed = 2005;
  if (t == NULL) {
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  redone->kept = t;
  redone->drop = drop_tally;
  for (int k = 0; k < POSES; k++) {
    pose p;
    double x = uniform_random(&seed, 0.030, 0.050);
    double y = uniform_random(&seed, -0.045, -0.025);
    const double q0[3] = {x, y, uniform_random(&seed, -0.3, 0.3)};
    RH_TRY(run_pose(redone->request, q0, &p));
    for (int i = 0; i < CLAIMS; i++) {
      t->held[i] += claims[i].holds(&p);
    }
    t->unilateral +=
        p.unilateral[FULL] < p.unilateral[PENALTY] && p.unilateral[FULL] < p.unilateral[COUPLER];
  }
  for (int i = 0; i < CLAIMS; i++) {
    if (claims[i].reference > 0) {
      RH_TRY(rh_redone_claim(redone, "as often as of the reference", claims[i].name,
                             rates_agree(t->held[i], claims[i].reference)));
    } else {
      RH_TRY(rh_redone_number(redone, ALL_STARTS, claims[i].name, t->held[i]));
    }
  }
  return rh_redone_claim(redone, "more than half of 40 starts",
                         "IAPB full is closest to the unilateral ideal", 2 * t->unilateral > POSES);
}

void rh_draw_csc_poses(FILE *to, const rh_redone *redone)
{
  const tally *t = redone->kept;
  rh_ch_panel(to, 0, 0, 1, 0.93, "");
  fputs("$held << end\n", to);
  for (int i = 0; i < CLAIMS; i++) {
    const char *name = claims[i].name;
    int reference = claims[i].reference;
    if (reference == 0) {
      reference = (int)rh_expected_find(redone->figure, ALL_STARTS, name)->want;
    }
    fprintf(to, "%d %d %d \"%s\"\n", CLAIMS - i, t->held[i], reference, name);
  }
  fprintf(to, "0 %d -9 \"IAPB full is closest to the unilateral ideal\"\nend\n", t->unilateral);
  fprintf(to,
          "set xrange [0:42]\nset yrange [-0.6:%d.6]\nset xlabel 'holds for so many of 40 random "
          "starts'\nset ylabel ''\nset style fill solid 0.8 noborder\nset key outside below "
          "horizontal\nset ytics scale 0 noenhanced\nset bmargin 6\n",
          CLAIMS);
  fputs("plot $held using ($2/2):1:($2/2):(0.35):ytic(4) with boxxyerror lc rgb '#9ecae1' title "
        "'starts of "
        "this program', $held using 3:1 with points pt 2 ps 1.3 lw 2 lc rgb '#D55E00' title "
        "'starts of the reference', $held using (1):1:2 with labels tc "
        "rgb 'black' notitle\nset ytics scale 1\nunset bmargin\n",
        to);
}
