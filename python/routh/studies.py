"""Values of a scene found from measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Union

from routh.call import Input, Path, answer, call, sets, word, words
from routh.measured import Progress, Series, Teller, words_of

Several = Union[str, Sequence[str]]


def measured_words(data: Any, free: Mapping[str, Any] | Several | None, noise: Mapping[str, float] | Several | None,
                   rename: Mapping[str, str] | Several | None, columns: Sequence[str] | None, series: list[Series]) -> list[str]:
    """The options of the command line for measured series and free values."""
    if isinstance(free, Mapping):
        free = [path if span is None else f"{path}={word(span[0])}:{word(span[1])}" for path, span in free.items()]
    if isinstance(noise, Mapping):
        noise = [f"{channel}={word(float(x))}" for channel, x in noise.items()]
    if isinstance(rename, Mapping):
        rename = [f"{column}={channel}" for column, channel in rename.items()]
    given = [] if data is None else ["--data", words_of(data, columns, series)]
    return given + words({"free": free or None, "noise": noise or None, "rename": rename or None})


def fit(scene: Any, data: Any, free: Mapping[str, Any] | Several | None = None, *, test: Any = None, set: Mapping[str, Any] | None = None,
        noise: Mapping[str, float] | Several | None = None, rename: Mapping[str, str] | Several | None = None,
        columns: Sequence[str] | None = None, resume: Path | None = None, output: Path | None = None, progress: Progress = False,
        **options: Any) -> dict[str, Any]:
    """Values of a scene from measurements, with intervals, as `routh fit --json`.

    `data`: trials, one or a list: files (CSV or recordings), Recordings, dicts of columns {"t": ..., "ball.z": ...}, frames of pandas (t: a
    column or the index), NumPy arrays with names (or plain ones with `columns`), dicts of such by the name of the trial; a column `trial`
    divides a table; NaN and None are missing. `free`: paths, or {path: (low, high)}. `noise`: deviations of channels; `rename`: {column:
    channel}. Without `free`: how far off the scene is. `test`: other data, on which the result is judged.
    `resume`: a file in which finished work is kept; after Ctrl-C the same call continues there. `output`: a page.
    `progress`: True for a line on standard error, or a function of (done, of, what is next), whose exceptions end the fit.
    The answer has `values`, what `flights`, `impacts` and `slides` say by themselves, the errors, and with `suggest` the `suggestions` and what was `chosen`,
    with the scene found.
    Options are those of the command line: start, window, channels, every, suggest, global_ (a word of Python without the underscore),
    folds, bootstrap, threads, slopes, robust, quick, write_scene.
    """
    input = Input(scene)
    series: list[Series] = []
    given = ["fit", input.path, *input.words, *measured_words(data, free, noise, rename, columns, series), "--json"]
    if test is not None:
        given += ["--test", words_of(test, columns, series)]
    teller = Teller(progress)
    try:
        text = call(*given, *words({"resume": resume, "output": output, **options}), *sets(set), input=input, series=series, progress=teller.call)
    finally:
        teller.end()
    found: dict[str, Any] = answer(text)
    return found
