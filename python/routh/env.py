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
    """A box of numbers: low, high, shape, dtype, sample, contains, seed, is_bounded, as those of gymnasium.spaces.Box."""

    def __init__(self, low: Any, high: Any, shape: tuple[int, ...] | None = None, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        size = np.shape(low) if shape is None else shape
        self.low = np.broadcast_to(np.asarray(low, self.dtype), size).copy()
        self.high = np.broadcast_to(np.asarray(high, self.dtype), size).copy()
        self.shape = self.low.shape
        self._random = np.random.default_rng()

    def seed(self, seed: int | None = None) -> int | None:
        """Begins the random numbers anew."""
        self._random = np.random.default_rng(seed)
        return seed

    @property
    def np_random(self) -> np.random.Generator:
        """Its random numbers."""
        return self._random

    def is_bounded(self, manner: str = "both") -> bool:
        """Are all numbers bounded "below", "above" or on "both" sides?"""
        if manner not in ("both", "below", "above"):
            raise ValueError(f"manner is 'both', 'below' or 'above', got {manner!r}")
        below, above = bool(np.isfinite(self.low).all()), bool(np.isfinite(self.high).all())
        return {"both": below and above, "below": below, "above": above}[manner]

    def sample(self) -> Any:
        """A random element; an open side is normally distributed."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        return np.where(bounded, self._random.uniform(low, high), self._random.normal(size=self.shape)).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        """Is it an element?"""
        x = np.asarray(x)
        return (bool(np.can_cast(x.dtype, self.dtype)) and x.shape == self.shape
                and bool(np.all((x >= self.low) & (x <= self.high))))

    def __contains__(self, x: Any) -> bool:
        return self.contains(x)

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Box) and self.shape == other.shape and self.dtype == other.dtype
                and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high))

    def __repr__(self) -> str:
        return f"Box({self.low.min(initial=np.inf)}, {self.high.max(initial=-np.inf)}, {self.shape}, {self.dtype})"


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
        self.num_envs, self.steps, self.horizon = self.batch.n, steps, horizon
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._np_random = np.random.default_rng()
        self._np_random_seed = -1  # not known
        self._length = np.zeros(num_envs, int)
        self._over = np.zeros(num_envs, bool)
        self.closed = False
        high = np.array([self._limit(i) for i in range(self.batch.model.nactuator)]).reshape(-1, 2)
        self.single_action_space = Box(high[:, 0], high[:, 1])
        self.action_space = Box(high[:, 0], high[:, 1], (num_envs, len(high)))
        seen = np.asarray(self.observe())
        if seen.ndim < 1 or len(seen) != num_envs or seen.dtype.kind != "f":
            raise ValueError(f"observe() returns floats ({num_envs}, ...), got {seen.dtype} {seen.shape}")
        self.single_observation_space = Box(-np.inf, np.inf, seen.shape[1:], seen.dtype)
        self.observation_space = Box(-np.inf, np.inf, seen.shape, seen.dtype)

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

    def info(self) -> dict[str, Any]:
        """Further numbers of each world for the info: {name: array (num_envs, ...)}."""
        return {}

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
              ) -> tuple[Any, dict[str, Any]]:
        """All worlds, or those in options["reset_mask"], begin anew: observations, info."""
        if seed is not None:
            whole: Any = int(seed) if isinstance(seed, (int, np.integer)) else [s or 0 for s in seed]
            self._np_random = np.random.default_rng(whole)
            self._np_random_seed = whole if isinstance(whole, int) else -1
        mask = (options or {}).get("reset_mask")
        which = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        if which.shape != (self.num_envs,) or which.dtype != bool:
            raise ValueError(f"reset_mask has {self.num_envs} entries, True or False")
        if not which.any():
            raise ValueError("reset_mask marks no world")
        self._begin(which)
        return self._look(), self._infos(which)

    def step(self, actions: npt.ArrayLike) -> tuple[Any, Floats, Flags, Flags, dict[str, Any]]:
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
        terminated = np.array(self.terminate(), bool) & ~fresh
        truncated = ((self._length >= self.horizon) | failed) & ~terminated & ~fresh
        rewards = np.where(fresh, 0.0, np.asarray(self.reward(), float))
        self._over = terminated | truncated
        observations, info = self._look(), self._infos(~fresh, failed)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._over.any():
            over = self._over.copy()
            final = np.full(self.num_envs, None, object)
            for i in np.flatnonzero(over):
                final[i] = observations[i].copy()
            last = self._infos(over, failed)
            self._begin(over)
            observations, info = self._look(), self._infos(np.ones(self.num_envs, bool), failed & ~over)
            info.update({"final_obs": final, "_final_obs": over, "final_info": last, "_final_info": over.copy()})
        return observations, rewards, terminated, truncated, info

    def _look(self) -> Any:
        return np.array(self.observe(), self.single_observation_space.dtype)  # a copy: it lasts

    def _infos(self, which: Flags, failed: Flags | None = None) -> dict[str, Any]:
        """Gymnasium's form: an array of each key, and with a line before it which worlds it is of."""
        made: dict[str, Any] = {}
        given = dict(self.info())
        if failed is not None and failed.any():
            given["failed"] = failed.copy()
        for key, value in given.items():
            made[key] = np.array(value)
            made[f"_{key}"] = which.copy()
        return made

    def close(self, **options: Any) -> None:
        """Ends the environment, once."""
        if not self.closed:
            self.close_extras(**options)
            self.closed = True

    def close_extras(self, **options: Any) -> None:
        """What a task gives back at the end."""

    @property
    def np_random(self) -> np.random.Generator:
        """Random numbers of the environment; reset(seed=...) begins them anew."""
        return self._np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self._np_random, self._np_random_seed = value, -1

    @property
    def np_random_seed(self) -> int:
        """The seed of the last reset, -1: not known."""
        return self._np_random_seed

    def to_gymnasium(self) -> Any:
        """The same as an instance of gymnasium.vector.VectorEnv, with its spaces, for its wrappers. Needs gymnasium."""
        try:
            import gymnasium
        except ImportError as error:
            raise ImportError("to_gymnasium() needs gymnasium; without it VectorEnv has the same interface") from error
        made = _adapter(gymnasium)(self)
        return made

    def render(self) -> None:
        """There is no picture: World and Recording show themselves."""

    @property
    def unwrapped(self) -> VectorEnv:
        """The environment itself."""
        return self

    def __repr__(self) -> str:
        return f"VectorEnv({self.batch.model.name!r}, num_envs={self.num_envs})"


def _adapter(gymnasium: Any) -> Any:
    """A class of Gymnasium's own that hands everything on."""

    class Adapter(gymnasium.vector.VectorEnv):  # type: ignore[misc]
        def __init__(self, env: VectorEnv) -> None:
            self.env, self.num_envs, self.render_mode, self.spec = env, env.num_envs, env.render_mode, env.spec
            mode = getattr(gymnasium.vector, "AutoresetMode", AutoresetMode)(env.autoreset_mode.value)
            self.metadata = {**env.metadata, "autoreset_mode": mode}
            for name in ("single_observation_space", "single_action_space", "observation_space", "action_space"):
                box = getattr(env, name)
                setattr(self, name, gymnasium.spaces.Box(box.low, box.high, box.shape, box.dtype))

        def reset(self, *, seed: Any = None, options: Any = None) -> Any:
            return self.env.reset(seed=seed, options=options)

        def step(self, actions: Any) -> Any:
            return self.env.step(actions)

        def close_extras(self, **options: Any) -> None:
            self.env.close(**options)

        @property
        def np_random(self) -> np.random.Generator:
            return self.env.np_random

    return Adapter
