// mo.c: the figures of Marhefka and Orin [MO] as rows. Expected numbers: closed forms to 13
// digits ([MO] eq. 19*) and independent integrations good to 1e-9; tolerances are 1e-6 for them,
// 1e-3 for the time of a flat maximum, and 1e-5 where a number is interpolated between frames.
#include "figure.h"

#define DEPTH "ground.depth"
#define RATE  "ground.rate"
#define FORCE "ground.normal"

// One free impact: restitution, maximum depth and its time, peak force and its time, contact time,
// energy lost, which is also the area of the loop ([MO] eq. 23).
// clang-format off
#define IMPACT(RUN, E, X, TX, F, TF, T, J)                                                         \
  {.run = (RUN), .name = "e", .unit = "", .measure = rh_measure_restitution, .want = (E),          \
   .relative = 1e-6},                                                                              \
  {.run = (RUN), .name = "greatest depth", .unit = "m", .measure = rh_measure_falling, .what = DEPTH, \
   .by = RATE, .at = 0, .want = (X), .relative = 1e-6},                                            \
  {.run = (RUN), .name = "its instant", .unit = "s", .measure = rh_measure_deepest_time, .by = RATE, \
   .want = (TX), .relative = 1e-6},                                                                \
  {.run = (RUN), .name = "peak force", .unit = "N", .measure = rh_measure_peak, .what = FORCE,     \
   .want = (F), .relative = 1e-6},                                                                 \
  {.run = (RUN), .name = "its instant", .unit = "s", .measure = rh_measure_peak_time, .what = FORCE, \
   .want = (TF), .relative = 1e-3},                                                                \
  {.run = (RUN), .name = "contact time", .unit = "s", .measure = rh_measure_contact, .want = (T),  \
   .relative = 1e-6},                                                                              \
  {.run = (RUN), .name = "energy lost", .unit = "J", .measure = rh_measure_loss, .want = (J),      \
   .relative = 1e-6},                                                                              \
  {.run = (RUN), .name = "area of the loop", .unit = "J", .measure = rh_measure_area, .what = FORCE, \
   .by = DEPTH, .want = (J), .relative = 1e-5}
// clang-format on

// The force at a depth, on the way in and on the way out.
// clang-format off
#define LOOP(RUN, X, IN, OUT)                                                                      \
  {.run = (RUN), .name = "force in at " #X " m", .unit = "N", .measure = rh_measure_rising,        \
   .what = FORCE, .by = DEPTH, .at = (X), .want = (IN), .relative = 1e-5},                         \
  {.run = (RUN), .name = "force out at " #X " m", .unit = "N", .measure = rh_measure_falling,      \
   .what = FORCE, .by = DEPTH, .at = (X), .want = (OUT), .relative = 1e-5}
// clang-format on

// ---- Fig. 2

// The depth at a speed of an upper contour, and the speed at which one leaves the ground.
// clang-format off
#define CONTOUR(RUN, V, X)                                                                         \
  {.run = (RUN), .name = "depth at " #V " m/s", .unit = "m", .measure = rh_measure_falling,        \
   .what = DEPTH, .by = RATE, .at = (V), .want = (X), .relative = 1e-5}
#define LEAVES(RUN, V)                                                                             \
  {.run = (RUN), .name = "leaves with", .unit = "m/s", .measure = rh_measure_rebound, .want = (V), \
   .relative = 1e-6}
#define TEARS(RUN, F)                                                                              \
  {.run = (RUN), .name = "force at first", .unit = "N", .measure = rh_measure_start, .what = FORCE, \
   .want = (F), .relative = 1e-9}
// clang-format on

