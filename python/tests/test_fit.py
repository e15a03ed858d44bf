"""Measured series as data of fit and compare: the same bits from files, recordings, arrays, dicts and frames; options, progress, Ctrl-C."""

import json
import os
import signal
import subprocess

import numpy as np
import pytest
import routh
from conftest import ROOT

OSCILLATOR = """world: {gravity: [0, 0, 0]}
bodies: [{name: b, mass: 2}]
joints: [{name: s, kind: prismatic, child: b, axis: [1, 0, 0], q: [0.1], spring: [60], damper: [1]}]
run: {until: 1}
"""
FREE = {"s.spring[0]": None, "s.damper[0]": (0.1, 10)}
DATA = ROOT / "tests" / "data" / "fit"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "osc.yaml").write_text(OSCILLATOR)
    return tmp_path


def swing(x0=0.1, seed=1):
    """m = 2, k = 50, d = 0.8, at irregular times, with noise and a missing value."""
    rng = np.random.default_rng(seed)
    t = np.sort(rng.uniform(0, 1, 40))
    w = np.sqrt(25 - 0.04)
    x = x0 * np.exp(-0.2 * t) * (np.cos(w * t) + 0.2 / w * np.sin(w * t)) + rng.normal(0, 1e-4, 40)
    x[7] = np.nan
    return t, x


def write(name, trials):
    with open(name, "w") as file:
        file.write("trial,t,s.q [m]\n")
        for label, (t, x) in trials.items():
            file.writelines(f"{label},{a!r},{'' if np.isnan(b) else repr(b)}\n" for a, b in zip(t.tolist(), x.tolist()))


def same(a, b):
    return json.dumps(a, default=np.ndarray.tolist) == json.dumps(b, default=np.ndarray.tolist)


def program(*words):
    return subprocess.run([routh.program(), *words, "--json"], capture_output=True, text=True, check=True).stdout


def test_arrays_are_a_file(folder):
    """A CSV file with 17 digits; dicts, lists, a column `trial`, arrays with and without names, masked ones: one answer."""
    trials = {"one": swing(), "two": swing(0.05, 2)}
    write("a.csv", trials)
    options = {"noise": {"s.q": 1e-4}, "start": "data", "folds": 2}
    want = routh.fit("osc.yaml", "a.csv", FREE, **options)
    said = program("fit", "osc.yaml", "--data", "a.csv", "--free", "s.spring[0],s.damper[0]=0.1:10", "--noise", "s.q=1e-4", "--start", "data", "--folds", "2")
    assert same(want, routh.call.answer(said.encode()))
    assert want["values"][0]["value"] == pytest.approx(50, rel=0.05) and want["trials"] == 2  # starts are as measured
    (t, x), (u, y) = trials.values()
    both = np.rec.fromarrays([np.concatenate([t, u]), np.concatenate([x, y]), np.repeat([1, 2], 40)], names=["t", "q", "trial"])
    forms = {
        "list of dicts": [{"t": t, "s.q": x}, {"t": u, "s.q [m]": y}],
        "dict of dicts": {"one": {"t": t.tolist(), "s.q": [None if np.isnan(v) else v for v in x]}, "two": {"t [s]": u, "s.q": y}},
        "column trial": {"trial": ["one"] * 40 + ["two"] * 40, "t": np.concatenate([t, u]), "s.q": np.concatenate([x, y])},
        "a file and a dict": ["first.csv", {"t": u, "s.q": y}],
        "masked": [{"t": t, "s.q": np.ma.masked_invalid(x)}, {"t": u, "s.q": y}],
    }
    write("first.csv", {"one": trials["one"]})
    for name, data in forms.items():
        assert same(routh.fit("osc.yaml", data, FREE, **options), want), name
    assert same(routh.fit("osc.yaml", both, FREE, rename={"q": "s.q"}, **options), want)
    plain = [np.column_stack([t, x]), np.column_stack([u, y])]
    assert same(routh.fit("osc.yaml", plain, FREE, columns=["t", "s.q"], **options), want)
    assert same(routh.fit("osc.yaml", np.array(plain), FREE, columns=["t", "s.q"], **options), want)
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame({"t": t, "s.q": x}), pandas.DataFrame({"s.q": y}, index=u)]
    assert same(routh.fit("osc.yaml", frames, FREE, **options), want)
    assert same(routh.fit(routh.Scene(OSCILLATOR), frames, FREE, **options)["values"], want["values"])


