"""Controllers that scenes name, written in Python: the bits of the row in C, in worlds, batches, verbs and recordings alike."""

import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
import routh

SCENE = """
bodies: [{name: arm, mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}, {name: cart, mass: 2}]
joints:
  - {name: hinge, kind: revolute, child: arm, axis: [0, 1, 0], q: [0.4]}
  - {name: rail, kind: prismatic, child: cart, axis: [1, 0, 0], v: [0.5]}
points: [{name: tip, body: arm, at: [0.6, 0, 0]}]
actuators: [{name: turn, joint: hinge}, {name: push, joint: rail, limits: [-5, 5]}]
sensors: [{name: head, kind: imu, body: arm}, {name: angle, kind: joint_position, joint: hinge}]
controllers: [{KIND}]
run: {ENGINE, until: 0.5}
"""
ENGINES = {"event": "integrator: cvode", "stepping": "engine: stepping, dt: 1e-3"}


@pytest.fixture(params=ENGINES)
def scene(request):
    """The scene under each engine, with the controller that is asked for."""
    return lambda kind: SCENE.replace("KIND", kind).replace("ENGINE", ENGINES[request.param])


@routh.controller(kp=(100, "N/m, N m/rad", 0, 1e9), kd=10.0)
def pull_back(now):
    """Pulls every joint back to where it started, as the row pd does."""
    start = (0.4, 0.0)
    return [now.kp * (start[i] - now.q[i]) - now.kd * now.v[i] for i in range(2)]


@routh.controller(name="counts", memory=3)
def counts(now):
    now.memory[0] += 1
    now.memory[1:] = now.q
    return [np.sin(now.memory[0]), 0.1 * now.memory[2]]


def test_bits_of_the_row(scene):
    """A world whose controller is in Python has the bits of the row pd in C."""
    mine, row = routh.World(scene("kind: pull_back, rate: 100, kp: 20, kd: 3")), routh.World(scene("kind: pd, rate: 100, kp: 20, kd: 3"))
    for world in (mine, row):
        world.run()
    assert np.array_equal(mine.q, row.q) and np.array_equal(mine.v, row.v) and abs(mine.q[0] - 0.4) > 1e-3
    assert mine.model["controllers.0.kd"] == 3 and routh.Model(scene("kind: pull_back, rate: 100"))["controllers.0.kp"] == 100
    listed = routh.listing("controllers", "pull_back")[0]
    assert listed["doc"].startswith("Pulls every joint") and [p["name"] for p in listed["parameters"]] == ["kp", "kd"]


def test_everywhere(scene, tmp_path):
    """Worlds, batches for any number of threads, verbs, replays: one and the same run."""
    text = scene("kind: counts, rate: 100")
    world = routh.World(text).run(record=tmp_path / "a.rhr")
    assert world.channels(["turn.effort"])["turn.effort"] != 0
    summary = routh.run(text)
    assert summary["hash"] == world.hash
    assert routh.open(tmp_path / "a.rhr").replay()["differs"] is None
    single = routh.World(text)
    single.step(40)
    for threads in (1, 3):
        batch = routh.Batch(text, 7, threads)
        batch.step(40)
        assert {batch.hash(i) for i in range(7)} == {single.state_hash}
    for copy in (single.copy(), pickle.loads(pickle.dumps(single)), batch.world(3)):  # with the controller's memory
        copy.step(20)
    single.step(20)
    assert copy.state_hash == single.state_hash


