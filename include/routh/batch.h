// routh/batch.h: many worlds of one layout, moved together by threads. Each world is a simulation
// of its own (rh_sim): its bits are those of a single one, for any number of threads and worlds.
// A batch is used by one thread at a time.
#ifndef ROUTH_BATCH_H
#define ROUTH_BATCH_H

#include <routh/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RH_BATCH_MAX         1048576 // worlds of a batch
#define RH_BATCH_THREADS_MAX 256

typedef struct rh_batch rh_batch;

typedef enum rh_lane_cause { // why a step was left to its world
  RH_LANE_OUTSIDE,  // locks, forces of the scene or a program, another model, the first step
  RH_LANE_FRAME,    // a frame or a moment of the scene is due
  RH_LANE_IMPACT,   // an impact within the step
  RH_LANE_TURN,     // a body turns so far that the step is taken in parts
  RH_LANE_SOLVER,   // rows that neither sweeps nor Newton's method solve
  RH_LANE_ENERGY,   // the energy of the step does not close
  RH_LANE_FEATURES, // other points of two shapes touch than before
  RH_LANE_CAUSES
} rh_lane_cause;

// Allocates `n` worlds of `model`, which must outlive them, and `threads` threads, the caller's
// among them. `*batch` gets it, NULL after an error; the caller frees it by rh_batch_destroy, which
// accepts NULL. RH_WRONG_USAGE: n or threads out of range.
RH_API rh_status rh_batch_create(const rh_model *model, int n, int threads, rh_diag *diag,
                                 rh_batch **batch) RH_CHECK_RESULT;
RH_API void rh_batch_destroy(rh_batch *batch);
RH_API int rh_batch_count(const rh_batch *batch);
RH_API int rh_batch_threads(const rh_batch *batch);
// Other threads from now on. `forked`: the process is a child made by fork, in which the threads of
// its parent do not exist; they are forgotten, not ended. After an error nothing has changed.
RH_API rh_status rh_batch_set_threads(rh_batch *batch, int threads, bool forked) RH_CHECK_RESULT;
// State, tau and fext of all worlds in one block: world i begins at i * rh_batch_stride doubles,
// with rh_data.state (model->layout.nstate), then tau (nv) and fext (6 nbody). A program may write
// q, v, commands, tau and fext between steps; the next step finds what has changed. The block lasts
// as long as the batch, also over resets and other models.
RH_API double *rh_batch_rows(rh_batch *batch);
RH_API size_t rh_batch_stride(const rh_batch *batch);
// World i, 0 <= i < rh_batch_count; valid until it is reset or gets another model.
RH_API rh_sim *rh_batch_sim(rh_batch *batch, int i);
// Worlds that are stepped side by side, one in each lane of the processor's vector registers, where the model
// allows it (docs/time-stepping.md); 0: one by one. No bit depends on it.
RH_API int rh_batch_lanes(const rh_batch *batch);
// Why worlds are stepped one by one, in words; "" where they are stepped side by side. Valid as long as the batch.
RH_API const char *rh_batch_lanes_reason(const rh_batch *batch);
// At most `widest` from now on: the widest that the processor has, 8, 4 or 1; 0: one by one. A new batch has the widest.
RH_API rh_status rh_batch_set_lanes(rh_batch *batch, int widest) RH_CHECK_RESULT;
// Steps all worlds together on a GPU; what it leaves to the processor the batch's threads do. RH_WRONG_USAGE: Routh is built without
// (ROUTH_CUDA), there is no GPU or not enough of its memory, or the model has no lanes. Changing lanes ends it.
RH_API rh_status rh_batch_set_gpu(rh_batch *batch, bool on) RH_CHECK_RESULT;
RH_API bool rh_batch_gpu(const rh_batch *batch);
RH_API double rh_batch_lane_steps(const rh_batch *batch); // steps of worlds that lanes did, since they were set
// Steps that worlds took by themselves meanwhile, as lanes left them to it for this cause
RH_API double rh_batch_alone_steps(const rh_batch *batch, rh_lane_cause cause);
RH_API const char *rh_lane_cause_name(rh_lane_cause cause); // a word
// How the last step of world i ended. A world that failed stays as it is until it is reset.
RH_API rh_status rh_batch_status(const rh_batch *batch, int i);
// Why, in words; "" after none. Valid until the next call for the batch.
RH_API const char *rh_batch_reason(const rh_batch *batch, int i);
// The worlds with which[i] != 0 (NULL: all) begin anew in the initial state of their model, as after
// rh_sim_create; then `start` (n x (nq + nv), may be NULL) gives q and v of these worlds. A world whose
// start is not finite has status RH_INPUT_REFUSED. RH_OUT_OF_MEMORY: those not reached are unchanged.
RH_API rh_status rh_batch_reset(rh_batch *batch, const unsigned char *which,
                                const double *start) RH_CHECK_RESULT;
// World i continues with other values: as rh_sim_replace_model. The model must outlive the batch, or
// the next model of that world. RH_INPUT_REFUSED also if a number that a program has written is not
// finite.
RH_API rh_status rh_batch_set_model(rh_batch *batch, int i, const rh_model *model,
                                    rh_diag *diag) RH_CHECK_RESULT;
// `steps` times rh_sim_step for every world. Returns the number of worlds that have failed.
RH_API int rh_batch_step(rh_batch *batch, int steps);

typedef struct rh_rollout {
  int horizon;             // number of decisions
  int steps;               // rh_sim_step after each decision
  const double *control;   // efforts of the actuators (n x horizon x nactuator); NULL: as they are
  double *state;           // gets q and v after each decision (n x horizon x (nq + nv)); NULL: not
  const rh_channels *channels; // of the model of the batch; NULL: none
  const int *channel;      // (nchannel)
  int nchannel;
  double *value;           // gets channels after each decision (n x horizon x nchannel)
  int whole; // the arrays have as many decisions per world, of which these are some; 0: horizon
} rh_rollout;

// Moves every world over `horizon` decisions. The arrays are the caller's; a world that fails has the numbers of its
// last state from then on. Returns the number of worlds that have failed, RH_NONE: out of memory.
RH_API int rh_batch_rollout(rh_batch *batch, const rh_rollout *rollout);

#ifdef __cplusplus
}
#endif
#endif
