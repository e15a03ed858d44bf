// af.c: the figures of Azad and Featherstone [AF] as rows. Expected numbers: independent
// integrations good to 1e-9 and closed forms; tolerances are 1e-6 s and m/s for events, 1e-5 of a
// force, 1e-3 N where it is read between frames.
#include "figure.h"

#define DEPTH "ground.depth"
#define RATE  "ground.rate"
#define FORCE "ground.normal"

// ---- Figs 2 to 4: restitution

// clang-format off
#define SPEED(RUN, V, E)                                                                           \
  {.run = (RUN), .name = "e", .unit = "", .at = (V), .want = (E), .relative = 1e-6}
// clang-format on

static const rh_figure_sweep speeds = {
    .set = "fall.v", .from = 0.01, .to = 10, .n = 31, .log = true, .value = rh_measure_restitution};

static const rh_figure_sweep slow_speeds = {
    .set = "fall.v", .from = 0.01, .to = 5, .n = 41, .log = true, .value = rh_measure_restitution};

// New model: reference table. Classical: e depends on alpha v alone, [MO] eq. 19*. Linear: exp(-2 zeta acos(zeta) /
// sqrt(1 - zeta^2)) at any speed, [MO] eq. 4*.
static const rh_number af_2[] = {
    SPEED(0, 0.01, 0.8169814016291),
    SPEED(0, 0.03, 0.7792872373684),
    SPEED(0, 0.1, 0.7312769398157),
    SPEED(0, 0.3, 0.6813206934604),
    SPEED(0, 1.0, 0.6202907841604),
    SPEED(0, 1.4007141, 0.6021661678532),
    SPEED(0, 3.0, 0.5598045117601),
    SPEED(0, 10.0, 0.4899563613334),
    SPEED(1, 1.0, 0.8036671225185),
    SPEED(1, 0.04112903225806452, 0.9900989128413),
    SPEED(1, 0.2056451612903226, 0.9523701528204),
    SPEED(1, 0.4112903225806452, 0.9090157413492),
    SPEED(1, 0.8225806451612904, 0.8328697922656),
    SPEED(1, 2.056451612903226, 0.6629622000015),
    SPEED(1, 4.112903225806452, 0.4877412560153),
    SPEED(1, 8.225806451612904, 0.306896798291),
    SPEED(2, 0.01, 0.6311869218502),
    SPEED(2, 0.1, 0.6311869218502),
    SPEED(2, 1.0, 0.6311869218502),
    SPEED(2, 5.0, 0.6311869218502),
};

const rh_figure rh_figure_af_2 = {
    .paper = "af",
    .number = 2,
    .title = "restitution against impact speed, three models",
    .note = "the paper gives no values for the linear model; k = 400 kN/m, b = 80 N s/m are ours",
    .claim = "'for the linear model, the coefficient of restitution is constant at all "
             "velocities'; for the others it falls",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(af, fig2),
    .run =
        {
            {.label = "new model"},
            {.label = "classical", .scene = RH_SCENE_TEXT(af, classical)},
            {.label = "linear", .scene = RH_SCENE_TEXT(af, linear)},
        },
    .sweep = &slow_speeds,
    .panel = {{.x = "impact speed", .x_unit = "m/s", .y = "e", .y_unit = "", .y_lo = 0, .y_hi = 1}},
    .trace = {{.run = RH_NONE}},
    .ntrace = 1,
    .expect = af_2,
    .nexpect = RH_COUNT(af_2),
};

// The straight line through each curve over log10(v): how straight it is.
// clang-format off
#define LINE(RUN, INTERCEPT, SLOPE, MISFIT)                                                        \
  {.run = (RUN), .name = "e on the line at 1 m/s", .unit = "", .of_sweep = rh_sweep_intercept,     \
   .want = (INTERCEPT), .absolute = 1e-5},                                                         \
  {.run = (RUN), .name = "slope a decade", .unit = "", .of_sweep = rh_sweep_slope, .want = (SLOPE), \
   .absolute = 1e-5},                                                                              \
  {.run = (RUN), .name = "farthest from the line", .unit = "", .of_sweep = rh_sweep_misfit,        \
   .want = (MISFIT), .absolute = 1e-5}
// clang-format on

