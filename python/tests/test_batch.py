"""Batches: the bits of single worlds for any number of threads, live views, rollouts, values of each world, VectorEnv."""

import numpy as np
import pytest
import routh


def starts(model, n):
    world = routh.World(model)
    start = np.tile(np.concatenate([world.q, world.v]), (n, 1))
    start[:, 2] = np.linspace(0.1, 0.4, n)
    return start


def test_bits_of_single_worlds(ball):
    model = routh.Model(ball)
    start = starts(model, 5)
    single = []
    for row in start:
        world = routh.World(model)
        world.q[:], world.v[:] = row[:8], row[8:]
        world.step(40)
        single.append(world.state_hash)
    for threads in (1, 2, 5):
        batch = routh.Batch(model, 5, threads)
        batch.reset(states=start)
        assert batch.step(15) == 0
        assert batch.step(25) == 0
        assert [batch.hash(i) for i in range(5)] == single
    batch.reset()
    batch.q[:], batch.v[:] = start[:, :8], start[:, 8:]
    batch.step(40)
    assert [batch.hash(i) for i in range(5)] == single


def test_views(stepped):
    batch = routh.Batch(stepped, 3, 2)
    q, v = batch.q, batch.v
    assert q.shape == (3, 8) and v.shape == (3, 7) and batch.effort.shape == (3, 1) and batch.fext.shape == (3, 3, 6)
    assert not batch.state.flags.writeable and batch.command.shape == (3, 1, 7)
    address = batch.state.__array_interface__["data"][0]
    assert q.__array_interface__["data"][0] == address + 8 and q.strides[0] == batch.state.strides[0]
    before = q.copy()
    batch.step()
    assert (q[:, 2] < before[:, 2]).all() and np.array_equal(q, batch.q)
    batch.reset(np.array([False, True, False]))
    assert q[1, 2] == before[1, 2] and q[0, 2] < before[0, 2] and batch.t[1] == 0
    batch.effort[:, 0] = [1.0, 2.0, 3.0]
    batch.reset()
    batch.effort[:, 0] = [1.0, 2.0, 3.0]
    batch.step(100)
    assert batch.v[:, 6] == pytest.approx([0.1, 0.2, 0.3], rel=1e-9)  # on 1 kg for 0.1 s
    del batch
    assert q.shape == (3, 8) and np.isfinite(q).all()


def test_lanes(stepped):
    batch = routh.Batch(stepped, 3, 1)
    assert (batch.lanes_reason == "") == (batch.lanes > 0)
    batch.step(7)
    assert sum(batch.lane_steps.values()) == (21 if batch.lanes > 0 else 0)
    batch.set_lanes(0)
    assert batch.lanes_reason != "" and sum(batch.lane_steps.values()) == 0


def test_rollout(ball):
    model = routh.Model(ball)
    batch = routh.Batch(model, 3, 2)
    start = starts(model, 3)
    controls = np.random.default_rng(1).uniform(-1, 1, (3, 6, 1))
    states, values = batch.rollout(start, controls, steps=4, channels=["ball.z", "energy.kinetic"])
    assert states.shape == (3, 6, 15) and values.shape == (3, 6, 2)
    assert np.array_equal(values[:, :, 0], states[:, :, 2])
    for i in range(3):
        world = routh.World(model)
        world.q[:], world.v[:] = start[i, :8], start[i, 8:]
        for k in range(6):
            world.actuator["motor"].effort = controls[i, k, 0]
            world.step(4)
            assert np.array_equal(states[i, k], np.concatenate([world.q, world.v]))
            assert world.channels(["energy.kinetic"])["energy.kinetic"] == values[i, k, 1]
    again, _ = batch.rollout(start, controls, steps=4)
    assert np.array_equal(states, again)
    on, _ = batch.rollout(horizon=2)
    assert on.shape == (3, 2, 15)
    for wrong in ({"controls": np.zeros((2, 6, 1))}, {"controls": np.zeros((3, 6, 2))}, {}, {"horizon": -1},
                  {"states": np.zeros((3, 4)), "horizon": 1}, {"controls": np.full((3, 6, 1), np.nan)}):
        with pytest.raises(ValueError):
            batch.rollout(**wrong)
    with pytest.raises(KeyError):
        batch.rollout(horizon=1, channels=["ball.zz"])


def test_values_of_each_world(stepped):
    batch = routh.Batch(stepped, 4, 2)
    batch.step(5)
    q = batch.q
    batch.set("slide.mass", [1.0, 2.0, 4.0, 8.0])
    batch.effort[:] = 2.0
    batch.step(100)
    assert q[:, 7] == pytest.approx(0.5 * 2 / np.array([1, 2, 4, 8]) * 0.1**2, rel=0.02)  # of first order in dt
    assert batch.model_of(3)["slide.mass"] == 8.0
    world = routh.World(stepped)
    world.step(5)
    world.set({"slide.mass": 4.0})
    world.actuator["motor"].effort = 2.0
    world.step(100)
    assert world.state_hash == batch.hash(2)
    with pytest.raises(ValueError):
        batch.set("slide.mass", [1.0, 2.0])
    with pytest.raises(routh.SceneError):
        batch.set("slide.mass", -1)