static const rh_number mo_2[] = {
    LEAVES(0, 0.4164348961328),
    CONTOUR(0, 0.375, 0.00930250250954),
    CONTOUR(0, 0.25, 0.01233731420161),
    CONTOUR(0, 0.125, 0.01393564516549),
    CONTOUR(0, 0.0, 0.01445985544966),
    CONTOUR(0, -0.1041087240332, 0.01406325618465),
    CONTOUR(0, -0.2082174480664, 0.01271793850646),
    CONTOUR(0, -0.3123261720996, 0.009865887073557),
    LEAVES(1, 0.7119501795779),
    CONTOUR(1, 0.75, 0.01692465774917),
    CONTOUR(1, 0.5, 0.02265203390693),
    CONTOUR(1, 0.25, 0.0257938745021),
    CONTOUR(1, 0.0, 0.0268738173646),
    CONTOUR(1, -0.1779875448945, 0.02623107839292),
    CONTOUR(1, -0.3559750897889, 0.02395722113987),
    CONTOUR(1, -0.5339626346834, 0.01887915526565),
    LEAVES(2, 1.093708101315),
    CONTOUR(2, 1.5, 0.02919251481384),
    CONTOUR(2, 1.0, 0.03954928492692),
    CONTOUR(2, 0.5, 0.04557697421233),
    CONTOUR(2, 0.0, 0.04781577143554),
    CONTOUR(2, -0.2734270253286, 0.0469281332119),
    CONTOUR(2, -0.5468540506573, 0.04358840381208),
    CONTOUR(2, -0.8202810759859, 0.03544208258203),
    LEAVES(3, 1.451489274033),
    CONTOUR(3, 3.0, 0.04748356356321),
    CONTOUR(3, 2.0, 0.06517846989195),
    CONTOUR(3, 1.0, 0.07623895904121),
    CONTOUR(3, 0.0, 0.08083675485466),
    CONTOUR(3, -0.3628723185083, 0.07987493969104),
    CONTOUR(3, -0.7257446370167, 0.07600989427404),
    CONTOUR(3, -1.088616955525, 0.06542483852798),
    LEAVES(4, 1.636872418231),
    CONTOUR(4, 6.0, 0.07334084756739),
    CONTOUR(4, 4.0, 0.1018145785804),
    CONTOUR(4, 2.0, 0.1208902036931),
    CONTOUR(4, 0.0, 0.1300030359143),
    CONTOUR(4, -0.4092181045578, 0.1292270189904),
    CONTOUR(4, -0.8184362091156, 0.1260021002916),
    CONTOUR(4, -1.227654313673, 0.1165399626146),
    LEAVES(5, 2.690391119104),
    TEARS(5, -2000.0),
    LEAVES(6, 1.731401665221),
    TEARS(6, -1000.0),
};

