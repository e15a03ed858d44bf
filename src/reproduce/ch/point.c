// point.c: [Ch] ch. 2 at one point,: the path of an impact, its normal work,
// closed forms of simple bodies, pair factors, the critical coefficient. The thesis prints no
// numbers for these; reference numbers are expected.
#include "ch.h"

#include <string.h>

enum { SAMPLES = 8, CURVE = 200 };

#define PI 3.14159265358979323846

// ---- Answers

static rh_point_in input_of(const rh_ch_case *c)
{
  rh_point_in in = {.mu_s = rh_ch_number(c, c->inputs, "mu"), .e = rh_ch_number(c, c->inputs, "e")};
  in.mu_k = in.mu_s;
  (void)rh_ch_numbers(c, c->inputs, "K", in.W, 9);
  (void)rh_ch_numbers(c, c->inputs, "v", in.u, 3);
  return in;
}

static const rh_impact_law *law_of(const rh_ch_case *c)
{
  const char *word = rh_ch_word(c, c->inputs, "law");
  return rh_impact_law_find(word[0] == '\0' || strcmp(word, "energetic") == 0 ? "stronge" : word);
}

rh_status rh_ch_trace(const rh_ch_case *c, rh_json *json)
{
  rh_point_in in = input_of(c);
  rh_point_at at[SAMPLES];
  double pn[SAMPLES];
  rh_point_out out;
  int n = 0;
  for (; n < SAMPLES && rh_ch_item(c, c->expected, "samples", n) != RH_NONE; n++) {
    pn[n] = rh_ch_number(c, rh_ch_item(c, c->expected, "samples", n), "p_n");
  }
  (void)rh_point_trace(law_of(c), &in, &(rh_point_want){n, pn, at}, &out);
  rh_json_open_array(json, "samples");
  for (int i = 0; i < n; i++) {
    rh_json_open_object(json, NULL);
    rh_json_number(json, "p_n", at[i].p[2]);
    rh_json_number(json, "s", rh_hypot(at[i].u[0], at[i].u[1]));
    rh_json_number(json, "v_n", at[i].u[2]);
    rh_json_number(json, "W_n", at[i].Wn);
    rh_json_number(json, "phi", rh_atan2(at[i].u[1], at[i].u[0]));
    rh_json_close(json);
  }
  rh_json_close(json);
  rh_json_number(json, "p_n_final", out.p[2]);
  return RH_OK;
}

rh_status rh_ch_early(const rh_ch_case *c, rh_json *json)
{
  rh_point_in in = input_of(c);
  rh_point_out out;
  (void)rh_point_impact(law_of(c), &in, &out);
  rh_json_numbers(json, "v", out.u, 3);
  rh_json_numbers(json, "p", out.p, 3);
  rh_json_number(json, "W_n", -out.Dn);
  rh_json_number(json, "W_n_compression", out.Wc);
  return RH_OK;
}

rh_status rh_ch_critical(const rh_ch_case *c, rh_json *json)
{
  double W[9];
  double way[2];
  double rate = 0;
  double mu = rh_ch_number(c, c->inputs, "mu");
  (void)rh_ch_numbers(c, c->inputs, "K", W, 9);
  double critical = rh_point_critical(W, mu, way, &rate);
  rh_json_number(json, "mu_critical", critical);
  rh_json_bool(json, "sticks", mu >= critical);
  rh_json_numbers(json, "slip_direction", way, 2);
  rh_json_number(json, "slip_rate", rate);
  return RH_OK;
}

static rh_pair pair_of(const rh_ch_case *c)
{
  rh_pair pair = {.mu_q = rh_ch_number(c, c->inputs, "mu_q"),
                  .mu_r = rh_ch_number(c, c->inputs, "mu_r"),
                  .phi_q = rh_ch_number(c, c->inputs, "phi_q"),
                  .phi_r = rh_ch_number(c, c->inputs, "phi_r")};
  (void)rh_ch_numbers(c, c->inputs, "P_q", pair.P_q, 3);
  (void)rh_ch_numbers(c, c->inputs, "P_r", pair.P_r, 3);
  return pair;
}

