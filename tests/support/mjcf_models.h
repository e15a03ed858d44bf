// mjcf_models.h: models in MJCF, from texts and files; numbers of MuJoCo for them (JSON), and the velocities of both. Nothing here is under test.
#ifndef ROUTH_TEST_MJCF_MODELS_H
#define ROUTH_TEST_MJCF_MODELS_H

#include "test.h"

#include "model/schema.h"
#include "multibody/multibody.h"
#include "scene_io/yaml_doc.h"

#include <math.h>
#include <routh/routh.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference { // a file of reference numbers, JSON, as a tree of nodes
  rh_yaml tree;
  int root;
} reference;

typedef struct world {
  rh_scene *scene;
  rh_model *model;
  rh_data *data;
  rh_diag *diag;
  rh_status status;
} world;

static inline reference open_reference(const char *path)
{
  reference r = {0};
  rh_diag *diag = rh_diag_create();
  char *text = NULL;
  size_t bytes = 0;
  const char *name = NULL;
  rh_status status = rh_file_read(path, diag, &text, &bytes, &name);
  ck_assert_msg(status == RH_OK, "%s cannot be read", path);
  status = rh_yaml_read(&r.tree, text, bytes, (rh_yaml_start){0}, diag, &r.root);
  ck_assert_int_eq(status, RH_OK);
  rh_free(text);
  rh_diag_destroy(diag);
  return r;
}

static inline double number_at(const reference *r, int map, const char *key)
{
  return strtod(rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, map, key)), NULL);
}

// Numbers of a list, lists within it one after another.
static inline double *numbers_at(const reference *r, int map, const char *key, int n)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  int list = rh_yaml_find(&r->tree, map, key);
  ck_assert(x != NULL && list != RH_NONE);
  int i = 0;
  for (int v = r->tree.node[list].first; v != RH_NONE; v = r->tree.node[v].next) {
    bool inner = r->tree.node[v].kind == RH_NODE_LIST;
    for (int u = inner ? r->tree.node[v].first : v; u != RH_NONE && i < n;
         u = inner ? r->tree.node[u].next : RH_NONE) {
      x[i++] = strtod(rh_yaml_text(&r->tree, u), NULL);
    }
  }
  ck_assert_msg(i == n, "%s has %d numbers, expected %d", key, i, n);
  return x;
}

static inline world open_world(const char *path)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_load(path, NULL, 0, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  w.data = w.status == RH_OK ? rh_data_create(w.model) : NULL;
  return w;
}

static inline void drop_world(world *w)
{
  rh_data_destroy(w->data);
  rh_model_destroy(w->model);
  rh_scene_destroy(w->scene);
  rh_diag_destroy(w->diag);
}

// ---- Velocities and forces: MuJoCo has those of free and ball joints in the axes of the body, Routh in those of the joint

static inline void turn_speeds(const reference *r, const double *q, bool back, double *v)
{
  int joints = rh_yaml_find(&r->tree, r->root, "joints");
  for (int j = r->tree.node[joints].first; j != RH_NONE; j = r->tree.node[j].next) {
    const char *type = rh_yaml_text(&r->tree, rh_yaml_find(&r->tree, j, "type"));
    int skip = strcmp(type, "free") == 0 ? 3 : 0;
    if (skip == 0 && strcmp(type, "ball") != 0) {
      continue;
    }
    const double *x = q + (int)number_at(r, j, "qposadr") + skip;
    double *w = v + (int)number_at(r, j, "dofadr") + skip;
    rh_mat3 R = rh_quat_matrix((rh_quat){x[0], x[1], x[2], x[3]});
    R = back ? rh_mat3_transpose(&R) : R;
    rh_vec3 turned = rh_rotate(&R, rh_v3(w[0], w[1], w[2]));
    w[0] = turned.x;
    w[1] = turned.y;
    w[2] = turned.z;
  }
}

// NAME,FILE pairs of the table in the README of ROUTH_DATA/mjcf
static inline bool next_model(FILE *file, char name[128], char path[256])
{
  char line[1024];
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "| %127s | %255s |", name, path) == 2 && strstr(path, ".xml")) {
      return true;
    }
  }
  return false;
}

// ---- Models from texts

#define MODEL(inside) "<mujoco>\n" inside "</mujoco>\n"
static inline world read_as(const char *text, size_t bytes)
{
  world w = {.diag = rh_diag_create()};
  w.status = rh_scene_parse(text, bytes, "m.xml", NULL, 0, w.diag, &w.scene);
  if (w.status == RH_OK) {
    w.status = rh_scene_compile(w.scene, w.diag, &w.model);
  }
  if (w.status == RH_OK) {
    w.data = rh_data_create(w.model);
    rh_kinematics(w.data);
    rh_mass_matrix(w.data);
  }
  return w;
}

static inline world accept_text(const char *text)
{
  world w = read_as(text, strlen(text));
  ck_assert_msg(w.status == RH_OK, "%s",
                rh_diag_kept(w.diag) > 0 ? rh_diag_get(w.diag, 0).text : "no message");
  return w;
}

static inline const char *find_message(const world *w, rh_severity severity, const char *part,
                                rh_place *place)
{
  for (int i = 0; i < rh_diag_kept(w->diag); i++) {
    rh_message m = rh_diag_get(w->diag, i);
    if (m.severity == severity && strstr(m.text, part)) {
      *place = m.place;
      return m.text;
    }
  }
  return NULL;
}

#endif
