#!/usr/bin/env python3
"""The contact scenes of bench/run as one table: contact.py RESULTS.tsv [TABLE.md]. Lines: round, scene, engine, metric, value.

Speed: the ratio of Routh's steps a second to the engine's, taken within a round, median over the rounds. Quality beside it. An engine
is "as good" if no measure of its quality is worse than Routh's (differences below a floor, where it is rounding, do not count);
only engines that are as good are rivals at equal quality. The goals are set against the fastest engine of all in double
precision, and Routh must then be as good as that one."""
import statistics
import sys

JUDGE = "/moreau"       # a call for every step, as the peers are stepped
# name in the harness: (title, [(measure, short name, floor, judged)], goal on the ratio, (measure, bound) of our own)
SCENES = {
    "S1": ("S1 bounce, 1 ms", [("traj_rms_m", "rms", 1e-9, True), ("energy_gain_rel", "energy gained", 1e-9, True),
                               ("max_pen_m", "overlap", 1e-9, True)], None, ("traj_rms_m", 1e-4)),
    "S2_dt0.001": ("S2 ten boxes, 1 ms", [("fell", "", 0, True), ("max_drift_m", "drift", 1e-9, True), ("sag_top_m", "sag", 1e-9, True),
                                          ("weight_relerr", "weight off", 1e-9, False)], 2.5, None),
    "S2_dt1/240": ("S2c ten boxes, 1/240 s", [("fell", "", 0, True), ("max_drift_m", "drift", 1e-9, True),
                                              ("sag_top_m", "sag", 1e-9, True), ("weight_relerr", "weight off", 1e-9, False)], 2.5, None),
    "S3a": ("S3a 216 spheres", [("mean_sum_pen2_m2", "sum pen2", 1e-12, True), ("max_pen_m", "overlap", 1e-6, False)], 2.5, None),
    "S3b": ("S3b 666 spheres, bin", [("mean_sum_pen2_m2", "sum pen2", 1e-12, True), ("max_pen_m", "overlap", 1e-6, False)], 2.5, None),
    "S4": ("S4 slab and 25 balls", [("vel_mse", "mse", 1e-12, True)], 2.5, ("vel_mse", 1e-8)),
    "S5_dt0.002": ("S5 humanoid, 2 ms", [("max_pen_m", "overlap", 1e-6, True), ("end_vmax", "speed at the end", 1e9, False)], 2, None),
    "S5_dt0.005": ("S5c humanoid, 5 ms", [("max_pen_m", "overlap", 1e-6, True), ("end_vmax", "speed at the end", 1e9, False)], 2, None),
    "S7": ("S7 box-box queries", [("wrong_verdicts", "wrong", 0, True), ("depth_rms_err_m", "depth off", 1e-6, True)], 2, None),
    "S8": ("S8 held block", [("creep_m", "creep", 1e-12, True), ("sink_m", "sag", 1e-9, True), ("weight_relerr", "weight off", 1e-9, False)],
           2.5, ("creep_m", 1e-12)),
}
# A goal against one engine by name: the start and the end of its label
AGAINST = {scene: ("box3d", "/sub4", 1.5) for scene in ("S2_dt0.001", "S2_dt1/240", "S3a", "S3b", "S4", "S8")}
AGAINST["S7"] = ("mujoco", "", 2.5)
GROWTH = 20.0


def read(path):
    data = {}
    for line in open(path, encoding="utf-8"):
        part = line.rstrip("\n").split("\t")
        if len(part) == 5:
            r, scene, engine, metric, value = part
            data.setdefault(scene, {}).setdefault(engine, {}).setdefault(metric, {})[int(r)] = float(value)
    for engines in data.values():
        for m in engines.values():
            if "vel_mse_xy" in m:
                m["vel_mse"] = {r: max(m["vel_mse_xy"][r], m["vel_mse_y"][r]) for r in m["vel_mse_xy"] if r in m["vel_mse_y"]}
            if "stands" in m:
                m["fell"] = {r: 1 - x for r, x in m["stands"].items()}
    return data


def middle(by_round):
    return statistics.median(by_round.values())


def speed(m):
    return m.get("steps_per_s") or m.get("queries_per_s")


def ratio(ours, theirs):
    """Median over the rounds that both have."""
    both = [ours[r] / theirs[r] for r in ours if r in theirs and theirs[r] > 0]
    return statistics.median(both) if both else float("nan")


def value(m, key):
    x = abs(middle(m[key])) if key in m else None
    return x if x is None or x == x else float("inf")


def no_worse(a, b, measures):
    """Is no judged measure of a worse than that of b?"""
    for key, _, floor, judged in measures:
        x, y = value(a, key), value(b, key)
        if judged and y is not None and (x is None or x > max(y, floor)):
            return False
    return True


def describe(m, measures):
    words = []
    for key, short, _, _ in measures:
        x = value(m, key)
        if key == "fell":
            words += ["fell"] if x else []
        elif x is not None:
            words.append("%s %.2g" % (short, x))
    if "t_reached" in m:
        words.append("only to %.2g s" % middle(m["t_reached"]))
    return ", ".join(words)


