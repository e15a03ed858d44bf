// The table of loops, from loops.def, and the ends of loops in a world.
#include "multibody.h"

#include "base/table.h"

#define RH_LOOP_KIND(name) extern const rh_loop_kind rh_loop_kind_##name;
#include "loops.def"
#undef RH_LOOP_KIND

static const rh_loop_kind *const table[] = {
#define RH_LOOP_KIND(name) &rh_loop_kind_##name,
#include "loops.def"
#undef RH_LOOP_KIND
};

RH_ROW_TABLE(loop_kind)

static rh_xform end_of(const rh_kin_body *body, const rh_xform *in)
{
  return (rh_xform){rh_mat3_mul(&body->R, &in->R), rh_add(body->p, rh_rotate(&body->R, in->p))};
}

void rh_loop_ends(const rh_model_loop *loop, const rh_kin_body *a, const rh_kin_body *b,
                  rh_xform end[2])
{
  end[0] = end_of(a, &loop->in_a);
  end[1] = end_of(b, &loop->in_b);
}

void rh_loop_stand(const rh_data *d, int loop, rh_loop_row *row)
{
  const rh_model_loop *l = &d->model->loop[loop];
  rh_xform end[2];
  rh_loop_ends(l, &d->kin[l->a], &d->kin[l->b], end);
  l->kind->rows(&end[0], &end[1], l->par, row);
}

double rh_loop_open(const rh_loop_kind *kind, const rh_loop_row *row, bool attitudes)
{
  double square = 0;
  int from = attitudes ? kind->nplace : 0;
  int until = attitudes ? kind->nrow : kind->nplace;
  for (int i = from; i < until; i++) {
    square += row[i].gap * row[i].gap;
  }
  return sqrt(square);
}