const rh_figure rh_figure_mo_2 = {
    .paper = "mo",
    .number = 2,
    .title = "phase plane, m = 50 kg, k = 50 kN/m, n = 1, alpha = 0.4 s/m",
    .claim = "'the contact force is never sticky during a collision': no impact gets below "
             "-2/(3 alpha); contours that begin below, torn off by something else, are",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig2),
    .run =
        {
            {.label = "0.5 m/s", .set = {"fall.v=0.5"}},
            {.label = "1 m/s", .set = {"fall.v=1"}},
            {.label = "2 m/s", .set = {"fall.v=2"}},
            {.label = "4 m/s", .set = {"fall.v=4"}},
            {.label = "8 m/s", .set = {"fall.v=8"}},
            {.label = "torn off at 3 m/s", .set = {"fall.q=0.05", "fall.v=-3"}},
            {.label = "torn off at 2 m/s", .set = {"fall.q=0.1", "fall.v=-2"}},
        },
    .panel = {{.x = "penetration",
               .x_unit = "mm",
               .x_lo = 0,
               .x_hi = HUGE_VAL,
               .y = "penetration speed",
               .y_unit = "m/s",
               .line = -1.0 / 0.6,
               .line_name = "-2/(3 alpha): spring and damper cancel"}},
    .trace = {{.run = RH_NONE, .x = "fall.q", .y = "fall.v", .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = mo_2,
    .nexpect = RH_COUNT(mo_2),
};

// ---- Fig. 3

static const rh_figure_sweep mo_3_sweep = {
    .set = "fall.v", .from = 0.05, .to = 5, .n = 41, .value = rh_measure_restitution};

// clang-format off
#define SPEED(RUN, V, E)                                                                           \
  {.run = (RUN), .name = "e", .unit = "", .at = (V), .want = (E), .relative = 1e-6}
// clang-format on

static const rh_number mo_3[] = {
    SPEED(0, 0.5, 0.9950248633075), SPEED(0, 1.0, 0.9900989128413), SPEED(0, 2.0, 0.9803914029849),
    SPEED(0, 5.0, 0.9523701528204), SPEED(1, 0.5, 0.9900989128413), SPEED(1, 1.0, 0.9803914029849),
    SPEED(1, 2.0, 0.9615327714041), SPEED(1, 5.0, 0.9090157413492), SPEED(2, 0.5, 0.9803914029849),
    SPEED(2, 1.0, 0.9615327714041), SPEED(2, 2.0, 0.9258852681033), SPEED(2, 5.0, 0.8328697922656),
    SPEED(3, 0.5, 0.9708713153837), SPEED(3, 1.0, 0.9433780869397), SPEED(3, 2.0, 0.8927340685198),
    SPEED(3, 5.0, 0.7679997890785), SPEED(4, 0.5, 0.9523701528204), SPEED(4, 1.0, 0.9090157413492),
    SPEED(4, 2.0, 0.8328697922656), SPEED(4, 5.0, 0.6629622000015), SPEED(5, 0.5, 0.9301985886679),
    SPEED(5, 1.0, 0.8693431103471), SPEED(5, 2.0, 0.7679997890785), SPEED(5, 5.0, 0.563610070955),
    SPEED(6, 0.5, 0.9090157413492), SPEED(6, 1.0, 0.8328697922656), SPEED(6, 2.0, 0.7119501795779),
    SPEED(6, 5.0, 0.4877412560153), SPEED(7, 0.5, 0.8693431103471), SPEED(7, 1.0, 0.7679997890785),
    SPEED(7, 2.0, 0.619736466082),  SPEED(7, 5.0, 0.379646382209),  SPEED(8, 0.5, 0.8328697922656),
    SPEED(8, 1.0, 0.7119501795779), SPEED(8, 2.0, 0.5468540506573), SPEED(8, 5.0, 0.306896798291),
    SPEED(9, 0.5, 0.7991987821936), SPEED(9, 1.0, 0.6629622000015), SPEED(9, 2.0, 0.4877412560153),
    SPEED(9, 5.0, 0.2552275263829),
};

const rh_figure rh_figure_mo_3 = {
    .paper = "mo",
    .number = 3,
    .title = "restitution against impact speed for ten alphas",
    .claim = "'e is completely independent of m, k, and n for all impact velocities': it is "
             "a function of alpha times the speed; try -s ground.n=1.5",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig3),
    .run =
        {
            {.label = "0.01 s/m", .set = {"ground.alpha=0.01"}},
            {.label = "0.02 s/m", .set = {"ground.alpha=0.02"}},
            {.label = "0.04 s/m", .set = {"ground.alpha=0.04"}},
            {.label = "0.06 s/m", .set = {"ground.alpha=0.06"}},
            {.label = "0.1 s/m", .set = {"ground.alpha=0.1"}},
            {.label = "0.15 s/m", .set = {"ground.alpha=0.15"}},
            {.label = "0.2 s/m", .set = {"ground.alpha=0.2"}},
            {.label = "0.3 s/m", .set = {"ground.alpha=0.3"}},
            {.label = "0.4 s/m", .set = {"ground.alpha=0.4"}},
            {.label = "0.5 s/m", .set = {"ground.alpha=0.5"}},
        },
    .sweep = &mo_3_sweep,
    .panel = {{.x = "impact speed",
               .x_unit = "m/s",
               .y = "e",
               .y_unit = "",
               .x_lo = 0,
               .x_hi = 5,
               .y_lo = 0,
               .y_hi = 1,
               .label_ends = true}},
    .trace = {{.run = RH_NONE}},
    .ntrace = 1,
    .expect = mo_3,
    .nexpect = RH_COUNT(mo_3),
};

// ---- Fig. 4

