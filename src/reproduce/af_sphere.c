// af_sphere.c: the sphere of Azad and Featherstone [AF] that bounces (Figs 8 to 11) and rolls
// (Figs 13 to 16). Tolerances are 1e-6 s and m/s for events, 1e-5 of a force, 1e-3 N where it is
// read between frames, 1e-6 of the energy.
#include "figure.h"

#define FORCE  "ground.normal"
#define BOTTOM "fly.z-0.0165"         // height of the lowest point
#define SLIP_X "fly.vx-0.0165*fly.wy" // velocity of the lowest point, in flight too
#define BODY   "energy.kinetic+energy.potential"
#define TOTAL  "energy.kinetic+energy.potential+energy.contact+energy.contact_damper+energy.sliding"

// clang-format off
#define NUMBER(NAME, UNIT, MEASURE, ...)                                                           \
  {.run = 0, .name = (NAME), .unit = (UNIT), .measure = (MEASURE), __VA_ARGS__}
// clang-format on

// Touchdown number N: time, speed, restitution.
// clang-format off
#define BOUNCE(N, T, V, E)                                                                         \
  NUMBER("touchdown " #N, "s", rh_measure_touch_time, .which = (N), .want = (T), .absolute = 1e-6), \
  NUMBER("speed", "m/s", rh_measure_touch_speed, .which = (N), .want = (V), .absolute = 1e-6),     \
  NUMBER("e", "", rh_measure_restitution, .which = (N), .want = (E), .relative = 1e-5)
// clang-format on

// ---- Figs 8 to 11: bounce from 10 cm

static const rh_number af_8[] = {
    BOUNCE(1, 0.1427843122927, 1.400714103591, 0.5981874097143),
    BOUNCE(2, 0.316193912674, 0.8378895413777, 0.6228219514666),
    BOUNCE(3, 0.425439438216, 0.5218559992743, 0.6428163370084),
    BOUNCE(4, 0.496961718002, 0.3354575618994, 0.6580033519834),
    BOUNCE(5, 0.5453904110607, 0.220732200178, 0.6677008263852),
    NUMBER("height after 1", "m", rh_measure_apex, .which = 1, .what = BOTTOM,
           .want = 0.03578281771407, .relative = 1e-5),
    NUMBER("height after 2", "m", rh_measure_apex, .which = 2, .what = BOTTOM,
           .want = 0.01388041202745, .relative = 1e-5),
    NUMBER("height after 3", "m", rh_measure_apex, .which = 3, .what = BOTTOM,
           .want = 0.005735564517609, .relative = 1e-5),
    NUMBER("height after 4", "m", rh_measure_apex, .which = 4, .what = BOTTOM,
           .want = 0.002483318256646, .relative = 1e-5),
    NUMBER("height after 5", "m", rh_measure_apex, .which = 5, .what = BOTTOM,
           .want = 0.001107123855775, .relative = 1e-5),
    NUMBER("touchdowns", "", rh_measure_touches, .want = 10),
    NUMBER("last touchdown", "s", rh_measure_last_touch, .want = 0.6454600908628, .absolute = 1e-5),
    NUMBER("height at rest", "m", rh_measure_end, .what = BOTTOM, .want = -3.161165268045e-05,
           .relative = 1e-5),
    NUMBER("height at 0.05 s", "m", rh_measure_at, .what = BOTTOM, .at = 0.05, .want = 0.0877375,
           .absolute = 1e-6),
    NUMBER("height at 0.25 s", "m", rh_measure_at, .what = BOTTOM, .at = 0.25,
           .want = 0.03397127199409, .absolute = 1e-6),
    NUMBER("height at 0.5 s", "m", rh_measure_at, .what = BOTTOM, .at = 0.5,
           .want = -8.659410649756e-05, .absolute = 1e-6),
    NUMBER("height at 0.6 s", "m", rh_measure_at, .what = BOTTOM, .at = 0.6,
           .want = 0.0002820404940518, .absolute = 1e-6),
    NUMBER("height at 0.7 s", "m", rh_measure_at, .what = BOTTOM, .at = 0.7,
           .want = -2.956902239186e-05, .absolute = 1e-6),
};

const rh_figure rh_figure_af_8 = {
    .paper = "af",
    .number = 8,
    .title = "height of the lowest point of a bouncing sphere",
    .scene = RH_SCENE_TEXT(af, fig8),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time", .x_unit = "s", .y = "height", .y_unit = "cm"}},
    .trace = {{.run = RH_NONE, .x = "t", .y = BOTTOM, .y_scale = 1e2}},
    .ntrace = 1,
    .expect = af_8,
    .nexpect = RH_COUNT(af_8),
};

static const rh_number af_9[] = {
    NUMBER("peak force 1", "N", rh_measure_peak, .which = 1, .what = FORCE, .want = 266.6169129638,
           .relative = 1e-5),
    NUMBER("peak force 2", "N", rh_measure_peak, .which = 2, .what = FORCE, .want = 146.4374856359,
           .relative = 1e-5),
    NUMBER("peak force 3", "N", rh_measure_peak, .which = 3, .what = FORCE, .want = 84.66856660945,
           .relative = 1e-5),
    NUMBER("peak force 4", "N", rh_measure_peak, .which = 4, .what = FORCE, .want = 51.09273374448,
           .relative = 1e-5),
    NUMBER("peak force 5", "N", rh_measure_peak, .which = 5, .what = FORCE, .want = 31.95735707751,
           .relative = 1e-5),
    NUMBER("force at rest", "N", rh_measure_end, .what = FORCE, .want = 1.51074,
           .relative = 1e-6), // m g
};

const rh_figure rh_figure_af_9 = {
    .paper = "af",
    .number = 9,
    .title = "normal force on a bouncing sphere",
    .scene = RH_SCENE_TEXT(af, fig8),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time",
               .x_unit = "s",
               .y = "normal force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = "t", .y = FORCE}},
    .ntrace = 1,
    .expect = af_9,
    .nexpect = RH_COUNT(af_9),
};

static const rh_number af_10[] = {
    NUMBER("peak force", "N", rh_measure_peak, .what = FORCE, .want = 266.6169129638,
           .relative = 1e-5),
    NUMBER("its instant", "s", rh_measure_peak_time, .what = FORCE, .want = 0.0008806532170337,
           .absolute = 2e-6),
    NUMBER("force ends after", "s", rh_measure_ceases, .what = FORCE, .want = 0.002220560024171,
           .absolute = 1e-6),
    NUMBER("surface back after", "s", rh_measure_contact, .want = 0.00258604454489,
           .absolute = 1e-6),
    NUMBER("least force", "N", rh_measure_lowest, .what = FORCE, .want = 0,
           .absolute = 0), // never sticky
};

const rh_figure rh_figure_af_10 = {
    .paper = "af",
    .number = 10,
    .title = "normal force at the first bounce",
    .claim = "'starts from zero at the beginning of the contact and comes back to zero "
             "smoothly', and is not sticky: so it is, but for its slope, which jumps where "
             "it ends",
    .claim_holds = RH_CLAIM_PARTLY,
    .scene = RH_SCENE_TEXT(af, fig8),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time from touchdown",
               .x_unit = "ms",
               .x_lo = 0,
               .x_hi = HUGE_VAL,
               .y = "normal force",
               .y_unit = "N",
               .y_lo = 0,
               .y_hi = HUGE_VAL}},
    .trace = {{.run = RH_NONE, .x = "t", .y = FORCE, .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = af_10,
    .nexpect = RH_COUNT(af_10),
};

static const rh_number af_11[] = {
    NUMBER("total at the start", "J", rh_measure_start, .what = TOTAL, .want = 0.17600121,
           .relative = 1e-9),
    NUMBER("drift of the total", "J", rh_measure_drift, .what = TOTAL, .want = 0, .absolute = 1e-9),
    NUMBER("body after the first bounce", "J", rh_measure_at, .what = BODY, .at = 0.2,
           .want = 0.07898574403336, .absolute = 1.8e-07),
    NUMBER("normal spring after the first bounce", "J", rh_measure_at, .what = "ground.stored",
           .at = 0.2, .want = 0.0, .absolute = 1.8e-07),
    NUMBER("normal damper after the first bounce", "J", rh_measure_at, .what = "ground.damper",
           .at = 0.2, .want = 0.09701546596664, .absolute = 1.8e-07),
    NUMBER("tangential damper after the first bounce", "J", rh_measure_at, .what = "ground.drag",
           .at = 0.2, .want = 0.0, .absolute = 1.8e-07),
    NUMBER("clutch after the first bounce", "J", rh_measure_at, .what = "ground.sliding", .at = 0.2,
           .want = 0.0, .absolute = 1.8e-07),
    NUMBER("tangential spring, eq. 33 after the first bounce", "J", rh_measure_at,
           .what = "ground.spring33", .at = 0.2, .want = 0.0, .absolute = 1.8e-07),
    NUMBER("the same, recoverable after the first bounce", "J", rh_measure_at,
           .what = "ground.recoverable", .at = 0.2, .want = 0.0, .absolute = 1.8e-07),
    NUMBER("body at the end", "J", rh_measure_end, .what = BODY, .want = 0.02487945301171,
           .absolute = 1.8e-07),
    NUMBER("normal spring at the end", "J", rh_measure_end, .what = "ground.stored",
           .want = 1.910279539204e-05, .absolute = 1.8e-07),
    NUMBER("normal damper at the end", "J", rh_measure_end, .what = "ground.damper",
           .want = 0.1511026541929, .absolute = 1.8e-07),
    NUMBER("tangential damper at the end", "J", rh_measure_end, .what = "ground.drag", .want = 0.0,
           .absolute = 1.8e-07),
    NUMBER("clutch at the end", "J", rh_measure_end, .what = "ground.sliding", .want = 0.0,
           .absolute = 1.8e-07),
    NUMBER("tangential spring, eq. 33 at the end", "J", rh_measure_end, .what = "ground.spring33",
           .want = 0.0, .absolute = 1.8e-07),
    NUMBER("the same, recoverable at the end", "J", rh_measure_end, .what = "ground.recoverable",
           .want = 0.0, .absolute = 1.8e-07),
};

const rh_figure rh_figure_af_11 = {
    .paper = "af",
    .number = 11,
    .title = "energy of a bouncing sphere",
    .scene = RH_SCENE_TEXT(af, fig8),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time", .x_unit = "s", .y = "energy", .y_unit = "J"}},
    .trace = {{.run = RH_NONE, .label = "total", .x = "t", .y = TOTAL},
              {.run = RH_NONE, .label = "body", .x = "t", .y = BODY},
              {.run = RH_NONE,
               .label = "dissipated",
               .x = "t",
               .y = "energy.contact_damper+energy.sliding"},
              {.run = RH_NONE, .label = "springs", .x = "t", .y = "energy.contact"}},
    .ntrace = 4,
    .expect = af_11,
    .nexpect = RH_COUNT(af_11),
};

// ---- Figs 13 to 16: thrown and rolling

static const rh_number af_13[] = {
    BOUNCE(1, 0.1304739263754, 1.279949217743, 0.6026841260884),
    BOUNCE(2, 0.2903735808364, 0.7714050757328, 0.6265296666378),
    BOUNCE(3, 0.3918063816167, 0.4833081649416, 0.6457337657316),
    BOUNCE(4, 0.458612927533, 0.3120884013565, 0.6600585388751),
    BOUNCE(5, 0.5040897966339, 0.2059966141993, 0.6687032498709),
    NUMBER("peak friction 1", "N", rh_measure_peak, .which = 1, .what = "ground.friction1",
           .want = 33.93538189322, .relative = 1e-4, .absolute = 1e-4),
    NUMBER("peak friction 2", "N", rh_measure_peak, .which = 2, .what = "ground.friction1",
           .want = 3.481197225159, .relative = 1e-4, .absolute = 1e-4),
    NUMBER("peak friction 3", "N", rh_measure_peak, .which = 3, .what = "ground.friction1",
           .want = 0.6430420679411, .relative = 1e-4, .absolute = 1e-4),
    NUMBER("peak friction 4", "N", rh_measure_peak, .which = 4, .what = "ground.friction1",
           .want = 0.1368461898492, .relative = 1e-4, .absolute = 1e-4),
    NUMBER("peak friction 5", "N", rh_measure_peak, .which = 5, .what = "ground.friction1",
           .want = 0.03243751608061, .relative = 1e-4, .absolute = 1e-4),
};

const rh_figure rh_figure_af_13 = {
    .paper = "af",
    .number = 13,
    .title = "friction on a rolling sphere, x direction",
    .note = "10 cm to the centre of the sphere, as in section 4",
    .scene = RH_SCENE_TEXT(af, fig13),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time", .x_unit = "s", .y = "friction", .y_unit = "N"}},
    .trace = {{.run = RH_NONE, .x = "t", .y = "ground.friction1"}},
    .ntrace = 1,
    .expect = af_13,
    .nexpect = RH_COUNT(af_13),
};

static const rh_number af_14[] = {
    NUMBER("sticks after", "s", rh_measure_stick, .want = 0.0009337316296797, .absolute = 1e-6),
    NUMBER("slips after", "s", rh_measure_slip, .want = 0.001794072431464, .absolute = 1e-6),
    NUMBER("normal force ends after", "s", rh_measure_ceases, .what = FORCE,
           .want = 0.002264974243369, .absolute = 1e-6),
    NUMBER("surface back after", "s", rh_measure_contact, .want = 0.00263052587127,
           .absolute = 1e-6),
    NUMBER("peak friction", "N", rh_measure_peak, .what = "ground.friction1",
           .want = 33.93538189322, .relative = 1e-4),
    NUMBER("friction after 0.2 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0002,
           .want = -13.21595470656, .absolute = 1e-3),
    NUMBER("friction after 0.4 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0004,
           .want = -22.63271625022, .absolute = 1e-3),
    NUMBER("friction after 0.6 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0006,
           .want = -29.73100255858, .absolute = 1e-3),
    NUMBER("friction after 0.8 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0008,
           .want = -33.46156252202, .absolute = 1e-3),
    NUMBER("friction after 1 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.001,
           .want = -29.60285804977, .absolute = 1e-3),
    NUMBER("friction after 1.2 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0012,
           .want = -13.89654917381, .absolute = 1e-3),
    NUMBER("friction after 1.4 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0014,
           .want = 0.3492515520528, .absolute = 1e-3),
    NUMBER("friction after 1.6 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0016,
           .want = 9.029750802298, .absolute = 1e-3),
    NUMBER("friction after 1.8 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0018,
           .want = 11.56673171304, .absolute = 1e-3),
    NUMBER("friction after 2 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.002,
           .want = 5.663999116509, .absolute = 1e-3),
    NUMBER("friction after 2.2 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0022,
           .want = 1.120163386958, .absolute = 1e-3),
    NUMBER("friction after 2.4 ms", "N", rh_measure_after, .what = "ground.friction1", .at = 0.0024,
           .want = 0.006467817783435, .absolute = 1e-3),
    NUMBER("slip after 0.4 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.0004,
           .want = 0.3825700620251, .absolute = 1e-6),
    NUMBER("slip after 0.8 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.0008,
           .want = 0.1174313786487, .absolute = 1e-6),
    NUMBER("slip after 1.2 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.0012,
           .want = -0.1328202500449, .absolute = 1e-6),
    NUMBER("slip after 1.6 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.0016,
           .want = -0.1382770741301, .absolute = 1e-6),
    NUMBER("slip after 2 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.002,
           .want = -0.05028924033283, .absolute = 1e-6),
    NUMBER("slip after 2.4 ms", "m/s", rh_measure_after, .what = SLIP_X, .at = 0.0024,
           .want = -0.03463863435441, .absolute = 1e-6),
};

const rh_figure rh_figure_af_14 = {
    .paper = "af",
    .number = 14,
    .title = "friction at the first bounce, x direction",
    .claim = "'the friction force is completely continuous and smooth': continuous; its "
             "slope jumps at stick, at slip and where the normal force ends. 'The sphere "
             "sticks on the ground for less than 1ms' holds: 0.86 ms",
    .claim_holds = RH_CLAIM_PARTLY,
    .scene = RH_SCENE_TEXT(af, fig13),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time from touchdown",
               .x_unit = "ms",
               .x_lo = 0,
               .x_hi = HUGE_VAL,
               .y = "friction",
               .y_unit = "N"}},
    .trace = {{.run = RH_NONE, .x = "t", .y = "ground.friction1", .x_scale = 1e3, .impact = 1}},
    .ntrace = 1,
    .expect = af_14,
    .nexpect = RH_COUNT(af_14),
};

