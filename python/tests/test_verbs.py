"""Every option of run, solve, law, impact, compare, plot, export from Python, in this process, equal to the bit."""

import json
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import routh
from conftest import BALL, ROOT, same

LOCATED = BALL.replace("ENGINE", "integrator: cvode")
SCENES = ROOT / "scenes"
IMPACTS = SCENES / "problems" / "impacts.yaml"
RIGID = """
bodies: [{name: ball, mass: 0.2}]
joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0], v: [0.4, 0.1, 0, 0, 0, 3]}]
shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]
contacts: [{name: floor, body: ball, against: world, law: newton, e: 0.7, friction: coulomb, mu: 0.3}]
run: {until: 1}
"""
TWO = RIGID.replace("newton, e: 0.7", "poisson, e: 0.5").replace("name: ball, mass: 0.2}", "name: ball, mass: 0.2}, {name: box, mass: 2}").replace(
    "shapes: [", "shapes: [{body: box, kind: box, size: [0.4, 0.4, 0.1]}, ").replace(
    "joints: [", "joints: [{kind: free, child: box, q: [3, 0, 0.4, 1, 0, 0, 0], v: [0.2, 0, 0, 0, 0, 0]}, ").replace(
    "contacts: [", "contacts: [{name: feet, body: box, against: world, law: poisson, e: 0.2, friction: coulomb, mu: 0.2}, ")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with two recordings and two scenes, which both sides work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.yaml").write_text(LOCATED)
    (tmp_path / "two.yaml").write_text(TWO)
    routh.World(LOCATED, set={"run.until": 0.3}).run(record="a.rhr")
    routh.World(LOCATED, set={"run.until": 0.3, "floor.mu": 0.1}).run(record="b.rhr")
    return tmp_path


CASES = {
    "run": (["run", "ball.yaml", "--until", "0.2", "--events", "-o", "c.rhr"], lambda: routh.run("ball.yaml", until=0.2, record="c.rhr")),
    "run options": (["run", "ball.yaml", "--until", "0.1", "--integrator", "rk4", "--dt", "1e-4", "--every", "0.02", "--events",
                     "-s", "floor.mu=0.05", "--no-record"],
                    lambda: routh.run("ball.yaml", until=0.1, integrator="rk4", dt=1e-4, every=0.02, set={"floor.mu": 0.05})),
    "run engine": (["run", "ball.yaml", "--engine", "stepping", "--until", "0.1", "--no-record", "--events"],
                   lambda: routh.run("ball.yaml", engine="stepping", until=0.1)),
    "run strict": (["run", "ball.yaml", "--until", "0.1", "--no-record", "--events", "--strict", "--tol", "1e-7"],
                   lambda: routh.run("ball.yaml", until=0.1, strict=True, tol=1e-7)),
    "run default": (["run", "--until", "0.05", "--no-record", "--events"], lambda: routh.run(until=0.05)),
    "run again": (["run", "a.rhr", "--events"], lambda: routh.run("a.rhr")),
    "run stop-at-fall": (["run", str(SCENES / "atlas-walk.yaml"), "--until", "0.02", "--stop-at-fall", "--no-record", "--events"],
                         lambda: routh.run(SCENES / "atlas-walk.yaml", until=0.02, stop_at_fall=True)),
    "solve": (["solve", str(SCENES / "problems" / "impacts.yaml")], lambda: routh.solve_all(IMPACTS)),
    "solve only": (["solve", str(SCENES / "problems" / "patches.yaml"), "--only", "ID"],
                   lambda: routh.solve_all(SCENES / "problems" / "patches.yaml", only="ID")),
    "solve fclib": (["solve", str(ROOT / "tests" / "fault" / "contact.hdf5"), "--solver", "gauss-seidel", "--tolerance", "1e-9"],
                    lambda: routh.solve_all(ROOT / "tests" / "fault" / "contact.hdf5", solver="gauss-seidel", tolerance=1e-9)),
    "law": (["law", "hunt-crossley", "-s", "k=1e6", "--speed", "0.1:3:4", "--mass", "2", "--radius", "0.1"],
            lambda: routh.Law("hunt-crossley", k=1e6, radius=0.1).table(speed="0.1:3:4", mass=2)),
    "law e": (["law", "kelvin-voigt", "--mass", "50", "--speed", "0.5", "--e", "0.8@0.4"],
              lambda: routh.Law("kelvin-voigt").table(mass=50, speed=0.5, e="0.8@0.4")),
    "law fit": (["law", "hunt-crossley", "--fit", str(SCENES / "problems" / "loop.csv"), "-s", "n=1"],
                lambda: routh.Law("hunt-crossley", n=1).table(fit=SCENES / "problems" / "loop.csv")),
    "law friction": (["law", "hertz", "--friction", "bristle", "--mu", "0.4", "-s", "friction.sigma0=2e5", "--radius", "inf", "-s", "K=1e6"],
                     lambda: routh.Law("hertz", radius=np.inf, K=1e6).table(friction=routh.Friction("bristle", sigma0=2e5), mu=0.4)),
    "impact": (["impact", str(IMPACTS), "--law", "newton,stronge", "--e", "0.8", "--mu", "0.2", "--eta2", "1.3"],
               lambda: routh.impact(IMPACTS, law=["newton", "stronge"], e=0.8, mu=0.2, eta2=1.3)),
    "impact scene": (["impact", "two.yaml", "--nth", "2", "-s", "feet.mu=0.5"], lambda: routh.impact("two.yaml", nth=2, set={"feet.mu": 0.5})),
    "compare laws": (["compare", "ball.yaml", "--laws", "hertz,hunt-crossley:n=1.5", "--frictions", "coulomb,none", "-s", "run.until=0.2"],
                     lambda: routh.compare("ball.yaml", laws=["hertz", "hunt-crossley:n=1.5"], frictions=["coulomb", "none"],
                                           set={"run.until": 0.2})),
    "compare impacts": (["compare", "two.yaml", "--impacts", "all", "-s", "run.until=0.35"],
                        lambda: routh.compare("two.yaml", impacts="all", set={"run.until": 0.35})),
    "compare methods": (["compare", str(SCENES / "haptic-clutter.yaml"), "--methods", "iapb,pb", "-s", "run.until=0.05"],
                        lambda: routh.compare(SCENES / "haptic-clutter.yaml", methods=["iapb", "pb"], set={"run.until": 0.05})),
    "compare runs": (["compare", "a.rhr", "b.rhr", "--channel", "ball.x,ball.z", "--tol", "1e-9"],
                     lambda: routh.compare("a.rhr", "b.rhr", channel=["ball.x", "ball.z"], tol=1e-9)),
    "plot list": (["plot", "--list", "a.rhr"], lambda: {"routh": routh.__version__, "channels": [
        {"name": n, "unit": u, "group": g} for (n, u), g in zip(routh.open("a.rhr").channels.items(), routh.open("a.rhr").groups.values())]}),
}


