"""No way to crash the interpreter: lives of views, wrong arguments, exceptions, signals, threads, fork, exit, memory."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import tracemalloc

import grow
import numpy as np
import pytest
import routh

ASAN = bool(os.environ.get("ROUTH_ASAN"))


def test_views_outlive_worlds(ball):
    world = routh.World(ball)
    q, v, state = world.q, world.v, world.state
    joint = world.joint["rail"].q
    world.step(3)
    del world
    gc.collect()
    q[0] = 4.0
    assert state[1] == 4.0 and joint.shape == (1,) and np.isfinite(v).all()


def test_reset_with_live_views(ball):
    world = routh.World(ball)
    world.step(3)
    q = world.q
    with pytest.raises(BufferError):
        world.reset()
    part = q[2:3]
    del q
    with pytest.raises(BufferError):
        world.reset()
    memory = memoryview(part)
    del part
    with pytest.raises(BufferError):
        world.reset()
    del memory
    world.reset()
    assert world.t == 0 and world.step(3) is None
    fresh = routh.World(ball)
    fresh.step(3)
    assert world.state_hash == fresh.state_hash


def test_wrong_writes(ball):
    world = routh.World(ball)
    for wrong in (np.zeros(3), np.zeros((2, 8)), "text", [1, 2]):
        with pytest.raises((ValueError, TypeError)):
            world.q[:] = wrong
    with pytest.raises((ValueError, TypeError)):
        world.q = np.zeros(9)
    world.q[:] = np.arange(8, dtype=np.int8)  # NumPy converts
    world.q[:] = [0, 0, 1, 1, 0, 0, 0, 0]
    for bad in (np.nan, np.inf, -np.inf):
        for name in ("q", "v", "tau"):
            array = getattr(world, name)
            kept = array.copy()
            array[0] = bad
            with pytest.raises(ValueError, match="finite"):
                world.step()
            array[:] = kept
    world.q[3:7] = 0
    with pytest.raises(ValueError, match="quaternion"):
        world.step()
    world.q[3:7] = [3, 0, 0, 0]
    world.step()
    assert np.linalg.norm(world.q[3:7]) == pytest.approx(1, abs=1e-9)
    with pytest.raises(ValueError):
        world.state[0] = 1
    for huge in (1e150, 1e300, -1e300):  # the run may stop, with a reason; it must not crash
        other = routh.World(ball)
        other.v[2] = huge
        try:
            other.run(0.02)
        except routh.RunError as error:
            assert str(error)


def test_wrong_arguments(ball):
    world = routh.World(ball)
    for call in (lambda: world.step(-1), lambda: world.run(float("nan")), lambda: world.run("soon"),
                 lambda: world.view("nothing"), lambda: world.view(3), lambda: world.step(1.5), lambda: world._open(3),
                 lambda: world._set_model(None), lambda: world.body[99], lambda: world.body["none"],
                 lambda: world.channels(["none"]), lambda: world.channels([3]), lambda: world.guard(3),
                 lambda: world.on_event(3), lambda: world.controller(lambda w: 0, "none"),
                 lambda: world.apply_force("ball", [1, 2]), lambda: world._jacobian(99, (0, 0, 0)),
                 lambda: routh._core.World().step(), lambda: routh._core.World().t, lambda: routh._core.Batch().step(),
                 lambda: routh._core.Recording().meta("x"), lambda: routh._core.View(), lambda: routh._core.Model(),
                 lambda: routh.rows(3), lambda: routh._core.compile(b"x", "n", []), lambda: routh._core.compile("x", "n", [1])):
        with pytest.raises((ValueError, TypeError, KeyError, IndexError)):
            call()


def test_damaged_states(ball):
    world = routh.World(ball)
    world.run(0.3)
    state = world.save()
    random = np.random.default_rng(5)
    with pytest.raises(ValueError):
        world.restore(state._replace(state=state.state[:-8]))
    with pytest.raises(ValueError):
        world.restore(state._replace(state=b"\xff" * len(state.state)))

    def late(*_):
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, late)  # of processor time: a nonsense state may move for long, but can be interrupted
    for _ in range(40):
        numbers = np.frombuffer(state.state).copy()
        for i in random.integers(1, len(numbers), 3):
            numbers[i] = random.choice([np.nan, np.inf, -1.0, 0.5, 1e9, 1e300, 7.0])
        other = routh.World(ball)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)
            other.restore(state._replace(state=numbers.tobytes()))
            other.step(2)
            _ = other.contacts
        except (ValueError, routh.RunError, TimeoutError):
            pass
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    world.restore(state)
    world.step()


def test_exceptions_in_functions(located):
    def fail(*_):
        raise ZeroDivisionError("mine")

    for connect in (lambda w: w.on_event(fail), lambda w: w.on_frame(fail), lambda w: w.guard(fail),
                    lambda w: w.controller(fail), lambda w: w.guard(lambda v: v.t - 0.105, act=fail)):
        world = routh.World(located)
        connect(world)
        with pytest.raises(ZeroDivisionError, match="mine"):
            world.run(0.5)
        assert np.isfinite(world.q).all()
    for wrong in (lambda w: [1, 2], lambda w: [np.nan], lambda w: "x", lambda w: 3):
        world = routh.World(located)
        world.controller(wrong)
        with pytest.raises((ValueError, TypeError)):
            world.run(0.5)
    world = routh.World(located)
    world.guard(lambda w: np.nan)
    with pytest.raises(ValueError, match="finite"):
        world.run(0.5)


def test_a_function_cannot_change_the_run(located):
    world = routh.World(located)
    errors = []

    def meddle(w):
        for call in (w.step, lambda: w.run(1), w.reset, lambda: w.set({"floor.mu": 0.1}), lambda: w.restore(w.save()),
                     lambda: w.apply_force("ball", [1, 0, 0]), lambda: w.on_frame(print)):
            try:
                call()
                errors.append(call)
            except (RuntimeError, BufferError):
                pass

    world.on_frame(meddle)
    world.run(0.05)
    assert errors == []


def test_interrupt(located):
    code = f"""