static const rh_number af_15[] = {
    NUMBER("speed after bounce 1", "m/s", rh_measure_at, .what = "fly.vx", .at = 0.140474,
           .want = 0.3472541805156, .absolute = 1e-6),
    NUMBER("slip after bounce 1", "m/s", rh_measure_at, .what = SLIP_X, .at = 0.140474,
           .want = -0.03461036819541, .absolute = 1e-6),
    NUMBER("speed after bounce 2", "m/s", rh_measure_at, .what = "fly.vx", .at = 0.300374,
           .want = 0.3551657749733, .absolute = 1e-6),
    NUMBER("slip after bounce 2", "m/s", rh_measure_at, .what = SLIP_X, .at = 0.300374,
           .want = -0.006919787593551, .absolute = 1e-6),
    NUMBER("speed after bounce 3", "m/s", rh_measure_at, .what = "fly.vx", .at = 0.401806,
           .want = 0.3566902934748, .absolute = 1e-6),
    NUMBER("slip after bounce 3", "m/s", rh_measure_at, .what = SLIP_X, .at = 0.401806,
           .want = -0.001583972838069, .absolute = 1e-6),
    NUMBER("speed after bounce 4", "m/s", rh_measure_at, .what = "fly.vx", .at = 0.468613,
           .want = 0.3570280274549, .absolute = 1e-6),
    NUMBER("slip after bounce 4", "m/s", rh_measure_at, .what = SLIP_X, .at = 0.468613,
           .want = -0.000401903907782, .absolute = 1e-6),
    NUMBER("speed after bounce 5", "m/s", rh_measure_at, .what = "fly.vx", .at = 0.51409,
           .want = 0.3571116814911, .absolute = 1e-6),
    NUMBER("slip after bounce 5", "m/s", rh_measure_at, .what = SLIP_X, .at = 0.51409,
           .want = -0.0001091147813185, .absolute = 1e-6),
    NUMBER("speed at the end", "m/s", rh_measure_end, .what = "fly.vx", .want = 5.0 / 7 * 0.5,
           .absolute = 1e-6), // rolls
    NUMBER("the same in y", "m/s", rh_measure_end, .what = "fly.vy", .want = 5.0 / 7 * 0.5,
           .absolute = 1e-6),
    NUMBER("slip at the end", "m/s", rh_measure_end, .what = SLIP_X, .want = 0, .absolute = 1e-6),
    NUMBER("way at the end", "m", rh_measure_end, .what = "fly.x", .want = 0.37404124207,
           .absolute = 1e-6),
    NUMBER("touchdowns", "", rh_measure_touches, .want = 10),
    NUMBER("last touchdown", "s", rh_measure_last_touch, .want = 0.5991446946127, .absolute = 1e-5),
};

