// module.h: what routh uses of MPI. The module routh_mpi.so alone is linked with it, and is loaded
// only where a launcher has started the program: without MPI the rest is the same.
#ifndef ROUTH_SWEEP_MPI_MODULE_H
#define ROUTH_SWEEP_MPI_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#define RH_MPI_MODULE_VERSION 2

typedef struct rh_mpi_post { // of a message on its way; its bytes must stay
  _Alignas(16) unsigned char request[16];
} rh_mpi_post;

typedef struct rh_mpi {
  int version;
  int rank, size;
  bool (*post)(int to, const void *bytes, size_t n, rh_mpi_post *post);
  bool (*posted)(rh_mpi_post *post); // has it gone, or come? Once true it must not be asked again.
  long (*probe)(int *from);          // bytes of the next message that has begun to come; < 0: there is none
  bool (*take)(void *bytes, long n, rh_mpi_post *post); // begins to receive that message
  void (*end)(void);                 // all ranks together
} rh_mpi;

typedef const rh_mpi *rh_mpi_begin_fn(void); // NULL: MPI does not start

#endif