import os, signal, routh
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job of a shell ignores it
world = routh.World({located!r})
world.on_frame(lambda w: w.t > 0.3 and os.kill(os.getpid(), signal.SIGINT))
try:
    world.run(1e3)
except KeyboardInterrupt:
    print("interrupted", world.t < 1e2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "interrupted True", done.stderr


def test_threads_share_a_model(ball):
    model = routh.Model(ball)
    hashes, refused = [], []
    shared = routh.World(model)
    go = threading.Barrier(4)

    def work():
        world = routh.World(model)
        go.wait()
        world.run(0.3)
        hashes.append(world.state_hash)
        for _ in range(50):
            try:
                shared.step()
                shared.bodies()
            except RuntimeError:
                refused.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(hashes)) == 1 and len(hashes) == 4 and np.isfinite(shared.q).all()


def test_fork(stepped, tmp_path):
    batch, world = routh.Batch(stepped, 4, 3), routh.World(stepped)
    batch.step(3)
    world.step(3)
    world.run(0.1)
    routh.World(stepped).run(0.1, record=tmp_path / "a.rhr")
    rec = routh.open(tmp_path / "a.rhr")
    child = os.fork()
    if child == 0:
        code = 1
        try:
            batch.step(3)
            world.step(3)
            try:
                rec.state(0)
            except RuntimeError:
                code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert batch.step(3) == 0 and len(rec.state(0)) == world.model.nstate


def test_fork_in_a_function(stepped, tmp_path):
    """The child of a fork within a run that is recorded gets a RuntimeError; the file is the parent's."""
    code = f"""
import os, routh
world = routh.World({stepped!r})
parent, child = os.getpid(), []
world.on_frame(lambda w: child.append(os.fork()) if not child else None)
try:
    world.run(0.1, record={str(tmp_path / "a.rhr")!r})
except RuntimeError:
    os._exit(7 if os.getpid() != parent else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child[0], 0)[1]), len(routh.open({str(tmp_path / "a.rhr")!r})))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["7", "11"], done.stderr


def test_exit_with_live_objects(located, tmp_path):
    code = f"""
import atexit, threading, numpy, routh
world = routh.World({located!r}); world.on_frame(lambda w: None); q = world.q
batch = routh.Batch(world.model, 3, 2); view = batch.q; batch.step()
other = routh.World(world.model); other._record({str(tmp_path / "left.rhr")!r}); other.run(0.1)
third = routh.World(world.model); world.cycle = world
threading.Thread(target=lambda: third.run(1e9), daemon=True).start()
atexit.register(lambda: print("end", world.t))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.startswith("end"), done.stderr


@pytest.mark.parametrize("make", grow.MAKERS)
def test_create_and_destroy_do_not_grow(make):
    """A sample; python/tests/grow.py is the long form: no growth of the interpreter's memory, nor of the process."""
    model = routh.Model(grow.SMALL)

    def cycle(n):
        for _ in range(n):
            make(model)
        gc.collect()

    cycle(50)
    resident = grow.resident()
    cycle(100)
    grown = grow.resident() - resident
    tracemalloc.start()
    cycle(20)
    before = tracemalloc.get_traced_memory()[0]
    cycle(100)
    traced = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert traced < 20000, traced
    assert ASAN or grown < 4e6, grown


def test_interrupt_of_a_batch(stepped):
    code = f"""
import os, signal, threading, time, routh
signal.signal(signal.SIGINT, signal.default_int_handler)
batch = routh.Batch({stepped!r}, 4, 2)
def interrupt():
    while time.process_time() < 0.3 + first: time.sleep(0.01)  # clock: waits for work done, however long
    os.kill(os.getpid(), signal.SIGINT)
for call in (lambda: batch.step(2**31 - 1), lambda: batch.rollout(horizon=10**7), lambda: batch.rollout(horizon=2, steps=2**31 - 1)):
    first = time.process_time()
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted", batch.step(1))
    thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["interrupted", "0"] * 3, done.stderr


def test_huge_sizes(stepped):
    """What cannot be allocated is a MemoryError or a ValueError, in a process that may have 1 GiB."""
    code = f"""