const rh_figure rh_figure_af_15 = {
    .paper = "af",
    .number = 15,
    .title = "centre of mass and velocity of the lowest point, x direction",
    .claim = "'after 0.5 s, the velocity is zero but the position is still increasing, which "
             "means that the sphere is rolling'",
    .claim_holds = RH_CLAIM_HOLDS,
    .scene = RH_SCENE_TEXT(af, fig13),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time",
               .x_unit = "s",
               .y = "position of the centre",
               .y_unit = "m",
               .y2 = "velocity of the lowest point",
               .y2_unit = "m/s",
               .y_lo = -0.2,
               .y_hi = 0.6}},
    .trace = {{.run = RH_NONE, .label = "position", .x = "t", .y = "fly.x"},
              {.run = RH_NONE, .axis = 1, .label = "velocity", .x = "t", .y = SLIP_X}},
    .ntrace = 2,
    .expect = af_15,
    .nexpect = RH_COUNT(af_15),
};

static const rh_number af_16[] = {
    NUMBER("total at the start", "J", rh_measure_start, .what = TOTAL, .want = 0.189574,
           .relative = 1e-9),
    NUMBER("drift of the total", "J", rh_measure_drift, .what = TOTAL, .want = 0, .absolute = 1e-9),
    NUMBER("body after the first bounce", "J", rh_measure_at, .what = BODY, .at = 0.2,
           .want = 0.09829998251051, .absolute = 1.9e-07),
    NUMBER("normal spring after the first bounce", "J", rh_measure_at, .what = "ground.stored",
           .at = 0.2, .want = 0.0, .absolute = 1.9e-07),
    NUMBER("normal damper after the first bounce", "J", rh_measure_at, .what = "ground.damper",
           .at = 0.2, .want = 0.08032672410332, .absolute = 1.9e-07),
    NUMBER("tangential damper after the first bounce", "J", rh_measure_at, .what = "ground.drag",
           .at = 0.2, .want = 0.003566205364998, .absolute = 1.9e-07),
    NUMBER("clutch after the first bounce", "J", rh_measure_at, .what = "ground.sliding", .at = 0.2,
           .want = 0.008033105893621, .absolute = 1.9e-07),
    NUMBER("tangential spring, eq. 33 after the first bounce", "J", rh_measure_at,
           .what = "ground.spring33", .at = 0.2, .want = -0.0006520178724312, .absolute = 1.9e-07),
    NUMBER("the same, recoverable after the first bounce", "J", rh_measure_at,
           .what = "ground.recoverable", .at = 0.2, .want = 0.0, .absolute = 1.9e-07),
    NUMBER("body at the end", "J", rh_measure_end, .what = BODY, .want = 0.05237945301182,
           .absolute = 1.9e-07),
    NUMBER("normal spring at the end", "J", rh_measure_end, .what = "ground.stored",
           .want = 1.91027952766e-05, .absolute = 1.9e-07),
    NUMBER("normal damper at the end", "J", rh_measure_end, .what = "ground.damper",
           .want = 0.1261754441929, .absolute = 1.9e-07),
    NUMBER("tangential damper at the end", "J", rh_measure_end, .what = "ground.drag",
           .want = 0.003636987738698, .absolute = 1.9e-07),
    NUMBER("clutch at the end", "J", rh_measure_end, .what = "ground.sliding",
           .want = 0.008033107876669, .absolute = 1.9e-07),
    NUMBER("tangential spring, eq. 33 at the end", "J", rh_measure_end, .what = "ground.spring33",
           .want = -0.0006700956153678, .absolute = 1.9e-07),
    NUMBER("the same, recoverable at the end", "J", rh_measure_end, .what = "ground.recoverable",
           .want = 1.377592726388e-32, .absolute = 1.9e-07),
};

const rh_figure rh_figure_af_16 = {
    .paper = "af",
    .number = 16,
    .title = "energy of a rolling sphere",
    .claim = "'the amount of total energy is constant': it is, but by construction: the "
             "tangential spring's energy, eq. 33, ends at -0.67 mJ with nothing stored",
    .claim_holds = RH_CLAIM_PARTLY,
    .scene = RH_SCENE_TEXT(af, fig13),
    .run = {{.label = "sphere"}},
    .panel = {{.x = "time", .x_unit = "s", .y = "energy", .y_unit = "J"}},
    .trace = {{.run = RH_NONE, .label = "total", .x = "t", .y = TOTAL},
              {.run = RH_NONE, .label = "body", .x = "t", .y = BODY},
              {.run = RH_NONE,
               .label = "dissipated",
               .x = "t",
               .y = "energy.contact_damper+energy.sliding"},
              {.run = RH_NONE, .label = "springs", .x = "t", .y = "energy.contact"}},
    .ntrace = 4,
    .expect = af_16,
    .nexpect = RH_COUNT(af_16),
};
