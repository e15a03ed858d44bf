// book.c: reads the reference cases of [Ch]'s and [CSC]'s figures, and the models of their kinds.
#include "ch.h"

#include <stdlib.h>
#include <string.h>

extern const char rh_scene_atlas[], rh_scene_chain4[], rh_scene_humanoid8[];
extern const unsigned long rh_scene_atlas_size, rh_scene_chain4_size, rh_scene_humanoid8_size;

const rh_scene_text rh_ch_atlas_scene = {"models/atlas.yaml", rh_scene_atlas, &rh_scene_atlas_size};
const rh_scene_text rh_ch_chain = {"scenes/trees/chain4.yaml", rh_scene_chain4,
                                   &rh_scene_chain4_size};
const rh_scene_text rh_ch_humanoid = {"scenes/trees/humanoid8.yaml", rh_scene_humanoid8,
                                      &rh_scene_humanoid8_size};

// ---- Reading

static int find_key(const rh_ch_case *c, int map, const char *key)
{
  return map != RH_NONE && c->tree->node[map].kind == RH_NODE_MAP ? rh_yaml_find(c->tree, map, key)
                                                                  : RH_NONE;
}

const char *rh_ch_word(const rh_ch_case *c, int map, const char *key)
{
  int node = find_key(c, map, key);
  return node != RH_NONE && c->tree->node[node].kind == RH_NODE_SCALAR ? rh_yaml_text(c->tree, node)
                                                                       : "";
}

double rh_ch_number(const rh_ch_case *c, int map, const char *key)
{
  double x = (double)NAN;
  (void)rh_number_read(rh_ch_word(c, map, key), &x);
  return x;
}

// Depth is bounded by that of a tree. NOLINTNEXTLINE(misc-no-recursion)
static int flatten_numbers(const rh_yaml *tree, int node, double *x, int n, int most)
{
  if (tree->node[node].kind == RH_NODE_SCALAR) {
    if (n < most) {
      (void)rh_number_read(rh_yaml_text(tree, node), &x[n]);
    }
    return n + 1;
  }
  for (int k = tree->node[node].first; k != RH_NONE; k = tree->node[k].next) {
    n = flatten_numbers(tree, k, x, n, most);
  }
  return n;
}

int rh_ch_numbers(const rh_ch_case *c, int map, const char *key, double *x, int most)
{
  int node = find_key(c, map, key);
  int n = node == RH_NONE ? 0 : flatten_numbers(c->tree, node, x, 0, most);
  return n < most ? n : most;
}

int rh_ch_item(const rh_ch_case *c, int map, const char *key, int at)
{
  int node = find_key(c, map, key);
  node = node == RH_NONE || c->tree->node[node].kind != RH_NODE_LIST ? RH_NONE
                                                                     : c->tree->node[node].first;
  while (node != RH_NONE && at-- > 0) {
    node = c->tree->node[node].next;
  }
  return node;
}

// ---- Cases

rh_ch_case rh_ch_case_at(const rh_yaml *tree, int node)
{
  rh_ch_case c = {.tree = tree};
  c.inputs = find_key(&c, node, "inputs");
  c.expected = find_key(&c, node, "expected");
  return c;
}

rh_status rh_ch_open(const rh_scene_text *book, const char *id, rh_yaml *tree, rh_ch_case *c)
{
  rh_diag *diag = rh_diag_create();
  int root = RH_NONE;
  *tree = (rh_yaml){.file[0] = book->path};
  rh_status status =
      diag == NULL ? RH_OUT_OF_MEMORY
                   : rh_yaml_read(tree, book->text, *book->bytes, (rh_yaml_start){0}, diag, &root);
  rh_diag_destroy(diag);
  *c = (rh_ch_case){.tree = tree, .inputs = RH_NONE, .expected = RH_NONE};
  for (int k = status == RH_OK ? tree->node[root].first : RH_NONE; k != RH_NONE;
       k = tree->node[k].next) {
    if (strcmp(rh_ch_word(c, k, "id"), id) == 0) {
      *c = rh_ch_case_at(tree, k);
    }
  }
  if (c->expected == RH_NONE) {
    return rh_refuse(status != RH_OK ? status : RH_STOPPED, "paper: %s has no case %s", book->path,
                     id);
  }
  return RH_OK;
}

// ---- Models

// A motor on each joint that is not free
static void add_motors(rh_scene *scene, const rh_model *model)
{
  for (int i = 0; i < model->nbody; i++) {
    if (model->body[i].nv == 1) {
      rh_actuator_def motor = rh_actuator_default();
      motor.name = motor.joint = rh_name_of(rh_model_name(model, RH_OBJECT_JOINT, i));
      (void)rh_scene_add_actuator(scene, &motor);
    }
  }
}

rh_status rh_ch_model(const rh_scene_text *from, const char *const *set, int nset, bool driven,
                      rh_model **model)
{
  rh_scene *scene = NULL;
  rh_diag *diag = rh_diag_create();
  *model = NULL;
  rh_status status = rh_scene_parse(from->text, *from->bytes, from->path, set, nset, diag, &scene);
  status = status == RH_OK ? rh_scene_compile(scene, diag, model) : status;
  if (status == RH_OK && driven) {
    add_motors(scene, *model);
    rh_model_destroy(*model);
    *model = NULL;
    status = rh_scene_compile(scene, diag, model);
  }
  rh_scene_destroy(scene);
  rh_diag_destroy(diag);
  return status == RH_OK
             ? RH_OK
             : rh_refuse(status, "paper: %s: %s", from->path, rh_status_message(status));
}
