"""Many worlds at once: live arrays over all of them, steps and rollouts by threads, without the interpreter's lock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.model import Model
from routh.scene import Source

Floats = npt.NDArray[np.float64]


class Batch(_core.Batch):
    """Batch(model, n, threads): n worlds of one model. batch.q is (n, nq), live; batch.step(k) moves all.

    Every world has the bits of a single World, for any number of threads. A world that fails stays as it is
    until it is reset; batch.failed marks it and batch.reason(i) states why.
    """

    model: Model

    def __init__(self, source: Source | Model, n: int, threads: int | None = None) -> None:
        self.model = source if isinstance(source, Model) else Model(source)
        count = os.cpu_count() or 1 if threads is None else threads
        if not isinstance(n, int) or not 1 <= n <= _core.BATCH_MAX:
            raise ValueError(f"a batch has 1 to {_core.BATCH_MAX} worlds, got {n!r}")
        if not isinstance(count, int) or not 1 <= count <= 256:
            raise ValueError(f"a batch has 1 to 256 threads, got {threads!r}")
        self._open(self.model._core, n, min(count, 256))
        self.n = n
        self._own: dict[int, Model] = {}

    def __len__(self) -> int:
        """Number of worlds."""
        return self.n

    def _array(self, name: str) -> Floats:
        return np.asarray(self.view(name))

    @property
    def t(self) -> Floats:
        """Times (n) [s], live, read-only."""
        return self._array("t")[:, 0]

    @property
    def q(self) -> Floats:
        """Coordinates (n, nq), live."""
        return self._array("q")

    @q.setter
    def q(self, value: npt.ArrayLike) -> None:
        self._array("q")[:] = value

    @property
    def v(self) -> Floats:
        """Velocities (n, nv), live."""
        return self._array("v")

    @v.setter
    def v(self, value: npt.ArrayLike) -> None:
        self._array("v")[:] = value

    @property
    def tau(self) -> Floats:
        """Generalised forces of the program (n, nv) [N, N m], live."""
        return self._array("tau")

    @tau.setter
    def tau(self, value: npt.ArrayLike) -> None:
        self._array("tau")[:] = value

    @property
    def fext(self) -> Floats:
        """Torque and force of the program on each body (n, nbody, 6) [N m, N], live."""
        return self._array("fext")

    @property
    def effort(self) -> Floats:
        """Efforts of the actuators' commands (n, nactuator) [N, N m], live."""
        return self._array("effort")

    @effort.setter
    def effort(self, value: npt.ArrayLike) -> None:
        self._array("effort")[:] = value

    @property
    def command(self) -> Floats:
        """Commands of the actuators (n, nactuator, 7), live; the columns are routh.world.COMMAND."""
        return self._array("command")

    @property
    def state(self) -> Floats:
        """The restart states (n, nstate), live, read-only."""
        return self._array("state")

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """Which worlds have failed (n)."""
        marks = np.zeros(self.n, np.uint8)
        self._failed(marks)
        return marks.astype(bool)

    def reason(self, world: int) -> str:
        """Why a world stopped, in words; "" if it did not."""
        return self._world(range(self.n)[world])[1]

    def hash(self, world: int) -> str:
        """Hash of the present state of a world, as World.state_hash."""
        return f"{self._world(range(self.n)[world])[2]:016x}"

    def set_threads(self, threads: int) -> None:
        """Another number of threads; no bit depends on it."""
        self._set_threads(threads)

    def set(self, path: str, values: npt.ArrayLike | Sequence[Any], worlds: Sequence[int] | None = None) -> None:
        """Per-world values of the scene: set("floor.mu", mu) with one value for each world (or for each of `worlds`)."""
        which = list(range(self.n)) if worlds is None else [range(self.n)[i] for i in worlds]
        given = list(np.asarray(values, dtype=object).ravel() if np.ndim(values) < 2 else values)  # type: ignore[arg-type]
        given = given * len(which) if len(given) == 1 else given
        if len(given) != len(which):
            raise ValueError(f"{len(given)} values for {len(which)} worlds")
        made: dict[tuple[int, str], Model] = {}
        for world, value in zip(which, given):
            base = self.model_of(world)
            key = (id(base), repr(value))
            made[key] = made.get(key) or base.with_values({path: value})
            self._set_model(world, made[key]._core)
            self._own[world] = made[key]

    def model_of(self, world: int) -> Model:
        """The model of a world, with its own values."""
        return self._own.get(range(self.n)[world], self.model)

    def reset(self, which: npt.ArrayLike | None = None, states: npt.ArrayLike | None = None) -> None:
        """Worlds (those marked in `which`; all) begin anew, in the scene's state or in `states` (n, nq + nv)."""
        marks = None if which is None else np.ascontiguousarray(np.asarray(which, bool), np.uint8)
        start = None if states is None else self._start(states)
        self._reset(marks, start)

    def _start(self, states: npt.ArrayLike) -> Floats:
        width = self.model.nq + self.model.nv
        array = np.ascontiguousarray(np.broadcast_to(np.asarray(states, float), (self.n, width)))
        if not np.isfinite(array).all():
            raise ValueError("states must be finite")
        return array

    def rollout(self, states: npt.ArrayLike | None = None, controls: npt.ArrayLike | None = None, *, horizon: int | None = None,
                steps: int = 1, channels: Sequence[str] = ()) -> tuple[Floats, Floats]:
        """Moves all worlds over a horizon and returns states (n, horizon, nq + nv) and channels (n, horizon, len(channels)).

        `states` (n, nq + nv): all begin anew there; None: they go on. `controls` (n, horizon, nactuator): efforts, one
        row for each decision; `steps` steps follow each.
        """
        control: Floats | None = None
        if controls is not None:
            control = np.asarray(controls, float)
            control = control[None] if control.ndim == 2 else control
            if control.ndim != 3 or control.shape[2] != self.model.nactuator or control.shape[0] not in (1, self.n):
                raise ValueError(f"controls are (n, horizon, {self.model.nactuator}), got {np.shape(controls)}")
            if horizon is not None and horizon != control.shape[1]:
                raise ValueError("the horizon is that of the controls")
            horizon = control.shape[1]
            control = np.ascontiguousarray(np.broadcast_to(control, (self.n, *control.shape[1:])))
            if not np.isfinite(control).all():
                raise ValueError("controls must be finite")
        if horizon is None:
            raise ValueError("controls or a horizon are needed")
        if horizon < 0 or steps < 0:
            raise ValueError("horizon and steps are not negative")
        if states is not None:
            self.reset(None, states)
        names = list(channels)
        out = np.empty((self.n, horizon, self.model.nq + self.model.nv))
        values = np.empty((self.n, horizon, len(names)))
        self._rollout(horizon, steps, control, out, names, values)
        return out, values

    def __repr__(self) -> str:
        return f"Batch({self.model.name!r}, {self.n} worlds, {self.threads} threads)"
