"""Everything that the command line does, from Python, equal to the bit; recordings."""

import json
import sys
import types

import numpy as np
import pytest
import routh
from conftest import same


def test_run(scenes, tmp_path, cli):
    for name in ("ball", "arm", "rounded-die"):
        path = scenes / f"{name}.yaml"
        until = {"arm": 1.5, "ball": 0.5, "rounded-die": 0.4}[name]
        said = cli("run", path, "--until", until, "-o", "cli.rhr", "--json", as_json=True)
        world = routh.World(path, set={"run.until": until}).run(record=tmp_path / "py.rhr")
        for key in ("kinetic", "potential", "residue", "sliding", "event"):
            assert world.ledger()[key] == said["energy"][key]
        assert (world.stats()["steps"], world.stats()["events"]) == (said["steps"], said["event_count"])
        one, two = routh.open(tmp_path / "cli.rhr"), routh.open(tmp_path / "py.rhr")
        assert one.hash == two.hash == world.hash and one.ended == two.ended == "OK"
        assert all(np.array_equal(one[c], two[c]) for c in one)
        assert np.array_equal(one.events, two.events) and one.meta("scene") == two.meta("scene")
        assert same(routh.compare(tmp_path / "cli.rhr", tmp_path / "py.rhr"), cli(
            "compare", tmp_path / "cli.rhr", tmp_path / "py.rhr", "--json", as_json=True))


def test_recording(located, tmp_path, cli):
    world = routh.World(located).run(record=tmp_path / "a.rhr")
    rec = routh.Recording(tmp_path / "a.rhr")
    assert len(rec) == 51 and np.allclose(rec.time, 0.01 * np.arange(51)) and rec.channels["ball.z"] == "m"
    assert np.array_equal(rec["ball.z"], rec.table(["ball.x", "ball.z"])[:, 1])
    assert np.allclose(rec.ledger["residue"], rec["energy.residue"])
    assert rec.events.dtype == routh.EVENT_DTYPE and np.array_equal(rec.events, world.events)
    assert np.array_equal(rec.state(-1), world.state) and rec.world(-1).state_hash == world.state_hash
    rec.verify()
    with pytest.warns(RuntimeWarning, match="'mind' is decided by a program"):
        again = rec.replay()
    assert (again["same"], again["differs"]) == (51, None) and again["hash"] == rec.hash
    with pytest.raises(KeyError, match="did you mean 'ball.z'"):
        rec["ball.zz"]
    with pytest.raises(IndexError):
        rec.state(51)
    for name, words in (("one.csv", ["--channels", "ball.z,floor.normal"]),):
        cli("export", "a.rhr", *words, "--groups", "energy", "-o", name)
        rec.export(tmp_path / ("py" + name), ["ball.z", "floor.normal"], groups=["energy"])
        assert (tmp_path / name).read_bytes() == (tmp_path / ("py" + name)).read_bytes()
    rec.export(tmp_path / "own.csv", ["ball.z"])
    rows = [r for r in (tmp_path / "own.csv").read_text().splitlines() if r and r[0].isdigit()]
    assert [float(r.split(",")[-1]) for r in rows] == rec["ball.z"].tolist()
    rec.close()
    with pytest.raises(ValueError):
        rec.state(0)
    with pytest.raises(routh.SceneError):
        routh.open(tmp_path / "no.rhr")


def test_resume(located, tmp_path, cli):
    routh.World(located, set={"run.until": 0.9}).run(record=tmp_path / "whole.rhr")
    routh.World(located, set={"run.until": 0.9}).run(0.355, record=tmp_path / "cut.rhr")
    whole, cut = routh.open(tmp_path / "whole.rhr"), routh.open(tmp_path / "cut.rhr")
    assert len(cut) == 36
    with pytest.warns(RuntimeWarning, match="resume"):
        cut.resume(0.9)
    assert len(cut) == len(whole) and cut.hash == whole.hash and np.array_equal(cut.events, whole.events)


def test_to_pandas(located, tmp_path, monkeypatch):
    routh.World(located).run(0.1, record=tmp_path / "a.rhr")
    rec = routh.open(tmp_path / "a.rhr")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="python3-pandas"):
        rec.to_pandas()
    stub = types.SimpleNamespace(DataFrame=lambda table, columns, index: (table, columns, index), Index=lambda x, name: (x, name))
    monkeypatch.setitem(sys.modules, "pandas", stub)
    table, columns, index = rec.to_pandas(["ball.z", "ball.x"])
    assert columns == ["ball.z", "ball.x"] and np.array_equal(table[:, 0], rec["ball.z"]) and index == (pytest.approx(rec.time), "t")
    monkeypatch.undo()
    pandas = pytest.importorskip("pandas", reason="to_pandas() with pandas itself: pandas is not installed")
    frame = rec.to_pandas(["ball.z"])
    assert isinstance(frame, pandas.DataFrame) and frame["ball.z"].tolist() == rec["ball.z"].tolist()
    assert frame.index.name == "t" and frame.index.tolist() == rec.time.tolist()
    assert list(rec.to_pandas().columns) == list(rec.channels)
    events = rec.events_to_pandas()
    assert events["t"].tolist() == rec.events["t"].tolist() and events["kind"].tolist() == rec.events["kind"].tolist()


