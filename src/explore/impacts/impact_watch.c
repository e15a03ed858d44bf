// impact_watch.c: motion of named points of a scene during an impact elsewhere: their velocities
// before the impact and the effect of impulses at the contacts, J_w H^-1 J_c'. Skipped where a held
// joint or a limit takes part in the impact, so that H alone does not give the contact inertia.
#include "impact.h"

#include <math.h>
#include <string.h>

#define SAME  1e-6 // of the contact-space inertia, by H and in the run
#define TOUCH 1e-6 // [m] a point nearer to a contact is that contact

typedef struct job {
  rh_data *d; // the world after the impact, its mass matrix factored
  const rh_impact_contacts *hit;
  double *J;  // (3 x nv)
  double *Jb; // (3 x nv)
  double *G;  // H^-1 J_c' of all contacts, one row per column (3 all x nv)
} job;

static rh_vec3 into_body(const rh_data *d, int body, rh_vec3 world)
{
  return rh_unrotate(&d->kin[body].R, rh_sub(world, d->kin[body].p));
}

// Row `r` of the contact: its axis times the velocity of a minus that of b.
static void contact_row(job *j, const rh_contact *c, int r, double *row)
{
  const int nv = j->d->model->nv;
  rh_vec3 axis = r == 0 ? c->t1 : r == 1 ? c->t2 : c->n;
  rh_point_jacobian(j->d, c->a, into_body(j->d, c->a, c->point), j->J);
  rh_point_jacobian(j->d, c->b, into_body(j->d, c->b, c->point), j->Jb);
  for (int k = 0; k < nv; k++) {
    row[k] = axis.x * (j->J[k] - j->Jb[k]) + axis.y * (j->J[nv + k] - j->Jb[nv + k]) +
             axis.z * (j->J[2 * nv + k] - j->Jb[2 * nv + k]);
  }
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Does H alone give the contact inertia of the impact?
static bool is_whole(job *j, const rh_data *run, const rh_impact_seen *seen)
{
  const size_t nv = (size_t)j->d->model->nv;
  const int rows = 3 * seen->n;
  double most = 0;
  double off = 0;
  for (int r = 0; r < rows; r++) {
    contact_row(j, &run->contact[j->hit->slot[j->hit->first + r / 3]], r % 3, j->Jb + 3 * nv);
    for (int s = 0; s < rows; s++) {
      double got = dot(j->Jb + 3 * nv, j->G + (size_t)(3 * j->hit->first + s) * nv, (int)nv);
      double want = seen->W[(ptrdiff_t)r * rows + s];
      most = fmax(most, fabs(want));
      off = fmax(off, fabs(got - want));
    }
  }
  return off <= SAME * most;
}

static bool is_struck(const rh_impact_seen *seen, rh_vec3 at)
{
  for (int i = 0; i < seen->n; i++) {
    if (rh_norm(rh_sub(seen->at[i], at)) < TOUCH) {
      return true;
    }
  }
  return false;
}

// One named point. Impulses of all contacts are subtracted from its state after the impact.
static void watch_point(job *j, const rh_data *run, int point, rh_impact_seen *seen)
{
  const rh_model *m = j->d->model;
  const int nv = m->nv;
  const rh_contact *c = &run->contact[j->hit->slot[j->hit->first]];
  const rh_vec3 axis[3] = {c->t1, c->t2, c->n};
  rh_vec3 u = rh_point_velocity(j->d, m->point[point].body, m->point[point].at);
  rh_point_jacobian(j->d, m->point[point].body, m->point[point].at, j->J);
  for (int r = 0; r < 3; r++) {
    double *row = j->Jb; // is unused now
    double *W = seen->Ww + (size_t)(3 * seen->nwatch + r) * 3 * (size_t)seen->n;
    double change = 0;
    for (int k = 0; k < nv; k++) {
      row[k] = axis[r].x * j->J[k] + axis[r].y * j->J[nv + k] + axis[r].z * j->J[2 * nv + k];
    }
    for (int s = 0; s < 3 * j->hit->all; s++) {
      double w = dot(row, j->G + (size_t)s * (size_t)nv, nv);
      int own = s - 3 * j->hit->first;
      change += w * j->hit->p[s];
      if (own >= 0 && own < 3 * seen->n) {
        W[own] = w;
      }
    }
    seen->uw[3 * seen->nwatch + r] = rh_dot(axis[r], u) - change;
  }
  seen->watched[seen->nwatch++] = rh_name_of(rh_model_name(m, RH_OBJECT_POINT, point));
}

static void watch_all(job *j, const rh_data *run, rh_impact_seen *seen)
{
  const rh_model *m = j->d->model;
  const size_t nv = (size_t)m->nv;
  memcpy(j->d->q, run->q, (size_t)m->nq * sizeof(double));
  memcpy(j->d->v, run->v, nv * sizeof(double));
  rh_kinematics(j->d);
  rh_mass_matrix(j->d);
  rh_mass_factor(j->d);
  for (int s = 0; s < 3 * j->hit->all; s++) {
    double *column = j->G + (size_t)s * nv;
    contact_row(j, &run->contact[j->hit->slot[s / 3]], s % 3, column);
    rh_mass_solve(j->d, column);
  }
  if (!is_whole(j, run, seen)) {
    return;
  }
  for (int i = 0; i < m->npoint; i++) {
    if (!is_struck(seen, rh_point_position(j->d, m->point[i].body, m->point[i].at))) {
      watch_point(j, run, i, seen);
    }
  }
}

bool rh_impact_watch(const rh_data *after, const rh_impact_contacts *hit, rh_impact_seen *seen)
{
  const rh_model *m = after->model;
  const size_t nv = (size_t)m->nv;
  const size_t points = (size_t)m->npoint;
  if (points == 0) {
    return true;
  }
  job j = {.d = rh_data_create(m), .hit = hit};
  j.J = rh_alloc(3 * nv * sizeof(double));
  j.Jb = rh_alloc(4 * nv * sizeof(double));
  j.G = rh_alloc(3 * (size_t)hit->all * nv * sizeof(double));
  seen->watched = rh_alloc(points * sizeof *seen->watched);
  seen->Ww = rh_alloc(9 * points * (size_t)seen->n * sizeof(double));
  seen->uw = rh_alloc(3 * points * sizeof(double));
  bool good = j.d != NULL && j.J != NULL && j.Jb != NULL && j.G != NULL && seen->watched != NULL &&
              seen->Ww != NULL && seen->uw != NULL;
  if (good) {
    watch_all(&j, after, seen);
  }
  rh_data_destroy(j.d);
  rh_free(j.J);
  rh_free(j.Jb);
  rh_free(j.G);
  return good;
}
