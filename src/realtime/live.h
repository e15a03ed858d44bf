// live.h: the real-time loop: one thread that only ticks, at absolute times, and other threads that
// serve disk, devices and screens. The loop's thread never allocates, locks, reads or writes a file
// or a socket. docs/haptic-loop.md.
//
//   device's thread --swap--> loop --ring--> keeper's thread (recording)
//                   <--swap--      --swap--> graphics (UDP, browser), status line
#ifndef ROUTH_REALTIME_LIVE_H
#define ROUTH_REALTIME_LIVE_H

#include "haptic/haptic.h"
#include "ring.h"
#include "timing_stats.h"

#include <routh/scene.h>
#include <routh/record.h>

// ---- Time: tests use their own clock.

typedef struct rh_clock {
  void *user;
  int64_t (*now)(void *user);                // [ns] monotonic clock
  void (*sleep)(void *user, int64_t until);  // [ns] on the same clock
} rh_clock;

rh_clock rh_clock_real(void);

// ---- The ticked world

enum { RH_VIEW_CONTACTS = 128 }; // maximum contacts shown

typedef struct rh_view { // a picture of the world for graphics; the state follows it
  double t;              // [s]
  long tick;
  rh_haptic_out out;
  double gain, worst;    // worst: [s] longest tick so far
  long missed;
  int ncontact;
  double contact[RH_VIEW_CONTACTS][6]; // [m], [N] point and force
  double state[];        // (nstate)
} rh_view;

typedef struct rh_live_world { // tests use their own
  void *user;
  int nstate;
  double dt;                   // [s] of a tick
  // One tick; hand->live is false where the scene's own hand pushes; hand->fade is the part that
  // the device does not get. `*over`: the scene ended the run.
  rh_status (*tick)(void *user, const rh_hand_in *hand, rh_haptic_out *out, bool *over);
  void (*device)(void *user, double pose[7], double twist[6]); // present pose of the device
  void (*view)(void *user, rh_view *view);                     // fills contacts and state
} rh_live_world;

// ---- Devices: one line in devices.def, one descriptor in device_<name>.c.

// [N/m, N s/m, N m/rad, N m s/rad] of a hand with spring and damper, if the scene has none: about
// those of an arm that holds a tool loosely
#define RH_HAND_K      100.0
#define RH_HAND_B      20.0
#define RH_HAND_K_TURN 0.5
#define RH_HAND_B_TURN 0.1

typedef struct rh_device_setup {
  const rh_model *model;
  const char *file;     // of a trace
  const char *listen;   // ADDRESS[:PORT]; NULL: loopback
  double timeout;       // [s] of silence after which a device counts as gone
  double rate;          // [Hz] of the loop
} rh_device_setup;

typedef struct rh_device_out { // output of a tick to the device
  double t;
  double wrench[6]; // [N, N m] clamped, with the gain
  double gain, worst, returned;
  int state;
} rh_device_out;

typedef struct rh_device { // NULL: not needed
  rh_row row;
  bool repeats;    // two runs see the same hand
  bool needs_file;
  rh_status (*scene)(const rh_device_setup *setup, rh_scene *scene, rh_diag *diag); // changes the scene before it is compiled
  rh_status (*open)(const rh_device_setup *setup, rh_diag *diag, void **self);
  // In the loop's thread. `in` holds the present time, pose and twist of the device, and gets the
  // hand. False: the scene's own hand pushes. `*lost`: no peer, so the force must go down.
  bool (*read)(void *self, int64_t now, rh_hand_in *in, bool *lost);
  void (*write)(void *self, const rh_device_out *out); // in the loop's thread
  rh_swap *(*view)(void *self);                        // swap for pictures
  void (*say)(const void *self, char *text, size_t size); // for people: its address
  void (*quiet)(void *self);                              // ends its thread; the loop has ended
  // Its counters after `quiet`: name and value; false after the last
  bool (*count)(const void *self, int index, const char **name, long *value);
  void (*close)(void *self);
} rh_device;

const rh_device *const *rh_device_table(int *count);
const rh_device *rh_device_find(const char *name);

// ---- The loop

typedef struct rh_live_status { // for the status line
  double t;                     // [s]
  long ticks;
  rh_ticks account;
  rh_safety safety;
  rh_haptic_out out;
} rh_live_status;

enum { RH_VIEWS = 2 };

typedef struct rh_rt_loop {
  rh_clock clock;
  rh_live_world world;
  const rh_device *device; // NULL: none
  void *device_self;
  bool paced;              // false: at full speed, no deadlines
  double deadline;         // [s] from the due time to the required end of a tick
  long last;               // maximum ticks; < 0: until it is stopped
  double view_period;      // [s]
  rh_swap *view[RH_VIEWS]; // NULL: none
  rh_swap *status;         // NULL: none
  rh_safety safety;
  _Atomic bool stop;       // set by any thread
  // Results, valid after the end
  rh_ticks account;
  rh_haptic_out out;
  long ticks;
  double t;                // [s]
  double peak[2];          // [N], [N m] largest force and torque commanded
  bool over;               // the scene ended it
  rh_status ended;
} rh_rt_loop;

void rh_rt_loop_run(rh_rt_loop *loop);

