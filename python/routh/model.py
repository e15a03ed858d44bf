"""Models: compiled scenes, never changed, shared by worlds and threads; their values by path."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from routh import _core
from routh.objects import near_names
from routh.scene import LISTS, Scene, Source, override, write_yaml


def _scalar(text: str) -> Any:
    if text.startswith('"'):
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    if text in ("yes", "no"):
        return text == "yes"
    if text == "-0":
        return -0.0  # a whole number has no sign then
    if text in (".inf", "-.inf"):
        return float(text.replace(".inf", "inf"))
    if text[:1] not in "+-.0123456789":  # float() would take names like nan and infinity
        return text
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _value(text: str) -> Any:
    if text.startswith("["):
        inside = text[1:-1].strip()
        return [_scalar(x.strip()) for x in inside.split(",")] if inside else []
    return _scalar(text)


def read_written(text: str) -> dict[str, Any]:
    """The scene as the library writes it with every value in force: one value a line."""
    sections: dict[str, Any] = {}
    entry: dict[str, Any] = {}
    name = ""
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith(" "):
            name = line.rstrip(":")
            entry = {}
            sections[name] = [] if name in LISTS else entry
            continue
        if line.startswith("  - "):
            entry = {}
            sections[name].append(entry)
        key, _, value = line[2:].lstrip(" -").partition(": ")
        while value.startswith("[") and not value.endswith("]"):  # a long list has several lines
            value += " " + next(lines).strip()
        entry[key] = _value(value)
    return sections


class Model:
    """A compiled scene: Model("ball.yaml"), Model(scene), Model(text), Model({...}).

    `set` changes values, as -s on the command line: Model("ball.yaml", set={"floor.mu": 0.3}).
    model["floor.mu"] reads any value in force. Raises SceneError with all messages at once.
    """

    def __init__(self, source: Source | Model = None, *, set: Mapping[str, Any] | None = None,
                 name: str | None = None) -> None:
        sets = [override(k, v) for k, v in (set or {}).items()]
        if isinstance(source, Model):
            self._core = _core.compile(source.text, name or source.name, sets)
        else:
            scene = source if isinstance(source, Scene) else Scene(source, name=name)
            self._core = _compile(scene, sets)
        self._sizes = self._core.sizes()
        self._values: dict[str, Any] | None = None
        self._channels: list[tuple[str, str, str]] | None = None

    @property
    def text(self) -> str:
        """The scene with every value in force."""
        return self._core.text

    @property
    def name(self) -> str:
        """Name of the scene in messages and recordings."""
        return self._core.name

    @property
    def warnings(self) -> list[_core.Message]:
        """Warnings and notes about the scene."""
        return self._core.messages

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return int(self._sizes["nq"])

    @property
    def nv(self) -> int:
        """Number of velocities: degrees of freedom."""
        return int(self._sizes["nv"])

    @property
    def nbody(self) -> int:
        """Number of bodies, the world included."""
        return int(self._sizes["nbody"])

    @property
    def nactuator(self) -> int:
        """Number of actuators."""
        return int(self._sizes["nactuator"])

    @property
    def nstate(self) -> int:
        """Numbers of the restart state."""
        return int(self._sizes["nstate"])

    @property
    def until(self) -> float:
        """End of a run [s]: run.until of the scene."""
        return float(self._sizes["until"])

    @property
    def every(self) -> float:
        """Time between frames [s]: record.every of the scene."""
        return float(self._sizes["every"])

    @property
    def dt(self) -> float:
        """Time that one step() goes on [s]: run.dt, or under the engine event record.every."""
        return float(self._sizes["step"])

    @property
    def engine(self) -> str:
        """Name of the engine."""
        return str(self._sizes["engine"])

    @property
    def channels(self) -> dict[str, str]:
        """Names of all channels with their units."""
        return {name: unit for name, unit, _ in self._all_channels()}

    @property
    def groups(self) -> dict[str, str]:
        """Names of all channels with their groups, as `routh list groups` has them; the time is in none."""
        return {name: group for name, _, group in self._all_channels()}

    def _all_channels(self) -> list[tuple[str, str, str]]:
        if self._channels is None:
            self._channels = self._core.channels()
        return self._channels

    def names(self, kind: str) -> list[str]:
        """Names of the objects of a kind: body, joint, point, actuator, force, event, shape, contact, ..."""
        return self._core.names(kind)

    @property
    def values(self) -> dict[str, Any]:
        """All values in force, by section: values["bodies"][0]["mass"]."""
        if self._values is None:
            self._values = read_written(self.text)
        return self._values

    def _entries(self, name: str) -> Iterator[dict[str, Any]]:
        for section in LISTS:
            for entry in self.values.get(section, []):
                own = entry.get("name") or (entry.get("child") if section == "joints" else None)
                if own == name:
                    yield entry

    def __getitem__(self, path: str) -> Any:
        parts = path.split(".")
        at: Any = self.values.get(parts[0])
        if at is None:
            found = [e for e in self._entries(parts[0]) if len(parts) < 2 or parts[1] in e]
            if len(found) > 1:
                raise KeyError(f"'{path}' is ambiguous: name the section too")
            if not found:
                raise KeyError(self._missing(path))
            at = found[0]
        for part in parts[1:]:
            if isinstance(at, list) and part.isdigit() and int(part) < len(at):
                at = at[int(part)]
            elif isinstance(at, list):
                named = [e for e in at if isinstance(e, dict) and (e.get("name") or e.get("child")) == part]
                if len(named) != 1:
                    raise KeyError(self._missing(path))
                at = named[0]
            elif isinstance(at, dict) and part in at:
                at = at[part]
            else:
                raise KeyError(self._missing(path))
        return at

    def _missing(self, path: str) -> str:
        """Why there is no such value, with a near one."""
        near = [f"{before}{name}.{key}" for section in LISTS for entry in self.values.get(section, [])
                for name in [entry.get("name") or entry.get("child")] if name for key in entry if key != "name"
                for before in ("", f"{section}.")]
        near += [f"{section}.{key}" for section, one in self.values.items() if isinstance(one, dict) for key in one]
        return f"no value is called '{path}'{near_names(path, near)}"

    def with_values(self, values: Mapping[str, Any]) -> Model:
        """The same scene with other values, a new model: with_values({"floor.mu": 0.3})."""
        return Model(self, set=values)

    def same_layout(self, other: Model) -> bool:
        """Is a state of this model a state of the other?"""
        return self._core.same_layout(other._core)

    def __reduce__(self) -> Any:
        return (_unpickle, (self.text, self.name))

    def __repr__(self) -> str:
        bodies = f"{self.nbody - 1} bod{'y' if self.nbody == 2 else 'ies'}"
        return f"Model({self.name!r}: {bodies}, nq {self.nq}, nv {self.nv}, engine {self.engine})"


def _unpickle(text: str, name: str) -> Model:
    return Model(Scene(text), name=name) if text.strip() else Model(Scene())


def _compile(scene: Scene, sets: list[str]) -> _core.Model:
    sets = [*scene.values, *sets]
    built = scene.to_dict()
    if scene.source is None and scene.path is None:
        return _core.compile(write_yaml(built), scene.name, sets)
    if built:
        raise _core.SceneError("a scene from a file or a text is changed by set(), not by calls")
    if scene.source is not None:
        return _core.compile(scene.source, scene.name, sets)
    assert scene.path is not None
    return _core.compile(None, os.fspath(scene.path), sets)
