"""Controllers that scenes name: a function of a Python program is a kind of controller, beside those of `routh list controllers`."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

import numpy as np

from routh import _core
from routh.objects import ByName, Floats, Vector

if TYPE_CHECKING:
    from routh.objects import World

#: What a controller returns: efforts of all actuators (nactuator) [N, N m]; None: zero.
Efforts = Union[Sequence[float], Floats, None]
Decide = Callable[["Moment"], Efforts]
#: A parameter: its default; or default and unit; or default, unit, least and most.
Parameter = Union[float, tuple[float, str], tuple[float, str, float, float]]

_GREATEST = 1e300
#: Names of the kinds that are functions of this program.
NAMES: set[str] = set()


class _Model:
    """Names in the model of a moment."""

    def __init__(self, raw: _core.Moment) -> None:
        self._raw = raw
        self._core = self

    def names(self, kind: str) -> list[str]:
        return self._raw._names(kind)

    def joints(self) -> list[tuple[int, int, int, int, int]]:
        return self._raw._joints()

    def _all_channels(self) -> list[tuple[str, str, str]]:
        return self._raw._channel_list()


class Moment(ByName):
    """A world at the instant at which a controller decides, for as long as its function is called: by name, as of a World, read only.

    Parameters of the controller are attributes: now.kp. `memory` belongs to this controller of this world and is part of its state:
    what a function has to remember stands there, so that it is saved, restored and the same for any number of threads.
    """

    def __init__(self, raw: _core.Moment, parameters: Sequence[str], memory: int) -> None:
        self._raw = raw
        self._parameters = parameters
        self.model = _Model(raw)
        #: Numbers of this controller that last (memory), zero at first; what is written here is kept.
        self.memory: Floats = self._array("memory")[:memory].copy()

    def _whole(self) -> World:
        return self

    def _array(self, name: str) -> Floats:
        return np.frombuffer(self._raw._array(name))

    @property
    def t(self) -> float:
        """Time [s]."""
        return float(self._array("t")[0])

    @property
    def q(self) -> Floats:
        """Coordinates (nq), a copy."""
        return self._array("q")

    @property
    def v(self) -> Floats:
        """Velocities (nv), a copy."""
        return self._array("v")

    @property
    def tau(self) -> Floats:
        """Not for controllers: they return efforts."""
        raise AttributeError("a controller returns efforts; tau is the program's")

    @property
    def command(self) -> Floats:
        """Commands of the actuators (nactuator x 7), a copy; the columns are routh.world.COMMAND."""
        return self._array("command").reshape(-1, 7)

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the controller's parameters in the scene."""
        return dict(zip(self._parameters, self._array("parameters").tolist()))

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name not in self._parameters:
            raise AttributeError(f"a moment has no '{name}', and the controller no such parameter")
        return self.parameters[name]

    def bodies(self) -> Floats:
        """Position, attitude (row major), velocity, angular velocity of all bodies (nbody x 18), world axes."""
        return np.frombuffer(self._raw._bodies()).reshape(-1, 18)

    def channels(self, names: Sequence[str]) -> dict[str, float]:
        """Values of channels now, by name."""
        wanted = list(names)
        return dict(zip(wanted, np.frombuffer(self._channels(wanted)).tolist()))

    def mass_matrix(self) -> Floats:
        """Joint-space inertia H (nv x nv)."""
        return np.frombuffer(self._raw._dynamics("mass")).reshape(len(self.v), -1)

    def bias(self) -> Floats:
        """Coriolis, centrifugal and gravity terms (nv)."""
        return np.frombuffer(self._raw._dynamics("bias"))

    def _channels(self, names: Sequence[str]) -> bytes:
        return self._raw._channels(names)

    def _jacobian(self, body: int, at: tuple[float, float, float]) -> bytes:
        return self._raw._jacobian(body, at)

    def _apply_force(self, body: int, at: Vector, force: Vector) -> None:
        raise RuntimeError("a controller returns efforts; it applies no forces")

    def __repr__(self) -> str:
        return "Moment()"


def _parameter(name: str, value: Parameter) -> tuple[str, str, float, float, float]:
    given: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
    if not re.fullmatch(r"[A-Za-z]\w{0,60}", name) or len(given) not in (1, 2, 4):
        raise ValueError(f"a parameter is NAME=default, (default, unit) or (default, unit, least, most), got {name}={value!r}")
    if name in _reserved():
        raise ValueError(f"'{name}' is a field of every controller; choose another name for the parameter")
    default, unit, least, most = given + ("1", -_GREATEST, _GREATEST)[len(given) - 1:]
    numbers = float(default), float(least), float(most)
    if not np.isfinite(numbers).all() or not numbers[1] <= numbers[0] <= numbers[2]:
        raise ValueError(f"the default of {name} is not within {least} .. {most}: {default}")
    return name, str(unit), *numbers


@functools.cache
def _reserved() -> frozenset[str]:
    from routh.tools import listing

    fields = listing("sections", "controllers")[0]["parameters"]
    own = {name for name in dir(Moment) if not name.startswith("_")} | {"memory", "model"}
    return frozenset(str(field["name"]) for field in fields) | frozenset(own)


@overload
def controller(function: Decide, /) -> Decide: ...
@overload
def controller(*, name: str | None = ..., memory: int = ..., **parameters: Parameter) -> Callable[[Decide], Decide]: ...


def controller(function: Decide | None = None, /, *, name: str | None = None, memory: int = 0, **parameters: Parameter) -> Any:
    """Makes a function a kind of controller that scenes name; a decorator, bare or with parameters:

        @routh.controller(kp=(100, "N/m"), kd=10.0)
        def spring(now):
            return [-now.kp * now.q[0] - now.kd * now.v[0]]

    and in a scene `controllers: [{kind: spring, rate: 200, kp: 50}]`. The function gets a Moment at the rate of the controller and
    returns the efforts of all actuators, which are part of the state. It holds for this process: worlds, batches, verbs, recordings that are
    run again. `memory`: how many numbers of its own it has. A second function of the same name, parameters and memory replaces the first.
    """
    if function is None:
        return functools.partial(_add, name, memory, parameters)
    return _add(None, 0, {}, function)


def _add(name: str | None, memory: int, parameters: dict[str, Parameter], function: Decide) -> Decide:
    if not callable(function):
        raise TypeError(f"a function is wanted, not {type(function).__name__}")
    kind = str(name or getattr(function, "__name__", ""))
    if not re.fullmatch(r"[A-Za-z][\w-]{0,60}", kind):
        raise ValueError(f"'{kind}' is no name for a controller: letters, digits, - and _; give it by name=")
    listed = [_parameter(key, value) for key, value in parameters.items()]
    own = tuple(parameters)

    def decide(raw: _core.Moment) -> Efforts:
        now = Moment(raw, own, memory)
        efforts = function(now)
        if memory > 0:
            raw._keep(np.ascontiguousarray(now.memory, float).tobytes())
        return efforts

    words = (inspect.getdoc(function) or "a function of a Python program").split("\n")[0]
    _core.add_controller(kind, words, listed, max(int(memory), 1), decide)
    NAMES.add(kind)
    return function
