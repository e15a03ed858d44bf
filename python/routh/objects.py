"""Objects of a world by name: bodies, joints, points, actuators, tendons, sensors, loops, constraints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from routh.controllers import Moment
    from routh.world import World as Whole

    World = Union[Whole, Moment]

Floats = npt.NDArray[np.float64]
Vector = Union[Sequence[float], Floats]

#: Columns of World.command.
COMMAND = ("effort", "kp", "kd", "target", "rate", "accel", "since")




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
        self._world._apply_force(self.index, three_numbers(at), three_numbers(force))

    def jacobian(self, at: Vector = (0.0, 0.0, 0.0)) -> Floats:
        """Jacobian (3 x nv) of the velocity of a point, given in body axes [m]."""
        data = self._world._jacobian(self.index, three_numbers(at))
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
    def applied(self) -> float:
        """Effort that it applies now [N, N m]: of its command and of controllers, within its limits."""
        return float(np.frombuffer(self._world._channels([f"{self.name}.effort"]))[0])

    @property
    def state(self) -> float:
        """Its state now, of an actuator with `dynamics`; others raise a KeyError."""
        return float(np.frombuffer(self._world._channels([f"{self.name}.state"]))[0])

    def __repr__(self) -> str:
        return f"Actuator({self.name!r}, effort {self.effort})"


class Readings:
    """What has channels NAME.PART in a group of channels: `parts` are their names. Every access reads the present state."""

    _group = ""

    def __init__(self, world: World, index: int, name: str) -> None:
        self._world, self.index, self.name = world, index, name
        own = f"{name}."
        #: Names of its numbers, in the order of `values`.
        self.parts = tuple(c[len(own):] for c, _, group in world.model._all_channels() if group == self._group and c.startswith(own))

    @property
    def values(self) -> Floats:
        """All of its numbers now."""
        return self._read(self.parts)

    def _read(self, parts: Sequence[str]) -> Floats:
        return np.frombuffer(self._world._channels([f"{self.name}.{part}" for part in parts])).copy()

    def _value(self, part: str) -> float:
        return float(self._read([part])[0])

    def __getitem__(self, part: str) -> float:
        if part not in self.parts:
            raise KeyError(f"{self.name} has no part '{part}'; there are {', '.join(self.parts)}")
        return self._value(part)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.parts)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{part} {value:.6g}" for part, value in zip(self.parts, self.values))
        return f"{type(self).__name__}({self.name!r}: {numbers})"


class Sensor(Readings):
    """A sensor of a world: world.sensor["head"]["ax"], .values (all parts), .parts. What a delayed sensor reads is delayed here too."""

    _group = "sensors"


class Point(Readings):
    """A point of a world, of the section points."""

    _group = "points"

    @property
    def position(self) -> Floats:
        """Where it is [m], world axes."""
        return self._read(("x", "y", "z"))

    @property
    def velocity(self) -> Floats:
        """Its velocity [m/s], world axes."""
        return self._read(("vx", "vy", "vz"))


class Contact(Readings):
    """A contact of a world, of the section contacts: world.contact["floor"]["normal"]; of its second point: ["2.normal"]."""

    _group = "contacts"


class Loop(Readings):
    """A loop of a world: its force [N], gap [m] and, where it has them, torque [N m] and angle [rad] by their parts."""

    _group = "loops"

    @property
    def force(self) -> Floats:
        """Force on its `body` [N]."""
        return self._read(("fx", "fy", "fz"))

    @property
    def gap(self) -> float:
        """Distance of its ends [m]."""
        return self._value("gap")


class Constraint(Readings):
    """A constraint of a world, row by row."""

    _group = "loops"

    @property
    def force(self) -> Floats:
        """Forces of its rows [N, N m]."""
        return self._read([part for part in self.parts if part.startswith("force")])

    @property
    def slip(self) -> Floats:
        """Errors of its rows' velocities [m/s, rad/s]."""
        return self._read([part for part in self.parts if part.startswith("slip")])


class Tendon(Readings):
    """A tendon of a world, by name or index. Every access reads the present state."""

    _group = "actuators"

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
                near = near_names(key, self._names)
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


class ByName:
    """What a world has, by name; also what a controller sees of it."""

    def _whole(self) -> World:
        return self  # type: ignore[return-value]

    @property
    def body(self) -> Named[Body]:
        """Bodies by name: world.body["ball"].position."""
        return Named(self._whole(), "body", Body)

    @property
    def joint(self) -> Named[Joint]:
        """Joints by name: world.joint["hinge"].q."""
        return Named(self._whole(), "joint", Joint)

    @property
    def actuator(self) -> Named[Actuator]:
        """Actuators by name: world.actuator["motor"].effort = 1."""
        return Named(self._whole(), "actuator", Actuator)

    @property
    def tendon(self) -> Named[Tendon]:
        """Tendons by name: world.tendon["cord"].length."""
        return Named(self._whole(), "tendon", Tendon)

    @property
    def sensor(self) -> Named[Sensor]:
        """Sensors by name: world.sensor["head"]["ax"], world.sensor["head"].values."""
        return Named(self._whole(), "sensor", Sensor)

    @property
    def contact(self) -> Named[Contact]:
        """Contacts of the scene by name: world.contact["floor"]["normal"]; `contacts` has all points."""
        return Named(self._whole(), "contact", Contact)

    @property
    def constraint(self) -> Named[Constraint]:
        """Constraints by name: world.constraint["blade"].force."""
        return Named(self._whole(), "constraint", Constraint)

    @property
    def loop(self) -> Named[Loop]:
        """Loops by name: world.loop["pin"].force."""
        return Named(self._whole(), "loop", Loop)

    @property
    def point(self) -> Named[Point]:
        """Points by name: world.point["tip"].position."""
        return Named(self._whole(), "point", Point)


def near_names(word: str, names: Sequence[str]) -> str:
    """"; did you mean 'x'?", or "" without a near one."""
    import difflib

    near = difflib.get_close_matches(word, [n for n in names if n], 1)
    return f"; did you mean '{near[0]}'?" if near else ""


def three_numbers(x: Any) -> tuple[float, float, float]:
    """Three numbers of any sequence."""
    values = tuple(float(v) for v in x)
    if len(values) != 3:
        raise ValueError(f"three numbers are wanted, got {len(values)}")
    return values  # type: ignore[return-value]