rh_status rh_ch_pair(const rh_ch_case *c, rh_json *json)
{
  rh_pair pair = pair_of(c);
  double right = rh_pair_factor(&pair, false);
  rh_json_number(json, "C_as_printed", rh_pair_factor(&pair, true));
  rh_json_number(json, "C_sign_corrected", right);
  rh_json_bool(json, "degenerate", isnan(right));
  return RH_OK;
}

// ---- Bodies with an impact at one point

static void read_motion(const rh_ch_case *c, const char *v, rh_ch_body *b)
{
  (void)rh_ch_numbers(c, c->inputs, v, &b->v.x, 3);
  (void)rh_ch_numbers(c, c->inputs, "omega", &b->w.x, 3);
  b->mass = rh_ch_number(c, c->inputs, "mass");
  b->mu = rh_ch_number(c, c->inputs, "mu");
  b->e = rh_ch_number(c, c->inputs, "e");
  b->n = 1;
}

static rh_point_in point_of(const rh_ch_body *b)
{
  rh_point_in in = {.mu_s = b->mu, .mu_k = b->mu, .e = b->e};
  memcpy(in.W, b->W, sizeof in.W);
  memcpy(in.u, b->u, sizeof in.u);
  return in;
}

rh_status rh_ch_sphere(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b = {.R = rh_mat3_identity()};
  rh_point_out out;
  rh_vec3 v;
  rh_vec3 w;
  double r = rh_ch_number(c, c->inputs, "radius");
  read_motion(c, "v", &b);
  for (int i = 0; i < 3; i++) {
    b.inertia[i] = rh_ch_number(c, c->inputs, "inertia_factor") * b.mass * r * r;
  }
  b.point[2] = -r;
  rh_ch_body_make(&b);
  rh_point_in in = point_of(&b);
  (void)rh_point_impact(rh_impact_law_find("stronge"), &in, &out);
  rh_ch_body_after(&b, out.p, &v, &w);
  rh_ch_vector(json, "v", v);
  rh_ch_vector(json, "omega", w);
  rh_json_numbers(json, "p", out.p, 3);
  rh_json_string(json, "state", out.stuck ? "stick" : "slip");
  // Present slip over the slip that friction can stop: |u_t| / (K_tt (1 + e) |u_n| / K_nn)
  rh_json_number(json, "mu_stick",
                 rh_hypot(b.u[0], b.u[1]) / (b.W[0] * (1 + b.e) * fabs(b.u[2]) / b.W[8]));
  return RH_OK;
}

static const char *path_of(const rh_point_in *in, const rh_point_out *out, const rh_point_log *log)
{
  bool stops = false;
  bool begins = false;
  for (int i = 0; i < log->n; i++) {
    stops = stops || log->at[i].kind == RH_TURN_STOP;
    begins = begins || log->at[i].kind == RH_TURN_SLIP;
  }
  if (rh_hypot(in->u[0], in->u[1]) == 0) {
    return begins ? "start-slip" : "stick";
  }
  return !stops ? "slip" : out->stuck ? "slip>stick" : "slip>reverse";
}

static void write_events(const rh_point_log *log, rh_json *json)
{
  static const char *const word[] = {"stop", "reverse", "compression_end", "shift"};
  rh_json_open_array(json, "events");
  for (int i = 0; i < log->n && i < RH_POINT_TURNS; i++) {
    rh_point_turn kind = log->at[i].kind;
    rh_json_open_object(json, NULL);
    rh_json_string(json, "kind", word[kind]);
    rh_json_number(json, "pn", log->at[i].pn);
    rh_json_number(json, "phi", log->at[i].phi);
    rh_json_string(json, "phase", log->at[i].compressing ? "compression" : "restitution");
    rh_json_close(json);
  }
  rh_json_close(json);
}

