"""Fixtures of the tests: the scenes of the repository, small scenes of one's own, a folder for files."""

import json
import os
import subprocess
from pathlib import Path

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]

BALL = """
bodies: [{name: ball, mass: 0.2}, {name: slide, mass: 1}]
joints: [{kind: free, child: ball, q: [0, 0, 0.3, 1, 0, 0, 0], v: [0.4, 0, 0, 0, 0, 0]},
  {name: rail, kind: prismatic, child: slide, axis: [1, 0, 0], at: [0, 2, 1]}]
shapes: [{body: world, kind: plane}, {body: ball, kind: sphere, radius: 0.05}]
contacts: [{name: floor, body: ball, against: world, law: hunt-crossley, k: 1e5, friction: coulomb, mu: 0.3}]
actuators: [{name: motor, joint: rail, limits: [-5, 5]}]
controllers: [{name: mind, kind: program, rate: 50}]
run: {ENGINE, until: 0.5}
record: {every: 0.01}
"""


def same(mine, said):
    """Is it the JSON of the command line to the bit, with arrays for lists of numbers and NaN for null among them?"""
    if isinstance(said, dict):
        return isinstance(mine, dict) and list(mine) == list(said) and all(same(mine[k], said[k]) for k in said)
    if isinstance(mine, np.ndarray):
        want = np.array(said, float) if not isinstance(said, np.ndarray) else said
        return mine.dtype == want.dtype == float and mine.shape == want.shape and np.array_equal(mine, want, equal_nan=True)
    if isinstance(said, list):
        return isinstance(mine, list) and len(mine) == len(said) and all(map(same, mine, said))
    return type(mine) is type(said) and (mine == said or mine != mine and said != said)


@pytest.fixture
def scenes():
    """The folder scenes of the repository."""
    return ROOT / "scenes"


@pytest.fixture(params=["integrator: cvode", "engine: stepping, dt: 1e-3"], ids=["event", "stepping"])
def ball(request):
    """A scene with a ball that bounces and a motor on a rail, under each engine."""
    return BALL.replace("ENGINE", request.param)


@pytest.fixture
def stepped():
    """The same by time steps."""
    return BALL.replace("ENGINE", "engine: stepping, dt: 1e-3")


@pytest.fixture
def located():
    """The same with located events."""
    return BALL.replace("ENGINE", "integrator: cvode")


@pytest.fixture
def cli(tmp_path):
    """The command line, in a folder of its own: its output, or its JSON."""
    import routh

    def run(*words, as_json=False):
        done = subprocess.run([routh.program(), *map(str, words)], cwd=tmp_path, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C"}, check=True)
        return json.loads(done.stdout) if as_json else done.stdout

    return run
