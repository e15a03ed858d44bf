// Names, messages and exit codes of the status list.
#include <routh/base.h>

typedef struct status_row {
  const char *name;
  int code;
  const char *text;
} status_row;

static const status_row table[] = {
#define ROW(name, code, text) {#name, code, text},
    RH_STATUS_LIST(ROW)
#undef ROW
};

const char *rh_status_name(rh_status status)
{
  RH_ASSERT((int)status >= 0 && (int)status < RH_COUNT(table));
  return table[status].name;
}

const char *rh_status_message(rh_status status)
{
  RH_ASSERT((int)status >= 0 && (int)status < RH_COUNT(table));
  return table[status].text;
}

int rh_status_exit_code(rh_status status)
{
  RH_ASSERT((int)status >= 0 && (int)status < RH_COUNT(table));
  return table[status].code;
}
