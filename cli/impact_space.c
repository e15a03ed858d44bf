// impact_space.c: a non-planar impact of a scene, under several laws: one contact along its path in
// space (impact/spatial_path.c), several together or in sequence (impact/multi_contact.c). Rows t1,
// t2, n of each contact.
#include "impact.h"

#include <math.h>
#include <string.h>

typedef struct answer { // of one law; capacity n contacts
  double *p, *u;        // [N s], [m/s] after (3n)
  double *lost;         // [J] D_n and D_t of each contact in turn (2n)
  double *room;
  double Dn, Dt;
  bool gained, solved;
  rh_many_out many;
} answer;

static bool open_answer(answer *a, const rh_formulation *form, int n)
{
  *a = (answer){.many = {.scale = 1, .impacts = 1}};
  a->p = rh_alloc(3 * (size_t)n * sizeof *a->p);
  a->u = rh_alloc(3 * (size_t)n * sizeof *a->u);
  a->lost = rh_alloc(2 * (size_t)n * sizeof *a->lost);
  a->room = rh_alloc(form->room(n) * sizeof *a->room);
  return a->p != NULL && a->u != NULL && a->lost != NULL && a->room != NULL;
}

static void close_answer(answer *a)
{
  rh_free(a->p);
  rh_free(a->u);
  rh_free(a->lost);
  rh_free(a->room);
}

static void answer_one(const rh_impact_law *law, const rh_impact_seen *seen, answer *a)
{
  rh_point_in in = {.mu_s = seen->mu_s[0], .mu_k = seen->mu_k[0], .e = seen->e[0]};
  rh_point_out out;
  memcpy(in.W, seen->W, sizeof in.W);
  memcpy(in.u, seen->u, sizeof in.u);
  a->solved = rh_point_impact(law, &in, &out);
  memcpy(a->p, out.p, sizeof out.p);
  memcpy(a->u, out.u, sizeof out.u);
  a->Dn = a->lost[0] = out.Dn;
  a->Dt = a->lost[1] = out.Dt;
  a->gained = out.gained;
}

static void answer_many(const rh_impact_law *law, const rh_impact_seen *seen, answer *a)
{
  const rh_many_in in = {.n = seen->n,
                         .W = seen->W,
                         .u = seen->u,
                         .mu = seen->mu_k,
                         .e = seen->e,
                         .law = law,
                         .weight = seen->weight,
                         .lost = a->lost};
  a->solved = seen->form->strike(&in, seen->form_par, a->room, a->p, a->u, &a->many);
  a->Dn = a->many.Dn;
  a->Dt = a->many.Dt;
  a->gained = a->many.gained;
}

static void answer_law(const rh_impact_law *law, const rh_impact_seen *seen, answer *a)
{
  if (seen->n == 1 && !seen->form->alone) {
    answer_one(law, seen, a);
  } else {
    answer_many(law, seen, a);
  }
}

// ---- Print

static const char *why_no_diagram(const rh_impact_seen *seen)
{
  return seen->n > 1 ? "several contacts at once: Routh's diagram is of one, in a plane"
                     : "not planar: Routh's diagram is of one plane, and here slip, coupling or "
                       "inertia leave it";
}

static double greatest_magnitude(const double *x, int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i]));
  }
  return most;
}

static void add_law(rh_table *table, const char *name, const rh_impact_seen *seen, const answer *a)
{
  for (int i = 0; i < seen->n; i++) {
    const double value[] = {a->p[3 * i], a->p[3 * i + 1], a->p[3 * i + 2],
                            a->u[3 * i], a->u[3 * i + 1], a->u[3 * i + 2]};
    rh_table_add(table, "%s", i == 0 ? name : "");
    rh_table_add(table, "%s", seen->name[i].text);
    for (int k = 0; k < RH_COUNT(value); k++) {
      double most =
          k < 3 ? greatest_magnitude(a->p, 3 * seen->n) : greatest_magnitude(seen->u, 3 * seen->n);
      rh_table_add(table, "%.5g", fabs(value[k]) < 1e-13 * most ? 0 : value[k]); // rounding
    }
    rh_table_add(table, "%.5g", a->lost[2 * i]);
    rh_table_add(table, "%.5g", a->lost[2 * i + 1]);
    if (i > 0) {
      rh_table_add(table, "%s", "");
      rh_table_add(table, "%s", "");
      continue;
    }
    rh_table_add(table, "%.5g", 0 - (a->Dn + a->Dt));
    rh_table_add(table, "%s%s%s", a->gained ? "energy created" : "",
                 a->gained && !a->solved ? ", " : "", a->solved ? "" : "not solved");
  }
}