def test_values_keep_what_was_written(ball):
    """Before the first step: the bits of a batch whose values were set first, and of single worlds."""
    batches = [routh.Batch(ball, 3, 2) for _ in range(2)]
    heights, masses = np.array([0.2, 0.25, 0.3]), [1.0, 2.0, 4.0]

    def write(batch):
        batch.q[:, 2], batch.v[:, 1], batch.tau[:, 6], batch.effort[:, 0] = heights, 0.1, 2.0, [1.0, 1.5, 2.0]

    write(batches[0])
    batches[0].set("slide.mass", masses)
    batches[1].set("slide.mass", masses)
    write(batches[1])
    assert batches[0].step(30) == batches[1].step(30) == 0
    assert [batches[0].hash(i) for i in range(3)] == [batches[1].hash(i) for i in range(3)]
    world = routh.World(ball)
    world.q[2], world.v[1], world.tau[6], world.command[0, 0] = 0.25, 0.1, 2.0, 1.5
    world.set({"slide.mass": 2.0})
    world.step(30)
    assert world.state_hash == batches[0].hash(1)
    batches[0].q[1, 2] = np.nan
    with pytest.raises(ValueError, match="not finite"):
        batches[0].set("slide.mass", 3.0, worlds=[1])
    with pytest.raises(routh.SceneError):
        batches[1].set("slide.mass", [5.0, 6.0, -1.0])
    assert batches[1]["slide.mass"].tolist() == masses  # all of them or none


def test_failed_worlds(stepped):
    batch = routh.Batch(stepped, 3, 2)
    batch.q[1, 2] = np.nan
    assert batch.step() == 1
    assert batch.failed.tolist() == [False, True, False] and "not finite" in batch.reason(1) and batch.reason(0) == ""
    batch.reset(batch.failed)
    assert batch.step() == 0
    for n, threads in ((0, 1), (-1, 1), (10**9, 1), (2, 0), (2, 10**6), (2.5, 1)):
        with pytest.raises(ValueError):
            routh.Batch(stepped, n, threads)


def test_controller_and_functions_between_steps(ball):
    """One call for all worlds has the bits of single worlds whose program writes the same efforts."""
    model = routh.Model(ball)
    start = starts(model, 4)
    gain = np.array([1.0, 2.0, 3.0, 4.0])
    seen = []
    batch = routh.Batch(model, 4, 2)
    batch.reset(states=start)
    batch.controller(lambda b: -gain[:, None] * (b.q[:, 7:] - 0.1), every=5)

    batch.on_step(lambda b: seen.append(b.t[0]), every=10)
    batch.step(12)
    batch.step(28)
    single = []
    for i in range(4):
        world = routh.World(model)
        world.q[:], world.v[:] = start[i, :8], start[i, 8:]
        for _ in range(8):
            world.actuator["motor"].effort = -gain[i] * (world.q[7] - 0.1)
            world.step(5)
        single.append(world.state_hash)
    assert [batch.hash(i) for i in range(4)] == single
    assert seen == pytest.approx(np.array([10, 20, 30, 40]) * model.dt)
    states, _ = batch.rollout(start, horizon=4, steps=10)  # the functions are called in rollouts too
    assert np.array_equal(states[:, -1], np.concatenate([batch.q, batch.v], axis=1)) and len(seen) == 8
    assert [batch.hash(i) for i in range(4)] == single


def test_guard_and_events(ball):
    model = routh.Model(ball)
    batch = routh.Batch(model, 3, 2)
    batch.q[:, 2] = [0.1, 0.2, 0.3]
    passed, touched = [], []
    batch.guard(lambda b: b.q[:, 2] - 0.08, lambda b, which: passed.append((b.t.copy(), which.copy())), direction=-1)
    batch.on_event(lambda events: touched.extend(events[events["kind"] == "touch"].tolist()))
    batch.step(int(round(0.22 / model.dt)))
    first = {}
    for t, which in passed:
        for i in np.flatnonzero(which):
            first.setdefault(int(i), float(t[i]))
    fall = np.sqrt(2 * np.array([0.02, 0.12, 0.22]) / 9.81)  # from the start to 0.08 m
    assert set(first) >= {0, 1} and all(0 <= first[i] - fall[i] < 2.1 * model.dt for i in first)
    if model.engine == "event":
        worlds = [row[0] for row in touched]
        assert worlds[:2] == [0, 1]
        alone = routh.World(model)
        alone.q[2] = 0.1
        alone.step(20)
        assert touched[0][1] == alone.events[alone.events["kind"] == "touch"]["t"][0]
    assert len(batch.take_events()) == 0
    batch.reset()
    batch.step(2)  # observers outlive a reset