static const rh_number mo_4[] = {
    IMPACT(0, 0.9900989128413, 0.009950432988875, 0.01565835658085, 99.5154119882, 0.01550914439525,
           0.03141621814838, 0.00985207139523),
    LOOP(0, 0.002487608247219, 25.23731798736, 24.51831055497),
    LOOP(0, 0.004975216494437, 50.3980348759, 49.11183677214),
    LOOP(0, 0.007462824741656, 75.36743303452, 73.89391084173),
    IMPACT(1, 0.8328697922656, 0.009145215571544, 0.01484070834557, 94.76134259903,
           0.01233015336988, 0.03151453316739, 0.1531639545657),
    LOOP(1, 0.002286303892886, 29.48576256487, 17.31505700963),
    LOOP(1, 0.004572607785772, 57.4675521058, 35.70445967737),
    LOOP(1, 0.006858911678658, 81.7999888554, 56.8835117749),
    IMPACT(2, 0.7119501795779, 0.008498247229552, 0.01416589726191, 94.87143336346,
           0.01018348784056, 0.03175714701912, 0.2465634708995),
    LOOP(2, 0.002124561807388, 33.52731488553, 12.40692495582),
    LOOP(2, 0.004249123614776, 64.11227789281, 26.38197083342),
    LOOP(2, 0.006373685422164, 87.71453986615, 44.58631437543),
    IMPACT(3, 0.619736466082, 0.00798371975911, 0.01361619404733, 97.05586588779, 0.008801411320143,
           0.03209514348424, 0.3079633563041),
    LOOP(3, 0.001995929939777, 37.23584091433, 9.088916597969),
    LOOP(3, 0.003991859879555, 70.15711613936, 19.94085789528),
    LOOP(3, 0.005987789819332, 93.01180612585, 35.73817039936),
};

