// viewer.h: data of a run for the viewer's page (L6): one JSON head, and blocks of numbers. The
// same bytes go into an exported page (page.c) and over a live connection. docs/viewer.md describes
// them for other viewers.
//
// A block is RH_VIEWER_HEAD little-endian 32-bit words and then, each as long as the head says:
//   word 0 magic "RHS1"   1 kind   2 first   3 count   4 stride   5 n1   6 n2   7 n3, else zero
//   FRAMES    frames first, first + stride, ... (count of them); n1 bodies, n2 contact points in all, n3 numbers of devices
//             f64 t[count]  f32 pose[count][n1][7]  f32 ledger[count][RH_VIEWER_LEDGER]  u32 start[count + 1]
//             f32 contact[n2][RH_VIEWER_POINT]  f32 device[count][n3] (points of the tendons' paths, then readings of
//             sensors, as the head says): contacts of frame i are start[i] .. start[i + 1] - 1
//   CHANNELS  n1 channels; f64 t[count]  u32 index[n1]  f32 value[n1][count]
//   HULL      mesh `first`; n1 corners, n2 triangles: f32 corner[n1][3]  u32 triangle[n2][3]
//   FIELD     mesh `first`; n1 by n2 samples: f32 x[n1]  f32 y[n2]  f32 height[n2][n1]
//   LOOK      visual mesh `first` at the level of detail `stride`; n1 corners, n2 triangles, n3 parts (word 7)
//             f32 corner[n1][3]  u32 triangle[n2][3]  u32 part[n3][2] (first triangle; red, green, blue, opacity from the
//             lowest byte on, opacity 0: no colour of its own)
//   CROWD     frame `first`; n1 loose balls in all, `count` of them from number `stride` of their order on: f32 ball[count][4]: x y z, radius [m]
//   ZOOM      as FRAMES, but `first` is the examined event and the times are close together
// A pose is x y z [m] and the quaternion w x y z of a body (1, 2, ...; body 0 is the world). A contact point is
//   x y z [m], normal x y z (from b into a), force x y z [N] on a, state (rh_viewer_state), contact, slot, depth [m],
//   area [m^2], body a, body b.
#ifndef ROUTH_VIEWER_VIEWER_H
#define ROUTH_VIEWER_VIEWER_H

#include "base/text.h"

#include <routh/record.h>

#include <stdio.h>

#define RH_VIEWER_FORMAT 1
#define RH_VIEWER_MAGIC  0x31534852u // "RHS1"
#define RH_VIEWER_HEAD   8           // words
#define RH_VIEWER_POSE   7           // numbers of a body
#define RH_VIEWER_POINT  16          // numbers of a contact point
#define RH_VIEWER_LEDGER ((int)(sizeof(rh_ledger) / sizeof(double)))

#define RH_VIEWER_BLOCK_MAX   (64l << 20) // [byte] of one block
#define RH_VIEWER_EVENTS_MAX  50000       // events of one list
#define RH_VIEWER_FIELD_MAX   512         // samples along a side of a heightfield; finer ones are thinned out
#define RH_VIEWER_IMPACTS_MAX 400         // maximum impacts examined for an exported page
#define RH_VIEWER_STRUCK_MAX  16          // maximum contacts of an impact with inertia in the data
#define RH_VIEWER_ZOOM        96          // frames of a zoom
#define RH_VIEWER_ZOOMS_MAX   60          // maximum zooms of an exported page

typedef enum rh_viewer_kind {
  RH_VIEWER_FRAMES = 1,
  RH_VIEWER_CHANNELS,
  RH_VIEWER_HULL,
  RH_VIEWER_FIELD,
  RH_VIEWER_ZOOMED,
  RH_VIEWER_LOOK,
  RH_VIEWER_CROWD,
} rh_viewer_kind;

typedef enum rh_viewer_state { // of a contact point; the page shows each by shape and colour
  RH_VIEWER_IDLE,              // it touches without load
  RH_VIEWER_STICK,
  RH_VIEWER_SLIP,
} rh_viewer_state;

// ---- Building blocks from worlds (frame_block.c); a live run uses these too

typedef struct rh_viewer_block { // frames being collected; all zero: none
  rh_text t, pose, ledger, start, point, device;
  long count;
  long points;
} rh_viewer_block;