static const rh_number af_3[] = {
    LINE(0, 0.8420065482924, -0.05321713811805, 0.01517719484681),
    LINE(1, 0.6146327151799, -0.1098215641299, 0.01729444181055),
    LINE(2, 0.4830388346629, -0.1278472835753, 0.01122657887537),
    SPEED(0, 0.01, 0.9353277491178),
    SPEED(0, 0.03, 0.9202940580811),
    SPEED(0, 0.1, 0.9000826812264),
    SPEED(0, 0.3, 0.8776244265113),
    SPEED(0, 1.0, 0.8478968933188),
    SPEED(0, 1.4007141, 0.8385191420996),
    SPEED(0, 3.0, 0.8154919747612),
    SPEED(0, 10.0, 0.7736122153275),
    SPEED(1, 0.01, 0.8169814016291),
    SPEED(1, 0.03, 0.7792872373684),
    SPEED(1, 0.1, 0.7312769398157),
    SPEED(1, 0.3, 0.6813206934604),
    SPEED(1, 1.0, 0.6202907841604),
    SPEED(1, 1.4007141, 0.6021661678532),
    SPEED(1, 3.0, 0.5598045117601),
    SPEED(1, 10.0, 0.4899563613334),
    SPEED(3, 0.01, 0.6860758787703),
    SPEED(3, 0.03, 0.631095800391),
    SPEED(3, 0.1, 0.565431876547),
    SPEED(3, 0.3, 0.5020052451428),
    SPEED(3, 1.0, 0.4308358759271),
    SPEED(3, 1.4007141, 0.410961150271),
    SPEED(3, 3.0, 0.3666383810518),
    SPEED(3, 10.0, 0.2996921641779),
    SPEED(4, 1.0, 0.8036671225185),
    SPEED(4, 0.04112903225806452, 0.9900989128413),
    SPEED(4, 0.2056451612903226, 0.9523701528204),
    SPEED(4, 0.4112903225806452, 0.9090157413492),
    SPEED(4, 0.8225806451612904, 0.8328697922656),
    SPEED(4, 2.056451612903226, 0.6629622000015),
    SPEED(4, 4.112903225806452, 0.4877412560153),
    SPEED(4, 8.225806451612904, 0.306896798291),
};

const rh_figure rh_figure_af_3 = {
    .paper = "af",
    .number = 3,
    .title = "restitution against the logarithm of impact speed",
    .note = "the paper does not say which Dn it shows; the straight line is an approximation",
    .claim = "'a linear relation between the coefficient of restitution and the logarithm of "
             "impact velocity': nearly; over three decades the best line misses by up to "
             "0.017",
    .claim_holds = RH_CLAIM_PARTLY,
    .scene = RH_SCENE_TEXT(af, fig2),
    .run =
        {
            {.label = "Dn = 1000", .set = {"ground.Dn=1000"}},
            {.label = "Dn = 3100", .set = {"ground.Dn=3100"}},
            {.label = "Dn = 5000", .set = {"ground.Dn=5000"}},
            {.label = "Dn = 6000", .set = {"ground.Dn=6000"}},
            {.label = "classical", .scene = RH_SCENE_TEXT(af, classical)},
        },
    .sweep = &speeds,
    .panel = {{.x = "impact speed",
               .x_unit = "m/s",
               .y = "e",
               .y_unit = "",
               .log_x = true,
               .y_lo = 0,
               .y_hi = 1}},
    .trace = {{.run = RH_NONE}},
    .ntrace = 1,
    .expect = af_3,
    .nexpect = RH_COUNT(af_3),
};

// Every curve of the model is a piece of e(delta), delta = Dn v^(1/5) / (m^(2/5) Kn^(3/5)). With m = 1 kg, Kn = 1e6 and
// v = 1 m/s, delta = Dn / 10^3.6.
static const rh_figure_sweep dampings = {.set = "ground.Dn",
                                         .from = 39.81071705534972,
                                         .to = 15924.28682213989,
                                         .n = 41,
                                         .log = true,
                                         .value = rh_measure_restitution};

static const rh_number af_4[] = {
    SPEED(0, 199.05358527674866, 0.9443967791774), SPEED(0, 398.1071705534973, 0.8928588755066),
    SPEED(0, 796.2143411069947, 0.8009654681356),  SPEED(0, 1592.4286822139893, 0.6541127179556),
    SPEED(0, 3184.8573644279786, 0.4597400814571), SPEED(0, 6369.714728855957, 0.2646229714822),
    SPEED(1, 199.05358527674866, 0.9443967791774), SPEED(1, 398.1071705534973, 0.8928588755066),
    SPEED(1, 796.2143411069947, 0.8009654681356),  SPEED(1, 1592.4286822139893, 0.6541127179556),
    SPEED(1, 3184.8573644279786, 0.4597400814571), SPEED(1, 6369.714728855957, 0.2646229714822),
};

