// impact_print.c: output of `routh impact`: one row per law; the same as JSON with the names of the
// problem kind planar_impact, with the curves along the normal impulse.
#include "results.h"

#include <math.h>

// Warnings for the reader.
static void flags_of(const rh_planar_out *out, char *buffer, size_t size)
{
  snprintf(buffer, size, "%s%s%s", out->jam ? "jam" : "",
           out->jam && (out->gained || out->normal_gained) ? ", " : "",
           out->gained          ? "energy created"
           : out->normal_gained ? "normal work > 0"
                                : "");
}

static rh_status print_table(const rh_impact_show *show, bool color)
{
  static const char *const head[] = {"law",       "case",    "P_n [N s]", "P_t [N s]", "S_f [m/s]",
                                     "C_f [m/s]", "D_n [J]", "D_t [J]",   "T1-T0 [J]", "flags"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0x1FC);
  for (int i = 0; i < show->nlaw; i++) {
    const rh_planar_out *out = &show->out[i];
    const double value[] = {
        out->Pn, out->Pt, out->Sf, out->Cf, out->Dn, out->Dt, 0 - (out->Dn + out->Dt)};
    char flags[RH_NAME_MAX];
    flags_of(out, flags, sizeof flags);
    rh_table_add(table, "%s", show->law[i]->row.name);
    rh_table_add(table, "%s", rh_planar_case_word(out->kind));
    for (int k = 0; k < RH_COUNT(value); k++) {
      rh_table_add(table, "%.5g", value[k]);
    }
    rh_table_add(table, "%s", flags);
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  return status;
}

static const char *case_meaning(rh_planar_case kind)
{
  static const char *const text[RH_CASE_COUNT] = {
      [RH_CASE_NONE] = "the bodies do not approach: nothing happens",
      [RH_CASE_A] = "slip reverses in compression",
      [RH_CASE_B] = "slip reverses in restitution",
      [RH_CASE_C] = "slip ends in compression, then sticks",
      [RH_CASE_D] = "slip ends in restitution, then sticks",
      [RH_CASE_E] = "slides throughout",
      [RH_CASE_DIRECT_STICK] = "no slip before, and none begins",
      [RH_CASE_DIRECT_SLIDE] = "no slip before; friction is too small to hold",
      [RH_CASE_TANGENTIAL_STICK] = "no approach, but sliding jams: an impact all the same; sticks",
      [RH_CASE_TANGENTIAL_REVERSE] = "no approach, but sliding jams; slip reverses",
      [RH_CASE_SPRING] = "phases of stick and slip of a tangential spring",
      [RH_CASE_RATIO] = "impulses in a constant ratio",
  };
  return text[kind];
}

// The phases under the laws with a tangential spring, in scaled time: "slip + 0..0.41, stick ..."
static void print_modes(const rh_impact_show *show)
{
  for (int i = 0; i < show->nlaw; i++) {
    rh_impact_modes modes;
    rh_impact_find_modes(show, i, &modes);
    for (int k = 0; k < modes.n && k < RH_IMPACT_MODES; k++) {
      const rh_tangential_phase *p = &modes.phase[k];
      printf(k == 0 ? "  %s (eta2 = %.4g), t sqrt(k_n/m2): " : ", ", show->law[i]->row.name,
             show->in.eta2);
      printf("%s%s %.4g..%.4g", p->slips ? "slip" : "stick",
             p->dir > 0   ? " +"
             : p->dir < 0 ? " -"
                          : "",
             p->tau0, p->tau1);
    }
    if (modes.n > RH_IMPACT_MODES) {
      printf(", and %d more", modes.n - RH_IMPACT_MODES);
    }
    if (modes.n > 0) {
      putchar('\n');
    }
  }
}

rh_status rh_impact_print(const rh_impact_show *show, bool color)
{
  const rh_planar_in *in = &show->in;
  const rh_planar_out *out = &show->out[0];
  printf("%s%s%s - case %s: %s\n", color ? "\033[1m" : "", show->title, color ? "\033[0m" : "",
         rh_planar_case_word(out->kind), case_meaning(out->kind));
  printf("  before        S_0 = %.6g m/s, C_0 = %.6g m/s", in->S0, in->C0);
  if (isfinite(show->T0)) {
    printf(", T0 = %.6g J", show->T0);
  }
  printf("\n  contact       1/m1 = %.6g, 1/m2 = %.6g, 1/m3 = %.6g 1/kg\n", in->Ktt, in->Knn,
         0 - in->Ktn);
  printf("  coefficients  mu_s = %g, mu_k = %g, e = %g\n", in->mu_s, in->mu_k, in->e);
  if (out->kind != RH_CASE_NONE) {
    printf("  on the way    P_c = %.6g N s: compression ends", out->Pc);
    if (isfinite(out->Ps) && out->Ps > 0) {
      printf("; P_s = %.6g N s: slip stops", out->Ps);
    }
    putchar('\n');
  }
  putchar('\n');
  RH_TRY(print_table(show, color));
  print_modes(show);
  return RH_OK;
}

// ---- JSON

static void json_numbers(rh_json *json, const rh_impact_show *show, const rh_planar_out *out)
{
  const rh_planar_in *in = &show->in;

  const struct {
    const char *name;
    double value;
  } number[] = {{"S_0", in->S0},  {"C_0", in->C0},  {"S_f", out->Sf},
                {"C_f", out->Cf}, {"P_t", out->Pt}, {"P_n", out->Pn},
                {"P_c", out->Pc}, {"P_s", out->Ps}, {"D_n", out->Dn},
                {"D_t", out->Dt}, {"T0", show->T0}, {"T1", show->T0 - (out->Dn + out->Dt)}};

  for (int i = 0; i < RH_COUNT(number); i++) {
    if (isfinite(number[i].value)) {
      rh_json_number(json, number[i].name, number[i].value);
    } else {
      rh_json_null(json, number[i].name);
    }
  }
}

static void json_modes(rh_json *json, const rh_impact_show *show, int i)
{
  rh_impact_modes modes;
  rh_impact_find_modes(show, i, &modes);
  if (modes.n == 0) {
    return;
  }
  rh_json_open_array(json, "modes");
  for (int k = 0; k < modes.n && k < RH_IMPACT_MODES; k++) {
    rh_json_open_object(json, NULL);
    rh_json_string(json, "mode", modes.phase[k].slips ? "slip" : "stick");
    rh_json_integer(json, "dir", modes.phase[k].dir);
    rh_json_number(json, "tau0", modes.phase[k].tau0);
    rh_json_number(json, "tau1", modes.phase[k].tau1);
    rh_json_close(json);
  }
  rh_json_close(json);
}

static rh_status json_law(rh_json *json, const rh_impact_show *show, int i)
{
  const rh_planar_out *out = &show->out[i];
  rh_impact_curve *curve = rh_impact_trace(show, i);
  if (curve == NULL) {
    return RH_OUT_OF_MEMORY;
  }
  rh_json_open_object(json, NULL);
  rh_json_string(json, "law", show->law[i]->row.name);
  rh_json_string(json, "case", rh_planar_case_word(out->kind));
  rh_json_bool(json, "jam", out->jam);
  json_numbers(json, show, out);
  rh_json_bool(json, "energy_created", out->gained);
  rh_json_bool(json, "normal_work_positive", out->normal_gained);
  json_modes(json, show, i);
  rh_json_matrix(json, "path", &out->corner[0][0], out->ncorner, 2);
  rh_json_open_object(json, "curve");
  rh_json_numbers(json, "P_n", curve->Pn, curve->n);
  rh_json_numbers(json, "P_t", curve->Pt, curve->n);
  rh_json_numbers(json, "S", curve->S, curve->n);
  rh_json_numbers(json, "C", curve->C, curve->n);
  rh_json_numbers(json, "W_n", curve->Wn, curve->n);
  rh_json_numbers(json, "W_t", curve->Wt, curve->n);
  rh_json_close(json);
  rh_json_close(json);
  rh_free(curve);
  return RH_OK;
}

rh_status rh_impact_print_json(const rh_impact_show *show, const char *output)
{
  const rh_planar_in *in = &show->in;
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
  rh_status status = RH_OK;
  rh_json_string(&json, "id", show->title);
  rh_json_number(&json, "inv_m1", in->Ktt);
  rh_json_number(&json, "inv_m2", in->Knn);
  rh_json_number(&json, "inv_m3", 0 - in->Ktn);
  rh_json_number(&json, "mu_s", in->mu_s);
  rh_json_number(&json, "mu_k", in->mu_k);
  rh_json_number(&json, "e", in->e);
  rh_json_number(&json, "eta2", in->eta2);
  rh_json_open_array(&json, "laws");
  for (int i = 0; i < show->nlaw && status == RH_OK; i++) {
    status = json_law(&json, show, i);
  }
  rh_json_close(&json);
  if (output != NULL) {
    rh_json_string(&json, "output", output);
  }
  rh_json_end(&json);
  if (status != RH_OK) {
    rh_text_free(&text);
    return status;
  }
  return rh_text_print(&text, NULL);
}

// ---- Impacts in space: for people

static const char *why_no_diagram(const rh_impact_seen *seen)
{
  return seen->n > 1 ? "several contacts at once: Routh's diagram is of one, in a plane"
         : seen->e[0] < 0
             ? "e < 0, which ends in compression: Routh's diagram has no such end"
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

static void add_law(rh_table *table, const char *name, const rh_impact_seen *seen,
                    const rh_impact_response *a)
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
    if (a->share[i] > 0) {
      rh_table_add(table, "%.5g", a->share[i]);
    } else {
      rh_table_add(table, "%s", "");
    }
    if (i > 0) {
      rh_table_add(table, "%s", "");
      rh_table_add(table, "%s", "");
      continue;
    }
    rh_table_add(table, "%.5g", 0 - (a->Dn + a->Dt));
    bool more = a->gained || !a->solved;
    rh_table_add(table, "%s%s%s%s%s", a->many.unfactored ? "pair factors ended" : "",
                 a->many.unfactored && more ? ", " : "", a->gained ? "energy created" : "",
                 a->gained && !a->solved ? ", " : "", a->solved ? "" : "not solved");
  }
}

