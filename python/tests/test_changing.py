"""Sequences, numbers and dicts of a program that change what they are read for, while they are read; models that are replaced."""

import gc

import numpy as np
import pytest
import routh


class Names:
    """A sequence of channels that runs a function whenever it is read, and says that it is shorter than it is."""

    def __init__(self, act):
        self.act = act

    def __len__(self):
        return 1

    def __getitem__(self, i):
        self.act()
        if i > 2:
            raise IndexError
        return "ball.z"


def test_sequences_that_change(stepped):
    """A sequence whose items or length change while it is read, and that changes what it is read for."""
    world, batch = routh.World(stepped), routh.Batch(stepped, 2, 1)
    assert len(world._channels(Names(world.reset))) == 24
    assert len(world._channels(None)) == 8 * len(world.model.channels)
    with pytest.raises(ValueError):
        batch._rollout(1, 1, None, None, Names(batch.step), np.empty((2, 1, 1)))
    values = np.empty((2, 1, 3))
    assert batch._rollout(1, 1, None, None, Names(batch.step), values) == 0
    assert np.array_equal(values[:, 0], np.repeat(batch.q[:, 2:3], 3, axis=1))


def test_a_recorded_world_keeps_its_model(stepped, tmp_path):
    """The recorder writes states of the model that it began with."""
    world = routh.World(stepped)
    world._record(str(tmp_path / "run.rhr"))
    with pytest.raises(ValueError):
        world.set({"floor.mu": 0.1})
    with pytest.raises(RuntimeError):
        world._open(world.model._core)
    world._close_recording(False, None)
    world.set({"floor.mu": 0.1})
    world.step(3)


def test_a_larger_model_after_a_refused_guard(located):
    """A guard keeps memory for a trial of the size of the state, also one that was refused."""
    small = "bodies: [{name: a, mass: 1}]\njoints: [{kind: prismatic, child: a, axis: [1, 0, 0]}]\nrun: {integrator: cvode}\n"
    world, large = routh.World(small), routh.Model(located)
    with pytest.raises(TypeError):
        world._add_guard("g", 0, 1.0, None)
    world._open(large._core)
    world._add_guard("g", 0, lambda: 1.0, None)
    world._run(0.05)


def test_what_closes_a_recording_while_it_is_read(stepped, tmp_path):
    """Names and numbers of the program are read before the recording is checked."""
    path = tmp_path / "run.rhr"
    routh.World(stepped).run(0.1, record=path)

    class Number:
        def __index__(self):
            recording.close()
            return 0

    recording = routh.Recording(path)
    reads = (lambda: recording._table(Names(recording.close), 0, 1), lambda: recording._table(["ball.z"], Number(), 1),
             lambda: recording._frame(Number()))
    for read in reads:
        recording._open(str(path))
        with pytest.raises(ValueError):
            read()


def test_a_number_that_changes_its_dict():
    """Parameters of a law are read from a copy of the dict."""
    def forget():
        given.clear()
        given.update({f"other{i}": float(i) for i in range(100)})
        gc.collect()

    class Number:
        def __float__(self):
            forget()
            return 2e5

    given = {"k": Number(), "alpha": Number()}
    out = np.zeros((1, 3))
    routh._core.normal_force("hunt-crossley", given, 0.05, np.array([1e-3]), np.array([0.0]), out)
    assert out[0, 0] == pytest.approx(200, rel=1e-12)  # k depth, with the default n = 1
    assert "other99" in given


def test_models_of_a_batch_that_are_gone(stepped):
    """The memory that channels are computed in is not of the model of a world that has another one since."""
    batch = routh.Batch(stepped, 2, 1)
    names, values = ["ball.z"], np.empty((2, 1, 1))
    for mu in (0.1, 0.2, 0.3):
        model = batch.model.with_values({"floor.mu": mu})
        batch._set_model(1, model._core)
        del model
        gc.collect()
        assert batch._rollout(1, 1, None, None, names, values) == 0
    assert np.array_equal(values[:, 0, 0], batch.q[:, 2])
