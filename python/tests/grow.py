"""Creates and destroys objects again and again: the memory of the process must not grow.

Usage: grow.py [CYCLES [NAME...]]: a million of each by default, of all names; the long form of test_create_and_destroy_do_not_grow. It prints the
resident memory after every tenth, and fails where the second half has grown by more than 4 MB: 8 bytes of each of a million would be 4 MB there, and
the C library's arenas differ by some pages.
"""

import gc
import os
import sys
import tempfile

import numpy as np
import routh

SMALL = """
bodies: [{name: a, mass: 1}]
joints: [{name: rail, kind: prismatic, child: a, axis: [0, 0, 1], q: [0.3]}]
shapes: [{body: world, kind: plane}, {name: s, body: a, kind: sphere, radius: 0.05}]
contacts: [{name: floor, body: a, against: world, law: hunt-crossley, k: 1e5}]
actuators: [{name: motor, joint: rail}]
controllers: [{kind: grows, rate: 100}]
run: {engine: stepping, dt: 1e-3, until: 0.02}
record: {every: 0.01}
"""


@routh.controller(name="grows", memory=1)
def grows(now):
    now.memory[0] += now.q[0]
    return [0.0]


def world(model):
    made = routh.World(model)
    made.on_event(print)
    made.q[0] = 0.2
    made.step()
    _ = made.contacts, made.events, made.save(), made.body["a"].position


def batch(model):
    made = routh.Batch(model, 2, 1)
    made.keep_events()
    made.q[:, 0] = 0.06
    made.step(2)
    made.take_events()
    made.reset()


def threads(model):
    routh.Batch(model, 2, 2).step(2)


def view(model, kept={}):  # noqa: B006
    whole = kept.setdefault(id(model), routh.World(model)).view("q")
    part = np.asarray(whole)[:1]
    del whole
    memoryview(part).release()


def model(model):
    routh.Model(SMALL)


def values(model):
    model.with_values({"a.mass": 2})


def error(model):
    for wrong in (lambda: routh.World("bodies: [{name: a, mass: -1}]"), lambda: routh.solve("lcp", A=1), lambda: routh.Law("none"),
                  lambda: routh.rows(3), lambda: routh.World(model).view("none")):
        try:
            wrong()
        except (ValueError, KeyError, TypeError):
            pass


def verb(model):
    routh.solve("lcp", A=[[2.0, 1.0], [1.0, 2.0]], b=[-1.0, -1.0])


def recording(model, kept={}):  # noqa: B006
    if not kept:
        kept["folder"] = tempfile.TemporaryDirectory()
        kept["path"] = os.path.join(kept["folder"].name, "run.rhr")
        routh.World(model).run(record=kept["path"])
    with routh.open(kept["path"]) as one:
        _ = one["rail.q"], one.state(-1), one.events
    routh.open(kept["path"])  # closed by its end


def scene(model):
    made = routh.Scene()
    made.bodies(name="a", mass=1)
    made.joints(kind="prismatic", child="a", axis=[1, 0, 0])
    made.run(engine="stepping", dt=1e-3)
    routh.Scene(made).set("a.mass", 2).compile()


def controller(model):
    routh.controller(name="grows", memory=1)(lambda now: grows(now))
    routh.World(model).step(3)


MAKERS = (world, batch, threads, view, model, values, scene, recording, error, verb, controller)


def resident():
    """Memory of the process [byte]."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main(cycles, names):
    shared = routh.Model(SMALL)
    failed = 0
    for make in (m for m in MAKERS if not names or m.__name__ in names):
        sizes = []
        for _ in range(10):
            for _ in range(max(cycles // 10, 1)):
                make(shared)
            gc.collect()
            sizes.append(resident())
        grown = sizes[-1] - sizes[4]
        bad = grown > 4e6
        failed += bad
        print(f"{make.__name__}: {cycles} cycles, MB after every tenth: {' '.join(f'{s / 1e6:.1f}' for s in sizes)}{'  GROWS' if bad else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1000000, sys.argv[2:]))
