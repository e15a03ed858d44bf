// books.c: answers the reference cases of [Ch]'s and [CSC]'s figures: calls the function of each kind.
#include "reproduce/csc/csc.h"

#include <string.h>

static const struct {
  const char *kind;
  rh_ch_answer_fn *answer;
} kinds[] = {
    {"impact1_trace", rh_ch_trace},
    {"impact1_negative_e", rh_ch_early},
    {"critical", rh_ch_critical},
    {"cqr", rh_ch_pair},
    {"sphere", rh_ch_sphere},
    {"rod", rh_ch_rod},
    {"block_corner", rh_ch_corner},
    {"block_central", rh_ch_central},
    {"edge_landing", rh_ch_edge},
    {"rocking", rh_ch_rocking},
    {"rocking_split", rh_ch_rocking_split},
    {"bounce", rh_ch_bounce},
    {"tilted_drop", rh_ch_tilted},
    {"corner_drop", rh_ch_corner_drop},
    {"computed_torque", rh_ch_torque},
    {"dynamics", rh_ch_dynamics},
    {"atlas_dynamics", rh_ch_atlas},
    {"two_link", rh_csc_two_link},
    {"peg", rh_csc_peg_case},
    {"limits", rh_csc_limits_case},
    {"spread1d", rh_csc_spread_case},
    {"device_ratio", rh_csc_ratio},
    {"linkage", rh_csc_linkage},
};

static rh_status answer_case(const rh_yaml *tree, int node, rh_json *json)
{
  rh_ch_case c = rh_ch_case_at(tree, node);
  const char *kind = rh_ch_word(&c, node, "kind");
  for (int i = 0; i < RH_COUNT(kinds); i++) {
    if (strcmp(kinds[i].kind, kind) == 0) {
      rh_json_open_object(json, rh_ch_word(&c, node, "id"));
      rh_status status = kinds[i].answer(&c, json);
      rh_json_close(json);
      return status;
    }
  }
  return rh_refuse(RH_STOPPED, "paper: no solver for problems of kind '%s'", kind);
}

rh_status rh_book_answer(const rh_redone *redone, rh_json *json)
{
  const rh_yaml *tree = &redone->posed;
  for (int k = tree->node[redone->problems].first; k != RH_NONE; k = tree->node[k].next) {
    RH_TRY(answer_case(tree, k, json));
  }
  return RH_OK;
}