def pace(m):
    x = middle(speed(m))
    part = " (first %.0f %%)" % (100 * middle(m["timed_part"])) if "timed_part" in m else ""
    return ("%.3g M" % (x / 1e6) if x >= 1e6 else "%.4g k" % (x / 1e3) if x >= 1e4 else "%.0f" % x) + part


def named(scene, peers):
    """The ratio to the engine of AGAINST, and its goal; None: it did not run."""
    first, last, goal = AGAINST.get(scene, ("", None, 0))
    found = [p for p in peers if last is not None and p[1].startswith(first) and p[1].endswith(last)]
    return (found[0][0], found[0][1], goal) if found else None


def verdict(title, spec, ours, peers, other):
    """Words on the goal of a scene. peers: [(ratio, name, measures)], doubles and floats apart; other: of named()."""
    _, measures, goal, bound = spec
    words = []
    met = True
    if bound:
        x = value(ours, bound[0])
        met = x is not None and x < bound[1]
        words.append("%s %.2g (goal < %g)" % (bound[0], x if x is not None else float("nan"), bound[1]))
    doubles = sorted(p for p in peers if not p[3])
    if doubles:
        x, name, m, _ = doubles[0]
        good = no_worse(ours, m, measures)
        words.append("%.2f x the fastest peer, %s, and %s" % (x, name, "no worse on any count" if good else "NOT AS GOOD"))
        if goal:
            words[-1] += " (goal %g x)" % goal
            met = met and x >= goal and good
    rivals = [p for p in doubles if no_worse(p[2], ours, measures)]
    words.append("at equal quality: " + ("%.2f x %s" % rivals[0][:2] if rivals else "no rival"))
    if other:
        met = met and other[0] >= other[2]
        words.append("%.2f x %s (goal %g x)" % other)
    floats = sorted(p for p in peers if p[3])
    if floats:
        words.append("%.2f x %s in single precision" % floats[0][:2])
    return "%s: %s: %s" % (title, "met" if met else "MISSED", "; ".join(words))


def is_float(engine):
    return engine.split("/")[0].endswith("f")


def scene_rows(scene, engines, rows, words):
    spec = SCENES[scene]
    ours = [e for e in engines if e.startswith("routh") and speed(engines[e])]
    judge = [e for e in ours if "+native" in e and (e.endswith(JUDGE) or scene == "S7")]
    if not judge:
        return
    own = engines[judge[0]]
    peers = []
    for e, m in engines.items():
        if speed(m):
            x = ratio(speed(own), speed(m))
            mine = e.startswith("routh")
            note = "judged" if e == judge[0] else "" if mine else "as good" if no_worse(m, own, spec[1]) else "worse"
            rows.append((not mine, x, (spec[0], e, pace(m), "%.2f" % x, describe(m, spec[1]), note)))
            if not mine:
                peers.append((x, e, m, is_float(e)))
    words.append(verdict(spec[0], spec, own, peers, named(scene, peers)))


def growth(data, words):
    pairs = [(e, m) for e, m in data.get("S3c", {}).items() if e in data.get("S3b", {})]
    for e, m in pairs:
        x = ratio(speed(data["S3b"][e]), speed(m))
        if e.startswith("routh") and "+native" in e and e.endswith(JUDGE):
            words.append("S3c 10 000 spheres: %s: a step costs %.1f times that of 666 (goal <= %g), sum pen2 %.2g, deepest %.2g m" % (
                "met" if x <= GROWTH else "MISSED", x, GROWTH, value(m, "mean_sum_pen2_m2") or 0, value(m, "max_pen_m") or 0))


def threads(data, words):
    """By the wall clock, of the same steps on one and on two threads."""
    for scene in ("S3b", "S3c"):
        e = data.get(scene, {})
        one = [m for n, m in e.items() if "+native" in n and n.endswith(JUDGE)]
        two = [m for n, m in e.items() if "+native" in n and n.endswith(JUDGE + "-T2")]
        if one and two:
            words.append("%s: two threads %.2f times as fast as one by the clock" % (
                scene, ratio(two[0]["wall_steps_per_s"], one[0]["wall_steps_per_s"])))


def main():
    data = read(sys.argv[1])
    head = ("scene", "engine", "steps/s", "Routh is faster by", "quality", "")
    table, words = [], []
    for scene in SCENES:
        rows = []
        scene_rows(scene, data.get(scene, {}), rows, words)
        table += [cells for _, _, cells in sorted(rows, key=lambda row: row[:2])]
    growth(data, words)
    threads(data, words)
    widths = [max(len(row[k]) for row in [head] + table) for k in range(6)]
    out = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths)) + " |" for row in [head] + table]
    out.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    print("\n".join(out) + "\n\n" + "\n".join(words))
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            f.write("\n".join(out) + "\n\n" + "\n".join("- " + w for w in words) + "\n")


main()
