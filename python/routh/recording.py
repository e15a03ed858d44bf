"""Recordings: channels and events as arrays, the ledger, frames as worlds, resume, replay, export."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.model import Model
from routh.objects import near_names
from routh.scene import Scene

if TYPE_CHECKING:
    from routh.world import World

Floats = npt.NDArray[np.float64]

#: Columns of the events of a world or a recording.
EVENT_DTYPE = np.dtype([
    ("t", "f8"), ("kind", "U16"), ("name", "U64"), ("dof", "i4"), ("slot", "i4"), ("point", "f8", 3), ("before", "f8"),
    ("after", "f8"), ("impulse", "f8"), ("friction", "f8"), ("Dn", "f8"), ("Dt", "f8"), ("work", "f8"),
    ("note", "U200"), ("bodies", "i4", 2),
])


def events_array(events: Sequence[Any]) -> npt.NDArray[np.void]:
    """Events as a structured array (EVENT_DTYPE)."""
    return np.array([tuple(e) for e in events], EVENT_DTYPE)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("this needs pandas (Debian: python3-pandas)") from error
    return pandas


class Recording(_core.Recording):
    """A recording: Recording("ball.rhr"). rec["ball.z"] is an array over all frames, rec.events a structured array."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._open(self.path)
        self._units = {name: unit for name, unit, _ in self._channels()}
        self._kept: dict[str, Floats] = {}
        self._frames = self._counts()[0]

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Number of frames."""
        return self._frames

    @property
    def channels(self) -> dict[str, str]:
        """Names of all channels with their units."""
        return dict(self._units)

    @property
    def groups(self) -> dict[str, str]:
        """Names of all channels with their groups, as `routh list groups` has them; the time is in none."""
        return {name: group for name, _, group in self._channels()}

    @property
    def model(self) -> Model:
        """The model, compiled from the scene inside."""
        return Model(Scene(self.meta("scene") or "", name=self.meta("scene_name") or self.path))

    def table(self, names: Sequence[str], first: int = 0, end: int | None = None) -> Floats:
        """Values of channels over frames (frames x names)."""
        last = self._frames if end is None else end
        names = list(names)
        return np.frombuffer(self._table(names, first, last)).reshape(last - first, len(names)).copy()

    def __getitem__(self, name: str) -> Floats:
        if name not in self._units:
            raise KeyError(f"no channel is called '{name}'{near_names(name, list(self._units))}")
        if name not in self._kept:
            self._kept[name] = self.table([name])[:, 0]
        return self._kept[name]

    def __contains__(self, name: object) -> bool:
        return name in self._units

    def __iter__(self) -> Iterator[str]:
        return iter(self._units)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._units)

    @property
    def time(self) -> Floats:
        """Times of the frames [s]."""
        return self["t"] if "t" in self._units else self["time"]

    @property
    def events(self) -> npt.NDArray[np.void]:
        """All events, as a structured array (EVENT_DTYPE)."""
        return events_array(self._events())

    @property
    def ledger(self) -> dict[str, Floats]:
        """The energy ledger over all frames [J], by entry."""
        names = [n for n in self._units if n.startswith("energy.")]
        table = self.table(names)
        return {n.removeprefix("energy."): table[:, i] for i, n in enumerate(names)}

    @property
    def hash(self) -> str:
        """Hash over all frames, as `routh run` prints it."""
        return f"{self._frame(self._frames - 1)[1]:016x}" if self._frames else "0" * 16

    @property
    def ended(self) -> str | None:
        """How the run ended, a name of a status; None: it has not."""
        return self.meta("ended")

    def state(self, frame: int) -> Floats:
        """The restart state of a frame (nstate)."""
        return np.frombuffer(self._frame(range(self._frames)[frame])[0]).copy()

    def world(self, frame: int = -1) -> World:
        """A world in the state of a frame, from which it can run on."""
        from routh.world import State, World

        index = range(self._frames)[frame]
        world = World(self.model)
        model = world.model
        world.restore(State(index + 1, self._frame(index)[0], bytes(8 * model.nv), bytes(48 * model.nbody)))
        world._recorded = self.path
        return world

    def refresh(self) -> int:
        """Counts the frames again, of a file that another program writes; returns their number."""
        self._frames = self._counts()[0]
        self._kept.clear()
        return self._frames

    def replay(self, until: float | None = None) -> dict[str, Any]:
        """The run again, with the inputs of a live run: frames with the same hash, the first that differs (None: none)."""
        self._warn_of_program("replay")
        last = float(self.time[-1]) if until is None and self._frames else -1.0
        result = _core.repeat(self.path, last if until is None else until, False)
        result["differs"] = None if result["differs"] < 0 else result["differs"]
        result["hash"] = f"{result['hash']:016x}"
        return result

    def _warn_of_program(self, what: str) -> None:
        for controller in self.model.values.get("controllers", []):
            if controller["kind"] == "program":
                warnings.warn(f"controller '{controller['name']}' is decided by a program: {what} leaves its efforts as they are. To run on with "
                              "the program, take world(frame) and connect it", RuntimeWarning, stacklevel=3)

    def resume(self, until: float | None = None) -> Recording:
        """Continues the run in the file itself, bit for bit as if it had never been cut; returns it, opened anew."""
        self._warn_of_program("resume")
        self.close()
        _core.repeat(self.path, -1.0 if until is None else until, True)
        self.__init__(self.path)  # type: ignore[misc]
        return self

    def export(self, path: str | os.PathLike[str], channels: Sequence[str] = (), *, groups: Sequence[str] | str = (),
               format: str | None = None) -> str:
        """Writes channels as CSV, or as HDF5 by the ending .h5 or the format; the same file as `routh export` writes."""
        from routh.call import call, words

        name = os.fspath(path)
        given = words({"channels": list(channels) or None, "groups": groups if groups else None, "format": format})
        call("export", self.path, "--output", name, *given, one=True)
        return name

    def picture(self, *channels: str, output: str | os.PathLike[str] | None = None, **options: Any) -> str | bytes:
        """The picture that `routh plot` makes, into a file or as bytes of SVG; see routh.picture."""
        from routh.tools import picture

        return picture(self.path, channels, output, **options)

    def to_pandas(self, channels: Sequence[str] | None = None) -> Any:
        """A DataFrame of channels (all without a list), indexed by time. Needs pandas."""
        pandas = _pandas()
        names = list(self._units) if channels is None else list(channels)
        return pandas.DataFrame(self.table(names), columns=names, index=pandas.Index(self.time, name="t"))

    def events_to_pandas(self) -> Any:
        """A DataFrame of the events, one row each; a point and the bodies are columns of their own. Needs pandas."""
        pandas = _pandas()
        events = self.events
        columns: dict[str, Any] = {}
        for name in EVENT_DTYPE.names or ():
            wide = EVENT_DTYPE[name].shape
            columns.update({f"{name}{i}": events[name][:, i] for i in range(wide[0])} if wide else {name: events[name]})
        return pandas.DataFrame(columns)

    def plot(self, *channels: str, **options: Any) -> Any:
        """Plots channels over time; see routh.plot."""
        from routh.plot import plot

        return plot(self, *channels, **options)

    def _repr_html_(self) -> str:
        from routh.display import recording_html

        return recording_html(self)

    def __repr__(self) -> str:
        return f"Recording({self.path!r}, {self._frames} frames)"


def open(path: str | os.PathLike[str]) -> Recording:  # noqa: A001
    """Opens a recording."""
    return Recording(path)