def test_recordings(folder):
    """A recording, opened or by its name, alone or with others, is the table that it exports."""
    truth = {"s.spring": [50], "s.damper": [0.8]}
    routh.run("osc.yaml", record="a.rhr", every=0.02, set=truth)
    with routh.open("a.rhr") as recording:
        recording.export("a.csv", ["s.q", "s.v"])
        want = routh.fit("osc.yaml", "a.csv", FREE, quick=True)
        frame = pytest.importorskip("pandas") and recording.to_pandas(["s.q", "s.v"])
        for data in ("a.rhr", recording, [recording], frame, {"t": recording.time, "s.q": recording["s.q"], "s.v": recording["s.v"]}):
            assert same(routh.fit("osc.yaml", data, FREE, quick=True), want)
        assert want["values"][0]["value"] == pytest.approx(50, rel=1e-9)
        mixed = routh.fit("osc.yaml", [{"t": [0.0, 0.1, 0.2], "s.q": [0.1, 0.08, 0.05]}, recording], FREE, start="data", quick=True)
        assert mixed["trials"] == 2 and mixed["residuals"] == 2 + 50
        thin = routh.fit("osc.yaml", recording, FREE, every=0.1, channels=["s.v", "b.px"], quick=True)
        assert thin["residuals"] == 22 and [c["name"] for c in thin["channels"]] == ["s.v", "b.px"]


def test_every_option_of_fit(folder):
    """Each option does what it does on the command line."""
    write("a.csv", {"1": swing(), "2": swing(0.05, 2), "3": swing(0.08, 3)})
    write("t.csv", {"9": swing(0.07, 9)})
    base = ("fit", "osc.yaml", "--data", "a.csv", "--free", "s.spring[0]=10:200", "--noise", "s.q=1e-4")
    cases = [
        ({"start": "fit", "quick": True}, ["--start", "fit", "--quick"]),
        ({"start": "data", "window": 0.3}, ["--start", "data", "--window", "0.3"]),
        ({"folds": 3, "robust": True, "threads": 2}, ["--folds", "3", "--robust", "--threads", "2"]),
        ({"bootstrap": 20, "quick": True}, ["--bootstrap", "20", "--quick"]),
        ({"global_": 30, "quick": True}, ["--global", "30", "--quick"]),
        ({"test": "t.csv", "quick": True}, ["--test", "t.csv", "--quick"]),
        ({"every": 0.05, "channels": "s.*"}, ["--every", "0.05", "--channels", "s.*"]),
        ({"suggest": 1, "quick": True, "folds": 3, "write_scene": "mine.yaml"},
         ["--suggest", "1", "--quick", "--folds", "3", "--write-scene", "theirs.yaml"]),
        ({"slopes": "differences", "quick": True}, ["--slopes", "differences", "--quick"]),
        ({"set": {"b.mass": 3}, "quick": True}, ["-s", "b.mass=3", "--quick"]),
        ({"output": "page.html", "resume": "journal", "quick": True}, ["-o", "other.html", "--resume", "other", "--quick"]),
    ]
    for options, words in cases:
        mine = routh.fit("osc.yaml", "a.csv", {"s.spring[0]": (10, 200)}, noise={"s.q": 1e-4}, **options)
        assert same(mine, routh.call.answer(program(*base, *words).encode())), words
    assert (folder / "page.html").read_text() == (folder / "other.html").read_text()
    assert (folder / "mine.yaml").read_text() == (folder / "theirs.yaml").read_text()
    assert (folder / "journal").read_bytes() == (folder / "other").read_bytes()
    t, x = swing(0.07, 9)
    tested = routh.fit("osc.yaml", "a.csv", "s.spring[0]", noise="s.q=1e-4", test={"t": t, "s.q": x}, quick=True)
    assert tested["test"]["trials"] == 1 and tested["test"]["excess"] > 0


