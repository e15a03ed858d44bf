// Stages 2 and 3: which shapes meet and where, as far as they can come within the step; a contact that was there a step ago, by shapes and
// feature, keeps the force it had. Pairs come in the order of their shapes (geom/broad.c), points in the order of their features, whatever was
// found before: what is kept of a pair saves time only.
#include "moreau/moreau.h"

#include "geom/pair.h"

#include <string.h>

// ---- Shapes where they stand

// How far a point of a shape can come in h: by its velocity, its spin and its acceleration.
static double reach_in(const rh_mo *w, int shape, double h)
{
  int mobile = w->shape[shape].mobile;
  double arm = w->shape[shape].arm;
  if (mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[w->m->shape[shape].body];
    return h * (rh_norm(k->v.lin) + rh_norm(k->v.ang) * arm) + 2 * h * h * rh_norm(w->m->gravity);
  }
  const rh_mo_hot *b = &w->hot[mobile];
  const rh_mo_cold *c = &w->cold[mobile];
  double v = sqrt(b->v[0] * b->v[0] + b->v[1] * b->v[1] + b->v[2] * b->v[2]);
  double s = sqrt(b->w[0] * b->w[0] + b->w[1] * b->w[1] + b->w[2] * b->w[2]);
  return h * (v + s * arm) + h * h * rh_norm(c->a);
}

static void place(rh_mo *w, int i)
{
  const rh_model_shape *s = &w->m->shape[i];
  const rh_mo_shape *x = &w->shape[i];
  rh_geom *g = &w->geom[i];
  const rh_mo_cold *c = &w->cold[x->mobile];
  if (x->mobile == 0) {
    return;
  }
  if (x->mobile > w->nfree) {
    const rh_kin_body *k = &w->d->kin[s->body];
    g->R = rh_mat3_mul(&k->R, &s->place.R);
    g->p = rh_add(k->p, rh_rotate(&k->R, s->place.p));
    return;
  }
  if (x->central) {
    g->R = c->R;
    g->p = c->x;
    return;
  }
  g->R = rh_mat3_mul(&c->R, &s->place.R);
  g->p = rh_add(c->x, rh_rotate(&c->R, rh_sub(s->place.p, c->com)));
}

static rh_bounds bounds(const rh_mo *w, const rh_geom *g, double reach)
{
  if (g->kind == w->sphere) {
    double r = g->par[0] + reach;
    return (rh_bounds){rh_v3(g->p.x - r, g->p.y - r, g->p.z - r),
                       rh_v3(g->p.x + r, g->p.y + r, g->p.z + r)};
  }
  return rh_geom_bounds(g, reach);
}

bool rh_mo_may_meet(const void *user, int a, int b)
{
  const rh_mo *w = user;
  bool moves = w->shape[a].mobile != 0 || w->shape[b].mobile != 0;
  return moves && rh_near_pair_of(w->m, a, b).contact != RH_NONE;
}

// ---- Pairs

static void put_point(rh_mo_touch *t, rh_vec3 point, rh_vec3 n, double phi)
{
  t->id = 0;
  t->point = point;
  t->n = n;
  t->phi = phi;
}

static int meet_spheres(const rh_geom *a, const rh_geom *b, double margin, rh_mo_touch *t)
{
  rh_vec3 d = rh_sub(a->p, b->p);
  double far = a->par[0] + b->par[0] + margin;
  double square = rh_dot(d, d);
  if (square > far * far) {
    return 0;
  }
  double length = sqrt(square);
  rh_vec3 n = length > 0 ? rh_scale(1 / length, d) : rh_v3(0, 0, 1);
  double phi = length - a->par[0] - b->par[0];
  put_point(t, rh_addscaled(b->p, b->par[0] + 0.5 * phi, n), n, phi);
  return 1;
}

static int meet_plane(const rh_geom *a, const rh_geom *b, double margin, rh_mo_touch *t)
{
  rh_vec3 up = rh_mat3_column(&b->R, 2);
  double phi = rh_dot(up, rh_sub(a->p, b->p)) - a->par[0];
  if (phi > margin) {
    return 0;
  }
  put_point(t, rh_addscaled(a->p, -a->par[0], up), up, phi);
  return 1;
}

static int meet_any(const rh_geom *a, const rh_geom *b, double margin, rh_mo_pair *pair,
                    rh_mo_touch *t)
{
  rh_manifold m;
  int n = rh_geom_meet(a, b, margin, &pair->cache, &m);
  for (int i = 0; i < n; i++) { // by feature
    int k = i;
    while (k > 0 && t[k - 1].id > m.at[i].id) {
      t[k] = t[k - 1];
      k--;
    }
    put_point(&t[k], m.at[i].point, m.at[i].normal, m.at[i].gap);
    t[k].id = m.at[i].id;
  }
  return n;
}

