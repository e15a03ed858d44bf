"""VectorEnv against the contract of gymnasium.vector.VectorEnv (1.1), written out here: Gymnasium itself is not needed.

The contract: attributes and spaces; reset(seed, options) -> observations, infos; step(actions) -> observations, rewards, terminations,
truncations, infos, all over num_envs; a key of infos has an array over num_envs and a mask "_key"; by metadata["autoreset_mode"] an episode
that has ended begins anew in the next step (whose action is ignored, reward 0, flags False), in the same step (final_obs: an object array,
final_info: a dict of the same form), or by reset(options={"reset_mask": mask}) only.
"""

import sys
import types

import numpy as np
import pytest
import routh
from test_batch import starts

MODES = list(routh.AutoresetMode)
TRUE = np.array([False, True, False])


class Lift(routh.VectorEnv):
    closings = 0

    def reward(self):
        return self.batch.v[:, 6]

    def terminate(self):
        return self.batch.q[:, 7] > 0.02

    def info(self):
        return {"height": self.batch.q[:, 2]}

    def start(self, which):
        return starts(self.batch.model, self.num_envs)

    def close_extras(self, **options):
        self.closings += 1


def make(scene, mode, **options):
    return Lift(scene, 3, threads=2, steps=20, horizon=8, autoreset_mode=mode, **options)


def check_infos(infos, n=3):
    for key, value in infos.items():
        if key.startswith("_"):
            assert value.shape == (n,) and value.dtype == bool and key[1:] in infos
        elif isinstance(value, dict):
            check_infos(value, n)
        else:
            assert isinstance(value, np.ndarray) and value.shape[0] == n and f"_{key}" in infos


def check_step(env, result):
    obs, reward, terminated, truncated, infos = result
    assert obs in env.observation_space and obs.dtype == env.observation_space.dtype
    assert reward.shape == (env.num_envs,) and reward.dtype == np.float64
    for flags in (terminated, truncated):
        assert flags.shape == (env.num_envs,) and flags.dtype == np.bool_
    assert not (terminated & truncated).any()
    check_infos(infos)
    return result


@pytest.mark.parametrize("mode", MODES)
def test_contract(stepped, mode):
    env = make(stepped, mode)
    assert env.num_envs == 3 and env.render_mode is None and env.spec is None and env.closed is False and env.unwrapped is env
    assert env.metadata["autoreset_mode"] is mode and env.metadata["render_modes"] == []
    assert env.single_action_space == routh.Box(-5.0, 5.0, (1,)) and env.action_space == routh.Box(-5.0, 5.0, (3, 1))
    assert env.single_observation_space.shape == (15,) and env.observation_space.shape == (3, 15)
    env.action_space.seed(4)
    one = env.action_space.sample()
    env.action_space.seed(4)
    assert one in env.action_space and np.array_equal(one, env.action_space.sample()) and env.action_space.is_bounded()
    assert not env.observation_space.is_bounded("above") and env.observation_space.sample().shape == (3, 15)
    obs, infos = env.reset(seed=7)
    assert obs in env.observation_space and env.np_random_seed == 7 and infos["_height"].all()
    check_infos(infos)
    first = env.np_random.random()
    env.reset(seed=7)
    assert env.np_random.random() == first
    for _ in range(3):
        check_step(env, env.step(one))
    kept = env.step(one)[0]
    before = kept.copy()
    env.step(one) if mode is not routh.AutoresetMode.DISABLED else None
    assert np.array_equal(kept, before)  # observations last
    env.close()
    env.close()
    assert env.closed and env.closings == 1


def episode(env, action):
    """Up to the step in which the second world has ended: 3 N on 1 kg, 0.02 m after 0.1155 s, in the sixth decision of 20 ms."""
    first, _ = env.reset(seed=3)
    for _ in range(5):
        _, _, terminated, truncated, infos = check_step(env, env.step(action))
        assert not terminated.any() and not truncated.any() and "final_obs" not in infos
    return first, check_step(env, env.step(action))


ACTION = np.array([[0.0], [3.0], [1.0]])


def test_next_step(stepped):
    env = make(stepped, "NextStep")
    first, (obs, reward, terminated, _, infos) = episode(env, ACTION)
    assert np.array_equal(terminated, TRUE) and obs[1, 7] > 0.02 and reward[1] > 0 and "final_obs" not in infos
    obs, reward, terminated, truncated, infos = check_step(env, env.step(np.full((3, 1), 5.0)))
    assert np.array_equal(obs[1], first[1]) and reward[1] == 0 and not terminated[1] and not truncated[1]  # the action is ignored
    assert infos["_height"].tolist() == [True, False, True]
    obs, _, _, truncated, _ = check_step(env, env.step(ACTION))
    assert obs[1, 7] != first[1, 7] and truncated.tolist() == [True, False, True]  # the others: eight steps
    obs, reward, *_ = check_step(env, env.step(ACTION))
    assert np.array_equal(obs[[0, 2]], first[[0, 2]]) and (reward[[0, 2]] == 0).all() and reward[1] != 0


