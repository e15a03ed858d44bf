"""Random calls with random arguments: every exception is fine but SystemError, a crash is not.

Usage: fuzz.py SECONDS [SEED [CALLS]]: for so many seconds of processor time, or so many calls. It prints the seed, and what was wrong; in
the environment ROUTH_FUZZ_LOG names a file that gets every call before it is made, to find the one that crashed.
"""

import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
import warnings

import numpy as np
import routh
from routh import _core

SCENE = """
bodies: [{name: ball, mass: 0.2}, {name: slide, mass: 1}]
joints: [{kind: free, child: ball, q: [0, 0, 0.06, 1, 0, 0, 0], v: [0.4, 0, 0, 0, 0, 0]},
  {name: rail, kind: prismatic, child: slide, axis: [1, 0, 0], at: [0, 2, 1]}]
shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]
contacts: [{name: floor, body: ball, against: world, law: hunt-crossley, k: 1e5, friction: coulomb, mu: 0.3}]
actuators: [{name: motor, joint: rail, limits: [-5, 5]}]
controllers: [{name: mind, kind: program, rate: 50}]
points: [{name: tip, body: ball}]
sensors: [{name: head, kind: imu, body: ball, rate: 200, delay: 0.005, noise: [0.1, 0.01]}]
run: {ENGINE, until: 0.05}
record: {every: 0.01}
"""
TEXTS = [SCENE.replace("ENGINE", "integrator: cvode"), SCENE.replace("ENGINE", "engine: stepping, dt: 1e-3")]
WORDS = ["", "ball", "rail", "motor", "mind", "floor", "floor.mu", "ball.z", "q", "v", "tau", "fext", "command", "state", "t", "effort", "körper",
         "a\0b", "x" * 5000, "\ud800", "hertz", "hunt-crossley", "laws", "lcp", "newton", "a.rhr", "none.rhr", "b.csv", "b.h5", "run.until=1", "%s%n",
         "solve", "run", "law", "list", "--json", "-s", "--", "slide.mass", "body", "joint", "bodies: [", "<scene>", ".", "t [s]", "head", "head.ax", "az", "sensor"]
NUMBERS = [0, 1, -1, 2, 3, 7, 100, 2**31 - 1, 2**31, -(2**31), 2**63, 10**30, 0.0, -0.0, 0.5, 1e-3, 1e9, 1e300, -1e300, 5e-324, float("nan"),
           float("inf"), float("-inf"), True, False]
#: They start programs and servers, write where they like, or end the process.
LEFT_OUT = {"command", "program", "main", "view", "Viewer", "render", "sweep", "__class__", "__del__", "__init_subclass__", "__subclasshook__", "__dict__", "__weakref__"}
# sum under the sanitizer only, where memory is not limited: in NumPy 1.24 it ends the interpreter where an allocation fails, also without routh
# (python/tests/numpy_sum.py).
ARRAY = ["__setitem__", "__getitem__", "__len__", "fill", "copy", "tobytes", *(["sum", "max"] if os.environ.get("ROUTH_ASAN") else [])]


