"""The verbs view, haptic, paper, check, convert, sweep, fit in this process."""

import json
import os
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest
import routh
from conftest import BALL, ROOT, same

LOCATED = BALL.replace("ENGINE", "integrator: cvode")
SCENES = ROOT / "scenes"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a recording and a scene."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ball.yaml").write_text(LOCATED)
    routh.World(LOCATED, set={"run.until": 0.1}).run(record="a.rhr")
    return tmp_path


def told(*words):
    """The JSON of the program; after False without --quiet, which leaves out all that a sweep prints."""
    quiet = words[0] is not False
    words = [*(words if quiet else words[1:]), "--json", *(["--quiet"] if quiet else [])]
    done = subprocess.run([routh.program(), *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def fetch(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def test_view(folder, capfd):
    """Pages of a recording, a scene in three forms, and a sandbox, at once; the scene's run is recorded."""
    sources = ["a.rhr", ["a.rhr", routh.open("a.rhr")], routh.open("a.rhr"), "ball.yaml", LOCATED, routh.Model(LOCATED), None]
    viewers = [routh.view(source, **({"output": "live.rhr"} if source == "ball.yaml" else {})) for source in sources]
    assert len({viewer.url for viewer in viewers}) == len(viewers) and all(viewer.running for viewer in viewers)
    for viewer in viewers:
        assert len(fetch(viewer.url)) > 100000 and viewer.url in repr(viewer) and viewer.url in viewer._repr_html_()
        with pytest.raises(urllib.error.HTTPError):
            fetch(viewer.url[:-1])  # without the token
    for viewer in viewers:
        viewer.close()
        viewer.close()
        assert not viewer.running and "closed" in repr(viewer)
        with pytest.raises(urllib.error.URLError):
            fetch(viewer.url)
    assert len(routh.open("live.rhr")) > 0
    with routh.view("a.rhr") as viewer:
        threading.Timer(0.1, viewer.close).start()
        viewer.wait()
    assert capfd.readouterr() == ("", "")


def test_view_refuses(folder):
    for wrong, words in ((lambda: routh.view("none.rhr"), "No such file"), (lambda: routh.view("none.yaml"), "No such file"),
                         (lambda: routh.view("ball.yaml", port=70000), "--port"), (lambda: routh.view(["a.rhr"] * 9), "one too many"),
                         (lambda: routh.view("bodies: [{name: a, mass: -1}]"), "mass must be"),
                         (lambda: routh.view("a.rhr", listen="nowhere"), "nowhere")):
        with pytest.raises(routh.Error, match=words):
            wrong()
    with routh.view("a.rhr") as viewer:
        with pytest.raises(routh.Error, match="cannot serve"):
            routh.view("a.rhr", port=int(viewer.url.split(":")[2].split("/")[0]))
    for name in ("export", "png", "frames", "video"):
        with pytest.raises(TypeError, match="page|render"):
            routh.view("a.rhr", **{name: "-"})


def test_view_and_the_end(folder):
    """Ctrl-C ends wait(); the end of the program ends a server that was left; a child of a fork has none."""
    code = """
import os, routh, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
left = routh.view("ball.yaml", output="left.rhr")
viewer = routh.view("a.rhr")
child = os.fork()
if child == 0:
    viewer.close()
    os._exit(7 if not viewer.running else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
def interrupt(*_):
    del viewer._thread.join
    os.kill(os.getpid(), signal.SIGINT)
viewer._thread.join = interrupt
viewer.wait()
print(viewer.running, left.running)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()) == (0, ["7", "False", "True"]), done.stderr
    assert len(routh.open("left.rhr")) > 0


def test_page_of_several(folder):
    subprocess.run([routh.program(), "view", "a.rhr", "a.rhr", "--export", "cli.html", "--size", "2", "--quiet"], check=True)
    routh.page(["a.rhr", "a.rhr"], "py.html", size=2, shallow=False)
    assert (folder / "cli.html").read_bytes() == (folder / "py.html").read_bytes()
    for wrong in ([], ["a.rhr"] * 9, [3], 3):
        with pytest.raises((TypeError, ValueError)):
            routh.page(wrong)


@pytest.mark.skipif(bool(os.environ.get("ROUTH_ASAN")), reason="the browser would get the sanitizer's library too")
def test_render(folder):
    for wrong in (lambda: routh.render("none.rhr", "a.png"), lambda: routh.render("a.rhr", "a.png", pixels="1x1"),
                  lambda: routh.render("a.rhr", "a.png", at=-1)):
        with pytest.raises(routh.SceneError):
            wrong()
    try:
        routh.render("a.rhr", "a.png", at=0.05, pixels="64x48")
    except routh.Error as error:
        pytest.skip(f"no browser: {error}")
    subprocess.run([routh.program(), "view", "a.rhr", "--png", "cli.png", "--at", "0.05", "--pixels", "64x48", "--quiet"], check=True)
    assert (folder / "a.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" == (folder / "cli.png").read_bytes()[:8]


def test_haptic(folder):
    """A simulated hand in real time: the run has the bits of the program's, as it does not depend on the clock where no deadline is missed."""
    scene = SCENES / "haptic-clutter.yaml"
    said = told("haptic", scene, "--until", "0.1", "--deadline", "10", "-o", "cli.rhr")
    report = routh.haptic(scene, until=0.1, deadline=10, record="py.rhr")
    assert list(report) == list(said) and (report["status"], report["hash"], report["frames"]) == ("OK", said["hash"], said["frames"])
    assert routh.open("py.rhr").hash == routh.open("cli.rhr").hash
    assert routh.haptic(routh.Scene(scene).set("run.until", 0.05), dry_run=True)["dry_run"] is True
    for wrong, words in ((lambda: routh.haptic("ball.yaml"), "no section haptic"), (lambda: routh.haptic(scene, device="mouse"), "mouse"),
                         (lambda: routh.haptic(scene, rate=-1), "rate")):
        with pytest.raises(routh.SceneError, match=words):
            wrong()


def test_haptic_interrupt(folder):
    code = f"""
import os, routh, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()  # clock: however long, the run is endless
try:
    routh.haptic({str(SCENES / "haptic-clutter.yaml")!r}, until=1e5, record="h.rhr")
except KeyboardInterrupt:
    print("interrupted", len(routh.open("h.rhr")) > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


def test_paper(folder, capfd):
    said = told("paper", "mo", "--figure", "4", "--no-picture")
    assert same(routh.paper("mo", figure="4"), said) and said["figures"][0]["within"]
    assert not (folder / "mo-4.svg").exists()
    drawn = routh.paper("mo", figure="4", output=".")["figures"][0]
    assert drawn["picture"] == "mo-4.svg" and (folder / "mo-4.svg").exists()
    assert same(routh.paper("mo", figure="4", set={"ground.n": 1.2}), told("paper", "mo", "--figure", "4", "-s", "ground.n=1.2", "--no-picture"))
    assert same(routh.paper(), json.loads(subprocess.run([routh.program(), "paper", "--json"], capture_output=True, check=True).stdout)["rows"])
    assert "bodies" in routh.paper("mo", figure="4", print_scene=True)
    routh.paper("mo", figure="4", output="page.html")
    assert (folder / "page.html").stat().st_size > 1000
    for wrong in (lambda: routh.paper("moo"), lambda: routh.paper("mo", figure="99"), lambda: routh.paper(figure="4"),
                  lambda: routh.paper("mo", print_scene=True)):
        with pytest.raises(routh.SceneError):
            wrong()
    assert capfd.readouterr() == ("", "")


def test_check(folder, capfd):
    for source in ("ball.yaml", "a.rhr", str(ROOT / "models" / "atlas.urdf")):
        assert same(routh.check(source), told("check", source)["files"][0])
    assert routh.check(LOCATED, set={"ball.mass": 3})["mass"] == pytest.approx(4)
    assert same(routh.check(), told("check")["files"][0])
    with pytest.raises(routh.SceneError) as caught:
        routh.check("bodies: [{name: a, mass: -1}, {name: a, mass: 1}]")
    assert len([m for m in caught.value.messages if m.severity == "error"]) > 1  # all at once
    with pytest.raises(routh.Error):
        routh.check(str(ROOT / "models" / "atlas.urdf"), set={"run.until": -1})
    assert capfd.readouterr() == ("", "")


def test_convert(folder):
    """A robot as a scene: the text of the program, in a file or as text, and the same run."""
    robot = ROOT / "models" / "atlas.urdf"
    subprocess.run([routh.program(), "convert", robot, "-o", "cli.yaml", "-s", "run.until=0.01", "--quiet"], check=True)
    assert routh.convert(robot, "py.yaml", set={"run.until": 0.01}) == "py.yaml"
    text = (folder / "cli.yaml").read_text()
    assert (folder / "py.yaml").read_text() == text == routh.convert(robot, set={"run.until": 0.01})
    assert routh.run(text)["hash"] == routh.run("cli.yaml")["hash"]
    assert routh.World(routh.convert(LOCATED)).run(0.1).hash == routh.World(LOCATED).run(0.1).hash
    with pytest.raises(routh.SceneError, match="written over"):
        routh.convert("py.yaml", "py.yaml")
    with pytest.raises(routh.SceneError):
        routh.convert("none.urdf")


def test_sweep_with_a_function(folder):
    """Worker processes cannot call a function of this one: the cases stay here, or workers are refused."""
    @routh.controller(name="swept", gain=1.0)
    def swept(now):
        return [now.gain]

    text = LOCATED.replace("kind: program", "kind: swept")
    found = routh.sweep(text, {"mind.gain": [1, 2]}, out="rail.v@end", set={"run.until": 0.1}, output="a.rsw")
    speed = routh.cases("a.rsw")["rail.v@end"]
    assert found["done"] == 2 and speed[1] == pytest.approx(2 * speed[0]) and speed[0] > 0
    with pytest.raises(ValueError, match="workers=0"):
        routh.sweep(text, {"mind.gain": [1, 2]}, out="slide.vx@end", workers=2, output="b.rsw")


def test_fit(folder):
    """A height of a fall gives gravity."""
    t = np.linspace(0, 0.2, 21)
    np.savetxt("fall.csv", np.column_stack([t, 0.3 - 0.5 * 9.7 * t**2]), delimiter=",", header="t,height", comments="")
    words = ("fit", "ball.yaml", "--data", "fall.csv", "--free", "world.gravity[2]=-12.0:-8.0", "--rename", "height=ball.z", "--noise", "ball.z=0.001", "--quick")
    found = routh.fit("ball.yaml", "fall.csv", {"world.gravity[2]": (-12.0, -8.0)}, rename={"height": "ball.z"}, noise={"ball.z": 1e-3}, quick=True)
    assert same(found, told(*words)) and found["values"][0]["value"] == pytest.approx(-9.7, rel=1e-6)
    for wrong in (lambda: routh.fit("ball.yaml", "none.csv", "floor.mu"), lambda: routh.fit("ball.yaml", "fall.csv", "flor.mu")):
        with pytest.raises(routh.SceneError):
            wrong()


def test_poll(folder):
    """What asks a verb whether to end: its exceptions end the verb and are raised, as Ctrl-C is."""
    def fail(_):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        routh._core.command(["view", "a.rhr"], None, None, fail)
    assert routh._core.command(["view", "a.rhr"], None, None, lambda out: b"token=" in out)[0] == "OK"
    with pytest.raises(TypeError):
        routh._core.command(["view", "a.rhr"], None, None, 3)
    assert signal.getsignal(signal.SIGINT) is not None and os.getpid() > 0