@pytest.mark.parametrize("case", CASES)
def test_answers(case, folder):
    words, mine = CASES[case]
    if "ID" in words:
        first = re.search(r"id: ([\w-]+)", (SCENES / "problems" / "patches.yaml").read_text())[1]
        words = [first if w == "ID" else w for w in words]
        mine = lambda: routh.solve_all(SCENES / "problems" / "patches.yaml", only=first)  # noqa: E731
    done = subprocess.run([routh.program(), *words, "--json", *([] if "--list" in words else ["--quiet"])], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    said = json.loads(done.stdout)
    got = mine()
    for one in (said, got):
        one.pop("wall", None)
    assert same(got, said)


def test_sweep(folder):
    """Workers are processes of this one; the journal is that of the program, byte by byte."""
    vary = {"floor.mu": "0:0.4:3", "floor.law": ["hertz", "tsuji"]}
    mine = routh.sweep("ball.yaml", vary, out=["ball.vx@end", "first:touch"], set={"run.until": 0.2}, workers=2, output="mine.rsw")
    subprocess.run([routh.program(), "sweep", "ball.yaml", "--vary", "floor.mu=0:0.4:3", "--vary", "floor.law=hertz,tsuji", "--out",
                    "ball.vx@end,first:touch", "-s", "run.until=0.2", "-o", "program.rsw", "-q", "--workers", "0"], check=True)
    assert (folder / "mine.rsw").read_bytes() == (folder / "program.rsw").read_bytes()
    table = routh.cases("mine.rsw")
    assert mine["done"] == 6 and list(table["floor.mu"]) == [0, 0, 0.2, 0.2, 0.4, 0.4] and table["floor.law"] == ["hertz", "tsuji"] * 3
    assert routh.sweep(resume="mine.rsw")["before"] == 6  # it is complete
    one = routh.sweep("mine.rsw", case=3)
    assert one["outcomes"][0]["value"] == table["ball.vx@end"][3]
    with pytest.raises(routh.SceneError, match="did you mean 'mu'"):
        routh.sweep("ball.yaml", {"floor.mux": [1, 2]})


FILES = {
    "plot": (["plot", "a.rhr", "b.rhr", "ball.z,ball.vz", "--title", "two", "--no-events"],
             lambda out: routh.picture(["a.rhr", "b.rhr"], ["ball.z", "ball.vz"], out, title="two", no_events=True), "svg"),
    "plot against": (["plot", "a.rhr", "ball.z", "--against", "ball.x"], lambda out: routh.open("a.rhr").picture("ball.z", against="ball.x", output=out),
                     "png"),
    "law": (["law", "hunt-crossley", "--speed", "1:2:2"], lambda out: routh.Law("hunt-crossley").table(speed="1:2:2", output=out), "svg"),
    "impact": (["impact", str(IMPACTS), "--id", "ID", "--law", "newton"],
               lambda out: routh.impact(IMPACTS, id="ID", law="newton", output=out), "svg"),
    "impact curves": (["impact", "two.yaml", "--nth", "2", "--curves", "-s", "run.multi_impact=winkler-global"],
                      lambda out: routh.impact("two.yaml", nth=2, curves=True, set={"run.multi_impact": "winkler-global"}, output=out), "svg"),
    "compare": (["compare", "ball.yaml", "--laws", "hertz,hunt-crossley", "--channel", "ball.z", "-s", "run.until=0.2"],
                lambda out: routh.compare("ball.yaml", laws=["hertz", "hunt-crossley"], channel="ball.z", set={"run.until": 0.2}, output=out), "svg"),
    "export csv": (["export", "a.rhr", "--channels", "floor.normal", "--groups", "energy,joints"],
                   lambda out: routh.open("a.rhr").export(out, ["floor.normal"], groups=["energy", "joints"]), "csv"),
    "export hdf5": (["export", "a.rhr"], lambda out: routh.open("a.rhr").export(out), "h5"),
    "export format": (["export", "a.rhr", "--format", "csv", "--groups", "all"],
                      lambda out: routh.open("a.rhr").export(out, format="csv", groups="all"), "txt"),
    "run dump": (["run", "two.yaml", "--until", "0.6", "--no-record"],
                 lambda out: routh.run("two.yaml", until=0.6, dump=out), "json"),
    "run scene": (["run", "ball.yaml", "-s", "floor.mu=0.2", "--print-scene"],
                  lambda out: open(out, "w").write(routh.explain("ball.yaml", set={"floor.mu": 0.2})), "yaml"),
}


@pytest.mark.parametrize("case", FILES)
def test_files(case, folder):
    words, mine, ending = FILES[case]
    first = re.search(r"id: ([\w-]+)", IMPACTS.read_text())[1]
    words = [first if w == "ID" else w for w in words]
    option = "--dump" if case == "run dump" else "-o"
    done = subprocess.run([routh.program(), *words, option, f"cli.{ending}", "--quiet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if case == "impact":
        routh.impact(IMPACTS, id=first, law="newton", output=f"py.{ending}")
    else:
        mine(f"py.{ending}")
    one, two = (folder / f"cli.{ending}").read_bytes(), (folder / f"py.{ending}").read_bytes()
    assert len(one) > 100 and one == two


def test_page(folder):
    subprocess.run([routh.program(), "view", "a.rhr", "--export", "cli.html", "--size", "2", "--quiet"], check=True)
    routh.page("a.rhr", "py.html", size=2, shallow=False)
    assert (folder / "cli.html").read_bytes() == (folder / "py.html").read_bytes()
    for wrong in (lambda: routh.page("a.rhr", size=0), lambda: routh.page("none.rhr"), lambda: routh.page("ball.yaml")):
        with pytest.raises(ValueError):
            wrong()
    assert routh.picture("a.rhr", "ball.z").endswith(b"</svg>\n\n") or b"</svg>" in routh.picture("a.rhr", "ball.z")


def test_resume(folder):
    subprocess.run([routh.program(), "run", "--resume", "a.rhr", "--until", "0.4", "--quiet"], check=True, capture_output=True)
    (folder / "c.rhr").write_bytes(b"")
    routh.World(LOCATED, set={"run.until": 0.3}).run(record="d.rhr")
    summary = routh.run(resume="d.rhr", until=0.4)
    assert summary["hash"] == routh.open("a.rhr").hash == routh.open("d.rhr").hash


def test_in_memory(folder):
    """A scene or problems that are no file give the same answers, and messages with their places."""
    scene = routh.Scene(TWO, name="mine").set("feet.mu", 0.5)
    said = routh.impact("two.yaml", nth=2, set={"feet.mu": 0.5})
    assert same(routh.impact(scene, nth=2), said) and same(routh.impact(routh.Model(scene), nth=2), said)
    assert same(routh.impact(IMPACTS.read_text()), routh.impact(IMPACTS))
    assert routh.run(LOCATED, until=0.1)["hash"] == routh.run("ball.yaml", until=0.1)["hash"]
    assert routh.compare(LOCATED, laws="hertz", set={"run.until": 0.1})["scene"] == "<scene>"
    points = np.loadtxt(SCENES / "problems" / "loop.csv", delimiter=",", comments=("#", "d"))
    fitted = {p["name"]: p["value"] for p in routh.Law("hunt-crossley", n=1).table(fit=SCENES / "problems" / "loop.csv")["parameters"]}
    law = routh.Law("hunt-crossley", n=1).fit_points(*points.T)
    assert all(law.parameters[name] == fitted[name] for name in ("k", "alpha", "n"))
    with pytest.raises(routh.SceneError) as caught:
        routh.compare(TWO.replace("mass: 2}", "mass: -2}"), laws="hertz")
    message = caught.value.messages[0]
    assert (message.file, message.line, message.severity) == ("<scene>", 2, "error") and "mass" in message.source


def test_errors(folder, capfd):
    for wrong, words in ((lambda: routh.impact("two.yaml", law="newtonn"), "did you mean 'newton'"),
                         (lambda: routh.compare("ball.yaml"), "no laws"), (lambda: routh.run("ball.yaml", until=-1), "until"),
                         (lambda: routh.run("none.yaml"), "No such file"), (lambda: routh.impact("ball.yaml"), "rigid"),
                         (lambda: routh.Law("hertz").table(speed="1:2"), "FROM:TO:N"), (lambda: routh.listing("nothing"), "nothing"),
                         (lambda: routh.open("a.rhr").export("a.xyz"), "format"), (lambda: routh.picture("a.rhr", ["ball.zz"]), "ball.z"),
                         (lambda: routh.run("ball.yaml", nonsense=1), "unknown option"), (lambda: routh.solve("lcpp"), "did you mean 'lcp'")):
        with pytest.raises(routh.SceneError, match=words) as caught:
            wrong()
        assert caught.value.messages and caught.value.status in ("WRONG_USAGE", "INPUT_REFUSED")
    with pytest.raises(routh.RunError) as caught:
        routh.run(BALL.replace("ENGINE", "integrator: rk4, dt: 0.01, strict: true"))
    assert caught.value.summary["status"] == caught.value.status == "STOPPED" and "not explained" in str(caught.value)
    with pytest.raises((ValueError, TypeError)):
        routh._core.command(["help"], None, None)
    for wrong in ([], [3], ["solve", "a\0b"], None):
        with pytest.raises((ValueError, TypeError)):
            routh._core.command(wrong, None, None)
    assert capfd.readouterr() == ("", "")  # nothing is printed


def test_threads(folder):
    """Verbs in several threads at once: each has its own output and messages."""
    said = routh.compare("ball.yaml", laws="hertz", set={"run.until": 0.2})
    problem = {"A": [[2.0, 1.0], [1.0, 2.0]], "b": [-1.0, -1.0]}
    answer = routh.solve("lcp", **problem)
    bad = []

    def work(i):
        for k in range(5):
            if not same(routh.compare("ball.yaml", laws="hertz", set={"run.until": 0.2}), said) or not same(routh.solve("lcp", **problem), answer):
                bad.append(i)
            try:
                routh.solve("lcp", A=f"wrong {i} {k}")
            except routh.SceneError as error:
                if len(error.messages) == 0:
                    bad.append(error)
            routh.open("a.rhr").export(f"{i}.h5")

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert bad == []


@pytest.mark.parametrize("call", ["routh.run(SCENE, until=1e6)", "routh.compare(SCENE, laws='hertz', set={'run.until': 1e6})",
                                  "routh.impact(RIGID, nth=12345, set={'run.until': 1e6, 'floor.e': 1})"])
def test_interrupt(call, folder):
    code = f"""
import os, signal, threading, time, routh
signal.signal(signal.SIGINT, signal.default_int_handler)
SCENE, RIGID = {LOCATED!r}, {RIGID!r}
begun = time.process_time
def interrupt():
    while time.process_time() < 0.3 + first: time.sleep(0.01)  # clock: waits for work done, however long
    os.kill(os.getpid(), signal.SIGINT)
first = time.process_time()
threading.Thread(target=interrupt, daemon=True).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted")
print(routh.solve("lcp", A=[[1.0]], b=[-1.0])["verdict"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["interrupted", "solved"], done.stderr
    assert signal.getsignal(signal.SIGINT) is not None


def test_every_option_has_a_name():
    """The table of docs/python.md has every verb, and every option of it."""
    page = (ROOT / "docs" / "python.md").read_text()
    verbs = [row["name"] for row in routh.listing("verbs")]
    assert len(verbs) > 12
    for verb in (v for v in verbs if v != "help"):
        text = subprocess.run([routh.program(), verb, "--help"], capture_output=True, text=True, check=True).stdout
        own = text.split("Options\n")[1].split("Everywhere")[0]
        row = next(line for line in page.splitlines() if line.startswith(f"| `{verb}`"))
        for option in re.findall(r"^ +(?:-\w, )?--([\w-]+)", own, re.MULTILINE):
            assert f"`--{option}`" in row or f"`--{option} " in row, f"{verb} --{option}"
