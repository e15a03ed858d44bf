"""An environment with the interface of Gymnasium's VectorEnv over a Batch. Gymnasium need not be installed."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import numpy.typing as npt

from routh.batch import Batch
from routh.model import Model
from routh.scene import Source

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


class AutoresetMode(enum.Enum):
    """When a world that has ended begins anew, as in gymnasium.vector.AutoresetMode."""

    NEXT_STEP = "NextStep"
    SAME_STEP = "SameStep"
    DISABLED = "Disabled"


class Box:
    """A box of numbers, as far as needed of gymnasium.spaces.Box."""

    def __init__(self, low: Any, high: Any, shape: tuple[int, ...] | None = None, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        size = np.shape(low) if shape is None else shape
        self.low = np.broadcast_to(np.asarray(low, self.dtype), size).copy()
        self.high = np.broadcast_to(np.asarray(high, self.dtype), size).copy()
        self.shape = self.low.shape
        self._random = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        """Begins the random numbers anew."""
        self._random = np.random.default_rng(seed)

    def sample(self) -> Any:
        """A random element; an open side is normally distributed."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        return np.where(bounded, self._random.uniform(low, high), self._random.normal(size=self.shape)).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        """Is it an element?"""
        x = np.asarray(x)
        return x.shape == self.shape and bool(np.all((x >= self.low) & (x <= self.high)))

    def __repr__(self) -> str:
        return f"Box{self.shape}"


class VectorEnv:
    """n worlds as environments: reset, step, close, spaces and reset modes as those of gymnasium.vector.VectorEnv.

    A task is a subclass with observe, reward, terminate and perhaps start and act. Without them the observation is
    q and v, the reward is 0 and an episode ends after `horizon` steps or where a run fails.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}
    render_mode: str | None = None
    spec: Any = None

    def __init__(self, source: Source | Model, num_envs: int, *, threads: int | None = None, steps: int = 1,
                 horizon: int = 1000, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP) -> None:
        self.batch = Batch(source, num_envs, threads)
        self.num_envs, self.steps, self.horizon = num_envs, steps, horizon
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.np_random = np.random.default_rng()
        self._length = np.zeros(num_envs, int)
        self._over = np.zeros(num_envs, bool)
        self.closed = False
        high = np.array([self._limit(i) for i in range(self.batch.model.nactuator)]).reshape(-1, 2)
        self.single_action_space = Box(high[:, 0], high[:, 1])
        self.action_space = Box(high[:, 0], high[:, 1], (num_envs, len(high)))
        width = self.observe().shape[1:]
        self.single_observation_space = Box(-np.inf, np.inf, width)
        self.observation_space = Box(-np.inf, np.inf, (num_envs, *width))

    def _limit(self, actuator: int) -> tuple[float, float]:
        limits = self.batch.model.values["actuators"][actuator]["limits"]
        return (float(limits[0]), float(limits[1])) if len(limits) == 2 else (-np.inf, np.inf)

    # ---- The task

    def observe(self) -> Floats:
        """Observations (num_envs, ...)."""
        return np.concatenate([self.batch.q, self.batch.v], axis=1)

    def reward(self) -> Floats:
        """Rewards (num_envs)."""
        return np.zeros(self.num_envs)

    def terminate(self) -> Flags:
        """Which episodes have ended by their task (num_envs)."""
        return np.zeros(self.num_envs, bool)

    def start(self, which: Flags) -> Floats | None:
        """States (num_envs, nq + nv) in which the marked worlds begin; None: that of the scene."""
        return None

    def act(self, actions: Floats) -> None:
        """Applies the actions: efforts of the actuators."""
        self.batch.effort[:] = actions

    # ---- The interface

    def _begin(self, which: Flags) -> None:
        self.batch.reset(which, self.start(which))
        self._length[which] = 0
        self._over[which] = False

    def reset(self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Floats, dict[str, Any]]:
        """All worlds, or those in options["reset_mask"], begin anew: observations, info."""
        if seed is not None:
            self.np_random = np.random.default_rng(seed if isinstance(seed, int) else [s or 0 for s in seed])
        mask = (options or {}).get("reset_mask")
        which = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool)
        if which.shape != (self.num_envs,):
            raise ValueError(f"reset_mask has {self.num_envs} entries")
        self._begin(which)
        return self.observe(), {}

    def step(self, actions: npt.ArrayLike) -> tuple[Floats, Floats, Flags, Flags, dict[str, Any]]:
        """One decision: observations, rewards, terminations, truncations, info."""
        wanted = (self.num_envs, self.batch.model.nactuator)
        array = np.asarray(actions, float)
        if array.shape != wanted or not np.isfinite(array).all():
            raise ValueError(f"actions are {wanted} finite numbers, got an array {array.shape}")
        fresh = self._over.copy()
        if self.autoreset_mode is AutoresetMode.DISABLED and fresh.any():
            raise RuntimeError("episodes have ended: reset them with options={\"reset_mask\": ...}")
        self.act(array)
        self.batch.step(self.steps)
        if fresh.any():  # AutoresetMode.NEXT_STEP: this step only resets them
            self._begin(fresh)
        failed = self.batch.failed
        self._length[~fresh] += 1
        terminated = np.asarray(self.terminate(), bool) & ~fresh
        truncated = ((self._length >= self.horizon) | failed) & ~terminated & ~fresh
        rewards = np.where(fresh, 0.0, np.asarray(self.reward(), float))
        self._over = terminated | truncated
        info: dict[str, Any] = {}
        if failed.any():
            info["failed"] = failed
        observations = self.observe()
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            info["final_obs"] = observations.copy()
            info["_final_obs"] = self._over.copy()
            self._begin(self._over.copy())
            observations = self.observe()
        return observations, rewards, terminated, truncated, info

    def close(self, **_: Any) -> None:
        """Ends the environment."""
        self.closed = True

    def render(self) -> None:
        """There is no picture: World and Recording show themselves."""

    @property
    def unwrapped(self) -> VectorEnv:
        """The environment itself."""
        return self

    def __repr__(self) -> str:
        return f"VectorEnv({self.batch.model.name!r}, num_envs={self.num_envs})"
