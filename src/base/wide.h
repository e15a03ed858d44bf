// wide.h: functions that are compiled twice, for processors with AVX2 and for all others; the program chooses when it is
// loaded. No fused products (-ffp-contract=off), the same operations in the same order: the same bits. For loops over
// numbers that take much of a step; such a function is not inlined into others.
#ifndef ROUTH_BASE_WIDE_H
#define ROUTH_BASE_WIDE_H

// Sanitizers are not ready yet when the choice is made; clang asks for the attribute on declarations too.
#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__ &&           \
    !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ && !defined __AVX2__
#define RH_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define RH_WIDE
#endif

// A function that soon reads numbers that were just written one by one: pairs of them read at once would have to wait until
// they are in the cache, for many operations' time. The same bits.
#if defined __GNUC__ && !defined __clang__
#define RH_SCALAR __attribute__((optimize("no-tree-slp-vectorize")))
#else
#define RH_SCALAR
#endif

#endif