def test_laws(cli):
    law = routh.Law("hunt-crossley", k=1e6, n=1.5, alpha=0.3)
    z = np.linspace(0, 1e-3, 7).reshape(7, 1)
    rate = np.array([-0.1, 0.0, 0.2])
    assert law.force(z, rate) == pytest.approx(1e6 * z**1.5 * (1 + 1.5 * 0.3 * rate), rel=1e-12)
    assert law.evaluate(z)[2] == pytest.approx(1e6 * z**2.5 / 2.5, rel=1e-12)
    assert law.force(-1e-3) == 0
    said = cli("law", "hunt-crossley", "-s", "k=1000000.0", "-s", "n=1.5", "-s", "alpha=0.3", "--speed", "0.7", "--mass", "2.0",
               "--json", as_json=True)
    assert same(law.impacts(0.7, mass=2)[0], said["impacts"][0])
    fitted = routh.Law("kelvin-voigt", k=1e5).fit(0.8, speed=0.5, mass=50)
    assert fitted.impacts(0.5, mass=50)[0]["e"] == pytest.approx(0.8, abs=1e-9)
    for wrong in (lambda: routh.Law("hunt"), lambda: routh.Law("hertz", kk=1), lambda: routh.Law("hunt-crossley", k=-1),
                  lambda: law.force(np.nan), lambda: routh.Law("kelvin-voigt", k=float("inf"))):
        with pytest.raises((ValueError, TypeError)):
            wrong()
    names = [r["name"] for r in routh.rows("laws")]
    assert names == [r["name"] for r in cli("list", "laws", "--json", as_json=True)["rows"]]
    coulomb = routh.Friction("bristle").evaluate(10.0, (0.1, 0.0))
    assert set(coulomb) >= {"force", "margin"}


def test_impact_and_diagram(scenes, cli):
    path = scenes / "problems" / "impacts.yaml"
    said = cli("impact", path, "--law", "newton,stronge", "--e", "0.8", "--json", as_json=True)
    assert same(routh.impact(path, law=["newton", "stronge"], e=0.8), said)
    axes = routh.diagram(path, law="newton,stronge", e=0.8)
    ends = [line for line in axes.lines if line.get_marker() == "o"]
    for end, entry in zip(ends, said["laws"]):
        assert (end.get_xdata()[0], end.get_ydata()[0]) == (entry["P_t"], entry["P_n"])
    stick = axes.lines[0]
    S = said["laws"][0]["S_0"] + said["inv_m1"] * stick.get_xdata() - said["inv_m3"] * stick.get_ydata()
    assert np.allclose(S, 0, atol=1e-12)


def test_impact_of_a_program():
    """A rod at 45 degrees, by its equation: the same as solve gives; Routh's diagram of it has the ends."""
    c = 0.5 * np.cos(np.pi / 4)
    inputs = {"body1": {"m": 1.0, "I": 1 / 12, "x": c, "y": np.float64(c), "vx": 0.5, "vy": -1.0}, "point": np.zeros(2), "mu_k": 0.2, "e": 0.6, "law": "stronge"}
    problem = {"kind": "planar_impact", "inputs": inputs}
    said = routh.solve("planar_impact", **inputs)
    one = routh.impact(problem, law="stronge")
    many = routh.impact([{"id": "other", **problem}, {"id": "rod", **problem}], id="rod", law="stronge")
    for found in (one, many):
        assert (found["laws"][0]["P_t"], found["laws"][0]["P_n"]) == (said["P_t"], said["P_n"])
    axes = routh.diagram(problem, law=["newton", "stronge"])
    end = [line for line in axes.lines if line.get_marker() == "o"][1]
    assert (end.get_xdata()[0], end.get_ydata()[0]) == (said["P_t"], said["P_n"])
    with pytest.raises(routh.SceneError, match="'m' is missing"):
        routh.impact({"kind": "planar_impact", "inputs": {**inputs, "body1": {"I": 1.0}}})


def test_solve(cli, tmp_path):
    inputs = {"A": [[2.0, 1.0], [1.0, 2.0]], "b": [-1.0, -1.0]}
    kinds = {r["name"]: r for r in cli("list", "problems", "--json", as_json=True)["rows"]}
    names = [p["name"] for p in kinds["lcp"]["parameters"]]
    inputs = dict(zip(names, inputs.values()))
    (tmp_path / "p.json").write_text(json.dumps([{"id": "p", "kind": "lcp", "inputs": inputs}]))
    said = cli("solve", "p.json", as_json=True)["p"]
    assert same(routh.solve("lcp", **{k: np.array(v) for k, v in inputs.items()}), said)
    with pytest.raises(routh.SceneError):
        routh.solve("lcp", nothing=1)
    answers = routh.solve_all([{"id": "a", "kind": "lcp", "inputs": inputs}, {"id": "b", "kind": "none", "inputs": {}}])
    assert same(answers["a"], said) and "error" in answers["b"]


def test_plot_and_page(located, tmp_path):
    world = routh.World(located).run(record=tmp_path / "a.rhr")
    axes = world.plot("ball.z", "ball.x")
    assert np.array_equal(axes.lines[0].get_ydata(), routh.open(tmp_path / "a.rhr")["ball.z"])
    page = world._repr_html_()
    assert page.startswith(("<iframe", "<pre>")) and "ball" in page
    assert routh.World(located)._repr_html_().startswith(("<iframe", "<pre>"))
