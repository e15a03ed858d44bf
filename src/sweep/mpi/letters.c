// letters.c: messages of MPI on their way.
#include "letters.h"

#include <string.h>

#define ARRIVALS_MAX 4096 // at once

bool rh_letter_post(const rh_mpi *mpi, int to, const rh_text *bytes, rh_letter *letter)
{
  letter->bytes = rh_alloc(bytes->size + 1);
  if (letter->bytes == NULL) {
    return false;
  }
  memcpy(letter->bytes, bytes->data, bytes->size);
  if (!mpi->post(to, letter->bytes, bytes->size, &letter->post)) {
    rh_free(letter->bytes);
    letter->bytes = NULL;
  }
  return letter->bytes != NULL;
}

bool rh_letter_gone(const rh_mpi *mpi, rh_letter *letter)
{
  if (letter->bytes != NULL && mpi->posted(&letter->post)) {
    rh_free(letter->bytes);
    letter->bytes = NULL;
  }
  return letter->bytes == NULL;
}

// One that has begun to come is received from now on.
static void receive_next(rh_letterbox *box)
{
  if (box->n == box->room) {
    int room = box->room == 0 ? 16 : 2 * box->room;
    rh_arrival *larger =
        room <= ARRIVALS_MAX ? rh_realloc(box->arrival, (size_t)room * sizeof *larger) : NULL;
    if (larger == NULL) {
      return; // later
    }
    box->arrival = larger;
    box->room = room;
  }
  rh_arrival *a = &box->arrival[box->n];
  *a = (rh_arrival){.from = RH_NONE, .since = box->watch.counted};
  a->n = box->mpi->probe(&a->from);
  a->bytes = a->n >= 0 ? rh_alloc((size_t)a->n + 1) : NULL;
  if (a->bytes != NULL && box->mpi->take(a->bytes, a->n, &a->post)) {
    box->n++;
  } else {
    rh_free(a->bytes);
  }
}

static bool is_first(const rh_letterbox *box, int index)
{
  for (int i = 0; i < index; i++) {
    if (box->arrival[i].from == box->arrival[index].from) {
      return false;
    }
  }
  return true;
}

static void drop_arrival(rh_letterbox *box, int index)
{
  box->n--;
  memmove(&box->arrival[index], &box->arrival[index + 1],
          (size_t)(box->n - index) * sizeof *box->arrival);
}

int rh_letterbox_take(rh_letterbox *box, double now, rh_text *said, bool each)
{
  double t = rh_listening_time(&box->watch, now);
  receive_next(box);
  for (int i = 0; i < box->n;) {
    rh_arrival *a = &box->arrival[i];
    a->there = a->there || box->mpi->posted(&a->post);
    if (!a->there && t - a->since > RH_LETTER_PATIENCE) {
      drop_arrival(box, i); // its bytes stay: MPI may still write there
      continue;
    }
    if (a->there && is_first(box, i)) {
      int from = a->from;
      if (a->n > 0) {
        rh_text_add_bytes(each ? &said[from] : said, a->bytes, (size_t)a->n);
      }
      rh_free(a->bytes);
      drop_arrival(box, i);
      return from;
    }
    i++;
  }
  return RH_NONE;
}

void rh_letterbox_free(rh_letterbox *box)
{
  rh_free(box->arrival);
  *box = (rh_letterbox){0};
}
