"""Scenes built by calls: every section, and the forms that need fewer words."""

import numpy as np
import pytest
import routh
from conftest import ROOT

SCENES = sorted((ROOT / "scenes").glob("*.yaml"))
ALL = """
bodies: [{name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}, {name: b, mass: 2}]
joints: [{name: ja, kind: revolute, child: a, axis: [0, 1, 0]}, {name: jb, kind: prismatic, child: b, axis: [1, 0, 0], at: [0, 0, 2]}]
shapes: [{name: drum, body: world, kind: sphere, radius: 0.02, at: [0, 1, 1]}]
points: [{name: tip, body: a, at: [0.3, 0, 0]}]
tendons: [{name: cord, spring: 100, damper: 1}]
tendon_parts: [{tendon: cord, body: a, at: [0.3, 0, 0]}, {tendon: cord, body: world, at: [0, 0, 1]}]
actuators: [{name: motor, joint: ja, gear: 1, gain: 3, dynamics: filter, time_constant: 0.1}, {name: pull, tendon: cord, limits: [-5, 5]}]
trajectories: [{name: wave, actuator: motor, values: [[0, 0], [0.5, 1], [1, 0]]}]
sensors: [{name: head, kind: imu, body: a, rate: 100, noise: 0.01}, {name: angle, kind: joint_position, joint: ja}]
constraints: [{name: gear, kind: coupling, joint: jb, joint2: ja, c1: 0.1}]
forces: [{name: wind, body: b, force: [1, 0, 0]}]
events: [{name: half, time: 0.25}]
run: {until: 0.5}
"""


def called(model):
    """The scene of a model once more, entry by entry."""
    scene = routh.Scene(name=model.name)
    for section, entries in model.values.items():
        for entry in entries if isinstance(entries, list) else [entries]:
            getattr(scene, section)(**entry)
    return scene


def test_every_scene_by_calls():
    """Each scene of the repository, built by one call for each entry, is the same model to the last digit."""
    used = set()
    for path in SCENES:
        model = routh.Model(path)
        again = called(model).compile()
        assert again.text == model.text, path
        used |= set(model.values)
    assert len(SCENES) > 50 and set(routh.SECTIONS) - used <= {"sensors", "tendons", "tendon_parts", "trajectories", "keyframes", "visuals", "visual_meshes"}


def test_the_other_sections():
    model = routh.Model(ALL)
    again = called(model).compile()
    assert again.text == model.text and set(model.values) >= {"sensors", "tendons", "tendon_parts", "trajectories", "constraints", "points"}
    one, two = routh.World(model).run(), routh.World(again).run()
    assert one.hash == two.hash
    assert one.tendon["cord"].length > 0 and one.actuator["motor"].state != 0 and one.sensor["angle"]["position"] == one.joint["ja"].q[0]
    assert one.point["tip"].position.shape == (3,) and one.constraint["gear"].force.shape[0] >= 1 and list(one.sensor) == ["head", "angle"]
    for kind in ("body", "joint", "point", "actuator", "tendon", "sensor", "constraint"):
        assert len(list(getattr(one, kind))) == len(model.names(kind)) - (kind == "body" and "" in model.names(kind))


