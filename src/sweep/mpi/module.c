// module.c: the module routh_mpi.so: the messages of a sweep by MPI, none of which waits. Errors are
// returned: another rank may have died.
#include "module.h"

#include <mpi.h>
#include <string.h>

#define TAG 1

_Static_assert(sizeof(MPI_Request) <= sizeof(rh_mpi_post), "a request must fit");

static bool post_message(int to, const void *bytes, size_t n, rh_mpi_post *post)
{
  MPI_Request request = MPI_REQUEST_NULL;
  bool done = MPI_Isend(bytes, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &request) == MPI_SUCCESS;
  memcpy(post->request, &request, sizeof request);
  return done; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): test_posted looks at it
}

static bool test_posted(rh_mpi_post *post)
{
  MPI_Request request;
  int done = 0;
  memcpy(&request, post->request, sizeof request);
  bool failed = MPI_Test(&request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  memcpy(post->request, &request, sizeof request);
  return done != 0 || failed;
}

static MPI_Message found; // by the last look

static long probe_message(int *from)
{
  MPI_Status status;
  int there = 0;
  int n = 0;
  if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &found, &status) != MPI_SUCCESS ||
      there == 0) {
    return -1;
  }
  *from = status.MPI_SOURCE;
  return MPI_Get_count(&status, MPI_BYTE, &n) == MPI_SUCCESS ? n : -1;
}

static bool take_message(void *bytes, long n, rh_mpi_post *post)
{
  MPI_Request request = MPI_REQUEST_NULL;
  bool begun = MPI_Imrecv(bytes, (int)n, MPI_BYTE, &found, &request) == MPI_SUCCESS;
  memcpy(post->request, &request, sizeof request);
  return begun; // NOLINT(clang-analyzer-optin.mpi.MPI-Checker): test_posted looks at it
}

static void end_together(void)
{
  (void)MPI_Finalize();
}

__attribute__((visibility("default"))) rh_mpi_begin_fn rh_mpi_begin;

const rh_mpi *rh_mpi_begin(void)
{
  static rh_mpi mpi = {.version = RH_MPI_MODULE_VERSION,
                       .post = post_message,
                       .posted = test_posted,
                       .probe = probe_message,
                       .take = take_message,
                       .end = end_together};
  int there = 0;
  if (MPI_Initialized(&there) != MPI_SUCCESS ||
      (there == 0 && MPI_Init(NULL, NULL) != MPI_SUCCESS) ||
      MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
      MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank) != MPI_SUCCESS ||
      MPI_Comm_size(MPI_COMM_WORLD, &mpi.size) != MPI_SUCCESS) {
    return NULL;
  }
  return &mpi;
}