static rh_status answer_body(const rh_ch_case *c, rh_ch_body *b, rh_json *json)
{
  double rpy[3];
  rh_point_out out;
  rh_point_log log = {0};
  rh_vec3 v;
  rh_vec3 w;
  (void)rh_ch_numbers(c, c->inputs, "rpy", rpy, 3);
  (void)rh_ch_numbers(c, c->inputs, "point_body", b->point, 3);
  b->R = rh_rpy_matrix(rpy[0], rpy[1], rpy[2]);
  rh_ch_body_make(b);
  rh_point_in in = point_of(b);
  (void)rh_point_follow(law_of(c), &in, &out, &log);
  rh_ch_body_after(b, out.p, &v, &w);
  double slip = rh_hypot(out.u[0], out.u[1]);
  rh_json_numbers(json, "v", out.u, 3);
  rh_json_numbers(json, "p", out.p, 3);
  rh_json_number(json, "p_n_compression", out.Pc);
  rh_json_number(json, "W_n_compression", out.Wc);
  rh_json_number(json, "W_n", -out.Dn);
  rh_json_number(json, "W_t", -out.Dt);
  rh_json_string(json, "path", path_of(&in, &out, &log));
  rh_json_integer(json, "shifts", out.shifts);
  rh_json_number(json, "slip_speed", slip);
  rh_json_number(json, "slip_angle", slip > 1e-12 ? rh_atan2(out.u[1], out.u[0]) : (double)NAN);
  write_events(&log, json);
  rh_ch_vector(json, "v_com", v);
  rh_ch_vector(json, "omega", w);
  rh_json_matrix(json, "K", b->W, 3, 3);
  rh_json_numbers(json, "contact_velocity_before", b->u, 3);
  return RH_OK;
}

rh_status rh_ch_rod(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b = {0};
  read_motion(c, "v_com", &b);
  double I = rh_ch_number(c, c->inputs, "I_across");
  b.inertia[0] = I; // about its axis x: no impulse at its end turns it that way
  b.inertia[1] = I;
  b.inertia[2] = I;
  return answer_body(c, &b, json);
}

rh_status rh_ch_corner(const rh_ch_case *c, rh_json *json)
{
  rh_ch_body b = {0};
  double dims[3];
  read_motion(c, "v_com", &b);
  (void)rh_ch_numbers(c, c->inputs, "dims", dims, 3);
  rh_ch_block_inertia(&b, dims);
  return answer_body(c, &b, json);
}

// ---- Pictures

static void put_path(FILE *to, const char *name, const rh_point_in *in)
{
  rh_point_out out;
  rh_point_at at[CURVE];
  double pn[CURVE];
  const rh_impact_law *law = rh_impact_law_find("stronge");
  (void)rh_point_impact(law, in, &out);
  for (int i = 0; i < CURVE; i++) {
    pn[i] = out.p[2] * i / (CURVE - 1);
  }
  (void)rh_point_trace(law, in, &(rh_point_want){CURVE, pn, at}, &out);
  double last = (double)NAN;
  fprintf(to, "$%s << end\n", name);
  for (int i = 0; i < CURVE; i++) {
    double s = rh_hypot(at[i].u[0], at[i].u[1]);
    double phi = rh_atan2(at[i].u[1], at[i].u[0]);
    bool jumps = s < 1e-9 || fabs(phi - last) > 1; // slip stops, reverses, or passes pi
    fprintf(to, "%.9g %.9g %.9g ", pn[i], at[i].u[2], s);
    fprintf(to, jumps ? "NaN" : "%.9g", phi);
    fprintf(to, " %.9g\n", at[i].Wn);
    last = s < 1e-9 ? (double)NAN : phi;
  }
  fputs("end\n", to);
}

