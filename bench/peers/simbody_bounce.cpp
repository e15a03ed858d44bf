// The bounce of bench/precision.c under Hunt-Crossley, by Simbody: a sphere falls from 10 cm on a half-space, 1 s,
// Runge-Kutta-Merson at several accuracies. For each: 21 lines `frame I Z V`, then
// `simbody-rkm ACCURACY STEPS EVALUATIONS CPU`; evaluations of the forces are counted by a force element of our own.
#include <Simbody.h>
#include <cmath>
#include <cstdio>
#include <ctime>
using namespace SimTK;

namespace {

const double RADIUS = 0.0165, MASS = 0.154, HEIGHT = 0.1, GRAVITY = 9.81, PERIOD = 0.05;
const double K = 8.5e6, DISSIPATION = 0.4; // f = K x^1.5 (1 + 1.5 DISSIPATION x')
const int FRAMES = 20, REPEATS = 5;

// Counts how often the forces are computed, and adds none. Depends on velocities, as the contact does.
class Counter : public Force::Custom::Implementation {
public:
  explicit Counter(long &count) : count(count) {}
  void calcForce(const State &, Vector_<SpatialVec> &, Vector_<Vec3> &, Vector &) const override { count++; }
  Real calcPotentialEnergy(const State &) const override { return 0; }
  bool dependsOnlyOnPositions() const override { return false; }

private:
  long &count;
};

double cpu_now()
{
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct Result {
  double z[FRAMES + 1], v[FRAMES + 1], cpu;
  long steps, evaluations;
};

Result run(double accuracy)
{
  Result r;
  long count = 0;
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  GeneralContactSubsystem contacts(system);
  Force::UniformGravity(forces, matter, Vec3(0, 0, -GRAVITY));
  Force::Custom(forces, new Counter(count));
  Body::Rigid body(MassProperties(MASS, Vec3(0), Inertia(0.4 * MASS * RADIUS * RADIUS)));
  MobilizedBody::Free ball(matter.Ground(), Transform(), body, Transform());
  ContactSetIndex set = contacts.createContactSet();
  contacts.addBody(set, ball, ContactGeometry::Sphere(RADIUS), Transform());
  // A half-space lies on the side of its +x axis.
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(Pi / 2, YAxis), Vec3(0)));
  HuntCrossleyForce contact(forces, contacts, set);
  // Two equal moduli E give k = 4/3 sqrt(R) E / 2^1.5 (HuntCrossleyForce.h).
  double modulus = K * 0.75 / std::sqrt(RADIUS) * std::pow(2, 1.5);
  for (int i = 0; i < 2; i++) {
    contact.setBodyParameters(ContactSurfaceIndex(i), modulus, DISSIPATION, 0, 0, 0);
  }
  State state = system.realizeTopology();
  ball.setQToFitTranslation(state, Vec3(0, 0, HEIGHT + RADIUS));
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  count = 0;
  double start = cpu_now();
  for (int i = 0; i <= FRAMES; i++) {
    if (i > 0) {
      stepper.stepTo(i * PERIOD);
    }
    const State &now = stepper.getState();
    system.realize(now, Stage::Velocity);
    r.z[i] = ball.getBodyOriginLocation(now)[2];
    r.v[i] = ball.getBodyOriginVelocity(now)[2];
  }
  r.cpu = cpu_now() - start;
  r.steps = integrator.getNumStepsTaken();
  r.evaluations = count;
  return r;
}

} // namespace

int main()
{
  for (int digits = 2; digits <= 10; digits++) {
    double accuracy = std::pow(10, -digits);
    Result r = run(accuracy);
    double cpu = r.cpu;
    for (int i = 1; i < REPEATS && cpu < 0.1; i++) {
      cpu = std::fmin(cpu, run(accuracy).cpu);
    }
    for (int i = 0; i <= FRAMES; i++) {
      std::printf("frame %d %.17g %.17g\n", i, r.z[i], r.v[i]);
    }
    std::printf("simbody-rkm %g %ld %ld %.6g\n", accuracy, r.steps, r.evaluations, cpu);
  }
  return 0;
}
