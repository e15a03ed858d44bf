// own_law.c: a contact law of one's own, registered by name: F = k z^2 with a damper that vanishes at touchdown. A ball bounces on it.
// Built by ./test; by hand: cc -std=c17 own_law.c $(pkg-config --cflags --libs routh) -o own_law
#include <routh/routh.h>

#include <stdio.h>

static const rh_param param[] = {
    {.name = "k", .unit = "N/m^2", .def = 1e6, .lo = 0, .hi = 1e15, .doc = "stiffness", .open = true},
    {.name = "c", .unit = "N s/m^2", .def = 0, .lo = 0, .hi = 1e15, .doc = "damping per depth"},
};

static void square_force(const rh_normal_in *in, rh_normal_out *out)
{
  out->spring = in->par[0] * in->depth * in->depth;
  out->damper = in->par[1] * in->depth * in->rate;
  out->stored = in->par[0] * in->depth * in->depth * in->depth / 3;
}

static const rh_normal_law square = {
    .row = {.name = "square", .cite = "", .doc = "F = k z^2 + c z dz/dt", .param = param, .nparam = RH_COUNT(param)},
    .pulls = true,
    .continuous = true,
    .force = square_force,
};

int main(void)
{
  const char text[] = "bodies: [{name: ball, mass: 1}]\n"
                      "joints: [{kind: free, child: ball, q: [0, 0, 0.6, 1, 0, 0, 0]}]\n"
                      "shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.1}]\n"
                      "contacts: [{body: ball, against: world, law: square, k: 1e7}]\n";
  rh_scene *scene = NULL;
  rh_model *model = NULL;
  rh_sim *sim = NULL;
  if (rh_normal_law_register(&square) != RH_OK || rh_scene_parse(text, sizeof text - 1, "ball", NULL, 0, NULL, &scene) != RH_OK ||
      rh_scene_compile(scene, NULL, &model) != RH_OK || rh_sim_create(model, NULL, &sim) != RH_OK || rh_sim_run(sim, 2) != RH_OK) {
    return 1;
  }
  rh_ledger ledger = rh_sim_ledger(sim);
  printf("after %.0f s: height %.4f m, residue of the energy %.1e J\n", *rh_sim_view(sim)->t, rh_sim_view(sim)->q[2], ledger.residue);
  rh_sim_destroy(sim);
  rh_model_destroy(model);
  rh_scene_destroy(scene);
  return 0;
}