def test_phases_and_suggestions(folder):
    """What flights, impacts and slides say, and what was tried and chosen, is in the answer; the scene found is a scene."""
    flight = routh.fit(DATA / "toss.yaml", DATA / "toss.csv", start="data", quick=True)["flights"][0]
    assert flight["gravity"][2] == pytest.approx(-9.7, abs=1e-6) and flight["com"] == pytest.approx([0.001, -0.002, 0.005], abs=1e-8)
    found = routh.fit(DATA / "drop.yaml", DATA / "drop.csv", start="data", suggest=1)
    floor = found["impacts"][0]["contacts"][0]
    assert (floor["contact"], found["slides"]) == ("floor", []) and floor["impacts"] >= 3
    assert floor["bounce"]["low"] < 0.7 < floor["bounce"]["high"] and floor["ratio"]["low"] < 0.2001 and floor["ratio"]["high"] > 0.1999
    assert found["suggestions"] and not [change for change in found["suggestions"] if change["fitted"]]  # the scene is right
    held = routh.fit(DATA / "drop.yaml", DATA / "drop.csv", start="data", suggest=1, free={"floor.e": (0.1, 1)})  # not its friction
    tried = [change for change in held["suggestions"] if change["fitted"]]
    assert tried and all(change["excess"] > 0 and change["joints"][0]["place"] < 1e-3 for change in tried)
    assert [joint["name"] for joint in found["chosen"]["joints_after"]] == ["j"] and len(found["chosen"]["flight_noise"]) == 1
    again = routh.fit(routh.Scene(found["chosen"]["scene"]), DATA / "drop.csv", start="data")
    assert again["fit"]["joints"][0]["place"] == pytest.approx(found["fit"]["joints"][0]["place"], abs=1e-9)
    resumed = [routh.fit(DATA / "drop.yaml", DATA / "drop.csv", start="data", suggest=1, resume="s") for _ in range(2)]
    assert same(found, resumed[0]) and same(found, resumed[1])


def test_compare_on_data(folder):
    """Laws ranked on measured trials: from the file, and from memory."""
    rows = np.genfromtxt(DATA / "slide.csv", delimiter=",", names=True, skip_header=1, deletechars="")
    rows = rows[rows["trial"] < 5]
    table = {"trial": rows["trial"], "t": rows["t"], "j.x": rows["j.x"], "j.vx": rows["j.vx"]}
    with open("few.csv", "w") as file:
        file.write("trial,t,j.x,j.vx\n")
        file.writelines(",".join("" if np.isnan(v) else repr(v) for v in row) + "\n" for row in rows.tolist())
    options = {"frictions": ["none", "dry"], "start": "data", "free": {"floor.mu_k": (0.05, 0.5)}, "noise": {"j.x": 1e-4, "j.vx": 1.0}, "folds": 2,
               "set": {"run.until": 0.1}, "every": 0.05, "channels": ["j.x", "j.vx"]}
    told = []
    mine = routh.compare(DATA / "slide.yaml", data=table, progress=lambda *now: told.append(now), **options)
    file = routh.compare(DATA / "slide.yaml", data="few.csv", robust=False, threads=1, **options)
    assert same(mine, file) and next(law for law in mine["ranking"] if law["rank"] == 1)["friction"] == "dry" and [now[:2] for now in told] == [(0, 2), (1, 2)]
    words = ("compare", str(DATA / "slide.yaml"), "--frictions", "none,dry", "--data", "few.csv", "--start", "data", "--free", "floor.mu_k=0.05:0.5",
             "--noise", "j.x=1e-4,j.vx=1.0", "--folds", "2", "-s", "run.until=0.1", "--every", "0.05", "--channels", "j.x,j.vx")
    assert same(mine, routh.call.answer(program(*words).encode()))
    with pytest.raises(routh.SceneError, match="is for laws with --data"):
        routh.compare(DATA / "slide.yaml", frictions=["none", "dry"], noise={"j.x": 1})


