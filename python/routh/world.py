"""Worlds: state as live arrays, access by name, contacts, forces, callbacks, recording."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar, Union

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.model import Model
from routh.recording import EVENT_DTYPE, events_array
from routh.scene import Source

Floats = npt.NDArray[np.float64]
Vector = Union[Sequence[float], Floats]

#: Columns of World.contacts. The force is that on the first body, world axes.
CONTACT_DTYPE = np.dtype([
    ("slot", "i4"), ("contact", "i4"), ("body", "i4", 2), ("shape", "i4", 2), ("point", "f8", 3), ("n", "f8", 3),
    ("t1", "f8", 3), ("t2", "f8", 3), ("force", "f8", 3), ("torque", "f8", 3), ("depth", "f8"), ("rate", "f8"),
    ("slip", "f8", 2), ("normal", "f8"), ("friction", "f8", 2), ("stored", "f8"), ("recoverable", "f8"),
])

COMMAND = ("effort", "kp", "kd", "target", "rate", "accel", "since")


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


class Body:
    """A body of a world, by name or index. Every access reads the present state; arrays are copies."""

    def __init__(self, world: World, index: int, name: str) -> None:
        self._world, self.index, self.name = world, index, name

    def _numbers(self, first: int, end: int) -> Floats:
        return self._world.bodies()[self.index, first:end].copy()

    @property
    def position(self) -> Floats:
        """Origin of the body [m], world axes."""
        return self._numbers(0, 3)

    @property
    def rotation(self) -> Floats:
        """Attitude, 3 x 3: world vector = rotation @ body vector."""
        return self._numbers(3, 12).reshape(3, 3)

    @property
    def velocity(self) -> Floats:
        """Velocity of the origin [m/s], world axes."""
        return self._numbers(12, 15)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity [rad/s], world axes."""
        return self._numbers(15, 18)

    def apply_force(self, force: Vector, point: Vector | None = None) -> None:
        """A force [N] at a point [m], world axes, from now on; without a point at the origin."""
        at = self.position if point is None else point
        self._world._apply_force(self.index, _three(at), _three(force))

    def jacobian(self, at: Vector = (0.0, 0.0, 0.0)) -> Floats:
        """Jacobian (3 x nv) of the velocity of a point, given in body axes [m]."""
        data = self._world._jacobian(self.index, _three(at))
        return np.frombuffer(data).reshape(3, -1).copy()

    def __repr__(self) -> str:
        return f"Body({self.name!r}, position {self.position})"


class Joint:
    """A joint of a world: q and v are live arrays."""

    def __init__(self, world: World, index: int, name: str) -> None:
        self._world, self.index, self.name = world, index, name
        self._q, self._nq, self._v, self._nv, _ = world.model._core.joints()[index]

    @property
    def q(self) -> Floats:
        """Its coordinates, live."""
        return self._world.q[self._q : self._q + self._nq]

    @q.setter
    def q(self, value: Vector | float) -> None:
        self._world.q[self._q : self._q + self._nq] = value

    @property
    def v(self) -> Floats:
        """Its velocities, live."""
        return self._world.v[self._v : self._v + self._nv]

    @v.setter
    def v(self, value: Vector | float) -> None:
        self._world.v[self._v : self._v + self._nv] = value

    @property
    def tau(self) -> Floats:
        """Generalised forces of the program on it [N, N m], live."""
        return self._world.tau[self._v : self._v + self._nv]

    @tau.setter
    def tau(self, value: Vector | float) -> None:
        self._world.tau[self._v : self._v + self._nv] = value

    def __repr__(self) -> str:
        return f"Joint({self.name!r}, q {self.q}, v {self.v})"


class Actuator:
    """An actuator: effort, kp, kd, target, rate, accel, since of its command, live."""

    def __init__(self, world: World, index: int, name: str) -> None:
        object.__setattr__(self, "_world", world)
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "name", name)

    def __getattr__(self, key: str) -> float:
        if key not in COMMAND:
            raise AttributeError(key)
        return float(self._world.command[self.index, COMMAND.index(key)])

    def __setattr__(self, key: str, value: float) -> None:
        if key not in COMMAND:
            raise AttributeError(key)
        self._world.command[self.index, COMMAND.index(key)] = value

    _world: World
    index: int
    name: str

    @property
    def state(self) -> float:
        """Its state now, of an actuator with `dynamics`; others raise a KeyError."""
        return self._world.channels([f"{self.name}.state"])[f"{self.name}.state"]

    def __repr__(self) -> str:
        return f"Actuator({self.name!r}, effort {self.effort})"


