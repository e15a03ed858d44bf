// letters.h: messages of MPI on their way. A rank may die at any moment, also in the middle of a message: the rest of it
// never comes, and whoever waits for it inside MPI waits for ever. So nobody does: a message that has begun to arrive is
// looked at again and again, while others go on.
#ifndef ROUTH_SWEEP_MPI_LETTERS_H
#define ROUTH_SWEEP_MPI_LETTERS_H

#include "module.h"

#include "base/text.h"
#include "sweep/leases.h"

typedef struct rh_letter { // that goes out
  rh_mpi_post post;
  char *bytes; // NULL: none
} rh_letter;

bool rh_letter_post(const rh_mpi *mpi, int to, const rh_text *bytes, rh_letter *letter);
bool rh_letter_gone(const rh_mpi *mpi, rh_letter *letter); // there is none on its way

typedef struct rh_arrival { // that has begun to come
  int from;
  long n;
  bool there;
  char *bytes;
  rh_mpi_post post;
  double since; // [s] of the watch
} rh_arrival;

typedef struct rh_letterbox { // the rest is zero
  const rh_mpi *mpi;
  rh_listening watch;
  rh_arrival *arrival; // in the order in which they began
  int n, room;
} rh_letterbox;

// The next letter, added to what its rank has said (`each`), or to one text; its rank, RH_NONE: none is there. Those of a
// rank come in their order. One that does not come to its end is dropped after RH_LETTER_PATIENCE.
#define RH_LETTER_PATIENCE 60 // [s] of listening
int rh_letterbox_take(rh_letterbox *box, double now, rh_text *said, bool each);
void rh_letterbox_free(rh_letterbox *box); // what MPI may still write into stays

#endif