void rh_viewer_add(rh_viewer_block *block, const rh_channels *channels, rh_data *data); // evaluates it
// The same for a world whose channels were just read.
void rh_viewer_add_read(rh_viewer_block *block, const rh_data *data, const double ledger[RH_VIEWER_LEDGER]);
// A frame of bodies that are no part of a crowd; `data` NULL: there are none [kinematics].
struct rh_viewer_crowd;
void rh_viewer_add_kept(rh_viewer_block *block, const rh_data *data, const struct rh_viewer_crowd *crowd, double t,
                        const rh_ledger *ledger);
void rh_viewer_ledger_channels(const rh_channels *channels, int index[RH_VIEWER_LEDGER]);
// The bytes are added to `out`; the block is empty afterwards. False: out of memory.
bool rh_viewer_finish(rh_viewer_block *block, rh_viewer_kind kind, const uint32_t first_stride[2], int bodies,
                    rh_text *out);
void rh_viewer_block_free(rh_viewer_block *block);
void rh_viewer_put_head(rh_text *out, const uint32_t word[RH_VIEWER_HEAD - 1]); // word 1 on
void rh_viewer_put_u32(rh_text *out, uint32_t word);
float rh_viewer_float(double value); // overflow becomes infinite
void rh_viewer_put_f32(rh_text *out, double value);
void rh_viewer_put_f64(rh_text *out, double value);

// ---- The head (run_header.c)

// Bodies, shapes, contacts, channels of a model, as members of the open object. `constant` (NULL:
// none) holds the value of each constant channel, which has no block, NaN for the others.
struct rh_json;
void rh_viewer_model_put(struct rh_json *json, const rh_model *model, const rh_channels *channels,
                   const double *constant);
struct rh_viewer_crowd;
// The same of a model with a crowd: without its balls, and with no channels but those of the energy, which have their `id`.
void rh_viewer_crowded_put(struct rh_json *json, const rh_model *model, const rh_channels *channels,
                           const struct rh_viewer_crowd *crowd);
void rh_viewer_meshes(const rh_model *model, int mesh, rh_text *out); // its block

// ---- What bodies look like (look_block.c)

#define RH_VIEWER_LOOKS_PAGE  500000.0 // triangles of an exported page, about
#define RH_VIEWER_LOOKS_START 40000.0  // of the first picture of a served one

// Members "visuals" and "looks" of the open object.
void rh_viewer_visuals_put(struct rh_json *json, const rh_model *model);
int rh_viewer_look_levels(const rh_model *model, int mesh);
rh_status rh_viewer_look(const rh_model *model, int mesh, int level, rh_text *out) RH_CHECK_RESULT; // a block
// Raises the level of each visual mesh, of that with most triangles first, until all have at most so many.
void rh_viewer_look_budget(const rh_model *model, double triangles, int *level);

// ---- Sensors and tendons (device_block.c)

void rh_viewer_devices_put(struct rh_json *json, const rh_model *model); // members "tendons" and "sensors"
void rh_viewer_add_devices(rh_text *out, const rh_data *data); // of a frame [rh_channels_read]

// ---- Many loose balls (crowd.c)

typedef struct rh_viewer_crowd { // n 0: none
  int n;
  int step;   // ball k of their order is shape[k step mod n]
  int *kept;  // number on the page of each body that is none of them, RH_NONE of the balls (nbody)
  int *shape; // of the balls (n)
} rh_viewer_crowd;

rh_status rh_viewer_crowd_create(const rh_model *model, rh_viewer_crowd *crowd) RH_CHECK_RESULT;
void rh_viewer_crowd_free(rh_viewer_crowd *crowd);
// The balls span[0], span[0] + 1, ... of their order (span[1] of them, or fewer) as a block [kinematics]
void rh_viewer_crowd_put(const rh_viewer_crowd *crowd, const rh_data *data, long frame, const long span[2], rh_text *out);
// Widens a box so that it holds all of them [kinematics].
void rh_viewer_crowd_widen(const rh_viewer_crowd *crowd, const rh_data *data, double low[3], double high[3]);

// ---- A scene that runs while it is viewed (live.c)

typedef struct rh_viewer_live rh_viewer_live;

#define RH_VIEWER_SAY_MAX 400 // [byte] maximum message of a page