import resource, numpy as np, routh
model = routh.Model({stepped!r})
batch = routh.Batch(model, 2, 1)
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for call in (lambda: routh.Batch(model, 1000000, 1), lambda: batch.rollout(horizon=2**31 - 1), lambda: batch.rollout(horizon=2**40),
             lambda: batch.step(2**31), lambda: routh.Law("hertz").force(np.zeros((2**20, 2**9))),
             lambda: routh.Model("bodies: [" + "{{name: a}}," * 200000 + "]"), lambda: routh.World(model).step(2**63)):
    try:
        call()
        print("went well")
    except (MemoryError, ValueError, OverflowError):
        print("refused")
print(batch.step(3), routh.World(model).run(0.01).t > 0)
"""
    if ASAN:
        pytest.skip("the sanitizer needs all addresses")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.split() == ["refused"] * 7 + ["0", "True"], done.stdout + done.stderr[-2000:]


def test_random_calls():
    """A sample; `python python/tests/fuzz.py 600` is the long form."""
    script = os.path.join(os.path.dirname(__file__), "fuzz.py")
    done = subprocess.run([sys.executable, script, "60", "11", "2000"], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and ": 20" in done.stdout, (done.returncode, done.stdout, done.stderr[-3000:])


def test_reference_counts(stepped):
    model = routh.Model(stepped)
    world = routh.World(model)
    function = lambda *_: None  # noqa: E731
    counts = [sys.getrefcount(x) for x in (model._core, world, function, routh.Event, None)]
    for _ in range(50):
        world.on_event(function)
        world._event_calls.clear()
        world._connect()
        world.view("q")
        world.step()
        world._events()
        world.stats()
        world.ledger()
        pickle.dumps(world.save())
        routh.World(model)
        with pytest.raises(KeyError):
            world.view("none")
    gc.collect()
    after = [sys.getrefcount(x) for x in (model._core, world, function, routh.Event, None)]
    assert all(abs(a - b) <= 2 for a, b in zip(counts[:3], after[:3])) and abs(after[4] - counts[4]) < 30


@pytest.mark.skipif(ASAN, reason="the sanitizer counts for itself")
def test_overhead_of_a_step(stepped):
    """A step from Python against the same steps in one call: the difference is the call, in instructions where perf counts
    them, else as processor time of many calls against a multiple of an empty one."""
    import time

    world = routh.World(stepped, set={"joints.0.q": [0, 0, 1e6, 1, 0, 0, 0]})
    world.step(100)

    def cost(calls, steps):
        best = 1e9
        for _ in range(5):
            begun = time.process_time()
            for _ in range(calls):
                world.step(steps)
            best = min(best, time.process_time() - begun)
        return best

    class Empty:
        def __call__(self):
            pass

    empty = Empty()

    def empty_cost(calls):
        best = 1e9
        for _ in range(5):
            begun = time.process_time()
            for _ in range(calls):
                empty()
            best = min(best, time.process_time() - begun)
        return best

    calls = 2000
    overhead = (cost(calls, 1) - cost(1, calls)) / calls
    # An empty call of Python takes some 40 ns here: 2 microseconds are 50 of them. The ratio does not depend on the machine's speed.
    assert overhead < 50 * empty_cost(calls) / calls, overhead


def test_copies_before_the_first_run(ball):
    """Copies, pickles and restored worlds that have not run yet have all that was written, and run with the same bits."""
    world = routh.World(ball)
    world.q[2], world.v[1], world.tau[-1], world.command[0, 0] = 0.25, 0.1, 2.0, 1.5
    world.apply_force("ball", [1, 0, 0])
    restored = routh.World(ball)
    restored.restore(world.save())
    others = (world.copy(), pickle.loads(pickle.dumps(world)), restored)
    for other in others:
        for name in ("q", "v", "tau", "fext", "command"):
            assert np.array_equal(getattr(other, name), getattr(world, name)), name
    world.step(200)
    for other in others:
        other.step(200)
        assert other.state_hash == world.state_hash and other.hash == world.hash


def test_back_before_the_first_run(ball):
    """A state saved before the first run begins the run anew: the energy of the start, the first frame, the same bits."""
    world = routh.World(ball)
    start = world.save()
    q = world.q
    world.run(0.2)
    ends = world.hash, world.state_hash, world.ledger()
    world.restore(start)
    assert world.t == 0 and world.stats()["frames"] == 0 and q[2] == 0.3
    world.run(0.2)
    assert (world.hash, world.state_hash, world.ledger()) == ends