def test_every_option_of_sweep(folder):
    """Designs, outcomes, tables and progress as on the command line; journals have the same bytes."""
    cases = [
        ({"vary": {"s.damper.0": "0:1:3"}, "out": ["s.q@end", "events"]}, ["--vary", "s.damper.0=0:1:3", "--out", "s.q@end,events"]),
        ({"vary": {"b.mass": "uniform(1,2)"}, "design": "latin", "cases": 4, "seed": 5}, ["--vary", "b.mass=uniform(1,2)", "--design", "latin", "--cases", "4",
                                                                                      "--seed", "5"]),
        ({"vary": {"b.mass": [1, 2]}, "workers": 2, "lease": "10 s", "export": "m.csv"}, ["--vary", "b.mass=1,2", "--workers", "2", "--lease", "10 s", "--export", "c.csv"]),
    ]
    for options, words in cases:
        for name in ("m.rsw", "c.rsw"):
            (folder / name).unlink(missing_ok=True)
        told = []
        options = {"workers": 0, "set": {"run.until": 0.1}, **options}
        mine = routh.sweep("osc.yaml", output="m.rsw", progress=lambda *now: told.append(now), **options)
        program("sweep", "osc.yaml", *words, "-s", "run.until=0.1", *([] if "--workers" in words else ["--workers", "0"]), "-o", "c.rsw")
        assert (folder / "m.rsw").read_bytes() == (folder / "c.rsw").read_bytes(), words
        assert mine["done"] == told[0][1] and all(what == "cases" and 0 <= done <= of for done, of, what in told)
    assert (folder / "m.csv").read_text().splitlines()[-2:] == (folder / "c.csv").read_text().splitlines()[-2:]
    assert routh.sweep("m.rsw", case=1)["case"] == 1


def test_progress_and_interrupts(folder, capfd):
    """Ctrl-C, or an exception of the function that is told, ends a fit; its journal has what was finished, and the same call goes on to the
    same bits."""
    write("a.csv", {"1": swing(), "2": swing(0.05, 2), "3": swing(0.08, 3)})
    given = {"noise": {"s.q": 1e-4}, "folds": 3, "start": "data"}
    told = []
    want = routh.fit("osc.yaml", "a.csv", FREE, progress=lambda *now: told.append(now), **given)
    assert [done for done, _, _ in told] == list(range(8)) and {of for _, of, _ in told} == {8}
    assert [what for _, _, what in told] == ["search"] + ["s.spring[0]"] * 2 + ["s.damper[0]"] * 2 + ["trials left out"] * 3

    def interrupt(done, of, what):
        if done == 6:
            os.kill(os.getpid(), signal.SIGINT)

    def fail(done, of, what):
        if done == 3:
            raise ZeroDivisionError(what)

    with pytest.raises(ZeroDivisionError, match="damper"):
        routh.fit("osc.yaml", "a.csv", FREE, resume="j", progress=fail, **given)
    size = os.path.getsize("j")
    with pytest.raises(KeyboardInterrupt):
        routh.fit("osc.yaml", "a.csv", FREE, resume="j", progress=interrupt, **given)
    assert os.path.getsize("j") > size > 100
    assert same(routh.fit("osc.yaml", "a.csv", FREE, resume="j", **given), want)
    with pytest.raises(routh.SceneError, match="is of another fit"):
        routh.fit("osc.yaml", "a.csv", FREE, resume="j", set={"b.mass": 3}, **given)
    capfd.readouterr()
    routh.fit("osc.yaml", "a.csv", FREE, quick=True, progress=True, **given)
    assert capfd.readouterr().err.splitlines() == ["1 of 4   search", *(f"{n} of 4   trials left out" for n in (2, 3, 4))]


def test_what_is_wrong(folder):
    t, x = swing()
    wrong = [
        (TypeError, "measured series are", 3),
        (ValueError, "not of numbers", {"t": t, "s.q": ["a"] * 40}),
        (ValueError, "one number for each time", {"t": t, "s.q": x[:-1]}),
        (ValueError, "needs their names", np.column_stack([t, x])),
        (ValueError, "comma", "a,b.csv"),
        (ValueError, "one name for each time", {"t": t, "s.q": x, "trial": [1]}),
        (routh.SceneError, "times of a trial must rise", {"t": t[::-1], "s.q": x}),
        (routh.SceneError, "must be finite", {"t": t, "s.q": np.where(np.arange(40) == 3, np.inf, x)}),
        (routh.SceneError, "s.qq", {"t": t, "s.qq": x}),
        (routh.SceneError, "there are none", {"t": [], "s.q": []}),
        (routh.SceneError, "twice", {"t": t, "s.q": x, "s.q [m]": x}),
    ]
    for kind, why, data in wrong:
        with pytest.raises(kind, match=why):
            routh.fit("osc.yaml", data, FREE)
    for series in (3, [3], [("a", ["s.q"], t, x[:-1])], [("a", ["s.q"], t.astype("f4"), x)], [("a", [3], t, x)], [(b"a", ["s.q"], t, x)]):
        with pytest.raises((TypeError, ValueError)):
            routh._core.command(["fit", "osc.yaml", "--data", "@0"], None, None, None, series)
