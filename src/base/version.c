// version.c: which version of the library a program runs with.
#include <routh/routh.h>

const char *rh_version(void)
{
  return RH_VERSION;
}
