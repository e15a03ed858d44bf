"""Scenes: YAML text, a file, a dict, or built up by calls named after the sections of a scene."""

from __future__ import annotations

import difflib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from routh import _core

if TYPE_CHECKING:
    from routh.model import Model

#: All sections of a scene, as `routh list sections` has them.
SECTIONS = tuple(name for name, _ in _core.sections())
#: What a scene has beside them, for fewer words (docs/language.md): files that it includes, numbers for expressions, values to copy.
FORMS = ("parameters", "templates", "include")
#: Parts of a scene that hold a list of entries.
LISTS = (*(name for name, many in _core.sections() if many), "include")
#: Parts of a scene that hold one map.
SINGLES = (*(name for name, many in _core.sections() if not many), "parameters", "templates")

Source = Union[str, "os.PathLike[str]", Mapping[str, Any], "Scene", None]


class Section(Sequence[dict[str, Any]]):
    """The entries of one section. Called with values it adds an entry and returns it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: list[dict[str, Any]] = []

    def __call__(self, **values: Any) -> dict[str, Any]:
        self.entries.append(values)
        return values

    def __getitem__(self, index: Any) -> Any:
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"{self.name}: {self.entries!r}"


class Single(dict[str, Any]):
    """A section with one map. Called with values it changes them."""

    def __call__(self, **values: Any) -> Single:
        self.update(values)
        return self


def _entry(section: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"each entry of {section} is a map of keys and values, not {type(value).__name__}")
    return dict(value)


def _is_text(source: str) -> bool:
    return "\n" in source or ": " in source or source.lstrip().startswith("{")


class Scene:
    """An editable scene.

    Scene("ball.yaml"), Scene("bodies: [...]\\n..."), Scene({"bodies": [...]}), or Scene() and calls:

        scene = Scene()
        scene.bodies(name="ball", mass=0.2)
        scene.run(until=2)
    """

    parameters: Single
    templates: Single
    include: Section
    world: Single
    bodies: Section
    joints: Section
    loops: Section
    constraints: Section
    shapes: Section
    meshes: Section
    contacts: Section
    points: Section
    actuators: Section
    tendons: Section
    tendon_parts: Section
    trajectories: Section
    keyframes: Section
    forces: Section
    events: Section
    controllers: Section
    sensors: Section
    visuals: Section
    visual_meshes: Section
    haptic: Single
    run: Single
    record: Single

    def __init__(self, source: Source = None, *, name: str | None = None) -> None:
        self.path: str | None = None
        self.source: str | None = None
        self.values: list[str] = []  # overrides path=value
        for section in LISTS:
            setattr(self, section, Section(section))
        for section in SINGLES:
            setattr(self, section, Single())
        if isinstance(source, Scene):
            self._take_scene(source)
        elif isinstance(source, Mapping):
            self._take_map(source)
        elif isinstance(source, str) and _is_text(source):
            self.source = source
        elif isinstance(source, (str, os.PathLike)):
            self.path = os.fspath(source)
        elif source is not None:
            raise TypeError(f"a scene is a path, a text, a dict or a Scene, not {type(source).__name__}")
        self.name = name or self.path or "<scene>"

    def __setattr__(self, name: str, value: Any) -> None:
        """scene.bodies = [{...}] replaces a section."""
        if name in LISTS and not isinstance(value, Section):
            section = Section(name)
            section.entries.extend(_entry(name, entry) for entry in value)
            value = section
        elif name in SINGLES and not isinstance(value, Single):
            value = Single(value)
        object.__setattr__(self, name, value)

    if not TYPE_CHECKING:
        def __getattr__(self, name: str) -> Any:
            near = difflib.get_close_matches(name, [*FORMS, *SECTIONS, "set", "text", "compile", "to_dict"], 1)
            raise AttributeError(f"a scene has no '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))

    def _take_scene(self, other: Scene) -> None:
        self.path, self.source, self.values = other.path, other.source, list(other.values)
        self._take_map(other.to_dict())

    def _take_map(self, map: Mapping[str, Any]) -> None:
        for key, value in map.items():
            section = getattr(self, key, None) if key in (*FORMS, *SECTIONS) else None
            if isinstance(section, Section):
                if not isinstance(value, Sequence) or isinstance(value, str):
                    raise TypeError(f"section {key} is a list of entries")
                section.entries.extend(_entry(key, entry) for entry in value)
            elif isinstance(section, Single):
                if not isinstance(value, Mapping):
                    raise TypeError(f"section {key} is one map of keys and values")
                section.update(value)
            else:
                raise _core.SceneError(f"no section of a scene is called '{key}'; there are {', '.join((*FORMS, *SECTIONS))}")

    def to_dict(self) -> dict[str, Any]:
        """The sections that were built up, as plain dicts and lists."""
        map: dict[str, Any] = {}
        for name in (*FORMS, *SECTIONS):
            section = getattr(self, name)
            if section:
                map[name] = [dict(e) for e in section] if isinstance(section, Section) else dict(section)
        return map

    def set(self, path: str, value: Any) -> Scene:
        """Changes a value, as -s on the command line: set("floor.mu", 0.3)."""
        self.values.append(override(path, value))
        return self

    def text(self) -> str:
        """The scene as YAML. Of a scene from a file: its text."""
        if self.source is not None:
            return self.source
        if self.path is not None:
            with open(self.path, encoding="utf-8") as file:
                return file.read()
        return write_yaml(self.to_dict())

    def compile(self) -> Model:
        """Checks everything and makes a model. Raises SceneError with all messages at once."""
        from routh.model import Model

        return Model(self)

    def __repr__(self) -> str:
        built = ", ".join(f"{len(getattr(self, n))} {n}" for n in LISTS if len(getattr(self, n)))
        return f"Scene({self.name!r}{': ' + built if built else ''})"


def value_text(value: Any) -> str:
    """A value of a scene in YAML, numbers with all their digits."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
        return value_text(value)
    if isinstance(value, float):
        if math.isnan(value):
            return ".nan"
        return repr(value) if math.isfinite(value) else (".inf" if value > 0 else "-.inf")
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(str(k))}: {value_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(value_text, value)) + "]"
    if isinstance(value, os.PathLike):
        return json.dumps(os.fspath(value), ensure_ascii=False)
    raise TypeError(f"a value of a scene is a number, a text, a list or a dict, not {type(value).__name__}")


def override(path: str, value: Any) -> str:
    """path=value, as -s on the command line takes it."""
    text = value if isinstance(value, str) else value_text(value)
    if "\n" in path or "\n" in text:
        raise ValueError("a path and its value are one line")
    return f"{path}={text}"


def _lines(map: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Lines of YAML, each with the path of what it has: one value a line, so that messages name it."""
    for section, value in map.items():
        yield f"{section}:", section
        if isinstance(value, Mapping):
            for key, one in value.items():
                yield f"  {json.dumps(str(key))}: {value_text(one)}", f"{section}.{key}"
            continue
        for index, entry in enumerate(value):
            lead = "  - "
            for key, one in entry.items():
                yield f"{lead}{json.dumps(str(key))}: {value_text(one)}", f"{section}.{index}.{key}"
                lead = "    "


def write_yaml(map: Mapping[str, Any]) -> str:
    """A dict of sections as YAML, one value a line."""
    return "".join(line + "\n" for line, _ in _lines(map)) or "{}\n"
