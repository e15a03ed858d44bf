"""Worlds: state as live arrays, access by name, contacts, forces, callbacks, recording."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.model import Model
from routh.objects import (
    COMMAND, Actuator, Body, ByName, Constraint, Contact, Floats, Joint, Loop, Named, Point, Sensor, Tendon, Vector, near_names,
)
from routh.recording import EVENT_DTYPE, events_array
from routh.scene import Source

#: Columns of World.contacts. The force is that on the first body, world axes.
CONTACT_DTYPE = np.dtype([
    ("slot", "i4"), ("contact", "i4"), ("body", "i4", 2), ("shape", "i4", 2), ("point", "f8", 3), ("n", "f8", 3),
    ("t1", "f8", 3), ("t2", "f8", 3), ("force", "f8", 3), ("torque", "f8", 3), ("depth", "f8"), ("rate", "f8"),
    ("slip", "f8", 2), ("normal", "f8"), ("friction", "f8", 2), ("stored", "f8"), ("recoverable", "f8"),
])


class State(NamedTuple):
    """The restart state of a world: bytes that World.restore takes, of the same model. It can be pickled."""

    frame: int
    state: bytes
    tau: bytes
    fext: bytes

    @property
    def t(self) -> float:
        """Time of the state [s]."""
        return float(np.frombuffer(self.state, count=1)[0])


def _callable(function: Any) -> Any:
    if not callable(function):
        raise TypeError(f"a function is wanted, not {type(function).__name__}")
    return function


class World(_core.World, ByName):
    """A world that moves: World("ball.yaml"), World(model), World({...}).

    q, v, tau, fext, command are live: `world.q[2] = 1` changes the world, and the next run begins with it.
    `set` changes values of the scene, as -s on the command line.
    """

    model: Model

    def __init__(self, source: Source | Model = None, *, set: Mapping[str, Any] | None = None) -> None:
        model = source if isinstance(source, Model) and not set else Model(source, set=set)
        self._open(model._core)
        self.model = model
        self._event_calls: list[Callable[[_core.Event], Any]] = []
        self._frame_calls: list[Callable[[World], Any]] = []
        self._deciders: dict[int, Callable[[World], Any]] = {}
        self._recorded: str | None = None
        self._begun = 0.0

    # ---- State

    @property
    def q(self) -> Floats:
        """Coordinates (nq), live."""
        return np.asarray(self.view("q"))

    @q.setter
    def q(self, value: Vector) -> None:
        np.asarray(self.view("q"))[:] = value

    @property
    def v(self) -> Floats:
        """Velocities (nv), live."""
        return np.asarray(self.view("v"))

    @v.setter
    def v(self, value: Vector) -> None:
        np.asarray(self.view("v"))[:] = value

    @property
    def tau(self) -> Floats:
        """Generalised forces of the program (nv) [N, N m], live; they act until they are changed."""
        return np.asarray(self.view("tau"))

    @tau.setter
    def tau(self, value: Vector) -> None:
        np.asarray(self.view("tau"))[:] = value

    @property
    def fext(self) -> Floats:
        """Torque and force of the program on each body about its origin (nbody x 6) [N m, N], live."""
        return np.asarray(self.view("fext"))

    @property
    def command(self) -> Floats:
        """Commands of the actuators (nactuator x 7), live; the columns are routh.world.COMMAND."""
        return np.asarray(self.view("command"))

    @property
    def state(self) -> Floats:
        """The whole restart state (nstate), live, read-only."""
        return np.asarray(self.view("state"))

    def save(self) -> State:
        """The restart state. Worlds restored from it go on with the same bits as one another."""
        return State(*self._save())

    def restore(self, state: State) -> None:
        """Continues from a saved state of the same model. Views stay valid."""
        self._restore(*state)

    def reset(self) -> None:
        """Begins anew. Raises BufferError while views of this world are alive."""
        self._open(self.model._core)
        self._recorded = None

    def copy(self) -> World:
        """Another world of the same model in the same state, without functions and recording."""
        return _unpickle(self.model, self.save())

    def __reduce__(self) -> Any:
        return (_unpickle, (self.model, self.save()))

    # ---- Values of the scene

    def __getitem__(self, path: str) -> Any:
        return self.model[path]

    def __setitem__(self, path: str, value: Any) -> None:
        self.set({path: value})

    def set(self, values: Mapping[str, Any]) -> None:
        """The run continues with other values: world.set({"floor.mu": 0.3}). Raises BufferError while views are alive.

        A world that has not run begins as the changed scene does, with what was written into q, v, command, tau and fext.
        """
        model = self.model.with_values(values)
        self._set_model(model._core)
        self.model = model

    # ---- Runs

    def run(self, until: float | None = None, *, record: str | os.PathLike[str] | None = None,
            progress: bool | Callable[[float], Any] = False) -> World:
        """Runs to a time [s], by default run.until of the scene, with the lock of the interpreter released.

        `record` names a recording, begun with the first run and closed at its end. `progress`: a line on standard
        error, or a function of the part that is done. Raises RunError with the reason where the run stops.
        """
        end = self.model.until if until is None else float(until)
        if record is not None:
            self._record(os.fspath(record))
            self._recorded = os.fspath(record)
        self._begun = self.t
        bar = _Bar(progress, self, end) if progress else None
        if bar is not None:
            self._frame_calls.append(bar)
            self._connect()
        try:
            self._run(end)
            if record is not None:
                self._check_energy()
        except BaseException as error:
            if record is not None:
                self._close_recording(True, str(error) or type(error).__name__)
            raise
        finally:
            if bar is not None:
                self._frame_calls.remove(bar)
                self._connect()
                bar.end()
        if record is not None:
            self._close_recording(False, None)
        return self

    @property
    def hash(self) -> str:
        """Hash over all frames so far, as `routh run` prints it."""
        return f"{self._status()[0]:016x}"

    @property
    def state_hash(self) -> str:
        """Hash of the present state."""
        return f"{self._status()[2]:016x}"

    @property
    def reason(self) -> str:
        """Why the last run stopped, in words; "" after none."""
        return self._status()[1]

    @property
    def verdicts(self) -> dict[str, tuple[int, _core.Event]]:
        """Verdicts so far: kind -> (count, the first)."""
        return {kind: (count, first) for kind, count, first in self._verdicts()}

    # ---- Functions that a run calls

    def _connect(self) -> None:
        calls, frames, deciders = self._event_calls, self._frame_calls, self._deciders
        self._observe(
            (lambda event: [call(event) for call in list(calls)]) if calls else None,
            (lambda _: [call(self) for call in list(frames)]) if frames else None,
            (lambda index: deciders[index](self) if index in deciders else None) if deciders else None,
        )

    def on_event(self, function: Callable[[_core.Event], Any]) -> Callable[[_core.Event], Any]:
        """Calls function(event) at every event; a decorator. It may raise StopRun to end the run."""
        self._event_calls.append(_callable(function))
        self._connect()
        return function

    def on_frame(self, function: Callable[[World], Any]) -> Callable[[World], Any]:
        """Calls function(world) at every frame; a decorator. It may raise StopRun to end the run."""
        self._frame_calls.append(_callable(function))
        self._connect()
        return function

    def guard(self, value: Callable[[World], float], *, name: str = "guard", direction: int = 0,
              act: Callable[[World], Any] | None = None) -> None:
        """Locates the zeros of value(world) as events; act(world) may then change q and v.

        direction: 0 either way, 1 rising, -1 falling. Before the first run, and under the engine event only.
        """
        self._add_guard(name, direction, partial(value, self), None if act is None else partial(act, self))

    def controller(self, function: Callable[[World], Any], name: str | int = 0) -> None:
        """function(world) decides the efforts (nactuator) of a controller of the kind `program`, at its rate."""
        names = self.model.names("controller")
        index = names.index(name) if isinstance(name, str) and name in names else name
        if not isinstance(index, int) or not 0 <= index < len(names):
            raise KeyError(f"no controller is called '{name}'{near_names(str(name), names)}")
        if self.model.values["controllers"][index]["kind"] != "program":
            raise ValueError(f"controller '{name}' is not of the kind program")
        self._deciders[index] = _callable(function)
        self._connect()

    # ---- What is there, by name

    def bodies(self) -> Floats:
        """Position, attitude (row major), velocity, angular velocity of all bodies (nbody x 18), world axes."""
        return np.frombuffer(self._bodies()).reshape(-1, 18)

    @property
    def contacts(self) -> npt.NDArray[np.void]:
        """All contact points now, as a structured array (CONTACT_DTYPE)."""
        raw = np.frombuffer(self._contacts()).reshape(-1, 33)
        table = np.zeros(len(raw), CONTACT_DTYPE)
        at = 0
        for name in CONTACT_DTYPE.names or ():
            width = int(np.prod(CONTACT_DTYPE[name].shape, dtype=int))
            table[name] = raw[:, at] if CONTACT_DTYPE[name].shape == () else raw[:, at : at + width]
            at += width
        return table

    def channels(self, names: Sequence[str] | None = None) -> dict[str, float]:
        """Values of channels now, by name; without names: of all."""
        wanted = list(self.model.channels) if names is None else list(names)
        return dict(zip(wanted, np.frombuffer(self._channels(wanted)).tolist()))

    @property
    def events(self) -> npt.NDArray[np.void]:
        """Events so far, as a structured array (EVENT_DTYPE)."""
        return events_array(self._events())

    def clear_events(self, keep: int = 100000) -> None:
        """Drops the events so far; later ones are kept up to this number."""
        self._clear_events(keep)

    def apply_force(self, body: str, force: Vector, point: Vector | None = None) -> None:
        """A force [N] at a point [m] of a body, world axes, from now on."""
        self.body[body].apply_force(force, point)

    def mass_matrix(self) -> Floats:
        """Joint-space inertia H (nv x nv)."""
        return np.frombuffer(self._dynamics("mass")).reshape(self.model.nv, -1).copy()

    def bias(self) -> Floats:
        """Coriolis, centrifugal and gravity terms (nv)."""
        return np.frombuffer(self._dynamics("bias")).copy()

    def accelerations(self) -> Floats:
        """Accelerations (nv) in the present state."""
        return np.frombuffer(self._dynamics("a")).copy()

    # ---- Display

    def plot(self, *channels: str, **options: Any) -> Any:
        """Plots channels of the recording of this world; see routh.plot."""
        if self._recorded is None:
            raise ValueError("the world is not recorded: run(record=\"run.rhr\") first")
        from routh.plot import plot

        return plot(self._recorded, *channels, **options)

    def _repr_html_(self) -> str:
        from routh.display import world_html

        return world_html(self)

    def __repr__(self) -> str:
        return f"World({self.model.name!r}, t {self.t:.6g} s)"


def _unpickle(model: Model, state: State) -> World:
    world = World(model)
    world.restore(state)
    return world


class _Bar:
    """Progress of a run: a line on standard error, or calls of a function."""

    def __init__(self, how: bool | Callable[[float], Any], world: World, end: float) -> None:
        self.how, self.begun, self.end_time, self.shown = how, world.t, end, -1
        self.step = 1 if sys.stderr.isatty() else 20  # [%] of a line

    def __call__(self, world: World) -> None:
        span = self.end_time - self.begun
        part = min(max((world.t - self.begun) / span, 0.0), 1.0) if span > 0 else 1.0
        if callable(self.how):
            self.how(part)
        elif int(100 * part) // self.step != (self.shown // self.step if self.shown >= 0 else -1):
            self.shown = int(100 * part)
            bar = "#" * (self.shown // 4)
            print(f"\r[{bar:25}] {self.shown:3d} %  t = {world.t:.4g} s", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.shown >= 0:
            print(file=sys.stderr)


__all__ = [
    "Actuator", "Body", "CONTACT_DTYPE", "COMMAND", "Constraint", "Contact", "EVENT_DTYPE", "Joint", "Loop", "Named", "Point", "Sensor", "State",
    "Tendon", "World",
]
