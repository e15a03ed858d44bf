"""Values of a scene found from measurements."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from routh.call import Input, Path, answer, call, sets, word, words

Several = Union[str, Sequence[str]]


def fit(scene: Any, data: Path | Sequence[Path], free: Mapping[str, Any] | Several | None = None, *, set: Mapping[str, Any] | None = None,
        noise: Mapping[str, float] | None = None, rename: Mapping[str, str] | None = None, **options: Any) -> dict[str, Any]:
    """Values of a scene from measurements, with intervals, as `routh fit --json`.

    `data`: CSV files with t, channels, and trial where a file has several. `free`: paths, or {path: (low, high)}. `noise`: deviations
    of channels; `rename`: {column: channel}. Without `free`: how far off the
    scene is. Options are those of the command line: start, window, test, global_ (a word of Python without the underscore), folds,
    bootstrap, threads, robust, quick.
    """
    input = Input(scene)
    files = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    pairs = free if not isinstance(free, Mapping) else [path if span is None else f"{path}={word(span[0])}:{word(span[1])}" for path, span in free.items()]
    given = ["fit", input.path, *input.words, "--data", word([os.fspath(f) for f in files]), *words({"free": pairs}), "--json"]
    if noise:
        given += ["--noise", ",".join(f"{channel}={word(float(x))}" for channel, x in noise.items())]
    if rename:
        given += ["--rename", ",".join(f"{column}={channel}" for column, channel in rename.items())]
    found: dict[str, Any] = answer(call(*given, *words(options), *sets(set), input=input))
    return found
