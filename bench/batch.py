"""batch.py: see bench/batch. The humanoid is read from bench/peers/humanoid.h."""

import math
import re
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


def main():
    worlds, threads, steps = (int(x) for x in [*sys.argv[2:], *["1024", "2", "100"][len(sys.argv) - 2 :]])
    scene = humanoid()
    ratios = []
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(scene.text())
        file.flush()
        for _ in range(3):
            done = subprocess.run([sys.argv[1], file.name, str(worlds), str(threads), str(steps)], capture_output=True, text=True,
                                  check=True).stdout.split()
            batch = routh.Batch(scene.compile(), worlds, threads)
            begun = time.process_time()
            failed = batch.step(steps)
            spent = time.process_time() - begun
            same = [batch.hash(0), batch.hash(-1), str(failed)] == done[1:]
            ratios.append(spent / float(done[0]))
            print(f"{worlds} worlds, {threads} threads, {steps} steps: C {float(done[0]):.3f} s, Python {spent:.3f} s, "
                  f"ratio {ratios[-1]:.4f}, same bits: {same}")
            if not same:
                sys.exit(1)
    print(f"best ratio {min(ratios):.4f}, median {sorted(ratios)[1]:.4f}")
    assert math.isfinite(min(ratios))


main()
