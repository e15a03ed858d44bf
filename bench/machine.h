// machine.h: what a machine allows threads at all
#ifndef ROUTH_BENCH_MACHINE_H
#define ROUTH_BENCH_MACHINE_H

// Prints how many times the arithmetic of one thread so many do at once (cores may get slower as more of them work), the bandwidth of the memory, and the
// time of an empty round of the pool and of a cache line on its way from one core to another.
void print_machine(int threads);

#endif
