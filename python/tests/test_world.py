"""Scenes, models, worlds: views, names, contacts, forces, values by path, states, functions of a program."""

import copy
import math
import pickle

import numpy as np
import pytest
import routh
from routh.scene import write_yaml


def test_scene_forms(scenes, tmp_path):
    text = (scenes / "ball.yaml").read_text()
    by_text = routh.World(text).run(0.2)
    by_file = routh.World(scenes / "ball.yaml").run(0.2)
    built = routh.Scene()
    built.bodies(name="ball", mass=0.154)
    built.joints(kind="free", child="ball", q=[0, 0, 0.1, 1, 0, 0, 0], v=np.array([0.5, 0, 0, 0, 0, 0]))
    built.shapes(body="world", kind="plane")
    built.shapes(body="ball", kind="sphere", radius="16.5 mm")
    built.contacts(name="floor", body="ball", against="world", law="azad-featherstone", friction="azad-featherstone", mu=0.2)
    built.run(until=1, rtol=1e-8)
    built.record(every="2 ms")
    by_calls = routh.World(built).run(0.2)
    by_dict = routh.World(built.to_dict()).run(0.2)
    again = routh.World(write_yaml(built.to_dict())).run(0.2)
    assert by_text.hash == by_file.hash == by_calls.hash == by_dict.hash == again.hash
    assert routh.Model(scenes / "ball.yaml").with_values({})["floor.mu"] == 0.2


def test_sections_are_those_of_the_program(cli):
    assert [r["name"] for r in cli("list", "sections", "--json", as_json=True)["rows"]] == list(routh.SECTIONS)