// Velocities of impacts of the file, one of each path
void rh_draw_ch_point_velocities(FILE *to, const rh_redone *redone)
{
  static const struct {
    const char *id, *title;
  } shown[] = {{"impact1-05", "slips, and turns"},
               {"impact1-10", "slips, then sticks"},
               {"impact1-17", "slips, and reverses"},
               {"impact1-14", "compression begins again: a shift"}};

  for (int i = 0; i < RH_COUNT(shown); i++) {
    rh_yaml tree = {0};
    rh_ch_case c;
    char title[RH_NAME_MAX * 2];
    if (rh_ch_open(&redone->figure->scene, shown[i].id, &tree, &c) == RH_OK) {
      rh_point_in in = input_of(&c);
      snprintf(title, sizeof title, "%s: %s", shown[i].id, shown[i].title);
      rh_ch_panel(to, 0.5 * (i % 2), i < 2 ? 0.5 : 0.05, 0.5, 0.45, title);
      put_path(to, "path", &in);
      fputs("set xlabel 'normal impulse [N s]'\nset ylabel 'velocity [m/s]'\nset border 11\nset "
            "y2tics\nset "
            "y2label 'direction [rad]'\nset y2range [-3.6:3.6]\n",
            to);
      fputs("unset key\nplot $path using 1:2 with lines lw 2 dt solid lc rgb '#CC79A7', $path "
            "using 1:3 with lines lw 2 dt solid lc rgb '#0072B2', $path using 1:4 axes x1y2 with "
            "lines lw 2 dt 4 lc rgb '#009E73'\nunset y2tics\nunset y2label\nset "
            "border 3\n",
            to);
    }
    rh_yaml_free(&tree);
  }
  const double legend[4] = {0, 0, 1, 0.05};
  rh_impact_put_legend(to, legend);
}

static void put_samples(FILE *to, const rh_ch_case *c)
{
  fputs("$samples << end\n", to);
  for (int i = 0; rh_ch_item(c, c->expected, "samples", i) != RH_NONE; i++) {
    int at = rh_ch_item(c, c->expected, "samples", i);
    fprintf(to, "%.9g %.9g %.9g\n", rh_ch_number(c, at, "p_n"), rh_ch_number(c, at, "W_n"),
            rh_ch_number(c, at, "v_n"));
  }
  fputs("end\n", to);
}

void rh_draw_ch_point_work(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"impact1_trace-01", "impact1_negative_e-01"};
  for (int i = 0; i < RH_COUNT(id); i++) {
    rh_yaml tree = {0};
    rh_ch_case c;
    if (rh_ch_open(&redone->figure->scene, id[i], &tree, &c) == RH_OK) {
      rh_point_in in = input_of(&c);
      rh_ch_panel(to, 0.5 * i, 0, 0.5, 0.93,
                  i == 0 ? "e = 0.6: W_f = (1 - e^2) W_c on the way up"
                         : "e = -0.3: on the way down");
      put_samples(to, &c);
      put_path(to, "path", &in);
      double e = in.e;
      in.e = fabs(e);
      put_path(to, "whole", &in);
      fputs("set xlabel 'normal impulse [N s]'\nset ylabel 'normal work [J]'\nset key inside top "
            "center vertical\n"
            "plot $whole using 1:5 with lines lw 1 dt 3 lc rgb '#909090' title 'to e = |e|', "
            "$path using 1:5 with lines lw 2 dt solid lc rgb '#D55E00' title 'normal work'",
            to);
      fputs(i == 0 ? ", $samples using 1:2 with points pt 6 ps 1.2 lw 1.5 lc rgb 'black' title "
                     "'reference'\n"
                   : "\n",
            to);
    }
    rh_yaml_free(&tree);
  }
}

// ---- Sec. 2.5

// For coplanar points of one body C_qr = (mu_r s_q)/(mu_q s_r) for any motion: checked for many.
rh_status rh_find_ch_coplanar_pairs(rh_redone *redone)
{
  enum { MANY = 20000 };

  uint64_t seed = 2015;
  double worst = 0;
  for (int i = 0; i < MANY; i++) {
    double x[8];
    for (int k = 0; k < 8; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      x[k] = (double)(seed >> 11) * 0x1p-53 - 0.5;
    }
    // Slips u = v + w x P of two points with z = 0
    double q[2] = {x[4] - x[6] * x[1], x[5] + x[6] * x[0]};
    double r[2] = {x[4] - x[6] * x[3], x[5] + x[6] * x[2]};
    rh_pair pair = {.P_q = {x[0], x[1], 0},
                    .P_r = {x[2], x[3], 0},
                    .mu_q = 0.3,
                    .mu_r = 0.8 + x[7],
                    .phi_q = rh_atan2(q[1], q[0]),
                    .phi_r = rh_atan2(r[1], r[0])};
    double along = fabs(q[0] * (x[2] - x[0]) + q[1] * (x[3] - x[1]));
    double want = pair.mu_r * rh_hypot(q[0], q[1]) / (pair.mu_q * rh_hypot(r[0], r[1]));
    if (along > 0.01 * rh_hypot(q[0], q[1]) * rh_hypot(x[2] - x[0], x[3] - x[1])) { // else 0/0
      worst = fmax(worst, fabs(rh_pair_factor(&pair, false) / want - 1));
    }
  }
  // Rounding: 1e-16 over the minimum cosine accepted, 0.01, squared
  return rh_redone_number(redone, "20000 random motions",
                          "C_qr against mu_r s_q / (mu_q s_r), one plane", worst);
}