def test_wrong_functions(stepped):
    def fail(*_):
        raise ZeroDivisionError("mine")

    for connect in (lambda b: b.controller(fail), lambda b: b.on_step(fail), lambda b: b.guard(lambda c: np.arange(3) - c.t * 1e9, fail)):
        batch = routh.Batch(stepped, 3, 2)
        connect(batch)
        with pytest.raises(ZeroDivisionError, match="mine"):
            batch.step(10)
        batch._calls.clear()
        assert batch.step(5) == 0
    for wrong in (lambda b: np.zeros((3, 2)), lambda b: np.nan, lambda b: "x"):
        batch = routh.Batch(stepped, 3, 2)
        batch.controller(wrong)
        with pytest.raises((ValueError, TypeError)):
            batch.step()
    batch = routh.Batch(stepped, 2, 1)
    batch.on_step(lambda b: b.step())
    with pytest.raises(RuntimeError, match="cannot step"):
        batch.step()
    for call in (lambda: batch.on_step(3), lambda: batch.controller(fail, every=0), lambda: batch.on_step(fail, every=1.5),
                 lambda: batch.guard(lambda b: np.nan, fail)):
        with pytest.raises((ValueError, TypeError)):
            call()
    quiet = routh.Batch(stepped, 2, 1)

    @quiet.on_step
    def stop(b):
        if b.t[0] > 0.0045:
            raise routh.StopRun

    assert quiet.step(100) == 0 and quiet.t[0] == pytest.approx(0.005)


def test_values_by_path(stepped):
    batch = routh.Batch(stepped, 3, 1)
    batch["floor.mu"] = [0.1, 0.2, 0.3]
    assert batch["floor.mu"].tolist() == [0.1, 0.2, 0.3] and batch.get("slide.mass").tolist() == [1.0] * 3
    batch.set({"floor.mu": 0.5, "slide.mass": [1, 2, 3]})
    assert batch["floor.mu"].tolist() == [0.5] * 3 and batch["slide.mass"].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(KeyError):
        batch["floor.nu"]
    pairs = routh.Batch(stepped.replace("friction: coulomb, mu: 0.3", "friction: dry, mu_s: 0.3, mu_k: 0.3"), 3, 1)
    pairs.set({"floor.mu_s": [0.1, 0.2, 0.4], "floor.mu_k": [0.1, 0.2, 0.4]})  # at once: mu_k must not be above mu_s
    assert pairs["floor.mu_k"].tolist() == [0.1, 0.2, 0.4]


def test_channels(ball):
    """Values now, of all worlds: those of single worlds; also between the steps of a run."""
    batch = routh.Batch(ball, 3, 2, set={"floor.mu": 0.2})
    assert batch["floor.mu"].tolist() == [0.2] * 3
    batch.q[:, 2] = [0.1, 0.2, 0.3]
    assert batch.channels(["ball.z", "t"]).tolist() == [[0.1, 0.0], [0.2, 0.0], [0.3, 0.0]]
    seen = []
    batch.on_step(lambda b: seen.append(b.channels(["ball.z", "energy.potential"])), every=5)
    hashes = routh.Batch(ball, 3, 2, set={"floor.mu": 0.2})
    hashes.q[:, 2] = [0.1, 0.2, 0.3]
    batch.step(20)
    hashes.step(20)
    assert len(seen) == 4 and seen[-1].shape == (3, 2) and [batch.hash(i) for i in range(3)] == [hashes.hash(i) for i in range(3)]
    world = routh.World(ball, set={"floor.mu": 0.2})
    world.q[2] = 0.2
    world.step(20)
    assert dict(zip(("ball.z", "energy.potential"), seen[-1][1].tolist())) == world.channels(["ball.z", "energy.potential"])
    with pytest.raises(KeyError):
        batch.channels(["ball.zz"])
    assert batch.channels([]).shape == (3, 0)


def test_numbers_of_numpy(stepped):
    """Counts may be whole numbers of NumPy."""
    batch = routh.Batch(stepped, np.int64(3), np.int32(2))
    batch.on_step(lambda b: None, every=np.int64(2))
    assert (batch.n, batch.threads) == (3, 2) and batch.step(np.int64(4)) == 0
    env = routh.VectorEnv(stepped, np.int64(2), threads=1)
    assert env.reset(seed=np.int64(5))[0].shape == (2, 15) and env.np_random_seed == 5 and env.num_envs == 2


def test_one_world_of_a_batch(stepped):
    """Before the first step and later, with values of its own: it goes on with the bits that it has in the batch."""
    batch = routh.Batch(stepped, 3, 2)
    batch.q[:, 2], batch.tau[:, 6], batch.fext[:, 1, 3] = [0.1, 0.2, 0.3], [1.0, 2.0, 3.0], [0.1, 0.2, 0.3]
    batch.set("slide.mass", [1.0, 2.0, 4.0])
    early = batch.world(-1)
    batch.step(40)
    early.step(40)
    late = batch.world(2)
    assert late.t == batch.t[2] and late["slide.mass"] == 4.0 and late.state_hash == early.state_hash == batch.hash(2)
    batch.step(60)
    late.step(60)
    assert late.state_hash == batch.hash(2) and late.body["ball"].position[2] == batch.q[2, 2]
    with pytest.raises(IndexError):
        batch.world(3)
