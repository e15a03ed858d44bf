// memory.h: what memory.c and memory_sweep.c agree on.
#ifndef ROUTH_FAULT_MEMORY_H
#define ROUTH_FAULT_MEMORY_H

enum {
  RH_FAULT_IN = 198, // file descriptors of a server
  RH_FAULT_OUT = 199,
  RH_FAULT_WATCHDOG = 3600, // [s] a program that takes longer hangs
};

typedef struct rh_fault_request {
  long at;       // allocation that fails, from 1
  long for_good; // 1: all after it too
} rh_fault_request;

#endif