def test_what_a_moment_has(scene):
    seen = []

    @routh.controller(name="looks", gain=2.0)
    def looks(now):
        world_like = (now.t, now.q, now.v, now.body["arm"].position, now.body["arm"].rotation, now.joint["rail"].v, now.sensor["head"].values,
                      now.sensor["angle"].values, now.point["tip"].position, now.body["arm"].jacobian([0.6, 0, 0]), now.mass_matrix(), now.bias(),
                      now.actuator["push"].effort, now.channels(["energy.kinetic"])["energy.kinetic"], now.parameters)
        seen.append((now, world_like))
        for wrong, error in ((lambda: now.nothing, AttributeError), (lambda: now.body["amr"], KeyError), (lambda: now.channels(["x"]), KeyError),
                             (lambda: now.q.__setitem__(0, 1), ValueError), (lambda: now.body["arm"].apply_force([1, 0, 0]), RuntimeError),
                             (lambda: now.tau, AttributeError), (lambda: now._raw._array("y"), KeyError), (lambda: now._raw._jacobian(9, (0, 0, 0)), IndexError)):
            with pytest.raises(error):
                wrong()
        return None

    text = scene("kind: looks, rate: 50, gain: 3")
    world = routh.World(text)
    first = routh.World(text)
    world.run(0.1)
    now, (t, q, v, position, rotation, rail, imu, angle, tip, J, H, bias, effort, kinetic, parameters) = seen[0]
    assert len(seen) in (5, 6) and t == 0 and np.array_equal(q, first.q) and np.array_equal(v, first.v)
    assert np.array_equal(position, first.body["arm"].position) and np.array_equal(rotation, first.body["arm"].rotation) and rail[0] == 0.5
    assert np.array_equal(imu, first.sensor["head"].values) and angle[0] == 0.4 and np.array_equal(tip, first.point["tip"].position)
    assert np.array_equal(J, first.body["arm"].jacobian([0.6, 0, 0])) and np.array_equal(H, first.mass_matrix()) and np.array_equal(bias, first.bias())
    assert effort == 0 and kinetic == first.channels(["energy.kinetic"])["energy.kinetic"] and parameters == {"gain": 3.0}
    for late in (lambda: now.q, lambda: now.bodies(), lambda: now.channels(["arm.x"]), lambda: now.mass_matrix(), lambda: now.body["arm"],
                 lambda: now._raw._keep(b""), lambda: now._raw._joints(), lambda: now._raw._jacobian(1, (0, 0, 0))):
        with pytest.raises(RuntimeError, match="over"):
            late()


def test_exceptions(scene, tmp_path):
    @routh.controller(name="fails", after=0.1)
    def fails(now):
        if now.t >= now.after:
            raise ZeroDivisionError("mine")

    text = scene("kind: fails, rate: 100")
    world = routh.World(text)
    with pytest.raises(ZeroDivisionError, match="mine"):
        world.run()
    assert 0.09 < world.t < 0.3
    with pytest.raises(ZeroDivisionError, match="mine"):
        routh.run(text)
    for threads in (1, 3):
        batch = routh.Batch(text, 5, threads)
        with pytest.raises(ZeroDivisionError, match="mine"):
            batch.step(400)
        with pytest.raises(ZeroDivisionError, match="mine"):
            routh.Batch(text, 5, threads).rollout(horizon=4, steps=100)
    good = routh.World(scene("kind: fails, rate: 100, after: 10")).run(record=tmp_path / "a.rhr")
    assert good.t == 0.5

    @routh.controller(name="fails", after=0.1)
    def later(now):
        raise KeyError("replaced")

    with pytest.raises(KeyError, match="replaced"):
        routh.open(tmp_path / "a.rhr").replay()
    for wrong in ([1], [np.nan, 0], "x", 3, [1, 2, 3], ["a", "b"]):
        routh.controller(name="wrong")(lambda now: wrong)  # noqa: B023
        with pytest.raises((ValueError, TypeError)):
            routh.World(scene("kind: wrong, rate: 10")).run()
    routh.controller(name="stops")(lambda now: (_ for _ in ()).throw(routh.StopRun()))
    assert routh.World(scene("kind: stops, rate: 10")).run().t < 0.5


def test_a_controller_writes_nothing(scene):
    world = None

    @routh.controller(name="meddles")
    def meddles(now):
        world.q[0] = 3

    world = routh.World(scene("kind: meddles, rate: 10"))
    with pytest.raises(RuntimeError, match="cannot write"):
        world.run()
    assert abs(world.q[0] - 0.4) < 0.1

    @routh.controller(name="keeps", memory=2)
    def keeps(now):
        now.memory = [1.0, np.inf]

    with pytest.raises(ValueError, match="not finite"):
        routh.World(scene("kind: keeps, rate: 10")).run()