// ---- Scheduling. Refused requests are listed in words, "" if none.

typedef struct rh_realtime {
  bool fifo, locked;
  char why[RH_WHY_MAX];
} rh_realtime;

void rh_realtime_memory(rh_realtime *rt); // locks the present memory
void rh_realtime_release(void);          // ends that: the program may go on without the loop
void rh_realtime_thread(rh_realtime *rt); // the calling thread: highest priority, touched stack

// ---- The keeper: a thread that takes frames and events from the ring, hashes and records them

typedef struct rh_keeper rh_keeper;

// `recorder` may be NULL. The keeper has its own world for the recorder.
rh_status rh_keeper_open(const rh_model *model, rh_recorder *recorder, rh_diag *diag, rh_keeper **keeper);
rh_status rh_keeper_start(rh_keeper *keeper);
// In the loop's thread; a record without free capacity is lost, and counted.
void rh_keeper_frame(rh_keeper *keeper, const double *state);
void rh_keeper_event(rh_keeper *keeper, const rh_event *event);
bool rh_keeper_failed(const rh_keeper *keeper); // the recording could not be written
void rh_keeper_stop(rh_keeper *keeper);         // writes the rest; the loop has ended

typedef struct rh_keeper_counts {
  long frames, events;       // written
  long lost;                 // frames and events lost for lack of capacity
  uint64_t hash;             // over all frames, as in `routh run`
} rh_keeper_counts;

rh_keeper_counts rh_keeper_count(const rh_keeper *keeper);
void rh_keeper_close(rh_keeper *keeper);

// ---- A scene as a world for the loop: the tick of src/haptic, frames at record.every, events as they come

typedef struct rh_scene_world rh_scene_world;

// `until` [s]: end of the run.
rh_status rh_scene_world_open(const rh_model *model, double until, rh_diag *diag, rh_scene_world **world);
void rh_scene_world_keep(rh_scene_world *world, rh_keeper *keeper); // from now on; the first frame at once
rh_live_world rh_scene_world_steps(rh_scene_world *world);
long rh_scene_world_ticks(const rh_scene_world *world); // until the end
rh_status rh_scene_world_end(rh_scene_world *world);    // after the last tick: frames that are due
rh_sim *rh_scene_world_sim(rh_scene_world *world);
void rh_scene_world_close(rh_scene_world *world);

// ---- Graphics over UDP: a thread that sends poses and contacts

typedef struct rh_show rh_show;

rh_status rh_show_open(const rh_model *model, const char *address, double rate, rh_diag *diag, rh_show **show);
rh_swap *rh_show_view(rh_show *show);
long rh_show_sent(const rh_show *show); // pictures; when it is closed for good
void rh_show_stop(rh_show *show);
void rh_show_close(rh_show *show);

// ---- All of it together

typedef struct rh_live rh_live;

typedef struct rh_live_setup {
  const rh_model *model;
  double until;            // [s]; infinite: until it is stopped
  const rh_device *device;
  rh_device_setup how;
  rh_recorder *recorder;   // NULL: nothing is recorded. Owned by the keeper's thread
  const char *show;        // ADDRESS:PORT of graphics; NULL: none
  double deadline;         // [s] 0: one period
  double decay, recover;   // [s] of the force, see rh_safety
  long dry;                // > 0: number of ticks at full speed, without device and graphics
} rh_live_setup;

#define RH_LIVE_SHOW_RATE 30.0 // [Hz] of graphics over UDP

typedef struct rh_live_result { // when it has finished
  rh_status ended;
  double wall;                  // [s]
  rh_realtime realtime;
  rh_keeper_counts kept;
  long shown;                   // pictures sent over UDP
} rh_live_result;

rh_status rh_live_open(const rh_live_setup *setup, rh_diag *diag, rh_live **live) RH_CHECK_RESULT;
void rh_live_say(const rh_live *live, char *text, size_t size); // message of the device; "" if none
rh_status rh_live_start(rh_live *live);
bool rh_live_running(rh_live *live, rh_live_status *status); // the newest status; false: the loop has ended, or must (recording failed)
void rh_live_stop(rh_live *live);   // requests the end of the loop; any thread
void rh_live_finish(rh_live *live); // waits for it, then for the remaining writes
const rh_rt_loop *rh_live_loop(const rh_live *live);
rh_live_result rh_live_results(const rh_live *live);
rh_sim *rh_live_sim(rh_live *live);
void rh_live_close(rh_live *live);

struct rh_json;
// Into an open object: device, rate, ticks, deadlines with their histogram, forces, energy returned, scheduling, counters.
void rh_live_report(const rh_live *live, struct rh_json *json);

// ---- Options of a scene (scene_options.c)

bool rh_live_has_tool(const rh_scene *scene); // it has a section haptic
// Sets dt of the engine; 0: unchanged. Reports errors.
rh_status rh_live_set_rate(rh_scene *scene, double rate);
// Limits of force and torque in the scene [N, N m]; 1e9: none.
void rh_live_clamps(const rh_scene *scene, double clamp[2]);
void rh_live_set_clamps(rh_scene *scene, const double clamp[2]); // 1e9 each: unchanged

#endif