class Fuzz:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.model = [routh.Model(text) for text in TEXTS]
        routh.World(self.model[0]).run(record="a.rhr")
        self.things = self.made()
        self.log = open(os.environ["ROUTH_FUZZ_LOG"], "w") if "ROUTH_FUZZ_LOG" in os.environ else None
        self.bad: list[str] = []
        self.calls = 0

    def made(self):
        model = self.random.choice(self.model)
        world, batch = routh.World(model), routh.Batch(model, self.random.choice([1, 3, 5]), self.random.choice([1, 2]))
        return [model, world, batch, routh.Scene(TEXTS[0]), routh.open("a.rhr"), routh.Law("hunt-crossley"), routh.Friction("coulomb"), world.q,
                batch.v, world.view("q"), world.save(), world.body["ball"], world.joint["rail"], world.actuator["motor"], world.sensor["head"], world.point["tip"],
                routh.VectorEnv(TEXTS[1], 2, threads=1), routh, _core, model._core, _core.World(), _core.Batch(), _core.Recording()]

    def value(self, depth: int = 0):
        pick = self.random.randrange(12)
        if pick < 3:
            return self.random.choice(NUMBERS)
        if pick < 5:
            return self.random.choice(WORDS)
        if pick == 5:
            return self.random.choice(self.things)
        if pick == 6:
            return self.array()
        if pick == 7:
            return self.function()
        if pick == 8 and depth < 2:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if pick == 9 and depth < 2:
            return {self.random.choice(WORDS): self.value(depth + 1) for _ in range(self.random.randrange(3))}
        if pick == 10:
            return self.random.choice([None, b"", b"\xff" * 64, bytearray(8), memoryview(b"12345678"), object(), 1j, (), (1.0, 2.0, 3.0)])
        return self.random.choice(TEXTS)

    def array(self):
        shape = self.random.choice([(), (0,), (1,), (3,), (8,), (7,), (3, 8), (3, 15), (2, 4, 1), (1, 1), (3, 1), (3, 2, 1), (10**5,)])
        kind = self.random.choice(["f8", "f4", "i8", "i1", "u1", "?", "c16", "O", "U3", ">f8"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = np.full(shape, self.random.choice([0, 1, 0.5, np.nan, np.inf, 1e300]) if kind[-2:] in ("f8", "f4", "16") else 1).astype(kind)
        return self.random.choice([array, array.T, array[::-1] if array.ndim else array])

    def function(self):
        def meddle(*_):
            self.one(within=True)
            return self.value()

        def fail(*_):
            raise ZeroDivisionError

        return self.random.choice([meddle, fail, lambda *_: None, lambda *_: 1.0, lambda *_: [0.5], lambda *_: float("nan"), print, int])

    def one(self, within: bool = False) -> None:
        thing = self.random.choice(self.things)
        # NumPy's arrays can be broken by their own attributes (strides, flags): they are only read, written and passed on.
        names = ARRAY if isinstance(thing, np.ndarray) else [n for n in dir(thing) if n not in LEFT_OUT and (not n.startswith("__") or n in ("__init__", "__getitem__", "__setitem__", "__len__"))]
        name = self.random.choice(names)
        given = [self.value() for _ in range(self.random.choice([0, 1, 1, 2, 2, 3, 4, 6]))]
        if self.log:
            self.log.write(f"{self.calls} {type(thing).__name__}.{name} {[str(type(g)) + repr(g)[:80] for g in given]!r}\n")
            self.log.flush()
        self.calls += 1
        try:
            if self.random.randrange(12) == 0:
                setattr(thing, name, given[0] if given else None) if not isinstance(thing, type(routh)) else None
                return
            attribute = getattr(thing, name)
            result = attribute(*given) if callable(attribute) else attribute
            if self.random.randrange(8) == 0 and (type(result).__module__.startswith("routh") or type(result) is np.ndarray and result.dtype.kind == "f"):
                self.things[self.random.randrange(7, len(self.things))] = result
            elif self.random.randrange(40) == 0:
                pickle.loads(pickle.dumps(result))
        except SystemError as error:
            self.bad.append(f"{type(thing).__name__}.{name}: SystemError: {error}")
        except (Exception, KeyboardInterrupt):  # noqa: S110
            pass
        if not within and self.random.randrange(60) == 0:
            self.things = self.made()


def late(*_):
    raise TimeoutError


def main(seconds: float, seed: int, calls: int) -> int:
    os.chdir(tempfile.mkdtemp())
    if not os.environ.get("ROUTH_ASAN"):
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 28, 1 << 28))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    signal.signal(signal.SIGVTALRM, late)
    out, sys.stdout, sys.stderr = sys.stdout, open(os.devnull, "w"), open(os.devnull, "w")
    sys.stdin = open(os.devnull)
    fuzz = Fuzz(seed)
    begun = time.process_time()
    while time.process_time() - begun < seconds and fuzz.calls < calls:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.5)  # processor time: a run may be long, but can be interrupted
        try:
            fuzz.one()
        except BaseException:  # noqa: S110  the timer, between two calls
            pass
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    print(f"seed {seed}: {fuzz.calls} calls in {time.process_time() - begun:.0f} s, {len(fuzz.bad)} wrong", file=out)
    for line in sorted(set(fuzz.bad)):
        print("  " + line, file=out)
    return 1 if fuzz.bad else 0


if __name__ == "__main__":
    given = [float(x) for x in sys.argv[1:]]
    sys.exit(main(given[0], int(given[1]) if len(given) > 1 else 1, int(given[2]) if len(given) > 2 else 10**9))
