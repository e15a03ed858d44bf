// names.c: refuses a name that is in no table, with the same words everywhere: a suggestion, then
// the list.
#include "console.h"

#define NAMES_SHOWN 40

rh_status rh_refuse_name(const char *verb, const char *what, const char *word,
                         const char *const *names, int n)
{
  rh_text text = {0};
  rh_text_addf(&text, "%s: there is no %s '%.80s'", verb, what, word);
  const char *near = rh_nearest_name(word, names, n);
  if (near != NULL) {
    rh_text_addf(&text, "; did you mean '%s'?", near);
  }
  for (int i = 0; i < n && i < NAMES_SHOWN; i++) {
    rh_text_addf(&text, "%s%s",
                 i > 0          ? ", "
                 : near != NULL ? " there are "
                                : "; there are ",
                 names[i]);
  }
  rh_text_add(&text, n > NAMES_SHOWN ? ", ..." : "");
  rh_status status = rh_refuse(RH_WRONG_USAGE, "%s", text.failed ? "unknown name" : text.data);
  rh_text_free(&text);
  return status;
}