// `scene` is its text (rh_scene_write); without run.hand nothing can be dragged. `name` is used in
// messages.
rh_status rh_viewer_live_create(const char *scene, const char *name, rh_diag *diag, rh_viewer_live **live) RH_CHECK_RESULT;
void rh_viewer_live_destroy(rh_viewer_live *live); // NULL is allowed
void rh_viewer_live_record(rh_viewer_live *live, rh_recorder *recorder); // from the start; it is closed with the run
// Closes the recording, if there is one; `why` (RH_WHY_MAX) gets the reason of a failure.
rh_status rh_viewer_live_close_record(rh_viewer_live *live, char *why);
// Continues another run at its time, with all elements of the same name (rh_sim_transfer): this
// state is its first frame. Or `anew`, from the start. Speed, pause and patience are those of the
// other.
void rh_viewer_live_carry(rh_viewer_live *live, const rh_viewer_live *from, bool anew);
// From here on rh_viewer_live_go_on ends after this many seconds of a clock and leaves the rest
// undone: the run falls behind, as rh_viewer_live_now reports ("pace" against "speed").
typedef double rh_viewer_clock(void);
void rh_viewer_live_patience(rh_viewer_live *live, rh_viewer_clock *clock, double seconds);
void rh_viewer_live_go_on(rh_viewer_live *live, double seconds); // elapsed time of the clock
// "pause", "run", "speed 0.5", "drag BODY X Y Z TX TY TZ" (a point of the body, in its axes; its
// target, in the world), "drop", "set PATH VALUE" (of contacts.*, or world.gravity). False: none of
// these, or malformed. A value that the scene refuses changes nothing; rh_viewer_live_now has the
// reason ("refused").
bool rh_viewer_live_say(rh_viewer_live *live, const char *text, size_t bytes);
const rh_model *rh_viewer_live_model(const rh_viewer_live *live);
long rh_viewer_live_frames(const rh_viewer_live *live);
long rh_viewer_live_events(const rh_viewer_live *live);
// An input by the program itself; it acts at the last frame (a first one is made if there is none).
rh_status rh_viewer_live_input(rh_viewer_live *live, const rh_input *input);
const char *rh_viewer_live_refused(const rh_viewer_live *live); // reason of the last refused input
rh_replay *rh_viewer_live_play(const rh_viewer_live *live); // read only, not to run
// A frame as a world, with its model; it stays until another is requested, or an input acts.
rh_status rh_viewer_live_world(rh_viewer_live *live, long index, rh_diag *diag, rh_data **world);
const rh_event *rh_viewer_live_event(const rh_viewer_live *live, long index); // NULL: there is none
// From `first` on, as a JSON array
void rh_viewer_live_impacts(const rh_viewer_live *live, long first, rh_text *out);
// Members of the open object
void rh_viewer_live_now(const rh_viewer_live *live, struct rh_json *json);

// ---- Values of contacts that a page can change (sliders.c)

// {"contacts": [{name, path, law, friction, rigid, values: [{name, path, of, unit, value, default,
// doc, scale, from, to, choices}]}]}: of the law's row and of the friction's, present values.
// `path` is for "set"; `scale` is "linear", "log", "choice" or "number".
rh_status rh_viewer_sliders(const rh_viewer_live *live, rh_diag *diag, rh_text *out);
// The law of a contact with its present values. Compliant: a free impact of its body at
// RH_VIEWER_CURVE_SPEED, force over depth, and the force in slow loading. Rigid: an impact at 45
// degrees, normal and tangential velocity over the normal impulse.
rh_status rh_viewer_law(const rh_viewer_live *live, long contact, rh_diag *diag, rh_text *out);

#define RH_VIEWER_CURVE_SPEED 1.0 // [m/s]

// ---- A viewed run: a recording, or a live one (run.c)

typedef struct rh_viewer rh_viewer;

typedef struct rh_viewer_span { // frames first, first + stride, ...
  long first, count, stride;
} rh_viewer_span;

rh_status rh_viewer_open(const char *path, rh_diag *diag, rh_viewer **film) RH_CHECK_RESULT;
void rh_viewer_close(rh_viewer *film); // NULL is allowed
// Views a live run, which must stay. `name` is its name on the page, `scene` its text.
rh_status rh_viewer_open_live(rh_viewer_live *live, const char *name, const char *scene, rh_viewer **film) RH_CHECK_RESULT;
// Part of its head; a sandbox has successive runs
void rh_viewer_set_number(rh_viewer *film, long number);
rh_recording *rh_viewer_recording(const rh_viewer *film); // NULL: it is live
rh_viewer_live *rh_viewer_live_of(const rh_viewer *film);   // NULL: it is a recording
const rh_model *rh_viewer_model(const rh_viewer *film);
long rh_viewer_frame_count(const rh_viewer *film);
long rh_viewer_event_count(const rh_viewer *film);
rh_status rh_viewer_event(const rh_viewer *film, long index, rh_diag *diag, rh_event *event);
const rh_channels *rh_viewer_channels_of(const rh_viewer *film);
const rh_viewer_crowd *rh_viewer_crowd_of(const rh_viewer *film); // n 0: it has none
// Balls of a frame: see rh_viewer_crowd_put.
rh_status rh_viewer_balls(rh_viewer *film, long frame, const long span[2], rh_diag *diag, rh_text *out);
rh_status rh_viewer_head(rh_viewer *film, const double *constant, rh_diag *diag, rh_text *out);
rh_status rh_viewer_events(const rh_viewer *film, long first, long count, rh_diag *diag,
                         struct rh_json *json); // an array "events"; from `first` on
