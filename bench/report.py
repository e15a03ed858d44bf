#!/usr/bin/env python3
"""One table of ratios from the rounds of bench/run: report.py RESULTS.tsv [POINTS.txt]. Lines: round, scene, engine, metric, value.

Ratios are taken within a round and then their median, so that a busy moment of the machine hits both sides.
S6 is judged point by point: a peer ran a step size (or tolerance) and paid cpu time for an error. Routh has beaten that
point if one of its own points has no larger error for no more time; the advantage is the peer's time over the time of
Routh's cheapest point with no larger error (below 1: Routh needed longer)."""
import statistics
import sys

# Below these an error is rounding, or the error of the reference itself, and errors count as equal.
FLOOR = {"energy": 1e-13, "attitude": 2e-9, "tip": 1e-13}
LOST = 1.0  # [rad] an attitude that is off by more is lost; how far does not matter
METRIC = {"S6a": (("energy", "energy_relerr_max"), ("attitude", "angle_err_end_rad")),
          "S6b": (("energy", "energy_err_max_rel"), ("tip", "tip_err_2s_m"))}
NOT_ENGINES = ("sundials",)  # a bare integrator on equations derived by hand for just this body and this pendulum
GOAL_FD, GOAL_GROWTH = 2.0, 1.15
table = []


def add(scene, ours, peer, ratio, quality, verdict):
    table.append((scene, ours, peer, ratio, quality, verdict))


def read(path):
    data = {}
    for line in open(path, encoding="utf-8"):
        r, scene, engine, metric, value = line.rstrip("\n").split("\t")
        data.setdefault((scene, engine), {}).setdefault(metric, {})[int(r)] = float(value)
    return data


def middle(by_round):
    return statistics.median(by_round.values())


def ratio_of(a, b):
    """Median over the rounds both have of a / b."""
    both = [a[r] / b[r] for r in a if r in b and b[r] > 0]
    return statistics.median(both) if both else float("nan")


def forward_dynamics(data):
    rows = {e: m for (s, e), m in data.items() if s == "S5fd" and "us_per_call" in m}
    ours = [e for e in rows if e.startswith("routh")]
    peers = sorted((e for e in rows if e not in ours), key=lambda e: middle(rows[e]["us_per_call"]))
    for o in sorted(ours, reverse=True):
        t = rows[o]["us_per_call"]
        exact = [middle(rows[o]["joint_acc_l2_state%d" % k]) for k in (0, 999)]
        right = abs(exact[0] - 11.2250) < 1e-4 and abs(exact[1] - 7.50083) < 1e-5
        for p in peers if "+native" in o else peers[:1]:
            x = ratio_of(rows[p]["us_per_call"], t)
            theirs = [middle(rows[p]["joint_acc_l2_state%d" % k]) for k in (0, 999)]
            best = p == peers[0]
            word = "" if not best else ("met" if x >= GOAL_FD and right else "MISSED") + " (goal: best peer >= 2)"
            add("S5fd forward dynamics, 27 dof", "%s %.2f us" % (o, middle(t)),
                "%s %.2f us" % (p, middle(rows[p]["us_per_call"])), "%.2f" % x,
                "|a| %.6g %.6g / %.6g %.6g" % (*exact, *theirs), word)


def points(data, scene, what, metric, wanted):
    """[(engine, point, error, {round: cpu})] of the engines `wanted` accepts."""
    out = []
    for (s, e), m in data.items():
        if s.startswith(scene + "_") and wanted(e) and metric in m and "cpu_s" in m:
            error = middle(m[metric])
            if error == error:
                error = min(error, LOST) if what == "attitude" else error
                out.append((e, s[len(scene) + 1:], max(error, FLOOR[what]), m["cpu_s"]))
    return out


def advantage(peer, ours):
    """Median over the rounds of the peer's time over that of Routh's cheapest point with no larger error."""
    per_round = []
    for r, cpu in peer[3].items():
        times = [o[3][r] for o in ours if r in o[3] and o[2] <= peer[2]]
        per_round.append(cpu / min(times) if times else 0)
    return statistics.median(per_round)


def describe(peer, what, ours, tag, x):
    reach = [o for o in ours if middle(o[3]) <= middle(peer[3])]
    best = min(reach, key=lambda o: o[2]) if reach else None
    found = "%.2e (%s %s)" % (best[2], best[0].split("/")[1], best[1]) if best else "no point is as cheap"
    return "%-8s %-30s %-12s cpu %.3e s error %.2e | routh%s at no more cpu: %s | advantage %.2f%s" % (
        what, peer[0], peer[1], middle(peer[3]), peer[2], tag, found, x, "" if x >= 1 else "  NOT BEATEN")


def accuracy(data, native, lines):
    """Rows: each engine, all its variants together; for the shipped build all engines together."""
    tag = "+native" if native else ""
    name = "routh" + (", -O3 -march=native" if native else " as shipped")
    for scene, metrics in METRIC.items():
        judged = {}
        for what, metric in metrics:
            ours = points(data, scene, what, metric, lambda e: e.startswith("routh") and ("+native" in e) == native)
            if not ours:
                return
            for p in sorted(points(data, scene, what, metric, lambda e: not e.startswith("routh"))):
                x = advantage(p, ours)
                lines.append(scene + " " + describe(p, what, ours, tag, x))
                engine = p[0].split("/")[0]
                bare = engine.startswith(NOT_ENGINES)
                judged.setdefault(engine if native or bare else "all engines", []).append((x, what, p))
        for engine, list_ in sorted(judged.items(), key=lambda kv: min(kv[1])[0]):
            bare = engine.startswith(NOT_ENGINES)
            beaten = sum(x >= 1 for x, _, _ in list_)
            least, what, p = min(list_)
            add("%s %s and %s per cost" % (scene, metrics[0][0], metrics[1][0]), name,
                engine + (" (no engine)" if bare else ""), "%.2f" % least,
                "%d of %d points beaten; least: %s %s, %s error %.1e for %.2e s" % (
                    beaten, len(list_), p[0].split("/")[-1], p[1], what, p[2], middle(p[3])),
                "" if bare else "met" if beaten == len(list_) else "MISSED")


def chains(data):
    for (s, e), m in sorted(data.items()):
        if s != "chain" or "+native" not in e:
            continue
        for n, growth in ((10, None), (100, "growth_10_to_100"), (1000, "growth_100_to_1000")):
            ns = middle(m["ns_per_link_%d" % n])
            x = middle(m[growth]) if growth else None
            add("chain of %d links" % n, "%s %.1f ns a link" % (e, ns), "", "%.3f" % x if x else "",
                "cost of a link over that in the chain of %d" % (n // 10) if x else "",
                "" if not x else "met (linear)" if x <= GOAL_GROWTH else "MISSED (goal <= %.2f)" % GOAL_GROWTH)


def main():
    data = read(sys.argv[1])
    lines = []
    forward_dynamics(data)
    for native in (True, False):
        accuracy(data, native, lines)
    chains(data)
    head = ("scene", "Routh", "peer", "ratio", "quality", "goal")
    widths = [max(len(row[k]) for row in [head] + table) for k in range(6)]
    for k, row in enumerate([head] + table):
        print("| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |")
        if k == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    print("\nratio: how many times the peer's time Routh is faster (S6: at equal or smaller error, the worst of the points).")
    if len(sys.argv) > 2 and lines:
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        print("every point of S6: " + sys.argv[2])


main()
