"""Measured series for the verbs that compare a scene with them: files, recordings, arrays, dicts, frames of pandas."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from routh.call import Path
from routh.recording import Recording

#: A series in memory: the name of the trial, channels, times, values (rows x channels).
Series = tuple[str, list[str], npt.NDArray[np.float64], npt.NDArray[np.float64]]
#: `progress` of a verb: True for a line on standard error, or a function of (done, of, what is next).
Progress = Union[bool, Callable[[int, int, str], Any]]


def words_of(data: Any, columns: Sequence[str] | None, series: list[Series]) -> str:
    """The words of --data for all trials; those in memory are added to `series` and called @0, @1, ..."""
    return ",".join(_words(data, columns, series, "trial", top=True))


def _words(data: Any, columns: Sequence[str] | None, series: list[Series], name: str, top: bool = False) -> list[str]:
    if isinstance(data, (str, os.PathLike)):
        return [_path(data)]
    if isinstance(data, Recording):
        return [_path(data.path)]
    table = _table(data, columns)
    if table is not None:
        return _divided(table, series, name)
    if isinstance(data, Mapping):  # trials by their names
        return [word for key, one in data.items() for word in _words(one, columns, series, str(key))]
    if isinstance(data, Sequence) or isinstance(data, np.ndarray) and data.ndim == 3:
        return [word for i, one in enumerate(data) for word in _words(one, columns, series, f"{name} {i + 1}" if top else f"{name}.{i + 1}")]
    raise TypeError(f"measured series are files, recordings, dicts of columns with t, arrays with names, or lists of these; got {type(data).__name__}")


def _path(path: Path) -> str:
    text = os.fspath(path)
    if "," in text or text.startswith("@"):
        raise ValueError(f"a file of measurements may not have a comma in its name, nor begin with @: {text!r}")
    return text


def _table(data: Any, columns: Sequence[str] | None) -> dict[str, Any] | None:
    """Columns by name, the time first; None: it is no single table."""
    if hasattr(data, "columns") and hasattr(data, "index") and hasattr(data, "to_numpy"):  # pandas
        table = {str(column): data[column].to_numpy() for column in data.columns}
        return table if _time_of(table) is not None else {"t": data.index.to_numpy(), **table}
    if isinstance(data, np.ndarray) and data.dtype.names:
        return {column: data[column] for column in data.dtype.names}
    if isinstance(data, np.ndarray) and data.ndim == 2:
        if columns is None or len(columns) != data.shape[1]:
            raise ValueError(f"an array of {data.shape[1]} columns needs their names: columns=['t', ...]")
        return dict(zip(columns, data.T))
    if isinstance(data, Mapping) and _time_of(data) is not None:
        return {str(column): values for column, values in data.items()}
    return None


def _time_of(table: Mapping[Any, Any]) -> str | None:
    found = [column for column in table if str(column).split(" [")[0] == "t"]
    return found[0] if found else None


def _numbers(column: str, values: Any, rows: int | None) -> npt.NDArray[np.float64]:
    """A column as float64: None and masked numbers are missing."""
    if isinstance(values, np.ma.MaskedArray):
        values = np.where(values.mask, np.nan, values.data)
    try:
        made = np.asarray(values, float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column '{column}' is not of numbers: {error}") from None
    if made.ndim != 1 or rows is not None and len(made) != rows:
        raise ValueError(f"column '{column}' has the shape {made.shape}; all columns have one number for each time")
    return made


def _divided(table: dict[str, Any], series: list[Series], name: str) -> list[str]:
    """The trials of a table: where its column `trial` changes another one begins, as in a file."""
    time = _time_of(table)
    assert time is not None
    t = _numbers(time, table[time], None)
    channels = [column for column in table if column not in (time, "trial")]
    values = np.empty((len(t), len(channels)))
    for i, column in enumerate(channels):
        values[:, i] = _numbers(column, table[column], len(t))
    labels = table.get("trial")
    if labels is None:
        return [_keep(series, name, channels, t, values)]
    label = np.asarray(labels).astype(str)
    if label.shape != t.shape:
        raise ValueError("column 'trial' has one name for each time")
    ends = [*(np.flatnonzero(label[1:] != label[:-1]) + 1), len(t)] if len(t) else []
    begins = [0, *ends[:-1]]
    return [_keep(series, str(label[a]), channels, t[a:b], values[a:b]) for a, b in zip(begins, ends)]


def _keep(series: list[Series], name: str, channels: list[str], t: npt.NDArray[np.float64], values: npt.NDArray[np.float64]) -> str:
    series.append((name, channels, np.ascontiguousarray(t), np.ascontiguousarray(values)))
    return f"@{len(series) - 1}"


class Teller:
    """Calls of a function, or a line on standard error, as a verb goes on."""

    def __init__(self, how: Progress) -> None:
        self.call = how if callable(how) else self._print if how else None
        self._shown = 0

    def _print(self, done: int, of: int, following: str) -> None:
        line = f"{done + 1} of {of}   {following}"
        end = "" if sys.stderr.isatty() else "\n"
        print(f"\r{line:{self._shown}}" if not end else line, end=end, file=sys.stderr, flush=True)
        self._shown = len(line)

    def end(self) -> None:
        """The end of the line."""
        if self._shown and sys.stderr.isatty():
            print(file=sys.stderr)
