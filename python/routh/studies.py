"""Many runs of one scene: sweeps over its values, and values found from measurements."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from routh.call import Input, Path, answer, call, sets, word, words
from routh.model import Model

Several = Union[str, Sequence[str]]


def sweep(scene: Any = None, vary: Mapping[str, Any] | None = None, out: Several | None = None, *, output: Path | None = None,
          resume: Path | None = None, workers: int = 0, set: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Many cases of a scene, as `routh sweep --json`; under the key "table" all of them as a structured array (case, status, the values,
    the outcomes).

    `vary`: values by path, each as a list or as on the command line ("0:0.5:11", "uniform(0, 1)"). `output`: the journal, to be resumed;
    without one nothing is kept. `workers` are processes of their own, which have no controllers in Python; 0: all cases in this process.
    Options are those of the command line: design, cases, seed, lease, case (this one alone), export, plot, of, over.
    """
    with tempfile.TemporaryDirectory() as folder:  # where no journal is asked for
        journal = os.fspath(resume or output or os.path.join(folder, "sweep.rsw"))
        input = None if scene is None else Input(scene)
        given = ["sweep", *([] if input is None else [input.path, *input.words]), "--json", *words({"out": out, **options}), *sets(set)]
        for path, values in (vary or {}).items():
            given += ["--vary", f"{path}={word(values)}"]
        given += ["--workers", str(int(workers)), *(["--resume", journal] if resume is not None else [] if "case" in options else ["--output", journal])]
        if workers > 0 and input is not None:
            _refuse_functions(scene, set)
        result: dict[str, Any] = answer(call(*given, input=input, one=True, accept=("OK", "OUTSIDE_TOLERANCE")))
        if "case" not in options:
            result["table"] = read_journal(journal)
            result["journal"] = journal if resume or output else None
    return result


def _refuse_functions(scene: Any, set: Mapping[str, Any] | None) -> None:
    from routh.controllers import NAMES

    own = {c["kind"] for c in Model(scene, set=set).values.get("controllers", [])} & NAMES
    if own:
        raise ValueError(f"the controller '{min(own)}' is a function of this program, which worker processes cannot call: workers=0")


def read_journal(path: Path) -> npt.NDArray[np.void]:
    """The cases of a journal of `routh sweep` (FILE.rsw) as a structured array; what is not known is NaN."""
    with sqlite3.connect(f"file:{os.fspath(path)}?mode=ro", uri=True) as database:
        columns = [(str(name), str(kind)) for _, name, kind, *_ in database.execute('pragma table_info("cases")')]
        rows = database.execute('select * from cases order by "case"').fetchall()
    database.close()
    kinds = {"INTEGER": "i8", "REAL": "f8"}
    table = np.zeros(len(rows), np.dtype([(name, kinds.get(kind, "O")) for name, kind in columns]))
    for (name, kind), column in zip(columns, zip(*rows)):
        table[name] = [np.nan if value is None and kind == "REAL" else value for value in column]
    return table


def fit(scene: Any, data: Path | Sequence[Path], free: Mapping[str, Any] | Several, *, set: Mapping[str, Any] | None = None,
        noise: Mapping[str, float] | None = None, rename: Mapping[str, str] | None = None, **options: Any) -> dict[str, Any]:
    """Values of a scene from measurements, with intervals, as `routh fit --json`.

    `data`: CSV files with t, channels, and trial where a file has several. `free`: paths, or {path: (low, high)}. `noise`: deviations
    of channels; `rename`: {column: channel}. Options are those of the command line: start, window, threads, quick.
    """
    input = Input(scene)
    files = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    pairs = free if not isinstance(free, Mapping) else [path if span is None else f"{path}={word(span[0])}:{word(span[1])}" for path, span in free.items()]
    given = ["fit", input.path, *input.words, "--data", word([os.fspath(f) for f in files]), "--free", word(pairs), "--json"]
    if noise:
        given += ["--noise", ",".join(f"{channel}={word(float(x))}" for channel, x in noise.items())]
    if rename:
        given += ["--rename", ",".join(f"{column}={channel}" for column, channel in rename.items())]
    found: dict[str, Any] = answer(call(*given, *words(options), *sets(set), input=input))
    return found


__all__ = ["fit", "read_journal", "sweep"]
