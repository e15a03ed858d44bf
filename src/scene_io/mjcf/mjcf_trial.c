// mjcf_trial.c: inertias of the model as drawn, which dampratio and springdamper need: the bodies and
// joints alone are compiled as a scene, and its mass matrix is formed.
#include "mjcf_part.h"

#include "multibody/multibody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Length of each tendon, and the sum of M_ii / J_i^2
static void measure_tendons(rh_mjcf *m, rh_data *d, const double *H)
{
  const rh_model_tendons *all = &d->model->tendons;
  for (int i = 0; i < all->n && i < m->ntendon; i++) {
    rh_tendon_update(d, i);
    m->tendon[i].length = d->dyn.tendon[i].length;
    for (int k = all->of[i].dof; k < all->of[i].dof + all->of[i].ndof; k++) {
      size_t at = (size_t)all->dof[k];
      double J = d->dyn.tendon_J[k];
      m->tendon[i].mass += fabs(J) > 1e-15 ? H[at * (size_t)d->model->nv + at] / (J * J) : 0;
    }
  }
}

// M_ii of each joint, and the inverse of the diagonal of M^-1, mean over its degrees of freedom
static rh_status measure_joints(rh_mjcf *m, rh_data *d)
{
  int nv = d->model->nv;
  double *H = rh_alloc(((size_t)nv * (size_t)nv + 1) * sizeof *H);
  double *column = rh_alloc(((size_t)nv + 1) * sizeof *column);
  if (!H || !column || nv != m->nv) {
    rh_free(H);
    rh_free(column);
    return nv == m->nv ? RH_OUT_OF_MEMORY : RH_INPUT_REFUSED;
  }
  rh_kinematics(d);
  rh_mass_matrix(d);
  rh_mass_factor(d);
  rh_mass_dense(d, H);
  for (int i = 0; i < m->njoint; i++) {
    rh_mjcf_joint *j = &m->joint[i];
    memset(column, 0, (size_t)nv * sizeof *column);
    column[j->vadr] = 1;
    rh_mass_solve(d, column);
    j->mass = H[(size_t)j->vadr * (size_t)nv + (size_t)j->vadr];
    j->response = 1 / column[j->vadr];
  }
  measure_tendons(m, d, H);
  rh_free(H);
  rh_free(column);
  return RH_OK;
}

// Mean response of the centre of mass of each body to a force on it
static void measure_bodies(rh_mjcf *m, rh_data *d)
{
  double W[9];
  double *work = rh_alloc((3 * (size_t)d->model->nv + 1) * sizeof *work);
  for (int i = 1; i < m->nbody && work; i++) {
    char name[2 * RH_NAME_MAX];
    snprintf(name, sizeof name, "%s", m->body[i].name.name.text);
    rh_model_point point = {rh_model_find(d->model, RH_OBJECT_BODY, name), m->body[i].com};
    if (point.body == RH_NONE) {
      continue;
    }
    rh_contact_inertia(d, 1, &point, work, W);
    m->body[i].response = (W[0] + W[4] + W[8]) / 3;
  }
  if (!work) {
    m->nodes.status = RH_OUT_OF_MEMORY;
  }
  rh_free(work);
}

static bool is_needed(const rh_mjcf *m)
{
  if (!m->set.no_contact) {
    return true;
  }
  for (int i = 0; i < m->njoint; i++) {
    if (m->joint[i].springdamper[0] > 0 || m->joint[i].springdamper[1] > 0) {
      return true;
    }
  }
  for (int e = m->xml.element[m->root].first; e != RH_NONE; e = m->xml.element[e].next) {
    const char *tag = rh_mjcf_tag(m, e);
    if ((strcmp(tag, "actuator") == 0 || strcmp(tag, "tendon") == 0) &&
        m->xml.element[e].first != RH_NONE) {
      return true;
    }
  }
  return false;
}

// springdamper: time constant and damping ratio
static void set_springs(rh_mjcf *m)
{
  for (int i = 0; i < m->njoint; i++) {
    rh_mjcf_joint *j = &m->joint[i];
    double time = j->springdamper[0];
    double ratio = j->springdamper[1];
    if (time > 0 && ratio > 0) {
      j->stiffness = j->response / (time * time * ratio * ratio);
      j->damping = 2 * j->response / time;
    }
  }
}

void rh_mjcf_measure_tree(rh_mjcf *m)
{
  rh_yaml trial = {0};
  rh_nodes kept = m->nodes;
  if (!is_needed(m) || m->nv == 0) {
    return;
  }
  memcpy(trial.file, kept.tree->file, sizeof trial.file);
  int root = rh_yaml_add(&trial, (rh_node){.kind = RH_NODE_MAP, .line = 1, .column = 1});
  rh_status status = root == RH_NONE ? RH_OUT_OF_MEMORY : RH_OK;
  if (status == RH_OK) {
    rh_nodes_init(&m->nodes, &trial, root, "", m->diag);
    m->trial = true;
    rh_mjcf_emit_tree(m);
    rh_mjcf_emit_tendons(m);
    m->trial = false;
    status = m->nodes.status;
  }
  m->nodes = kept;
  rh_model *model = NULL;
  rh_data *d = NULL;
  status = status == RH_OK ? m->opt->compile(&trial, root, m->diag, &model) : status;
  if (status == RH_OK) {
    d = rh_data_create(model);
    status = d ? measure_joints(m, d) : RH_OUT_OF_MEMORY;
  }
  if (status == RH_OK) {
    measure_bodies(m, d);
  }
  m->nodes.status = m->nodes.status == RH_OK ? status : m->nodes.status;
  rh_data_destroy(d);
  rh_model_destroy(model);
  rh_yaml_free(&trial);
  set_springs(m);
}