def test_same_step(stepped):
    env = make(stepped, "SameStep")
    first, (obs, reward, terminated, _, infos) = episode(env, ACTION)
    assert np.array_equal(terminated, TRUE) and np.array_equal(obs[1], first[1]) and reward[1] > 0
    assert infos["final_obs"].dtype == object and infos["final_obs"][0] is None and infos["final_obs"][1][7] > 0.02
    assert np.array_equal(infos["_final_obs"], TRUE) and np.array_equal(infos["_final_info"], TRUE)
    assert infos["final_info"]["height"][1] == infos["final_obs"][1][2] and np.array_equal(infos["final_info"]["_height"], TRUE)
    assert infos["height"][1] == first[1, 2] and infos["_height"].all()
    obs, _, terminated, truncated, infos = check_step(env, env.step(ACTION))
    assert not terminated.any() and not truncated.any() and "final_obs" not in infos


def test_disabled(stepped):
    env = make(stepped, "Disabled")
    first, (obs, _, terminated, _, _) = episode(env, ACTION)
    assert np.array_equal(terminated, TRUE) and obs[1, 7] > 0.02
    with pytest.raises(RuntimeError, match="reset_mask"):
        env.step(ACTION)
    again, infos = env.reset(options={"reset_mask": terminated})
    assert np.array_equal(again[1], first[1]) and np.array_equal(again[[0, 2]], obs[[0, 2]]) and np.array_equal(infos["_height"], TRUE)
    check_step(env, env.step(ACTION))
    for mask in (np.zeros(3, bool), np.ones(2, bool), np.array([0, 1, 0]), "x"):
        with pytest.raises((ValueError, TypeError)):
            env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", MODES)
def test_many_episodes(stepped, mode):
    """Every episode of a world is the same as the first one, whenever it begins."""
    env = make(stepped, mode)
    obs, _ = env.reset()
    tracks, running = [[] for _ in range(3)], [[o.copy()] for o in obs]
    fresh = np.zeros(3, bool)
    for _ in range(40):
        if mode is routh.AutoresetMode.DISABLED and fresh.any():
            obs, _ = env.reset(options={"reset_mask": fresh})
            for i in np.flatnonzero(fresh):
                running[i] = [obs[i].copy()]
            fresh = np.zeros(3, bool)
        obs, _, terminated, truncated, infos = check_step(env, env.step(ACTION))
        over = terminated | truncated
        for i in range(3):
            if fresh[i] and mode is routh.AutoresetMode.NEXT_STEP:
                running[i] = [obs[i].copy()]
                continue
            running[i].append(infos["final_obs"][i] if over[i] and mode is routh.AutoresetMode.SAME_STEP else obs[i].copy())
            if over[i]:
                tracks[i].append(np.array(running[i]))
                running[i] = [obs[i].copy()]
        fresh = over
    for i, episodes in enumerate(tracks):
        assert len(episodes) >= 3 and len(episodes[0]) == (7 if i == 1 else 9)
        assert all(np.array_equal(episodes[0], e) for e in episodes)


def test_wrong(stepped):
    env = make(stepped, "SameStep")
    env.reset()
    for wrong in (np.zeros((3, 2)), np.full((3, 1), np.nan), 1.0, "x", None):
        with pytest.raises((ValueError, TypeError)):
            env.step(wrong)
    env.batch.q[0, 2] = np.nan
    obs, _, terminated, truncated, infos = env.step(ACTION)  # a world that fails ends its episode
    assert truncated[0] and infos["final_info"]["failed"][0] and np.isfinite(obs).all()
    with pytest.raises(ValueError):
        make(stepped, "sometimes")

    class Bad(routh.VectorEnv):
        def observe(self):
            return np.zeros(2, int)

    with pytest.raises(ValueError, match="observe"):
        Bad(stepped, 3)

    class Small(routh.VectorEnv):
        def observe(self):
            return self.batch.q[:, :2].astype(np.float32)

    small = Small(stepped, 3)
    assert small.observation_space.dtype == np.float32 and small.reset()[0].dtype == np.float32


def test_to_gymnasium(stepped, monkeypatch):
    """An instance of Gymnasium's own class, of a module that stands for it."""
    env = make(stepped, "SameStep")
    if "gymnasium" not in sys.modules:
        with pytest.raises(ImportError, match="gymnasium"):
            monkeypatch.setitem(sys.modules, "gymnasium", None)
            env.to_gymnasium()
    stub = types.ModuleType("gymnasium")

    class Base:
        closed = False

        def close(self, **options):
            if not self.closed:
                self.close_extras(**options)
                self.closed = True

    stub.vector = types.SimpleNamespace(VectorEnv=Base, AutoresetMode=routh.AutoresetMode)
    stub.spaces = types.SimpleNamespace(Box=routh.Box)
    monkeypatch.setitem(sys.modules, "gymnasium", stub)
    made = env.to_gymnasium()
    assert isinstance(made, Base) and made.num_envs == 3 and made.metadata["autoreset_mode"] is routh.AutoresetMode.SAME_STEP
    assert made.action_space == env.action_space and made.single_observation_space == env.single_observation_space
    assert np.array_equal(made.reset(seed=1)[0], env.reset(seed=1)[0]) and len(made.step(ACTION)) == 5
    made.close()
    assert env.closed and env.closings == 1