rh_status rh_impact_space_print(const rh_impact_show *show, const rh_impact_seen *seen, bool color)
{
  static const char *const head[] = {
      "law",       "contact", "p_t1 [N s]", "p_t2 [N s]", "p_n [N s]", "u_t1 [m/s]", "u_t2 [m/s]",
      "u_n [m/s]", "D_n [J]", "D_t [J]",    "share",      "T1-T0 [J]", "flags"};
  rh_table *table = rh_table_headed(head, RH_COUNT(head), 0xFFC);
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
    rh_impact_response a;
    if (!rh_impact_law_defined(show->law[i], seen)) {
      continue;
    }
    bool done = rh_impact_respond(show->law[i], seen, &a);
    if (done) {
      add_law(table, show->law[i]->row.name, seen, &a);
    }
    rh_impact_response_free(&a);
    if (!done) {
      rh_table_destroy(table);
      return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
    }
  }
  rh_status status = rh_table_print(table, stdout, 2, color);
  rh_table_destroy(table);
  return status;
}

// ---- Impacts in space: JSON

static void json_answer(rh_json *json, const rh_impact_law *law, const rh_impact_seen *seen,
                        const rh_impact_response *a)
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
    rh_json_numbers(json, "share", a->share, seen->n);
  }
  rh_json_close(json);
}

rh_status rh_impact_space_json(const rh_impact_show *show, const rh_impact_seen *seen)
{
  rh_text text = {0};
  rh_json json = rh_json_result(&text);
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
  bool done = true;
  for (int i = 0; i < show->nlaw && done; i++) {
    rh_impact_response a;
    if (!rh_impact_law_defined(show->law[i], seen)) {
      continue;
    }
    done = rh_impact_respond(show->law[i], seen, &a);
    if (done) {
      json_answer(&json, show->law[i], seen, &a);
    }
    rh_impact_response_free(&a);
  }
  rh_json_close(&json);
  rh_json_end(&json);
  if (!done) {
    rh_text_free(&text);
    return rh_refuse(RH_OUT_OF_MEMORY, "out of memory");
  }
  return rh_text_print(&text, NULL);
}