def test_verbs_within_verbs(scene):
    """A function of a run may run other things; each has its own output."""
    @routh.controller(name="asks")
    def asks(now):
        x = routh.solve("lcp", A=[[2.0]], b=[-1.0])["z"][0]
        other = routh.World(scene("kind: counts, rate: 100"))
        other.step(3)
        return [x, 0]

    text = scene("kind: asks, rate: 20")
    assert routh.run(text)["hash"] == routh.World(text).run().hash


def test_names():
    for wrong in (lambda: routh.controller(name="pd")(len), lambda: routh.controller(3), lambda: routh.controller(name="a b")(len),
                  lambda: routh.controller(name="x1", rate=3)(len), lambda: routh.controller(name="x2", q=3)(len),
                  lambda: routh.controller(name="x3", a=(1, "m", 2, 3))(len), lambda: routh.controller(name="x4", a=(1, "m", 2))(len),
                  lambda: routh.controller(name="x5", a=float("nan"))(len), lambda: routh.controller(name="x6", **{f"a{i}": 1 for i in range(17)})(len),
                  lambda: routh.controller(name="x7", memory=10**6)(len), lambda: routh.controller(name="counts", memory=4)(len),
                  lambda: routh._core.Moment(), lambda: routh._core.add_controller("x", "", [3], 1, len), lambda: routh._core.add_controller("x", "", [], 0, len)):
        with pytest.raises((ValueError, TypeError)):
            wrong()
    text = SCENE.replace("ENGINE", ENGINES["stepping"])
    with pytest.raises(routh.SceneError, match="'cuonts'.*did you mean 'counts'"):
        routh.Model(text.replace("KIND", "kind: cuonts, rate: 10"))
    with pytest.raises(routh.SceneError, match="rate"):
        routh.Model(text.replace("KIND", "kind: counts"))
    with pytest.raises(routh.SceneError, match="kq"):
        routh.Model(text.replace("KIND", "kind: pull_back, rate: 10, kq: 3"))
    with pytest.raises(routh.SceneError, match="kp must be"):
        routh.Model(text.replace("KIND", "kind: pull_back, rate: 10, kp: -3"))


def test_lives(scene):
    """Moments, functions and exceptions are freed; threads may run worlds of one model."""
    text = scene("kind: counts, rate: 1000")
    model = routh.Model(text)
    hashes = []

    def work():
        world = routh.World(model)
        world.run(0.1)
        hashes.append(world.state_hash)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 4 and len(set(hashes)) == 1
    kept = []
    routh.controller(name="kept")(lambda now: kept.append(now))
    world = routh.World(scene("kind: kept, rate: 1000"))
    world.run(0.05)
    counted = sys.getrefcount(kept[0]._raw)
    gc.collect()
    assert len(kept) >= 50 and counted <= 3
    function = lambda now: None  # noqa: E731
    before = sys.getrefcount(function)
    for _ in range(100):
        routh.controller(name="again")(function)
    gc.collect()
    assert sys.getrefcount(function) <= before + 1


@pytest.mark.parametrize("what", ["routh.World(text).run(1e9)", "routh.run(text, until=1e4)", "routh.Batch(text, 3, 2).step(2**31 - 1)"])
def test_interrupt(what, scene):
    """Ctrl-C while a controller decides."""
    code = f"""
import os, signal, routh
signal.signal(signal.SIGINT, signal.default_int_handler)
text = {scene("kind: halts, rate: 1000")!r}
sent = []
@routh.controller
def halts(now):
    if now.t > 0.02 and not sent:
        sent.append(now.t)
        os.kill(os.getpid(), signal.SIGINT)
try:
    {what}
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["interrupted"], done.stderr[-2000:]


def test_exit(scene):
    """The end of the program while a thread runs a controller."""
    code = f"""
import routh, threading
@routh.controller
def works(now): started.set()
started = threading.Event()
threading.Thread(target=lambda: routh.World({scene("kind: works, rate: 1000")!r}).run(1e9), daemon=True).start()
started.wait()
print("end")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["end"]), done.stderr[-2000:]