const rh_figure rh_figure_af_4 = {
    .paper = "af",
    .number = 4,
    .title = "restitution of the model against damping, m = 1 kg, Kn = 1e6 (no measured curves)",
    .note = "the measured curves and the values fitted to them are not printed: not compared",
    .scene = RH_SCENE_TEXT(af, fig2),
    .run =
        {
            {.label = "1 m/s", .set = {"ball.mass=1", "ground.Kn=1e6"}},
            {.label = "32 m/s, Kn = 1e6 x 32^(1/3)",
             .set = {"ball.mass=1", "ground.Kn=3174802.1039363989", "fall.v=32"}},
        },
    .sweep = &dampings,
    .panel = {{.x = "Dn",
               .x_unit = "N s/m^1.5",
               .y = "e",
               .y_unit = "",
               .log_x = true,
               .y_lo = 0,
               .y_hi = 1}},
    .trace = {{.run = RH_NONE}},
    .ntrace = 1,
    .expect = af_4,
    .nexpect = RH_COUNT(af_4),
};

// ---- Figs 6 and 7: loops at 1 m/s

// clang-format off
#define NUMBER(RUN, NAME, UNIT, MEASURE, ...)                                                      \
  {.run = (RUN), .name = (NAME), .unit = (UNIT), .measure = (MEASURE), __VA_ARGS__}
// clang-format on

static const rh_number af_6[] = {
    NUMBER(0, "e", "", rh_measure_restitution, .want = 0.8036671225185, .relative = 1e-6),
    NUMBER(0, "greatest depth", "m", rh_measure_falling, .what = DEPTH, .by = RATE,
           .want = 0.0008036531664798, .relative = 1e-6),
    NUMBER(0, "its instant", "s", rh_measure_deepest_time, .by = RATE, .want = 0.001223868934741,
           .relative = 1e-6),
    NUMBER(0, "peak force", "N", rh_measure_peak, .what = FORCE, .want = 201.9894771219,
           .relative = 1e-6),
    NUMBER(0, "its instant", "s", rh_measure_peak_time, .what = FORCE, .want = 0.00104567881325,
           .relative = 1e-3),
    NUMBER(0, "contact time", "s", rh_measure_contact, .want = 0.002643801500914, .relative = 1e-6),
    NUMBER(0, "energy lost", "J", rh_measure_loss, .want = 0.02726717502608, .relative = 1e-6),
    NUMBER(0, "area of the loop", "J", rh_measure_area, .what = FORCE, .by = DEPTH,
           .want = 0.02726717502608, .relative = 1e-5),
};

const rh_figure rh_figure_af_6 = {
    .paper = "af",
    .number = 6,
    .title = "force against deformation, classical model, k = 8.5e6, lambda = 3.1e6",
    .scene = RH_SCENE_TEXT(af, fig6),
    .run = {{.label = "1 m/s"}},
    .panel = {{.x = "deformation",
               .x_unit = "mm",
               .y = "normal force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = DEPTH, .y = FORCE, .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = af_6,
    .nexpect = RH_COUNT(af_6),
};

static const rh_number af_7[] = {
    NUMBER(0, "e", "", rh_measure_restitution, .want = 0.6202907841604, .relative = 1e-6),
    NUMBER(0, "greatest depth", "m", rh_measure_falling, .what = DEPTH, .by = RATE,
           .want = 0.0007281600439233, .relative = 1e-6),
    NUMBER(0, "peak force", "N", rh_measure_peak, .what = FORCE, .want = 178.2743092692,
           .relative = 1e-5),
    NUMBER(0, "force ends after", "s", rh_measure_ceases, .what = FORCE, .want = 0.002377507289997,
           .absolute = 1e-7),
    NUMBER(0, "surface back after", "s", rh_measure_contact, .want = 0.002742213172349,
           .absolute = 1e-7),
    NUMBER(0, "energy lost", "J", rh_measure_loss, .want = 0.04737342941757, .relative = 1e-6),
    NUMBER(0, "area of the loop", "J", rh_measure_area, .what = FORCE, .by = DEPTH,
           .want = 0.04737342941757, .relative = 1e-5),
};

const rh_figure rh_figure_af_7 = {
    .paper = "af",
    .number = 7,
    .title = "force against deformation, new model, Kn = 8.5e6, Dn = 3.1e3",
    .claim = "'the normal force reaches zero before z'",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(af, fig7),
    .run = {{.label = "1 m/s"}},
    .panel = {{.x = "deformation",
               .x_unit = "mm",
               .y = "normal force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = DEPTH, .y = FORCE, .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = af_7,
    .nexpect = RH_COUNT(af_7),
};
