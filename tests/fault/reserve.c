// reserve.c: the reserve of the program (src/console/reserve.c) under load. The allocator below it refuses everything, so that every block
// of this program is one of the reserve: blocks are taken, grown, shrunk and given back in random order, none overlaps another, all
// are aligned, all are free in the end; and a program that asks for more than there is ends with exit code 6 and a sentence.
#define RESERVE_BYTES (1 << 20)
#include "console/reserve.c"

#include <stdio.h>
#include <sys/wait.h>

enum {
  BLOCKS = 400,
  ROUNDS = 200000,
  LARGEST = 3000, // [bytes]; 400 blocks of half of it are more than half of the reserve
};

// src/console/print.c is not part of this program.
static bool failed;

void rh_memory_fail(void)
{
  failed = true;
}

rh_status rh_refuse(rh_status status, const char *format, ...)
{
  (void)format;
  return status;
}

static void *refuse_malloc(size_t bytes)
{
  (void)bytes;
  return NULL;
}

static void *refuse_calloc(size_t count, size_t bytes)
{
  (void)count;
  (void)bytes;
  return NULL;
}

static void *refuse_realloc(void *block, size_t bytes)
{
  (void)block;
  (void)bytes;
  return NULL;
}

static void *refuse_memalign(size_t alignment, size_t bytes)
{
  (void)alignment;
  (void)bytes;
  return NULL;
}

typedef struct piece {
  unsigned char *at;
  size_t bytes;
  unsigned char fill;
} piece;

static piece pieces[BLOCKS];

static unsigned draw(unsigned n)
{
  static uint64_t state = 20240607;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(state >> 33) % n;
}

static void fail(const char *what)
{
  (void)fprintf(stderr, "reserve: %s\n", what);
  _exit(1);
}

static void check_piece(const piece *p, size_t bytes)
{
  for (size_t i = 0; i < bytes; i++) {
    if (p->at[i] != p->fill) {
      fail("a block was overwritten");
    }
  }
}

static void take_piece(piece *p)
{
  size_t alignment = (size_t)16 << draw(6);
  unsigned how = draw(4);
  p->bytes = 1 + draw(LARGEST);
  p->fill = (unsigned char)draw(256);
  alignment = how == 0 ? alignment : 16;
  p->at = how == 0   ? aligned_alloc(alignment, p->bytes)
          : how == 1 ? calloc(1, p->bytes)
                     : malloc(p->bytes);
  if (!from_reserve(p->at) || (uintptr_t)p->at % alignment != 0 ||
      malloc_usable_size(p->at) < p->bytes) {
    fail("a block is not where it should be");
  }
  for (size_t i = 0; how == 1 && i < p->bytes; i++) {
    if (p->at[i] != 0) {
      fail("a block is not zeroed");
    }
  }
  memset(p->at, p->fill, p->bytes);
}

static void grow_piece(piece *p)
{
  size_t bytes = 1 + draw(LARGEST);
  p->at = realloc(p->at, bytes);
  check_piece(p, bytes < p->bytes ? bytes : p->bytes);
  p->bytes = bytes;
  memset(p->at, p->fill, p->bytes);
}

static void give_piece(piece *p)
{
  check_piece(p, p->bytes);
  free(p->at);
  p->at = NULL;
}

// Exit code 6 and the sentence, in a copy of this program.
static void check_end(void)
{
  char text[64] = "";
  int end[2];
  int state = 0;
  if (pipe(end) != 0) {
    fail("no pipe");
  }
  pid_t copy = fork();
  if (copy == 0) {
    (void)dup2(end[1], STDERR_FILENO);
    for (void *block = malloc(1000); block != NULL;) {
      block = malloc(1000);
    }
    _exit(0);
  }
  (void)close(end[1]);
  ssize_t got = read(end[0], text, sizeof text - 1);
  (void)waitpid(copy, &state, 0);
  if (got <= 0 || strcmp(text, "routh: out of memory\n") != 0 || !WIFEXITED(state) ||
      WEXITSTATUS(state) != 6) {
    fail("the end of the reserve is not reported");
  }
}

int main(void)
{
  rh_memory_begin();
  next.malloc = refuse_malloc;
  next.calloc = refuse_calloc;
  next.realloc = refuse_realloc;
  next.memalign = refuse_memalign;
  for (int i = 0; i < ROUNDS; i++) {
    piece *p = &pieces[draw(BLOCKS)];
    if (p->at == NULL) {
      take_piece(p);
    } else if (draw(2) == 0) {
      grow_piece(p);
    } else {
      give_piece(p);
    }
  }
  if (failed || rh_alloc(8) != NULL || !failed) {
    fail("Routh's own allocations take from the reserve");
  }
  check_end();
  for (int i = 0; i < BLOCKS; i++) {
    if (pieces[i].at != NULL) {
      give_piece(&pieces[i]);
    }
  }
  free(malloc(RESERVE_BYTES / 2)); // nothing is lost between the blocks
  puts("reserve: all blocks in order");
  return 0;
}
