#!/usr/bin/env python3
"""Routh and Box3D by 1, 2, 4, 8 and 16 threads in one table, with the error of each: threads.py FOLDER [SCENE...] > table.

FOLDER has the programs (build/bench: native/bin/routh, box3d). Every engine and every number of threads takes the same steps of a scene,
fresh, by the clock; the engines take turns, ROUNDS (3) times, and the best of each is printed: what other work does to a machine only
slows it. Errors are measured once, by one thread: in both engines no number of threads changes a bit. THREADS='1 4' sets which numbers,
STEPS=N how many steps."""
import os
import subprocess
import sys

# scene: steps, its errors, the variants of Routh and of Box3D
SCENES = {
    "S3b": (1000, ("max_pen_m", "end_pen_m"), "moreau", ("sub4",)),
    "S3c": (600, ("max_pen_m", "end_pen_m"), "moreau", ("sub4",)),
    "P1": (100, ("max_pen_m", "end_pen_m", "max_shift_m", "end_vmax"), "moreau", ("sub4",)),
    "P2": (100, ("max_pen_m", "end_pen_m", "max_shift_m", "end_vmax"), "moreau", ("sub4",)),
}
NAMES = {"max_pen_m": "overlap, largest", "end_pen_m": "at the end", "max_shift_m": "moved", "end_vmax": "speed at the end"}


def ask(program, scene, variant, steps, speed):
    """The figures of one call, or none where the program is missing or stops."""
    env = dict(os.environ, STEPS=str(steps), REPS="1", CAP="1e9")
    if speed:
        env["SPEED"] = "1"
    try:
        out = subprocess.run([program, scene, variant], env=env, capture_output=True, text=True, timeout=1800, check=False).stdout
    except OSError:
        return {}
    rows = [line.split("\t") for line in out.splitlines()]
    return {row[2]: float(row[3]) for row in rows if len(row) == 4}


def measure(engines, scene, steps, threads, rounds):
    """{(engine, threads): best steps a second}; the engines in turns."""
    best = {}
    for _ in range(rounds):
        for t in threads:
            for name, (program, variant) in engines.items():
                rate = ask(program, scene, "%s-T%d" % (variant, t), steps, True).get("wall_steps_per_s")
                if rate:
                    best[name, t] = max(rate, best.get((name, t), 0))
    return best


def table(folder, scene, threads, rounds):
    steps, errors, variant, rivals = SCENES[scene]
    steps = int(os.environ.get("STEPS", steps))
    engines = {"routh/" + variant: (folder + "/native/bin/routh", variant)}
    for rival in rivals:
        engines["box3d/" + rival] = (folder + "/box3d", rival)
    quality = {name: ask(program, scene, v, steps, False) for name, (program, v) in engines.items()}
    best = measure(engines, scene, steps, threads, rounds)
    own = "routh/" + variant
    print("\n%s, %d steps\n" % (scene, steps))
    print("| engine | " + " | ".join("%d" % t for t in threads) + " | " + " | ".join(NAMES[e] for e in errors) + " |")
    print("|" + "---|" * (1 + len(threads) + len(errors)))
    for name in engines:
        rates = ["%.3g (%.1f)" % (best[name, t], best[name, t] / best[name, threads[0]]) if (name, t) in best else "-" for t in threads]
        print("| %s | %s | %s |" % (name, " | ".join(rates), " | ".join("%.2g" % quality[name][e] if e in quality[name] else "-" for e in errors)))
    for name in engines:
        if name != own:
            ratio = ["%.2f" % (best[own, t] / best[name, t]) if (own, t) in best and (name, t) in best else "-" for t in threads]
            less = ["%.2g" % (quality[name][e] / quality[own][e]) if quality[own].get(e) and e in quality[name] else "-" for e in errors]
            print("| Routh to %s | %s | %s |" % (name, " | ".join(ratio), " | ".join(less)), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    threads = [int(t) for t in os.environ.get("THREADS", "1 2 4 8 16").split()]
    for scene in sys.argv[2:] or SCENES:
        table(sys.argv[1], scene, threads, int(os.environ.get("ROUNDS", "3")))


main()