def test_fewer_words(tmp_path, monkeypatch):
    """Parameters, expressions, repeats, included files, and templates, which are values of Python then."""
    monkeypatch.chdir(tmp_path)
    leg = "parameters: {m: 1}\nbodies: [{name: leg, mass: '${m}'}]\njoints: [{name: hip, kind: prismatic, child: leg, axis: [0, 0, 1]}]\n"
    (tmp_path / "leg.yaml").write_text(leg)
    text = """
parameters: {n: 3, gap: 0.2}
templates: {ball: &ball {mass: 0.2, inertia: [8e-5, 8e-5, 8e-5, 0, 0, 0]}}
include: [{scene: leg.yaml, prefix: left_, at: [0, 0.2, 1], parameters: {m: 2}}, {scene: leg.yaml, prefix: right_}]
bodies: [{<<: *ball, repeat: 3, name: "ball${i}"}]
joints: [{repeat: 3, kind: free, child: "ball${i}", q: [0, "${gap*i}", 1, 1, 0, 0, 0]}]
run: {engine: stepping, dt: 1e-3, until: 0.1}
"""
    scene = routh.Scene()
    scene.parameters(n=3, gap=0.2)
    scene.include(scene="leg.yaml", prefix="left_", at=[0, 0.2, 1], parameters={"m": 2})
    scene.include(scene="leg.yaml", prefix="right_")
    ball = dict(mass=0.2, inertia=[8e-5] * 3 + [0, 0, 0])
    scene.templates(ball=ball)
    scene.bodies(**ball, repeat=3, name="ball${i}")
    scene.joints(repeat=3, kind="free", child="ball${i}", q=[0, "${gap*i}", 1, 1, 0, 0, 0])
    scene.run(engine="stepping", dt=1e-3, until=0.1)
    for made in (scene, scene.to_dict(), routh.Scene(scene)):
        model = routh.Model(made)
        assert model.text == routh.Model(text).text
        assert model.names("body")[1:] == ["ball0", "ball1", "ball2", "left_leg", "right_leg"] and model["left_leg.mass"] == 2
    assert routh.Model(scene, set={"parameters.gap": 0.5})["joints.2.q"][1] == 1.0
    assert routh.Model(routh.Scene(scene).set("include.0.parameters.m", 7))["left_leg.mass"] == 7
    robot = routh.Scene()
    robot.include(urdf=ROOT / "models" / "atlas.urdf", at=np.array([0, 0, 1]))
    robot.bodies(name="crate", mass=1)
    robot.joints(kind="prismatic", child="crate", axis=[1, 0, 0], at=[3, 0, 0])
    assert routh.Model(robot).nbody > 30 and "crate" in routh.Model(robot).names("body")
    with pytest.raises(routh.SceneError, match="'includes'.*there are parameters, templates, include, world"):
        routh.Model({"includes": []})
    with pytest.raises(routh.SceneError) as caught:
        wrong = routh.Scene(scene)
        wrong.bodies(name="x", mass="${nothing}")
        wrong.compile()
    assert "nothing" in caught.value.messages[0].text and "nothing" in caught.value.messages[0].source


def test_words_that_are_wrong():
    """What is near a wrong name is said, wherever it stands."""
    scene = routh.Scene()
    scene.bodies = [{"name": "a", "mass": 1}]  # a section as a whole
    scene.joints(name="rail", kind="prismatic", child="a", axis=[1, 0, 0])
    scene.actuators(name="motor", joint="rail", limits=[-2, 2])
    scene.run = {"engine": "stepping", "dt": 1e-3}
    world = routh.World(scene)
    for wrong, words in ((lambda: world["a.mas"], "'a.mass'"), (lambda: world["bodies.b.mass"], "'bodies.a.mass'"), (lambda: world["run.untill"], "'run.until'"),
                         (lambda: world.channels(["motor.efort"]), "'motor.effort'"), (lambda: routh.Batch(scene, 2).channels(["rail.qq"]), "'rail.q'"),
                         (lambda: routh.Batch(scene, 2)["a.mas"], "'a.mass'"), (lambda: world.joint["rial"], "'rail'")):
        with pytest.raises(KeyError, match=f"did you mean {words}"):
            wrong()
    for wrong, words in ((lambda: routh.Law("hertzz"), "'hertz'"), (lambda: routh.rows("lawss"), "'laws'"), (lambda: routh.Law("hertz", KK=2), "it has .*K"),
                         (lambda: routh.Model({"run": 3}), "one map"), (lambda: routh.Model({"bodies": [3]}), "each entry of bodies"),
                         (lambda: routh.Model({"bodies": {"name": 1}}), "list of entries"), (lambda: routh.Friction("coulom").evaluate(1, [1, 0]), "'coulomb'")):
        with pytest.raises((ValueError, TypeError), match=words):
            wrong()
    with pytest.raises(AttributeError, match="did you mean 'bodies'"):
        scene.body(name="b")
    with pytest.raises(AttributeError):
        scene._repr_png_()
    with pytest.raises((TypeError, ValueError)):
        scene.bodies = [3]
    with pytest.raises(ValueError, match="stepping locates no events"):
        world.guard(lambda w: w.q[0])
    world.actuator["motor"].effort = 3
    world.step()
    assert world.actuator["motor"].applied == 2 and world.actuator["motor"].effort == 3
    located = routh.World(scene, set={"run.engine": "event"}).run(0.01)
    with pytest.raises(ValueError, match="before the first run"):
        located.guard(lambda w: w.q[0])


def test_values_keep_their_signs():
    text = "bodies: [{name: a, mass: 1}]\njoints: [{kind: prismatic, child: a, axis: [1, -0, -0.0], at: [-0, 0, 1]}]\n"
    axis = routh.Model(text)["joints.0.axis"]
    assert np.signbit(axis[2]) and called(routh.Model(text)).compile().text == routh.Model(text).text