// The touches of a pair, behind the n that are there; how many then.
static int add_pair(rh_mo *w, rh_mo_pair *pair, double margin, rh_mo_touch *list, int n)
{
  const rh_geom *a = &w->geom[pair->a];
  const rh_geom *b = &w->geom[pair->b];
  if (n + RH_MEET_MAX > w->room) {
    w->full = true;
    return n;
  }
  bool ball = a->kind == w->sphere;
  int count = ball && b->kind == w->sphere  ? meet_spheres(a, b, margin, list + n)
              : ball && b->kind == w->plane ? meet_plane(a, b, margin, list + n)
                                            : meet_any(a, b, margin, pair, list + n);
  for (int i = n; i < n + count; i++) {
    rh_mo_touch *t = &list[i];
    t->a = pair->a;
    t->b = pair->b;
    t->rule = pair->rule;
    t->ma = w->shape[pair->a].mobile;
    t->mb = w->shape[pair->b].mobile;
    t->f = rh_v3(0, 0, 0);
    t->since = 0;
    t->stored = 0;
  }
  return n + count;
}

// ---- Contacts that stay

static int low(const rh_mo_touch *t)
{
  return t->a < t->b ? t->a : t->b;
}

static int high(const rh_mo_touch *t)
{
  return t->a < t->b ? t->b : t->a;
}

static int compare(const rh_mo_touch *x, const rh_mo_touch *y)
{
  int a = low(x) - low(y);
  int b = high(x) - high(y);
  return a != 0 ? a : b != 0 ? b : x->id < y->id ? -1 : x->id > y->id;
}

// Both lists are in order.
static void remember(rh_mo_touch *touch, int n, const rh_mo_touch *old, int nold)
{
  int k = 0;
  for (int i = 0; i < n; i++) {
    while (k < nold && compare(&old[k], &touch[i]) < 0) {
      k++;
    }
    if (k < nold && compare(&old[k], &touch[i]) == 0) {
      touch[i].f = old[k].f;
      touch[i].since = old[k].since;
    }
  }
}

static void place_all(rh_mo *w, double h)
{
  for (int i = 0; i < w->m->nshape; i++) {
    int mobile = w->shape[i].mobile;
    if (mobile == 0) {
      continue; // where it was put by rh_mo_create
    }
    place(w, i);
    w->reach[i] = reach_in(w, i, h) + w->skin;
    w->box[i] = bounds(w, &w->geom[i], w->reach[i]);
  }
  for (int i = 0; i < w->nplane; i++) {
    const rh_geom *g = &w->geom[w->planes[i]];
    rh_vec3 up = rh_mat3_column(&g->R, 2);
    w->half[i] = (rh_half){up, rh_dot(up, g->p) + w->reach[w->planes[i]]};
  }
}

static rh_mo_pair pair_of(const rh_mo *w, const rh_broad_pair *p)
{
  rh_near_pair pair = rh_near_pair_of(w->m, p->a, p->b);
  return (rh_mo_pair){.a = pair.a, .b = pair.b, .rule = pair.contact};
}

void rh_mo_meet(rh_mo *w, double h)
{
  w->ntouch = 0;
  if (w->m->nslot == 0) {
    return;
  }
  place_all(w, h);
  rh_broad_result found = rh_broad_find(w->broad, w->box, w->half);
  w->full = w->full || found.overflow;
  for (int i = 0; i < found.count; i++) {
    const rh_broad_pair *p = &found.pair[i];
    rh_mo_pair *pair = &w->pair[i];
    *pair = p->was != RH_NONE && w->paired ? w->pair_old[p->was] : pair_of(w, p);
    w->ntouch = add_pair(w, pair, w->reach[p->a] + w->reach[p->b], w->touch, w->ntouch);
  }
  rh_mo_pair *last = w->pair_old;
  w->pair_old = w->pair;
  w->pair = last;
  w->paired = true;
  remember(w->touch, w->ntouch, w->old, w->nold);
}

int rh_mo_meet_island(rh_mo *w, const rh_mo_island *s, double h)
{
  const rh_mo_touch *last = NULL;
  int n = 0;
  for (int k = s->mob; k < s->mob + s->nmob; k++) {
    if (w->member[k] > w->nfree) {
      rh_mo_tree_stand(w, w->member[k]);
    }
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    const rh_mo_touch *t = &w->touch[w->order[k]];
    if (last && last->a == t->a && last->b == t->b) {
      continue;
    }
    last = t;
    rh_mo_pair pair = {.a = t->a, .b = t->b, .rule = t->rule};
    double margin = w->skin;
    place(w, t->a);
    place(w, t->b);
    margin += t->ma ? reach_in(w, t->a, h) : 0;
    margin += t->mb ? reach_in(w, t->b, h) : 0;
    n = add_pair(w, &pair, margin, w->again, n);
  }
  return n;
}

void rh_mo_hand_on(rh_mo *w, const rh_mo_island *s, rh_mo_touch *list, int n, bool out)
{
  int i = 0;
  if (list == w->touch) {
    return; // they are the same
  }
  for (int k = s->con; k < s->con + s->ncon; k++) {
    rh_mo_touch *t = &w->touch[w->order[k]];
    while (i < n && compare(&list[i], t) < 0) {
      i++;
    }
    bool same = i < n && compare(&list[i], t) == 0;
    if (same && out) {
      list[i].f = t->f;
      list[i].since = t->since;
    } else if (!out) {
      t->f = same ? list[i].f : rh_v3(0, 0, 0);
      t->since = same ? list[i].since : 0;
      t->stored = same ? list[i].stored : 0;
    }
  }
}
