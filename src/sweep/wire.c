// wire.c: messages between manager and workers, as bytes.
#include "wire.h"

#include <string.h>

#define COUNT_STATUS(name, code, text) +1

enum { STATUSES = 0 RH_STATUS_LIST(COUNT_STATUS) };

typedef struct result_head {
  int64_t index;
  int32_t status;
  uint32_t letters; // of the reason
} result_head;

void rh_wire_add(rh_text *to, rh_wire_kind kind, const void *body, size_t bytes)
{
  rh_wire head = {(uint32_t)kind, (uint32_t)bytes};
  rh_text_add_bytes(to, (const char *)&head, sizeof head);
  if (bytes > 0) {
    rh_text_add_bytes(to, body, bytes);
  }
}

void rh_wire_add_result(rh_text *to, const rh_plan *plan, const rh_case *result)
{
  size_t letters = strlen(result->reason);
  size_t values = (size_t)plan->out.n * sizeof *result->value;
  rh_wire head = {RH_WIRE_RESULT, (uint32_t)(sizeof(result_head) + values + letters)};
  result_head what = {result->index, (int32_t)result->status, (uint32_t)letters};
  rh_text_add_bytes(to, (const char *)&head, sizeof head);
  rh_text_add_bytes(to, (const char *)&what, sizeof what);
  rh_text_add_bytes(to, (const char *)result->value, values);
  rh_text_add_bytes(to, result->reason, letters);
}

// A plan has at most `plan_max` bytes.
static bool take_message(const rh_text *text, size_t *at, size_t plan_max, rh_wire *head,
                         const char **body)
{
  size_t most = RH_WIRE_BODY_MAX;
  *head = (rh_wire){0};
  if (text->failed || text->size - *at < sizeof *head) {
    return false;
  }
  memcpy(head, text->data + *at, sizeof *head);
  most = head->kind == RH_WIRE_PLAN ? plan_max : most;
  if (head->kind < RH_WIRE_SPAN || head->kind > RH_WIRE_HELLO || head->bytes > most) {
    head->kind = 0;
    return false;
  }
  if (text->size - *at - sizeof *head < head->bytes) {
    return false;
  }
  *body = text->data + *at + sizeof *head;
  *at += sizeof *head + head->bytes;
  return true;
}

bool rh_wire_next(const rh_text *text, size_t *at, rh_wire *head, const char **body, bool *damaged)
{
  bool there = take_message(text, at, 0, head, body);
  *damaged = text->failed || (!there && text->size - *at >= sizeof *head && head->kind == 0);
  return there;
}

bool rh_wire_result(const rh_plan *plan, const char *body, size_t bytes, rh_case *result)
{
  result_head what = {0};
  size_t values = (size_t)plan->out.n * sizeof *result->value;
  if (bytes < sizeof what + values) {
    return false;
  }
  memcpy(&what, body, sizeof what);
  const char *reason = body + sizeof what + values;
  if (what.letters != bytes - sizeof what - values || what.letters >= sizeof result->reason ||
      what.status < 0 || what.status >= STATUSES || memchr(reason, '\0', what.letters) != NULL) {
    return false;
  }
  result->index = what.index;
  result->status = (rh_status)what.status;
  memcpy(result->value, body + sizeof what, values);
  memcpy(result->reason, reason, what.letters);
  result->reason[what.letters] = '\0';
  return true;
}

void rh_wire_drop(rh_text *text, size_t bytes)
{
  if (bytes > 0) {
    text->size -= bytes;
    memmove(text->data, text->data + bytes, text->size + 1); // with its closing zero
  }
}

void rh_wire_add_stop(rh_text *to, bool together)
{
  char byte = together ? 1 : 0;
  rh_wire_add(to, RH_WIRE_STOP, &byte, 1);
}

void rh_wire_add_plan(rh_text *to, const rh_plan *plan)
{
  rh_text packed = {0};
  if (rh_plan_pack(plan, &packed) && packed.size <= RH_WIRE_PLAN_MAX) {
    rh_wire_add(to, RH_WIRE_PLAN, packed.data, packed.size);
  } else {
    to->failed = true;
  }
  rh_text_free(&packed);
}

bool rh_wire_plan(rh_text *text, rh_plan *plan, rh_status *status)
{
  size_t at = 0;
  rh_wire head;
  const char *body = NULL;
  bool more = true;
  while (more && take_message(text, &at, RH_WIRE_PLAN_MAX, &head, &body)) {
    more = head.kind == RH_WIRE_HELLO;
    *status = more ? *status : RH_OK;
    if (head.kind == RH_WIRE_PLAN) {
      *status = rh_plan_unpack(body, head.bytes, plan);
    }
  }
  bool damaged = text->failed || (more && text->size - at >= sizeof head && head.kind == 0);
  rh_wire_drop(text, at);
  return more && !damaged;
}