def test_errors_have_places(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("bodies:\n  - {name: a, mass: -2}\n  - {name: b, mss: 1}\njoints: [{kind: fre, child: a}]\n")
    with pytest.raises(routh.SceneError) as error:
        routh.World(path)
    messages = [m for m in error.value.messages if m.severity == "error"]
    assert len(messages) >= 3
    assert (messages[0].file, messages[0].line, messages[0].column) == (str(path), 2, 21)
    assert "-2" in messages[0].text and "mass: -2" in messages[0].source
    assert f"{path}:2:21: error" in str(error.value)
    with pytest.raises(routh.SceneError) as error:
        routh.World({"bodies": [{"name": "a", "mass": -2}]})
    assert any("mass" in m.source and m.line > 0 for m in error.value.messages)
    for wrong in ({"bodes": []}, "no/such/file.yaml", {"bodies": [{"name": "a\0b", "mass": 1}]}, "bodies: [{name: 1,"):
        with pytest.raises((routh.SceneError, ValueError)):
            routh.World(wrong)
    with pytest.raises(TypeError):
        routh.World(3.0)


def test_views_copy_nothing(ball):
    world = routh.World(ball)
    q, again = world.q, world.q
    assert q.__array_interface__["data"][0] == again.__array_interface__["data"][0]
    assert q.flags.writeable and not world.state.flags.writeable and q.base is not None
    address = world.state.__array_interface__["data"][0]
    assert address <= q.__array_interface__["data"][0] < address + 8 * world.model.nstate
    world.run(0.1)
    assert q[2] < 0.3 and np.array_equal(q, world.q)
    q[2] = 1.0
    world.step()
    assert abs(world.body["ball"].position[2] - 1.0) < 0.1


def test_writes_are_those_of_the_library(ball):
    one = routh.World(ball)
    two = routh.World(ball, set={"joints.0.q": [0, 0, 0.5, 1, 0, 0, 0]})
    one.q[2] = 0.5
    assert one.run(0.4).hash != ""
    two.run(0.4)
    assert np.allclose(one.q, two.q, atol=1e-9) and one.t == two.t


def test_reading_changes_no_bit(ball):
    quiet, read = routh.World(ball), routh.World(ball)
    for _ in range(30):
        quiet.step()
        read.step()
        _ = read.contacts, read.bodies(), read.channels(), read.mass_matrix(), read.accelerations(), read.ledger(), read.q
    assert quiet.state_hash == read.state_hash


def test_names(scenes):
    world = routh.World(scenes / "arm.yaml")
    assert list(world.joint) == ["shoulder", "elbow", "slide"] or "elbow" in world.joint
    assert world.joint["elbow"].q[0] == pytest.approx(math.radians(20))
    world.joint["elbow"].v[:] = 2.0
    assert 2.0 in world.v
    assert world.actuator["motor"].effort == pytest.approx(0.3)
    world.actuator["motor"].effort = -0.5
    assert world.command[0, 0] == -0.5
    with pytest.raises(KeyError, match="did you mean 'elbow'"):
        world.joint["elbwo"]
    with pytest.raises(AttributeError):
        world.actuator["motor"].efort = 1
    body = world.body["lower"]
    assert np.allclose(body.rotation @ body.rotation.T, np.eye(3), atol=1e-14)
    J = body.jacobian()
    assert J.shape == (3, world.model.nv) and np.allclose(J @ world.v, body.velocity)
    H = world.mass_matrix()
    assert np.allclose(H, H.T) and (np.linalg.eigvalsh(H) > 0).all()


def test_contacts_carry_the_weight(stepped):
    world = routh.World(stepped, set={"joints.0.q": [0, 0, 0.05, 1, 0, 0, 0], "floor.alpha": 20}).run(1.0)
    table = world.contacts
    assert table.dtype == routh.CONTACT_DTYPE and len(table) == 1
    assert table["force"][0][2] == pytest.approx(0.2 * 9.81, rel=1e-6)  # at rest along the normal
    assert table["body"][0].tolist() == [1, 0]
    assert world.channels(["floor.normal"])["floor.normal"] == pytest.approx(table["normal"][0])


def test_forces(ball):
    world = routh.World(ball, set={"world.gravity": [0, 0, 0], "joints.0.v": [0, 0, 0, 0, 0, 0]})
    world.apply_force("ball", [0.4, 0, 0])
    world.run(0.5)
    assert world.body["ball"].velocity[0] == pytest.approx(1.0, rel=1e-9)
    world.clear_forces()
    world.joint["rail"].tau[:] = 3.0
    world.run(1.0)
    assert world.joint["rail"].v[0] == pytest.approx(1.5, rel=5e-3)
    assert world.body["ball"].velocity[0] == pytest.approx(1.0, rel=1e-9)
    with pytest.raises(ValueError):
        world.apply_force("ball", [math.nan, 0, 0])
    with pytest.raises(ValueError):
        world.apply_force("world", [1, 0, 0])


def test_values_by_path(scenes):
    model = routh.Model(scenes / "ball.yaml", set={"floor.mu": 0.4})
    assert model["floor.mu"] == 0.4 and model["run.rtol"] == 1e-8
    assert model["shapes.1.radius"] == 0.0165 and model["world.gravity"] == [0, 0, -9.81]
    assert model["bodies.ball.mass"] == model["bodies"][0]["mass"] == 0.154
    for path in ("floor.none", "flor.mu", "bodies.7.mass"):
        with pytest.raises(KeyError):
            model[path]
    with pytest.raises(routh.SceneError):
        model.with_values({"floor.mu": -1})
    world = routh.World(model)
    world.run(0.05)
    world["floor.mu"] = 0.1
    assert world["floor.mu"] == 0.1 and world.t == pytest.approx(0.05)
    view = world.q
    with pytest.raises(BufferError):
        world["floor.mu"] = 0.2
    del view


def test_tendons_and_states_of_actuators():
    """A sum of joint coordinates: length = 2 q, speed = 2 v. An integrator of 1.5 over 0.1 s: 0.15."""
    world = routh.World({
        "bodies": [{"name": "cart", "mass": 1}],
        "joints": [{"name": "rail", "kind": "prismatic", "child": "cart", "axis": [1, 0, 0], "q": [0.3], "v": [0.1]}],
        "tendons": [{"name": "cord", "spring": 10, "rest": [0.5, 0.5]}],
        "tendon_parts": [{"tendon": "cord", "kind": "joint", "joint": "rail", "coefficient": 2}],
        "actuators": [{"name": "motor", "joint": "rail", "dynamics": "integrator", "gain": [1], "effort": 1.5}],
        "run": {"engine": "stepping", "dt": 1e-3},
    })
    cord = world.tendon["cord"]
    assert (cord.length, cord.speed) == pytest.approx((0.6, 0.2), rel=1e-15)
    assert abs(cord.force) == pytest.approx(1.0, rel=1e-12)
    assert list(world.tendon) == ["cord"] and "0.6" in repr(cord)
    assert world.actuator["motor"].state == 0
    world.step(100)
    assert world.actuator["motor"].state == pytest.approx(0.15, rel=1e-12)
    assert cord.length == pytest.approx(2 * world.q[0], rel=1e-15)


SENSED = """
bodies: [{name: trunk, mass: 2}, {name: ball, mass: 0.2}, {name: rod, mass: 0.5, inertia: [0.1, 0.1, 0.1, 0, 0, 0]}]
joints: [{name: rail, kind: prismatic, child: trunk, axis: [0, 0, 1], q: [1], held: true},
  {kind: free, child: ball, q: [0, 2, 0.05, 1, 0, 0, 0]},
  {name: knee, kind: revolute, parent: trunk, child: rod, axis: [0, 0, 1], q: [0.3], v: [0.5]}]
shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]
contacts: [{name: floor, body: ball, against: world, law: hunt-crossley, k: 1e5, alpha: 20}]
points: [{name: tip, body: rod, at: [0.2, 0, 0]}]
sensors: [{name: head, kind: imu, body: trunk}, {name: angle, kind: joint_position, joint: knee}, {name: foot, kind: touch, body: ball},
  {name: late, kind: imu, body: trunk, rate: 100, delay: 0.02, noise: [0.1, 0.01]}]
constraints: [{name: drive, kind: rows, joint: knee, coefficients: [1], speed: 0.5}]
run: {ENGINE, until: 1}
"""


@pytest.mark.parametrize("engine", ["integrator: cvode", "engine: stepping, dt: 1e-3"])
def test_sensors_and_constraints(engine, tmp_path):
    """At rest an accelerometer reads +g and a touch sensor the weight; a tip on a circle has the speed r w."""
    world = routh.World(SENSED.replace("ENGINE", engine))
    assert list(world.sensor) == ["head", "angle", "foot", "late"] and world.sensor["head"].parts == ("ax", "ay", "az", "wx", "wy", "wz")
    assert world.sensor["angle"]["position"] == 0.3 and (world.sensor["late"].values == 0).all()  # no sample has arrived yet
    world.run(record=tmp_path / "a.rhr")
    assert world.sensor["head"].values == pytest.approx([0, 0, 9.81, 0, 0, 0], abs=1e-9)
    assert world.sensor["foot"]["force"] == pytest.approx(0.2 * 9.81, rel=1e-6) and world.contact["floor"]["normal"] == pytest.approx(0.2 * 9.81, rel=1e-6)
    assert world.sensor["angle"]["position"] == pytest.approx(0.3 + 0.5, abs=1e-9)
    assert 0 < abs(world.sensor["late"]["az"] - 9.81) < 1  # noise of 0.1
    assert world.constraint["drive"].slip == pytest.approx([0], abs=1e-9) and world.constraint["drive"].force.shape == (1,)
    tip = world.point["tip"]
    assert np.linalg.norm(tip.velocity) == pytest.approx(0.2 * 0.5, rel=1e-9)
    assert tip.position == pytest.approx([0.2 * math.cos(0.8), 0.2 * math.sin(0.8), 1], abs=1e-9)
    last = {name: values[-1] for name, values in ((n, routh.open(tmp_path / "a.rhr")[n]) for n in world.model.channels)}
    for kind in (world.sensor, world.constraint, world.point):
        for name, thing in kind.items():
            assert thing.values.tolist() == [last[f"{name}.{part}"] for part in thing.parts] and name in repr(thing)
    for wrong in (lambda: world.sensor["heat"], lambda: world.sensor["head"]["az2"], lambda: world.constraint["blade"], lambda: world.loop["x"]):
        with pytest.raises(KeyError):
            wrong()
    with pytest.raises(KeyError, match="did you mean 'head'"):
        world.sensor["heat"]


def test_loops(scenes):
    world = routh.World(scenes / "four-bar.yaml").run(0.2)
    assert len(world.loop) > 0
    for name, loop in world.loop.items():
        now = world.channels()
        assert loop.force.tolist() == [now[f"{name}.f{c}"] for c in "xyz"] and loop.gap == now[f"{name}.gap"] and loop["fz"] != 0


def test_names_that_read_as_numbers():
    names = ["infinity", "nan", "yes", "1e5", "0x10"]
    scene = routh.Scene()
    for name in names:
        scene.bodies(name=name, mass=1)
        scene.joints(kind="prismatic", child=name, axis=[1, 0, 0])
    model = scene.compile()
    assert [body["name"] for body in model.values["bodies"]] == names and model["infinity.mass"] == 1
    assert set(model.groups.values()) >= {"joints", "bodies", "energy"} and list(model.groups) == list(model.channels)


def test_every_section_is_annotated():
    assert {*routh.SECTIONS, *routh.scene.FORMS} == {name for name in routh.Scene.__annotations__ if name in dir(routh.Scene())}
    assert all(routh.Scene.__annotations__[name] in ("Section", "Single") for name in (*routh.SECTIONS, *routh.scene.FORMS))


WRITTEN = ("q", "v", "tau", "fext", "command")


def write_all(world):
    """Numbers in all that a program may write; of the quaternion one number, which leaves it to be made of unit length."""
    world.q[2], world.q[4], world.v[1], world.tau[-1], world.command[0, 0] = 0.25, 0.5, 0.1, 2.0, 1.5
    world.apply_force("ball", [0.2, 0, 0])


def test_other_values_keep_what_was_written(ball):
    """Before the first run and after it: the bits of a world in which all was written after the values."""
    for begun in (0.0, 0.1):
        first, last = routh.World(ball), routh.World(ball)
        if begun:
            first.run(begun)
            last.run(begun)
        write_all(first)
        first.set({"slide.mass": 2.0, "floor.mu": 0.1})
        last.set({"slide.mass": 2.0, "floor.mu": 0.1})
        write_all(last)
        assert first.q[2] == 0.25 and first.tau[-1] == 2.0 and first.command[0, 0] == 1.5 and first.fext[1, 3] == 0.2
        first.run(0.4)
        last.run(0.4)
        assert all(np.isfinite(getattr(first, name)).all() for name in WRITTEN)
        if begun == 0.0:
            assert (first.hash, first.state_hash) == (last.hash, last.state_hash)
        else:  # the change of energy is recorded before or after the writes: another ledger, the same motion
            assert np.allclose(first.q, last.q, rtol=0, atol=1e-9)


def test_values_of_the_start_and_writes(ball):
    """A joint that was not written begins as the changed scene does, one that was keeps all of its coordinates."""
    world = routh.World(ball)
    world.joint["rail"].q = 0.7
    world.set({"joints.0.q": [0, 0, 0.5, 1, 0, 0, 0], "joints.0.v": [0, 0.3, 0, 0, 0, 0]})
    assert world.q[2] == 0.5 and world.q[7] == 0.7 and world.v[:3].tolist() == [0, 0.3, 0]
    world.q[0] = 1.0
    world.set({"joints.0.q": [0, 0, 0.6, 1, 0, 0, 0]})
    assert world.q[:3].tolist() == [1.0, 0.0, 0.5]
    world.q[2] = math.nan
    with pytest.raises(ValueError, match="not finite"):
        world.set({"slide.mass": 2.0})
    world.q[2] = 0.4
    world.set({"slide.mass": 2.0})
    world.run(0.1)
    world.v[0] = math.inf
    with pytest.raises(ValueError, match="not finite"):
        world.set({"slide.mass": 3.0})


def test_save_restore_pickle(ball):
    world = routh.World(ball)
    world.run(0.1)
    state = world.save()
    q = world.q
    ends = []
    for _ in range(2):
        world.restore(state)
        assert world.t == state.t
        world.run(0.4)
        ends.append(world.state_hash)
    other = pickle.loads(pickle.dumps(state))
    third = pickle.loads(pickle.dumps(routh.World(ball)))
    third.restore(other)
    ends.append(third.run(0.4).state_hash)
    world.restore(state)
    ends.append(pickle.loads(pickle.dumps(world)).run(0.4).state_hash)
    ends.append(world.copy().run(0.4).state_hash)
    assert len(set(ends)) == 1 and q.shape == (8,)
    model = pickle.loads(pickle.dumps(world.model))
    assert model.text == world.model.text and copy.copy(model).nq == 8


def test_a_restored_run_has_the_bits_of_one_that_was_not_cut(stepped):
    whole, cut = routh.World(stepped), routh.World(stepped)
    whole.run(0.4)
    cut.run(0.17)
    other = routh.World(stepped)
    other.restore(cut.save())
    assert other.run(0.4).state_hash == whole.state_hash


def test_functions(located):
    world = routh.World(located)
    seen, frames = [], []
    world.on_event(seen.append)
    world.on_frame(lambda w: frames.append(w.t))
    world.guard(lambda w: w.joint["rail"].q[0] - 0.02, name="passed", direction=1)
    world.guard(lambda w: w.body["ball"].position[2] - 0.2, name="kick", direction=-1, act=lambda w: w.v.__setitem__(1, 0.7))
    world.controller(lambda w: [2.0 if w.t < 0.1 else 0.0], "mind")
    world.run(0.5)
    assert world.joint["rail"].v[0] == pytest.approx(0.2, abs=1e-9)
    passed = [e for e in seen if e.name == "passed"]
    # 2 N on 1 kg for 0.1 s: 0.01 m, then 0.2 m/s
    assert passed[0].t == pytest.approx(0.15, abs=1e-9) and passed[0].kind == "mark"
    assert world.v[1] == pytest.approx(0.7, abs=0.7) and len([e for e in seen if e.name == "kick"]) == 1
    first = next(e for e in seen if e.name == "kick")
    assert first.t == pytest.approx(math.sqrt(2 * 0.1 / 9.81), abs=1e-8)
    assert len(frames) == 51 and [tuple(e) for e in world._events()] == [tuple(e) for e in seen]
    table = world.events
    assert table["kind"].tolist() == [e.kind for e in seen]


def test_guards_of_time(located):
    """A guard sees the time of the trial, wherever the integrator has its state: also between two frames and two decisions."""
    for text in (located, located.replace("controllers: [{name: mind, kind: program, rate: 50}]\n", ""), located.replace("cvode", "rk4, dt: 1e-3")):
        for at in (0.0111, 0.0555, 0.1055):
            world = routh.World(text)
            world.guard(lambda w: w.t - at)
            world.run(0.2)
            assert world.events["t"][world.events["kind"] == "mark"] == pytest.approx([at], abs=1e-9)


@pytest.mark.parametrize("controlled", [True, False])
def test_functions_that_write(ball, controlled):
    """1 kg on a rail gets 3 m/s at 0.1 s, within the run or between two runs: 0.3 m at 0.2 s, and 4.5 J in the ledger."""
    text = ball if controlled else ball.replace("controllers: [{name: mind, kind: program, rate: 50}]\n", "")
    within, between = routh.World(text), routh.World(text)

    @within.on_frame
    def kick(world):
        if abs(world.t - 0.1) < 1e-9:
            world.v[6] = 3.0

    within.run(0.2)
    between.run(0.1)
    between.v[6] = 3.0
    between.run(0.2)
    for world in (within, between):
        assert (world.q[7], world.v[6]) == pytest.approx((0.3, 3.0), abs=1e-9)
        assert world.ledger()["event"] == pytest.approx(4.5, rel=1e-12) and abs(world.ledger()["residue"]) < 1e-9 and world.verdicts == {}


def test_a_controller_that_writes(ball):
    """2 N on 1 kg by tau, from the first decision on."""
    world = routh.World(ball)
    world.controller(lambda w: w.tau.__setitem__(6, 2.0))
    world.run(0.5)
    assert world.v[6] == pytest.approx(1.0, rel=5e-3)


def test_functions_that_must_not_write(located):
    """What is refused is undone: the run can go on, with the bits of one in which nothing was written."""
    quiet = routh.World(located)
    quiet.guard(lambda w: w.t - 0.0555)
    quiet.run(0.3)

    def write(name, at, value):
        def function(world, *_):
            if wrong[0]:
                getattr(world, name).flat[at] = value
            return None if name == "v" else 1.0
        return function

    cases = [("on_event", "v", 1.0, RuntimeError), ("guard", "tau", 1.0, RuntimeError), ("controller", "v", 1.0, RuntimeError),
             ("controller", "command", np.nan, ValueError), ("on_frame", "q", np.nan, ValueError), ("act", "v", np.inf, ValueError)]
    for kind, name, value, error in cases:
        world, wrong = routh.World(located), [True]
        function = write(name, 0, value)
        if kind == "act":
            world.guard(lambda w: w.t - 0.0555, act=function)
        else:
            world.guard(lambda w: w.t - 0.0555) if kind != "guard" else None
            connect = getattr(world, kind)
            connect((lambda event: function(world)) if kind == "on_event" else (lambda w: function(w) and None) if kind == "controller"
                    else (lambda w: function(w) and w.t - 0.0555) if kind == "guard" else function)
        with pytest.raises(error, match="write" if error is RuntimeError else "finite"):
            world.run(0.3)
        wrong[0] = False
        world.run(0.3)
        assert np.allclose(world.q, quiet.q, rtol=0, atol=1e-7) and world.t == quiet.t, kind


def test_stop_run(ball):
    world = routh.World(ball)

    def stop(w):
        if w.t >= 0.2:
            raise routh.StopRun

    world.on_frame(stop)
    world.run(0.5)
    assert world.t == pytest.approx(0.2, abs=2e-3)


def test_progress(ball, capsys):
    parts = []
    routh.World(ball).run(0.1, progress=parts.append)
    assert parts[0] == 0 and parts[-1] == pytest.approx(1) and parts == sorted(parts)
    routh.World(ball).run(0.1, progress=True)
    assert "100 %" in capsys.readouterr().err