const rh_figure rh_figure_mo_4 = {
    .paper = "mo",
    .number = 4,
    .title = "force against penetration, m = 1 kg, k = 10 kN/m, v = 1 m/s",
    .claim = "'the forces on the ground are never negative (sticky)', and build up from zero",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig4),
    .run =
        {
            {.label = "alpha 0.01 s/m", .set = {"ground.alpha=0.01"}},
            {.label = "alpha 0.2 s/m", .set = {"ground.alpha=0.2"}},
            {.label = "alpha 0.4 s/m", .set = {"ground.alpha=0.4"}},
            {.label = "alpha 0.6 s/m", .set = {"ground.alpha=0.6"}},
        },
    .panel = {{.x = "penetration",
               .x_unit = "mm",
               .y = "force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = DEPTH, .y = FORCE, .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = mo_4,
    .nexpect = RH_COUNT(mo_4),
};

// ---- Fig. 5

static const rh_number mo_5[] = {
    IMPACT(0, 0.6629622000015, 0.05817738576527, 0.09813371300157, 677.4571580596, 0.06663364582715,
           0.2256818332299, 14.01202803423),
    LOOP(0, 0.01454434644132, 250.4437954826, 74.91932270854),
    LOOP(0, 0.02908869288264, 475.1736322108, 161.8055939775),
    LOOP(0, 0.04363303932395, 639.4278690186, 281.6012085722),
    IMPACT(1, 0.6629622000015, 0.03358872933233, 0.05665752561803, 1173.39021771, 0.03847095335539,
           0.1302974671665, 14.01202803423),
    LOOP(1, 0.008397182333082, 433.7813782163, 129.7640733998),
    LOOP(1, 0.01679436466616, 823.0248734061, 280.2555097179),
    LOOP(1, 0.02519154699925, 1107.521556916, 487.7476007199),
    IMPACT(2, 0.6629622000015, 0.02601771786488, 0.04388673063119, 1514.840257265, 0.02979947233163,
           0.1009279840778, 14.01202803423),
    LOOP(2, 0.006504429466219, 560.0093512421, 167.5246984045),
    LOOP(2, 0.01300885893244, 1062.520542739, 361.8083072734),
    LOOP(2, 0.01951328839866, 1429.804181833, 629.6794449136),
    IMPACT(3, 0.6629622000015, 0.02198898495183, 0.03709105711908, 1792.383164126, 0.02518515082974,
           0.0852997151645, 14.01202803423),
    LOOP(3, 0.005497246237956, 662.6120002461, 198.2178962802),
    LOOP(3, 0.01099449247591, 1257.191260405, 428.0973624036),
    LOOP(3, 0.01649173871387, 1691.767122787, 745.0467667774),
};

const rh_figure rh_figure_mo_5 = {
    .paper = "mo",
    .number = 5,
    .title = "force against penetration, m = 50 kg, alpha = 0.5 s/m, v = 1 m/s",
    .claim = "'the area within each hysteresis loop is the same', since e does not depend on "
             "k",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig5),
    .run =
        {
            {.label = "k = 10 kN/m", .set = {"ground.k=10000"}},
            {.label = "k = 30 kN/m", .set = {"ground.k=30000"}},
            {.label = "k = 50 kN/m", .set = {"ground.k=50000"}},
            {.label = "k = 70 kN/m", .set = {"ground.k=70000"}},
        },
    .panel = {{.x = "penetration",
               .x_unit = "mm",
               .y = "force",
               .y_unit = "kN",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace =
        {{.run = RH_NONE, .x = DEPTH, .y = FORCE, .x_scale = 1e3, .y_scale = 1e-3, .impact = 1}},
    .ntrace = 1,
    .expect = mo_5,
    .nexpect = RH_COUNT(mo_5),
};

// ---- Fig. 6

// clang-format off
#define MOMENT(RUN, T, F)                                                                          \
  {.run = (RUN), .name = "force after " #T " s", .unit = "N", .measure = rh_measure_after,         \
   .what = FORCE, .at = (T), .want = (F), .relative = 1e-5}
// clang-format on

static const rh_number mo_6[] = {
    MOMENT(0, 0.02256818332299, 369.279003812),  MOMENT(0, 0.04513636664598, 608.6649321464),
    MOMENT(0, 0.06770454996898, 677.309928692),  MOMENT(0, 0.09027273329197, 619.0594748807),
    MOMENT(0, 0.112840916615, 501.5737780193),   MOMENT(0, 0.135409099938, 373.7688613121),
    MOMENT(0, 0.1579772832609, 258.3587978645),  MOMENT(0, 0.1805454665839, 160.4092216345),
    MOMENT(0, 0.2031136499069, 76.48413909688),  MOMENT(1, 0.01302974671665, 639.6099967708),
    MOMENT(1, 0.0260594934333, 1054.238587263),  MOMENT(1, 0.03908924014995, 1173.135208965),
    MOMENT(1, 0.0521189868666, 1072.2424634),    MOMENT(1, 0.06514873358325, 868.7512672737),
    MOMENT(1, 0.0781784802999, 647.3866580797),  MOMENT(1, 0.09120822701655, 447.4905644837),
    MOMENT(1, 0.1042379737332, 277.8369218735),  MOMENT(1, 0.1172677204499, 132.474414889),
    MOMENT(2, 0.01009279840778, 825.732955187),  MOMENT(2, 0.02018559681555, 1361.0161638),
    MOMENT(2, 0.03027839522333, 1514.511042391), MOMENT(2, 0.04037119363111, 1384.259067949),
    MOMENT(2, 0.05046399203889, 1121.553063382), MOMENT(2, 0.06055679044666, 835.7725817665),
    MOMENT(2, 0.07064958885444, 577.7078346102), MOMENT(2, 0.08074238726222, 358.6859237925),
    MOMENT(2, 0.09083518567, 171.0237342212),    MOMENT(3, 0.00852997151645, 977.0204084841),
    MOMENT(3, 0.0170599430329, 1610.376042225),  MOMENT(3, 0.02558991454935, 1791.993631834),
    MOMENT(3, 0.0341198860658, 1637.877417293),  MOMENT(3, 0.04264985758225, 1327.03948079),
    MOMENT(3, 0.0511798290987, 988.8994548516),  MOMENT(3, 0.05970980061515, 683.5531281751),
    MOMENT(3, 0.0682397721316, 424.4029084463),  MOMENT(3, 0.07676974364805, 202.3580112912),
};

const rh_figure rh_figure_mo_6 = {
    .paper = "mo",
    .number = 6,
    .title = "force against time, m = 50 kg, alpha = 0.5 s/m, v = 1 m/s",
    .claim = "'starting at zero and returning to zero while always remaining compressive'",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig5),
    .run =
        {
            {.label = "k = 10 kN/m", .set = {"ground.k=10000"}},
            {.label = "k = 30 kN/m", .set = {"ground.k=30000"}},
            {.label = "k = 50 kN/m", .set = {"ground.k=50000"}},
            {.label = "k = 70 kN/m", .set = {"ground.k=70000"}},
        },
    .panel = {{.x = "time from touchdown",
               .x_unit = "ms",
               .x_lo = 0,
               .x_hi = HUGE_VAL,
               .y = "force",
               .y_unit = "kN",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = "t", .y = FORCE, .x_scale = 1e3, .y_scale = 1e-3, .impact = 1}},
    .ntrace = 1,
    .expect = mo_6,
    .nexpect = RH_COUNT(mo_6),
};

// ---- Fig. 7

static const rh_number mo_7[] = {
    IMPACT(0, 0.7991987821936, 0.002835866008594, 0.009270119270597, 74.6861374937,
           0.007396140270855, 0.01996291253825, 0.04516016331754),
    LOOP(0, 0.0007089665021484, 24.13806411451, 12.5615817247),
    LOOP(0, 0.001417933004297, 46.79784719856, 26.10138701166),
    LOOP(0, 0.002126899506445, 65.89272473614, 42.20519883164),
    IMPACT(1, 0.7991987821936, 0.008967795726207, 0.02931469107651, 236.1783041206, 0.02338864915,
           0.06312827235162, 0.4516016331754),
    LOOP(1, 0.002241948931552, 76.33126090904, 39.72320926438),
    LOOP(1, 0.004483897863103, 147.98778674, 82.53983304637),
    LOOP(1, 0.006725846794655, 208.3710914007, 133.4645574083),
    IMPACT(2, 0.7991987821936, 0.02835866008594, 0.09270119270597, 746.861374937, 0.07396140270855,
           0.1996291253825, 4.516016331754),
    LOOP(2, 0.007089665021484, 241.3806411451, 125.615817247),
    LOOP(2, 0.01417933004297, 467.9784719856, 261.0138701166),
    LOOP(2, 0.02126899506445, 658.9272473614, 422.0519883164),
};

const rh_figure rh_figure_mo_7 = {
    .paper = "mo",
    .number = 7,
    .title = "force against penetration, alpha = 0.5 s/m, k = 25 kN/m, v = 0.5 m/s",
    .claim = "'the area of the hysteresis loop is proportional to the mass'",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(mo, fig7),
    .run =
        {
            {.label = "m = 1 kg", .set = {"block.mass=1"}},
            {.label = "m = 10 kg", .set = {"block.mass=10"}},
            {.label = "m = 100 kg", .set = {"block.mass=100"}},
        },
    .panel = {{.x = "penetration",
               .x_unit = "mm",
               .y = "force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = DEPTH, .y = FORCE, .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = mo_7,
    .nexpect = RH_COUNT(mo_7),
};

// ---- Fig. 8

#define XD "leg.q+5e-5*drive.effort" // [MO] eq. 24 solved for xd, while it holds
// clang-format off
#define FOOT(RUN, NAME, UNIT, MEASURE, ...)                                                        \
  {.run = (RUN), .name = (NAME), .unit = (UNIT), .measure = (MEASURE), __VA_ARGS__}
// clang-format on

static const rh_number mo_8[] = {
    FOOT(0, "peak ground force", "N", rh_measure_peak, .what = FORCE, .want = 2323.927009668,
         .relative = 1e-5),
    FOOT(0, "its instant", "s", rh_measure_peak_time, .what = FORCE, .want = 0.0161639349595,
         .relative = 1e-3),
    FOOT(0, "greatest depth", "m", rh_measure_falling, .what = DEPTH, .by = RATE,
         .want = 0.03270439145318, .relative = 1e-6),
    FOOT(0, "its instant", "s", rh_measure_deepest_time, .by = RATE, .want = 0.0298939208848,
         .relative = 1e-3),
    FOOT(0, "depth at 0.1 s", "m", rh_measure_at, .what = "leg.q", .at = 0.1,
         .want = 0.02396441626081, .relative = 1e-6),
    FOOT(0, "speed at 0.1 s", "m/s", rh_measure_at, .what = "leg.v", .at = 0.1,
         .want = 0.2931706746635, .relative = 1e-5),
    FOOT(0, "depth at 0.6 s", "m", rh_measure_at, .what = "leg.q", .at = 0.6,
         .want = 0.02000248398438, .relative = 1e-6),
    FOOT(0, "lifts off after", "s", rh_measure_contact, .want = 0.6660841613176, .absolute = 1e-6),
    FOOT(0, "speed there", "m/s", rh_measure_rebound, .want = 1.04494888489, .absolute = 1e-5),
    FOOT(0, "least ground force", "N", rh_measure_lowest, .what = FORCE, .want = 0.0,
         .absolute = 1e-2),
    FOOT(0, "depth at 0.04 s", "m", rh_measure_at, .what = "leg.q", .at = 0.04,
         .want = 0.03069375661345, .absolute = 1e-6),
    FOOT(0, "depth at 0.12 s", "m", rh_measure_at, .what = "leg.q", .at = 0.12,
         .want = 0.02638720793629, .absolute = 1e-6),
    FOOT(0, "depth at 0.2 s", "m", rh_measure_at, .what = "leg.q", .at = 0.2,
         .want = 0.01813522560869, .absolute = 1e-6),
    FOOT(0, "depth at 0.28 s", "m", rh_measure_at, .what = "leg.q", .at = 0.28,
         .want = 0.02057321474098, .absolute = 1e-6),
    FOOT(0, "depth at 0.36 s", "m", rh_measure_at, .what = "leg.q", .at = 0.36,
         .want = 0.01983643400549, .absolute = 1e-6),
    FOOT(0, "depth at 0.44 s", "m", rh_measure_at, .what = "leg.q", .at = 0.44,
         .want = 0.02004416161988, .absolute = 1e-6),
    FOOT(0, "depth at 0.52 s", "m", rh_measure_at, .what = "leg.q", .at = 0.52,
         .want = 0.01998893758347, .absolute = 1e-6),
    FOOT(0, "depth at 0.6 s", "m", rh_measure_at, .what = "leg.q", .at = 0.6,
         .want = 0.02000248398438, .absolute = 1e-6),
    FOOT(0, "depth at 0.68 s", "m", rh_measure_at, .what = "leg.q", .at = 0.68,
         .want = -0.01734161173363, .absolute = 1e-6),
    FOOT(0, "depth at 0.7 s", "m", rh_measure_at, .what = "leg.q", .at = 0.7,
         .want = -0.05388488871528, .absolute = 1e-6),
    FOOT(0, "depth at 0.74 s", "m", rh_measure_at, .what = "leg.q", .at = 0.74,
         .want = -0.1666745946511, .absolute = 1e-6),
    FOOT(0, "depth at 0.76 s", "m", rh_measure_at, .what = "leg.q", .at = 0.76,
         .want = -0.2327051555989, .absolute = 1e-6),
    FOOT(0, "depth at 0.78 s", "m", rh_measure_at, .what = "leg.q", .at = 0.78,
         .want = -0.2947773342162, .absolute = 1e-6),
    FOOT(1, "lifts off after", "s", rh_measure_contact, .want = 0.6321475425856, .absolute = 1e-6),
    FOOT(1, "speed there", "m/s", rh_measure_rebound, .want = 1.201664504227, .absolute = 1e-5),
    FOOT(1, "least ground force", "N", rh_measure_lowest, .what = FORCE, .want = 0.0,
         .absolute = 1e-2),
    FOOT(1, "depth at 0.7 s", "m", rh_measure_at, .what = "leg.q", .at = 0.7,
         .want = -0.1685871176354, .absolute = 1e-6),
    FOOT(1, "depth at 0.74 s", "m", rh_measure_at, .what = "leg.q", .at = 0.74,
         .want = -0.3015398078066, .absolute = 1e-6),
    FOOT(1, "depth at 0.78 s", "m", rh_measure_at, .what = "leg.q", .at = 0.78,
         .want = -0.3867537242163, .absolute = 1e-6),
    FOOT(2, "lifts off after", "s", rh_measure_contact, .want = 0.6278877701709, .absolute = 1e-6),
    FOOT(2, "speed there", "m/s", rh_measure_rebound, .want = 1.562230817827, .absolute = 1e-5),
    FOOT(2, "least ground force", "N", rh_measure_lowest, .what = FORCE, .want = -10.35493912,
         .absolute = 1e-2),
    FOOT(2, "depth at 0.7 s", "m", rh_measure_at, .what = "leg.q", .at = 0.7,
         .want = -0.3444767253862, .absolute = 1e-6),
    FOOT(2, "depth at 0.74 s", "m", rh_measure_at, .what = "leg.q", .at = 0.74,
         .want = -0.6340417914614, .absolute = 1e-6),
    FOOT(2, "depth at 0.78 s", "m", rh_measure_at, .what = "leg.q", .at = 0.78,
         .want = -0.8155348616135, .absolute = 1e-6),
    FOOT(3, "lifts off after", "s", rh_measure_contact, .want = 0.6278868289506, .absolute = 1e-6),
    FOOT(3, "speed there", "m/s", rh_measure_rebound, .want = 1.563067841531, .absolute = 1e-5),
    FOOT(3, "least ground force", "N", rh_measure_lowest, .what = FORCE, .want = 0.0,
         .absolute = 1e-2),
    FOOT(3, "depth at 0.7 s", "m", rh_measure_at, .what = "leg.q", .at = 0.7,
         .want = -0.3445046345931, .absolute = 1e-6),
    FOOT(3, "depth at 0.74 s", "m", rh_measure_at, .what = "leg.q", .at = 0.74,
         .want = -0.6340393786749, .absolute = 1e-6),
    FOOT(3, "depth at 0.78 s", "m", rh_measure_at, .what = "leg.q", .at = 0.78,
         .want = -0.8155048995133, .absolute = 1e-6),
};

const rh_figure rh_figure_mo_8 = {
    .paper = "mo",
    .number = 8,
    .title = "a foot is placed, bears weight and is lifted",
    .note = "support force 1000 N, lift at 0.6 s, no gravity: the paper does not say",
    .claim = "'continuous and outward as the foot is lifted': with these values; with 3 kN "
             "of support, or 1.43 kN where xd starts at the foot, the ground pulls",
    .claim_holds = RH_CLAIM_PARTLY,
    .scene = RH_SCENE_TEXT(mo, fig8),
    .run =
        {
            {.label = "xd goes on from 0.1 m"},
            {.label = "xd starts at the foot", .set = {"lift.target=[]"}},
            {.label = "lifted at 4 m/s, tension kept", .set = {"lift.target=[]", "lift.rate=-4"}},
            {.label = "lifted at 4 m/s, tension cut",
             .set = {"lift.target=[]", "lift.rate=-4", "ground.tension=cut"}},
        },
    .panel = {{.x = "time",
               .x_unit = "s",
               .y = "position, down",
               .y_unit = "m",
               .y_lo = -0.3,
               .y_hi = 0.15,
               .key = "inside left bottom vertical Left reverse"},
              {.x = "time", .x_unit = "s", .y = "speed, down", .y_unit = "m/s", .key = "off"},
              {.x = "time", .x_unit = "s", .y = "ground force", .y_unit = "kN", .key = "off"}},
    .trace = {{.panel = 0, .run = RH_NONE, .x = "t", .y = "leg.q"},
              {.panel = 0, .run = 0, .label = "xd", .x = "t", .y = XD, .from = 0, .until = 0.0999},
              {.panel = 0, .run = 0, .label = "", .x = "t", .y = XD, .from = 0.6001, .until = 0.8},
              {.panel = 1, .run = RH_NONE, .x = "t", .y = "leg.v"},
              {.panel = 2, .run = RH_NONE, .x = "t", .y = FORCE, .y_scale = 1e-3}},
    .ntrace = 5,
    .expect = mo_8,
    .nexpect = RH_COUNT(mo_8),
};