class Tendon:
    """A tendon of a world, by name or index. Every access reads the present state."""

    def __init__(self, world: World, index: int, name: str) -> None:
        self._world, self.index, self.name = world, index, name

    def _value(self, channel: str) -> float:
        return self._world.channels([f"{self.name}.{channel}"])[f"{self.name}.{channel}"]

    @property
    def length(self) -> float:
        """Its length [m]."""
        return self._value("length")

    @property
    def speed(self) -> float:
        """Rate of its length [m/s]."""
        return self._value("speed")

    @property
    def force(self) -> float:
        """Force of its spring, damper and actuators [N]."""
        return self._value("force")

    def __repr__(self) -> str:
        return f"Tendon({self.name!r}, length {self.length:.6g} m)"


T = TypeVar("T")


class Named(Mapping[str, T], Generic[T]):
    """Objects of a world by name; an index works too."""

    def __init__(self, world: World, kind: str, make: Callable[[World, int, str], T]) -> None:
        self._world, self._make, self._kind = world, make, kind
        self._names = world.model.names(kind)

    def __getitem__(self, key: Union[str, int]) -> T:
        if isinstance(key, str):
            try:
                index = self._names.index(key)
            except ValueError:
                near = _near(key, self._names)
                raise KeyError(f"no {self._kind} is called '{key}'{near}") from None
        else:
            index = range(len(self._names))[key]
        return self._make(self._world, index, self._names[index])

    def __iter__(self) -> Iterator[str]:
        return iter(n for n in self._names if n)

    def __len__(self) -> int:
        return sum(1 for n in self._names if n)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        return f"{self._kind}: {', '.join(self)}"


def _near(word: str, names: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word, [n for n in names if n], 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def _callable(function: Any) -> Any:
    if not callable(function):
        raise TypeError(f"a function is wanted, not {type(function).__name__}")
    return function


def _three(x: Any) -> tuple[float, float, float]:
    values = tuple(float(v) for v in x)
    if len(values) != 3:
        raise ValueError(f"three numbers are wanted, got {len(values)}")
    return values  # type: ignore[return-value]


class World(_core.World):
    """A world that moves: World("ball.yaml"), World(model), World({...}).

    q, v, tau, fext, command are live: `world.q[2] = 1` changes the world, and the next run begins with it.
    `set` changes values of the scene, as -s on the command line.
    """

    model: Model

    def __init__(self, source: Source | Model = None, *, set: Mapping[str, Any] | None = None) -> None:
        self.model = source if isinstance(source, Model) and not set else Model(source, set=set)
        self._open(self.model._core)
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
            raise KeyError(f"no controller is called '{name}'{_near(str(name), names)}")
        if self.model.values["controllers"][index]["kind"] != "program":
            raise ValueError(f"controller '{name}' is not of the kind program")
        self._deciders[index] = _callable(function)
        self._connect()

    # ---- What is there, by name

    @property
    def body(self) -> Named[Body]:
        """Bodies by name: world.body["ball"].position."""
        return Named(self, "body", Body)

    @property
    def joint(self) -> Named[Joint]:
        """Joints by name: world.joint["hinge"].q."""
        return Named(self, "joint", Joint)

    @property
    def actuator(self) -> Named[Actuator]:
        """Actuators by name: world.actuator["motor"].effort = 1."""
        return Named(self, "actuator", Actuator)

    @property
    def tendon(self) -> Named[Tendon]:
        """Tendons by name: world.tendon["cord"].length."""
        return Named(self, "tendon", Tendon)

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


__all__ = ["Actuator", "Body", "CONTACT_DTYPE", "COMMAND", "EVENT_DTYPE", "Joint", "Named", "State", "Tendon", "World"]