// Present frames, events and end: members of the open object.
rh_status rh_viewer_now(rh_viewer *film, rh_diag *diag, struct rh_json *json);
// A span may end after the last frame; it is cut there. RH_OVER_LIMIT: more than RH_VIEWER_BLOCK_MAX.
rh_status rh_viewer_frames(rh_viewer *film, rh_viewer_span span, rh_diag *diag, rh_text *out);
rh_status rh_viewer_values(rh_viewer *film, rh_viewer_span span, const int *channel, int n, rh_diag *diag,
                         rh_text *out);
// All channels of a range: constant ones give a number in `constant` (one per channel, NaN: not
// constant), the others are put into the block. `frames` (NULL: none) gets the same frames: reading
// one is most of the work.
rh_status rh_viewer_all_values(rh_viewer *film, rh_viewer_span span, rh_diag *diag, double *constant,
                             rh_viewer_block *frames, rh_text *out);

// ---- Examining an event (replay_zoom.c): the run is repeated from the frame before it

typedef struct rh_viewer_again rh_viewer_again;

// During an event: data of the impact, as one object. False: no impact, or not its first event.
bool rh_viewer_impact_put(struct rh_json *json, const rh_sim *sim, const rh_event *event);

rh_status rh_viewer_again_open(rh_viewer *film, rh_diag *diag, rh_viewer_again **again) RH_CHECK_RESULT;
void rh_viewer_again_close(rh_viewer_again *again); // NULL is allowed
// Data of the impacts from span[0] to span[1] [s], as a JSON array: velocities before,
// contact-space inertia, impulses, and the path of a single contact. At most `most` of them. They
// belong to the events of the same time and slot.
rh_status rh_viewer_impacts(rh_viewer_again *again, const double span[2], int most, rh_diag *diag,
                          rh_text *out);
// RH_VIEWER_ZOOM frames from span[0] to span[1] [s] as a block of kind ZOOM. Ascending spans are
// cheapest.
rh_status rh_viewer_zoom(rh_viewer_again *again, long event, const double span[2], rh_diag *diag,
                       rh_text *out);
// A contact shorter than the frames can show: the time range from its touchdown (event number
// `event`) on, with a margin. False: that event is none.
bool rh_viewer_zoom_span(rh_viewer *film, long event, rh_diag *diag, double span[2]);

// ---- Requests of a page (requests.c)

// Content of a path:  /runs   /head/RUN   /mesh/RUN/MESH   /look/RUN/MESH/LEVEL   /now/RUN   /events/RUN/FIRST
//   /frames/RUN/FIRST/COUNT/STRIDE   /crowd/RUN/FRAME/FIRST/COUNT
//   /channels/RUN/FIRST/COUNT/STRIDE/I,J,K (at most 32)   /impacts/RUN/EVENT (of a live run: /FIRST)   /zoom/RUN/EVENT   of a live
//   run: /values/RUN   /law/RUN/CONTACT
// RH_INPUT_REFUSED: no such path. `*type` is its media type.
rh_status rh_viewer_answer(rh_viewer *const *film, int n, const char *path, rh_diag *diag, rh_text *out,
                         const char **type);

// ---- An exported page (page.c)

typedef struct rh_viewer_page { // a built page, and the place of its data
  const char *text;
  size_t size;
} rh_viewer_page;

typedef struct rh_viewer_limits {
  long bytes;   // maximum, of the numbers of one run: frames are skipped evenly
  bool shallow; // examine only the impacts of the range `look`
  double look[2]; // [s] from, to; both zero: none
} rh_viewer_limits;

rh_status rh_viewer_write(const rh_viewer_page *page, rh_viewer *const *film, int n, const rh_viewer_limits *limits,
                        rh_diag *diag, FILE *out);
// The page for a server: with the data of the first picture; the rest is requested later.
rh_status rh_viewer_write_start(const rh_viewer_page *page, rh_viewer *const *film, int n, rh_diag *diag, FILE *out);

#endif