void rh_draw_ch_pairs(FILE *to, const rh_redone *redone)
{
  (void)redone;
  rh_pair pair = {.P_q = {0.2, 0.15, 0},
                  .P_r = {-0.2, 0.15, 0},
                  .mu_q = 0.3,
                  .mu_r = 0.3,
                  .phi_q = 0.4,
                  .phi_r = 0.9};
  rh_ch_panel(to, 0, 0, 1, 0.93,
              "two points 0.4 m apart, slip at 0.4 and 0.9 rad: C_qr over the height of one");
  fputs("$pair << end\n", to);
  for (int i = -50; i <= 50; i++) {
    pair.P_q[2] = 0.002 * i;
    fprintf(to, "%.4g %.9g %.9g\n", pair.P_q[2], rh_pair_factor(&pair, true),
            rh_pair_factor(&pair, false));
  }
  fputs("end\nset xlabel 'height of q over r [m]'\nset ylabel 'C_qr' noenhanced\nset yrange "
        "[-4:4]\nset key inside "
        "top right vertical\nplot $pair using 1:2 with lines lt 2 title 'as printed', $pair using "
        "1:3 with lines lt "
        "1 title 'sign of Z repaired'\n",
        to);
}

// ---- Sec. 2.7

// The direction in which slip begins against mu, and the printed one, which is without mu
void rh_draw_ch_critical(FILE *to, const rh_redone *redone)
{
  static const char *const id[] = {"critical-01", "critical-04", "critical-07"};
  rh_ch_panel(
      to, 0, 0, 1, 0.93,
      "direction in which slip begins; at the right end it is that of eq. 2.27, which has no mu");
  for (int i = 0; i < RH_COUNT(id); i++) {
    rh_yaml tree = {0};
    rh_ch_case c;
    if (rh_ch_open(&redone->figure->scene, id[i], &tree, &c) == RH_OK) {
      double W[9];
      double way[2];
      double rate = 0;
      (void)rh_ch_numbers(&c, c.inputs, "K", W, 9);
      double critical = rh_point_critical(W, 0, way, &rate);
      fprintf(to, "$way%d << end\n", i);
      for (int k = 0; k < 100; k++) {
        (void)rh_point_critical(W, critical * (0.01 * k + 0.001), way, &rate);
        fprintf(to, "%.4g %.9g\n", 0.01 * k, rh_atan2(way[1], way[0]) * 180 / PI);
      }
      double mu = rh_ch_number(&c, c.inputs, "mu");
      (void)rh_ch_numbers(&c, c.expected, "slip_direction", way, 2);
      fprintf(to, "end\n$ref%d << end\n%.9g %.9g\nend\n", i, mu / critical,
              rh_atan2(way[1], way[0]) * 180 / PI);
    }
    rh_yaml_free(&tree);
  }
  fputs("set xlabel 'mu over the critical coefficient'\nset ylabel 'direction [degrees]'\nset key "
        "outside below "
        "horizontal\nplot ",
        to);
  for (int i = 0; i < RH_COUNT(id); i++) {
    fprintf(to,
            "%s$way%d with lines lt %d title '%s', $ref%d with points pt 6 ps 1.3 lw 1.5 lc rgb "
            "'black' %s",
            i > 0 ? ", " : "", i, i + 1, id[i], i, i == 0 ? "title 'reference'" : "notitle");
  }
  fputc('\n', to);
}
