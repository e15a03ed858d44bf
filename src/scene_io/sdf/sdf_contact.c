// sdf_contact.c: contacts between bodies of different models, of one model that collides with itself, and
// with static models. They are rigid: law newton with the restitution coefficient, Coulomb's friction, of
// each the lesser of the two surfaces. Links that a joint joins do not touch.
#include "sdf_part.h"

#include <math.h>
#include <string.h>

static int outermost(const rh_sdf *s, int item)
{
  while (s->item[item].scope != RH_NONE) {
    item = s->item[item].scope;
  }
  return item;
}

static bool joins_itself(rh_sdf *s, int link)
{
  int model = s->item[link].scope;
  return model != RH_NONE && rh_sdf_flag(s, s->item[model].element, "self_collide", false);
}

static bool joint_joins(const rh_sdf *s, int joint, int a, int b)
{
  const rh_sdf_item *j = &s->item[joint];
  return (j->parent == a && j->child == b) || (j->parent == b && j->child == a);
}

static bool are_joined(const rh_sdf *s, int a, int b)
{
  int x = s->item[a].carrier;
  int y = s->item[b].carrier;
  bool joined =
      (x != RH_NONE && joint_joins(s, x, a, b)) || (y != RH_NONE && joint_joins(s, y, a, b));
  for (int i = 0; i < s->nloop && !joined; i++) {
    joined = joint_joins(s, s->loop[i], a, b);
  }
  return joined;
}

static bool links_touch(rh_sdf *s, int a, int b)
{
  const rh_sdf_item *x = &s->item[a];
  const rh_sdf_item *y = &s->item[b];
  if (a == b || (x->fixed && y->fixed)) {
    return false;
  }
  if (x->fixed || y->fixed) {
    int moving = x->fixed ? b : a;
    return s->item[moving].carrier == RH_NONE || s->item[s->item[moving].carrier].parent != RH_NONE;
  }
  if (outermost(s, a) != outermost(s, b)) {
    return true;
  }
  return joins_itself(s, a) && joins_itself(s, b) && !are_joined(s, a, b);
}

static void put_body(rh_sdf *s, rh_node_list *entry, const char *key, int link)
{
  if (s->item[link].fixed) {
    rh_nodes_put_text(&s->nodes, entry, key, "world", s->item[link].word.place);
  } else {
    rh_nodes_put_name(&s->nodes, entry, key, &s->item[link].word);
  }
}

static void put_contact(rh_sdf *s, const rh_sdf_shape *a, const rh_sdf_shape *b)
{
  if (s->item[a->link].fixed) { // the world is the second
    const rh_sdf_shape *swap = a;
    a = b;
    b = swap;
  }
  rh_place place = a->name.place;
  rh_node_list entry = rh_nodes_entry(&s->nodes, RH_NODE_CONTACTS, place);
  put_body(s, &entry, "body", a->link);
  put_body(s, &entry, "against", b->link);
  rh_nodes_put_name(&s->nodes, &entry, "shape", &a->name);
  rh_nodes_put_name(&s->nodes, &entry, "against_shape", &b->name);
  rh_nodes_put_text(&s->nodes, &entry, "law", "newton", place);
  rh_nodes_put_number(&s->nodes, &entry, "e", fmin(a->e, b->e), place);
  rh_nodes_put_text(&s->nodes, &entry, "friction", "coulomb", place);
  rh_nodes_put_number(&s->nodes, &entry, "mu", fmin(a->mu, b->mu), place);
}

void rh_sdf_emit_contacts(rh_sdf *s)
{
  int count = 0;
  if (s->opt->contacts && s->nshape > RH_SDF_TOUCH_MAX) {
    rh_sdf_refuse(s, s->shape[0].name.place,
                  "too many collisions: %d are allowed; include it with contacts: no",
                  RH_SDF_TOUCH_MAX);
    return;
  }
  for (int i = 0; s->opt->contacts && i < s->nshape; i++) {
    for (int k = i + 1; k < s->nshape && s->nodes.status == RH_OK; k++) {
      const rh_sdf_shape *a = &s->shape[i];
      const rh_sdf_shape *b = &s->shape[k];
      if ((a->mask & b->mask) == 0 || !links_touch(s, a->link, b->link)) {
        continue;
      }
      if (++count > RH_SDF_PAIRS_MAX) {
        rh_sdf_refuse(
            s, a->name.place,
            "too many contacts: %d pairs of shapes are allowed; include it with contacts: no",
            RH_SDF_PAIRS_MAX);
        return;
      }
      put_contact(s, a, b);
    }
  }
  if (count > 0) {
    rh_diag_add(s->diag, RH_NOTE, s->shape[0].name.place,
                "contacts are rigid: law newton with restitution and friction of the surfaces; see "
                "docs/sdf.md");
  }
}