rh_status rh_impact_space_print(const rh_impact_show *show, const rh_impact_seen *seen, bool color)
{
  static const char *const head[] = {"law",       "contact",    "p_t1 [N s]", "p_t2 [N s]",
                                     "p_n [N s]", "u_t1 [m/s]", "u_t2 [m/s]", "u_n [m/s]",
                                     "D_n [J]",   "D_t [J]",    "T1-T0 [J]",  "flags"};
  rh_table *table = rh_table_create(RH_COUNT(head), 0x7FC);
  for (int i = 0; i < RH_COUNT(head); i++) {
    rh_table_add(table, "%s", head[i]);
  }
  printf("%s%s%s - %s\n", color ? "\033[1m" : "", seen->title, color ? "\033[0m" : "",
         why_no_diagram(seen));
  for (int i = 0; i < seen->n; i++) {
    const double *u = seen->u + 3 * (size_t)i;
    printf("  before        %s: u = %.6g, %.6g, %.6g m/s along t1, t2, n; mu_s = %g, mu_k = %g, e "
           "= %g\n",
           seen->name[i].text, u[0], u[1], u[2], seen->mu_s[i], seen->mu_k[i], seen->e[i]);
  }
  putchar('\n');
  for (int i = 0; i < show->nlaw; i++) {
    answer a;
    bool room = open_answer(&a, seen->form, seen->n);
    if (room) {
      answer_law(show->law[i], seen, &a);
      add_law(table, show->law[i]->row.name, seen, &a);
    }
    close_answer(&a);
    if (!room) {
      rh_table_destroy(table);
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  return status;
}

// ---- JSON

static void json_answer(rh_json *json, const rh_impact_law *law, const rh_impact_seen *seen,
                        const answer *a)
{
  rh_json_open_object(json, NULL);
  rh_json_string(json, "law", law->row.name);
  rh_json_matrix(json, "p", a->p, seen->n, 3);
  rh_json_matrix(json, "u", a->u, seen->n, 3);
  rh_json_number(json, "D_n", a->Dn);
  rh_json_number(json, "D_t", a->Dt);
  rh_json_matrix(json, "D", a->lost, seen->n, 2);
  rh_json_bool(json, "energy_created", a->gained);
  rh_json_bool(json, "solved", a->solved);
  if (seen->n > 1) {
    rh_json_number(json, "scale", a->many.scale);
    rh_json_integer(json, "free", a->many.free);
    rh_json_integer(json, "impacts", a->many.impacts);
  }
  rh_json_close(json);
}

rh_status rh_impact_space_json(const rh_impact_show *show, const rh_impact_seen *seen)
{
  rh_text text = {0};
  rh_json json = rh_json_start(&text, true);
  rh_json_open_object(&json, NULL);
  rh_json_string(&json, "routh", RH_VERSION);
  rh_json_string(&json, "id", seen->title);
  rh_json_number(&json, "t", seen->t);
  rh_json_bool(&json, "planar", false);
  rh_json_string(&json, "impacts", seen->form->row.name);
  rh_json_open_array(&json, "contacts");
  for (int i = 0; i < seen->n; i++) {
    rh_json_string(&json, NULL, seen->name[i].text);
  }
  rh_json_close(&json);
  rh_json_matrix(&json, "W", seen->W, 3 * seen->n, 3 * seen->n);
  rh_json_matrix(&json, "u_before", seen->u, seen->n, 3);
  rh_json_numbers(&json, "mu_s", seen->mu_s, seen->n);
  rh_json_numbers(&json, "mu_k", seen->mu_k, seen->n);
  rh_json_numbers(&json, "e", seen->e, seen->n);
  rh_json_open_array(&json, "laws");
  bool room = true;
  for (int i = 0; i < show->nlaw && room; i++) {
    answer a;
    room = open_answer(&a, seen->form, seen->n);
    if (room) {
      answer_law(show->law[i], seen, &a);
      json_answer(&json, show->law[i], seen, &a);
    }
    close_answer(&a);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  if (!room) {
    rh_text_free(&text);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  return rh_text_print(&text, NULL);
}
