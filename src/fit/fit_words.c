// fit_words.c: words of results.
#include "fit.h"

const char *const rh_fit_phase_name[RH_FIT_PHASES] = {"before the first contact",
                                                      "after the first contact",
                                                      "after the second",
                                                      "after the third",
                                                      "later",
                                                      "in contact"};

const char *rh_fit_verdict_word(rh_fit_verdict verdict)
{
  static const char *const word[] = {"determined", "bounded below", "bounded above",
                                     "in combination", "not determined"};
  return word[verdict];
}
