"""batch.py: see bench/batch. The humanoid is read from bench/peers/humanoid.h."""

import ctypes
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import routh

HEADER = (Path(__file__).parent / "peers" / "humanoid.h").read_text()


def numbers(text):
    return [float(x) for x in re.findall(r"-?\d*\.?\d+", text)]


def humanoid():
    rows = re.findall(r'\{"(\w+)", (-?\d+), \{([^}]*)\}, "(\w*)", \{([^}]*)\}, \{([^}]*)\}, ([.\d]+), ([.\d]+)\}', HEADER)
    stiffness, damping = (float(re.search(rf"#define {n} ([.\d]+)", HEADER)[1]) for n in ("HSTIFF", "HDAMP"))
    v0, w0 = (numbers(re.search(rf"{n}\[3\] = \{{([^}}]*)\}}", HEADER)[1]) for n in ("hum_v0", "hum_w0"))
    scene = routh.Scene(name="humanoid")
    scene.shapes(body="world", kind="plane")
    for i, (name, parent, at, axes, a, b, r, m) in enumerate(rows):
        a, b, at, r, m = np.array(numbers(a)), np.array(numbers(b)), numbers(at), float(r), float(m)
        way = (b - a) / np.linalg.norm(b - a)
        length = np.linalg.norm(b - a) + r
        along, across = 0.5 * m * r * r, m * (3 * r * r + length * length) / 12
        inertia = across * np.eye(3) + (along - across) * np.outer(way, way)
        xx = [inertia[j, j] for j in range(3)] + [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
        at_parent = rows[int(parent)][0] if i else "world"
        for k, axis in enumerate(axes):
            last = k == len(axes) - 1
            child = name if last else f"{name}-{k}"
            if not last:
                scene.bodies(name=child, mass=0, inertia=[0, 0, 0, 0, 0, 0])
            scene.joints(name=child, kind="revolute", parent=at_parent, child=child, at=at if k == 0 else [0, 0, 0],
                         axis=[float(axis == c) for c in "xyz"], spring=stiffness, damper=damping)
            at_parent = child
        if i == 0:
            scene.joints(kind="free", child=name, q=[0, 0, at[2], 1, 0, 0, 0], v=[*v0, *w0])
        scene.bodies(name=name, mass=m, com=0.5 * (a + b), inertia=xx)
        for end in (a, b):
            scene.shapes(body=name, kind="sphere", at=end, radius=r)
        scene.contacts(body=name, against="world", law="newton", e=0.0, friction="dry", mu_s=0.7, mu_k=0.7)
    scene.run(engine="stepping", dt=2e-3, until=5)
    return scene


def best_of(repeats, work):
    """Least processor time [s] of a piece of work."""
    spent = []
    for _ in range(repeats):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)


def compare_times(program, scene, file, sizes, rounds=12):
    """Both in turns, each first in every other round: what else the machine does moves both. The median of the rounds counts."""
    model = scene.compile()
    spent = {"C": [], "Python": []}
    results = {}

    def run_c():
        done = subprocess.run([program, file, *map(str, sizes)], capture_output=True, text=True, check=True).stdout.split()
        return float(done[0]), done[1:]

    def run_python():
        batch = routh.Batch(model, *sizes[:2])
        begun = time.process_time()
        failed = batch.step(sizes[2])
        return time.process_time() - begun, [batch.hash(0), batch.hash(-1), str(failed)]

    for turn in range(rounds):
        order = [("C", run_c), ("Python", run_python)]
        for name, run in order if turn % 2 else reversed(order):
            seconds, results[name] = run()
            spent[name].append(seconds)
        if results["C"] != results["Python"]:
            sys.exit(f"other bits: C {results['C']}, Python {results['Python']}")
    ratios = [python / c for c, python in zip(spent["C"], spent["Python"], strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    print(f"{sizes[0]} worlds, {sizes[1]} threads, {sizes[2]} steps, {rounds} rounds, same bits: C {min(spent['C']):.3f} s, Python {min(spent['Python']):.3f} s "
          f"at best, ratio {min(spent['Python']) / min(spent['C']):.4f}; ratio of the rounds: median {middle:.4f}, half of them {low:.4f} to {high:.4f}")


def count(*command):
    """Instructions of the part of a program that bench_count of mark.c marks: all else runs uncounted, and fast."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1"}  # the same work in every run
    done = subprocess.run(["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null", *command], capture_output=True,
                          text=True, check=True, env=environment)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]), done.stdout.split()


def compare_counts(program, file):
    """Instructions of one call for WORLDS worlds that fall, then of one for 16 that lie on the ground, each after steps that do not count."""
    mark = str(Path(program).with_name("mark.so"))
    own = [sys.executable, __file__, "--once", mark, file]
    for worlds, before, steps in ((os.environ.get("WORLDS", "1024"), "1", "2"), ("16", "150", "20")):
        c, said = count(program, file, worlds, "1", steps, before, mark)
        python, mine = count(*own, worlds, before, steps)
        if said[1:3] != mine:
            sys.exit(f"other bits: C {said[1:3]}, Python {mine}")
        print(f"instructions of {steps} steps of {worlds} worlds in one call, after {before}, same bits: C {c}, Python {python}, "
              f"ratio {python / c:.5f}", flush=True)
    (call, _), (within, _) = count(*own, "0", "100", "1000"), count(*own, "-1", "100", "1000")
    print(f"instructions of one step() of a World from Python, without the step itself: {(call - within) / 1000:.0f}")


def measure_overhead():
    """step() of a small world in a loop of Python, less as many steps in one call."""
    world = routh.World(SMALL)
    world.step(100)
    calls = 20000
    loop = best_of(5, lambda: [world.step() for _ in range(calls)])
    one = best_of(5, lambda: world.step(calls))
    address = world.q.__array_interface__["data"][0] == world.state.__array_interface__["data"][0] + 8
    print(f"overhead of one step(): {1e6 * (loop - one) / calls:.3f} us; a view is the world's own memory: {address}")


SMALL = """
bodies: [{name: a, mass: 1}]
joints: [{kind: prismatic, child: a, axis: [1, 0, 0]}]
run: {engine: stepping, dt: 1e-3}
"""


def once(mark, file, worlds, before, steps):
    """One program whose instructions are counted: a batch; worlds = 0: a World by calls of step(), -1: by one call."""
    tell = ctypes.CDLL(mark).bench_count
    if worlds > 0:
        batch = routh.Batch(file, worlds, 1)
        batch.step(before)
        tell(1)
        batch.step(steps)
        tell(0)
        print(batch.hash(0), batch.hash(-1))
        return
    world = routh.World(SMALL)
    world.step(before)
    tell(1)
    if worlds == 0:
        for _ in range(steps):
            world.step()
    else:
        world.step(steps)
    tell(0)


def main():
    if sys.argv[1] == "--once":
        once(*sys.argv[2:4], *map(int, sys.argv[4:7]))
        return
    given = [x for x in sys.argv[2:] if x != "--count"]
    sizes = [int(x) for x in [*given, *["1024", "2", "100"][len(given) :]]]
    scene = humanoid()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(scene.text())
        file.flush()
        if "--count" in sys.argv:
            compare_counts(sys.argv[1], file.name)
        else:
            compare_times(sys.argv[1], scene, file.name, sizes)
            measure_overhead()


if __name__ == "__main__":
    main()
