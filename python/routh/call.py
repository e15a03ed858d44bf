"""Verbs of the command line inside this process: their words, their JSON as Python objects, their errors as exceptions."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np

from routh import _core
from routh.model import Model
from routh.scene import Scene, override

Path = Union[str, "os.PathLike[str]"]

#: Statuses that are the fault of what was given.
_REFUSED = ("WRONG_USAGE", "INPUT_REFUSED", "OVER_LIMIT")
#: gnuplot's pipes and HDF5 are for one thread at a time.
_ONE = threading.Lock()


class Input:
    """A scene or a problem file as a word of a verb: a path, or a text that exists in memory only."""

    def __init__(self, source: Any) -> None:
        self.path: str
        self.text: str | None = None
        self.words: list[str] = []
        if isinstance(source, Model):
            self.path, self.text = source.name, source.text
        elif isinstance(source, os.PathLike):
            self.path = os.fspath(source)
        else:
            scene = source if isinstance(source, Scene) else Scene(source)
            self.words = [word for value in scene.values for word in ("-s", value)]
            self.path = scene.path or scene.name
            self.text = None if scene.path else scene.text()

    @classmethod
    def of_text(cls, name: str, text: str) -> Input:
        """A text with a name of its own in messages."""
        made = cls.__new__(cls)
        made.path, made.text, made.words = name, text, []
        return made


def sets(values: Mapping[str, Any] | None) -> list[str]:
    """-s path=value of each."""
    return [word for path, value in (values or {}).items() for word in ("-s", override(path, value))]


def words(options: Mapping[str, Any]) -> list[str]:
    """Options of a verb: names with underscores, lists joined by commas, True for a flag; None and False: not given."""
    made: list[str] = []
    for key, value in options.items():
        name = "--" + key.rstrip("_").replace("_", "-")
        if value is True:
            made.append(name)
        elif value is not None and value is not False:
            made += [name, word(value)]
    return made


def word(value: Any) -> str:
    """A value of an option."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, Sequence) or hasattr(value, "tolist") and np.ndim(value) > 0:
        return ",".join(map(word, value))
    return repr(float(value)) if isinstance(value, (float, np.floating)) else str(value)


def fail(status: str, text: str, messages: list[_core.Message]) -> _core.Error:
    """The exception of a status: SceneError for what was given wrong, else RunError; both have all messages."""
    error = (_core.SceneError if status in _REFUSED else _core.RunError)(text.removeprefix("error: ") or status)
    error.status = status
    error.messages = messages
    return error


def call(*given: str, input: Input | None = None, accept: Sequence[str] = ("OK",), one: bool = False,
         poll: Callable[[bytes], Any] | None = None, series: Sequence[Any] = (), progress: Callable[[int, int, str], Any] | None = None) -> bytes:
    """Runs a verb and returns what it prints. `one`: it uses what is for one thread at a time; `poll` is asked whether to end, `series` are
    its data in memory, `progress` is told of counted work."""
    name, text = (input.path, input.text) if input is not None else (None, None)
    alone: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if one:
        alone = _ONE
    with alone:
        status, out, messages, errors = _core.command(given, name, text, poll, series, progress)
    if status not in accept:
        raise fail(status, errors, messages)
    return out


def answer(text: bytes) -> Any:
    """JSON as Python objects; lists of numbers are arrays, null among them is NaN."""
    return _arrays(json.loads(text))


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, (int, float)) and not isinstance(value, bool)


def _arrays(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _arrays(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    if value and all(map(_is_number, value)):
        return np.array(value, float) if any(one is not None for one in value) else value
    made = [_arrays(one) for one in value]
    rows = made and all(isinstance(one, np.ndarray) for one in made) and len({one.shape for one in made}) == 1
    return np.array(made) if rows else made
