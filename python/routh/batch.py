"""Many worlds at once: live arrays over all of them, steps and rollouts by threads, without the interpreter's lock."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.model import Model
from routh.recording import EVENT_DTYPE, events_array
from routh.scene import Source

if TYPE_CHECKING:
    from routh.world import World

#: Columns of Batch.take_events(): the world, then those of EVENT_DTYPE.
BATCH_EVENT_DTYPE = np.dtype([("world", "i4"), *((name, EVENT_DTYPE[name]) for name in EVENT_DTYPE.names or ())])

Floats = npt.NDArray[np.float64]
#: A decision with more steps is made in pieces, so that Ctrl-C need not wait for it.
LONG = 100


def _finite(value: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
    array = np.array(np.broadcast_to(np.asarray(value, float), shape))
    if not np.isfinite(array).all():
        raise ValueError("a function of a batch returned numbers that are not finite")
    return array


def _whole(value: Any, most: int, what: str) -> int:
    """A whole number of Python or NumPy from 1 on."""
    if not hasattr(value, "__index__") or not 1 <= value <= most:
        raise ValueError(f"1 to {most} {what} are possible, got {value!r}")
    return operator.index(value)


class _Every:
    """A function that is called every so many steps: a controller before them, or an observer after them."""

    def __init__(self, every: int, decide: Callable[[Batch], npt.ArrayLike] | None, look: Callable[[Batch], Any] | None) -> None:
        every = _whole(every, 2**31 - 1, "steps between two calls")
        if not callable(decide or look):
            raise TypeError("a function is wanted")
        self.every, self.decide, self.look = every, decide, look

    def before(self, batch: Batch) -> None:
        if self.decide is not None and batch._steps % self.every == 0:
            batch.effort = _finite(self.decide(batch), (batch.n, batch.model.nactuator))

    def after(self, batch: Batch) -> None:
        if self.look is not None and batch._steps % self.every == 0:
            self.look(batch)


class Batch(_core.Batch):
    """Batch(model, n, threads): n worlds of one model. batch.q is (n, nq), live; batch.step(k) moves all.

    Every world has the bits of a single World, for any number of threads. A world that fails stays as it is
    until it is reset; batch.failed marks it and batch.reason(i) states why.
    """

    model: Model

    def __init__(self, source: Source | Model, n: int, threads: int | None = None, *, set: Mapping[str, Any] | None = None) -> None:
        model = source if isinstance(source, Model) and not set else Model(source, set=set)
        self.n = _whole(n, _core.BATCH_MAX, "worlds")
        self._open(model._core, self.n, _whole(min(os.cpu_count() or 1, 256) if threads is None else threads, 256, "threads"))
        self.model = model
        self._own: dict[int, Model] = {}
        self._calls: list[_Every] = []
        self._event_calls: list[Callable[[npt.NDArray[np.void]], Any]] = []
        self._steps = 0  # of the batch, so far
        self._within = False

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

    def channels(self, names: Sequence[str]) -> Floats:
        """Values of channels now (n, len(names)): readings of sensors, energies, forces of contacts, ..."""
        wanted = list(names)
        values = np.empty((self.n, 1, len(wanted)))
        self._rollout(1, 0, None, None, wanted, values)
        return values[:, 0]

    def reason(self, world: int) -> str:
        """Why a world stopped, in words; "" if it did not."""
        return self._world(range(self.n)[world])[1]

    def hash(self, world: int) -> str:
        """Hash of the present state of a world, as World.state_hash."""
        return f"{self._world(range(self.n)[world])[2]:016x}"

    def set_threads(self, threads: int) -> None:
        """Another number of threads; no bit depends on it."""
        self._set_threads(threads)

    def set_lanes(self, widest: int) -> None:
        """At most so many worlds side by side in vector registers (8, 4 or 1), as batch.lanes states; 0: one by one. No bit depends on it."""
        self._set_lanes(widest)

    @property
    def lanes_reason(self) -> str:
        """Why worlds are stepped one by one; "" where they are stepped side by side."""
        return self._lane_counts[0]

    @property
    def lane_steps(self) -> dict[str, int]:
        """Steps taken side by side ("lanes"), and those that worlds took by themselves, by causes."""
        causes = ("outside", "frame", "impact", "turn", "solver", "energy", "features")
        _, side, alone = self._lane_counts
        return {"lanes": int(side)} | {name: int(n) for name, n in zip(causes, alone)}

    def get(self, path: str) -> npt.NDArray[Any]:
        """Values of the scene by path, of each world: get("floor.mu") is (n), or (n, ...) of a list."""
        kept: dict[int, Any] = {}
        return np.array([kept.setdefault(id(m), m[path]) for m in map(self.model_of, range(self.n))])

    def __getitem__(self, path: str) -> npt.NDArray[Any]:
        return self.get(path)

    def __setitem__(self, path: str, values: npt.ArrayLike) -> None:
        self.set(path, values)

    def set(self, path: str | Mapping[str, Any], values: npt.ArrayLike | Sequence[Any] = (),
            worlds: Sequence[int] | None = None) -> None:
        """Per-world values of the scene: set("floor.mu", mu) with one value for each world (or for each of `worlds`).

        set({"floor.mu_s": [...], "floor.mu_k": [...]}) changes several at once. Worlds keep what was written into q, v, command,
        tau and fext, also before the first step.
        """
        which = list(range(self.n)) if worlds is None else [range(self.n)[i] for i in worlds]
        columns = {}
        for one, value in (path if isinstance(path, Mapping) else {path: values}).items():
            given = list(np.asarray(value, dtype=object).ravel() if np.ndim(value) < 2 else value)
            columns[one] = given * len(which) if len(given) == 1 else given
            if len(columns[one]) != len(which):
                raise ValueError(f"{len(given)} values of {one} for {len(which)} worlds")
        made: dict[tuple[int, str], Model] = {}
        chosen: list[tuple[int, Model]] = []
        for row, world in enumerate(which):
            base = self.model_of(world)
            new = {one: column[row] for one, column in columns.items()}
            key = (id(base), repr(new))
            made[key] = made.get(key) or base.with_values(new)
            chosen.append((world, made[key]))
        for world, model in chosen:  # after all of them are known to be right
            self._set_model(world, model._core)
            self._own[world] = model

    def model_of(self, world: int) -> Model:
        """The model of a world, with its own values."""
        return self._own.get(range(self.n)[world], self.model)

    def world(self, index: int) -> World:
        """A World of its own in the present state of a world of the batch: to look at it, or to run it on alone, with the same bits."""
        from routh.world import State, World

        i = range(self.n)[index]
        made = World(self.model_of(i))
        parts = (np.ascontiguousarray(getattr(self, name)[i]).tobytes() for name in ("state", "tau", "fext"))
        made.restore(State(self._world(i)[3], *parts))
        return made

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
        control = self._controls(controls)
        if control is not None:
            if horizon is not None and horizon != control.shape[1]:
                raise ValueError("the horizon is that of the controls")
            horizon = control.shape[1]
        if horizon is None:
            raise ValueError("controls or a horizon are needed")
        if horizon < 0 or steps < 0:
            raise ValueError("horizon and steps are not negative")
        names = list(channels)
        self._rollout(0, 0, None, None, names, np.empty((self.n, 0, len(names))))  # refuses unknown channels
        if states is not None:
            self.reset(None, states)
        out = np.empty((self.n, horizon, self.model.nq + self.model.nv))
        values = np.empty((self.n, horizon, len(names)))
        if not self._calls and not self._event_calls and steps <= LONG:
            self._rollout(horizon, steps, control, out, names, values)
            return out, values
        row, value = np.empty((self.n, 1, out.shape[2])), np.empty((self.n, 1, len(names)))
        for k in range(horizon):  # functions are called, or Ctrl-C must not wait for a whole decision
            if control is not None:
                self.effort = control[:, k]
            self.step(steps)
            self._rollout(1, 0, None, row, names, value)
            out[:, k], values[:, k] = row[:, 0], value[:, 0]
        return out, values

    def _controls(self, controls: npt.ArrayLike | None) -> Floats | None:
        if controls is None:
            return None
        control = np.asarray(controls, float)
        control = control[None] if control.ndim == 2 else control
        if control.ndim != 3 or control.shape[2] != self.model.nactuator or control.shape[0] not in (1, self.n):
            raise ValueError(f"controls are (n, horizon, {self.model.nactuator}), got {np.shape(controls)}")
        if not np.isfinite(control).all():
            raise ValueError("controls must be finite")
        return np.ascontiguousarray(np.broadcast_to(control, (self.n, *control.shape[1:])))

    # ---- Functions that are called between steps, for all worlds at once

    def step(self, n: int = 1, /) -> int:
        """n steps of every world; returns how many worlds have failed. Ctrl-C ends it between two steps."""
        if not self._calls and not self._event_calls:
            return super().step(n)
        if self._within:
            raise RuntimeError("a function that step() calls cannot step the batch")
        if n < 0:
            raise ValueError("the number of steps is negative")
        failed, done = super().step(0), 0
        self._within = True
        try:
            while done < n:
                for call in self._calls:
                    call.before(self)
                piece = min([n - done, *(call.every - self._steps % call.every for call in self._calls)])
                piece = 1 if self._event_calls else piece
                failed = super().step(piece)
                done += piece
                self._steps += piece
                for call in self._calls:
                    call.after(self)
                self._report_events()
        except _core.StopRun:
            pass
        finally:
            self._within = False
        return failed

    def _report_events(self) -> None:
        events = self.take_events() if self._event_calls else np.zeros(0, BATCH_EVENT_DTYPE)
        for report in self._event_calls if len(events) else ():
            report(events)

    def controller(self, function: Callable[[Batch], npt.ArrayLike], *, every: int = 1) -> None:
        """function(batch) decides the efforts (n, nactuator) of all worlds at once, before every so many steps."""
        self._calls.append(_Every(every, function, None))

    def on_step(self, function: Callable[[Batch], Any], *, every: int = 1) -> Callable[[Batch], Any]:
        """Calls function(batch) after every so many steps; a decorator. It may write q, v, tau, fext, effort and reset worlds;
        StopRun ends step() quietly."""
        self._calls.append(_Every(every, None, function))
        return function

    def guard(self, value: Callable[[Batch], npt.ArrayLike], act: Callable[[Batch, npt.NDArray[np.bool_]], Any], *,
              direction: int = 0) -> None:
        """Calls act(batch, which) after the step in which value(batch), (n), has passed zero in some worlds, marked in `which`.

        direction: 0 either way, 1 rising, -1 falling. The passage is not located within the step, as World.guard does.
        """
        last = _finite(value(self), (self.n,))

        def look(batch: Batch) -> None:
            now = _finite(value(batch), (batch.n,))
            rising, falling = (last < 0) & (now >= 0), (last > 0) & (now <= 0)
            which = rising & (direction >= 0) | falling & (direction <= 0)
            last[:] = now
            if which.any():
                act(batch, which)

        self.on_step(look)

    def on_event(self, function: Callable[[npt.NDArray[np.void]], Any], *, keep: int = 1000
                 ) -> Callable[[npt.NDArray[np.void]], Any]:
        """Calls function(events) after each step with events, a structured array: world, then the columns of EVENT_DTYPE."""
        self.keep_events(keep)
        self._event_calls.append(function)
        return function

    def keep_events(self, keep: int = 1000) -> None:
        """From now on events are kept, up to this number of each world, until take_events()."""
        self._keep_events(keep)

    def take_events(self) -> npt.NDArray[np.void]:
        """Events since the last call, ordered by world and time: world, then the columns of EVENT_DTYPE."""
        pairs = self._take_events()
        table = np.zeros(len(pairs), BATCH_EVENT_DTYPE)
        if pairs:
            table["world"] = [world for world, _ in pairs]
            events = events_array([event for _, event in pairs])
            for name in EVENT_DTYPE.names or ():
                table[name] = events[name]
        return table

    def __repr__(self) -> str:
        return f"Batch({self.model.name!r}, {self.n} worlds, {self.threads} threads)"
