"""Laws by themselves, impacts, problems, comparisons, pictures, whole runs with their summary: what the verbs of the
command line do, by the same functions in this process."""

from __future__ import annotations

import contextlib
import os
import pathlib
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.call import Input, Path, answer, call, fail, sets, word, words
from routh.controllers import NAMES
from routh.measured import Progress, Series, Teller
from routh.model import Model
from routh.scene import value_text
from routh.studies import measured_words

Floats = npt.NDArray[np.float64]


def program() -> str:
    """Path of the program `routh`: that of the package, or the one on the path."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "routh")
    found = own if os.path.exists(own) else shutil.which("routh")
    if found is None:
        raise FileNotFoundError("the program routh is not there: build the package again")
    return found


def command(*arguments: str, input: str | None = None, accept: Sequence[int] = (0,)) -> str:
    """Starts the program `routh` with these arguments and returns what it prints; raises RunError with its messages.

    Every verb has a function here, which is in this process; this is for what the program prints for people.
    """
    done = subprocess.run([program(), *arguments], input=input, capture_output=True, text=True, encoding="utf-8",
                          stdin=None if input is not None else subprocess.DEVNULL, check=False)
    if done.returncode not in accept:
        error = _core.RunError(done.stderr.strip() or f"exit code {done.returncode}")
        error.status = {1: "OUTSIDE_TOLERANCE", 2: "WRONG_USAGE", 3: "INPUT_REFUSED"}.get(done.returncode, "STOPPED")
        raise error
    return done.stdout


class Friction:
    """A friction law: Friction("coulomb", mu=0.3).evaluate(...). `rows("frictions")` lists them."""

    def __init__(self, name: str, *, radius: float = 0.05, **parameters: float) -> None:
        self.name, self.radius = name, float(radius)
        self.parameters = {k: float(v) for k, v in parameters.items()}

    def evaluate(self, normal: float, slip: Sequence[float], *, depth: float = 0.0, rate: float = 0.0,
                 state: Sequence[float] = (0.0, 0.0)) -> dict[str, Any]:
        """force [N], ds, stored [J], powers [W] and margin [N] at a normal force, a slip velocity and a state."""
        numbers = (float(depth), float(rate), float(normal), *map(float, slip), *map(float, state))
        return _core.friction_force(self.name, self.parameters, numbers, self.radius)

    def __repr__(self) -> str:
        return f"Friction({self.name!r}, {', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"


class Law:
    """A contact law: Law("hunt-crossley", k=1e6, alpha=0.3). `rows("laws")` lists them with their parameters."""

    def __init__(self, name: str, *, radius: float = 0.05, **parameters: float) -> None:
        self.name, self.radius = name, float(radius)
        self.parameters = {k: float(v) for k, v in parameters.items()}
        self.evaluate(0.0)  # refuses wrong names and values

    def evaluate(self, depth: npt.ArrayLike, rate: npt.ArrayLike = 0.0) -> tuple[Floats, Floats, Floats]:
        """Elastic force [N], damping force [N] and stored energy [J] at depths [m] and rates [m/s]."""
        z, dz = np.broadcast_arrays(np.asarray(depth, float), np.asarray(rate, float))
        if not (np.isfinite(z).all() and np.isfinite(dz).all()):
            raise ValueError("depths and rates must be finite")
        out = np.empty((*z.shape, 3))
        _core.normal_force(self.name, self.parameters, self.radius, np.ascontiguousarray(z), np.ascontiguousarray(dz), out)
        return out[..., 0], out[..., 1], out[..., 2]

    def force(self, depth: npt.ArrayLike, rate: npt.ArrayLike = 0.0) -> Floats:
        """The force [N] at depths [m] and rates [m/s], arrays of any shape."""
        spring, damper, _ = self.evaluate(depth, rate)
        return np.asarray(spring + damper)

    def table(self, *, mass: float = 1.0, friction: Friction | str | None = None, **options: Any) -> dict[str, Any]:
        """All that `routh law --json` reports: parameters, impacts with their loops, friction to and fro under the weight of
        the mass. Options: speed ("0.01:10:7" or one), e ("0.8@2"), fit (a file), mu, output (a picture, .svg or .png)."""
        return self._table(mass, friction, options)

    def _table(self, mass: float, friction: Friction | str | None, options: Mapping[str, Any],
               input: Input | None = None) -> dict[str, Any]:
        given = ["law", self.name, "--json", "--mass", word(float(mass)), "--radius", word(self.radius), *words(options)]
        given += sets(self.parameters)
        if friction is not None:
            given += ["--friction", friction if isinstance(friction, str) else friction.name]
            given += sets({f"friction.{k}": v for k, v in getattr(friction, "parameters", {}).items()})
        table: dict[str, Any] = answer(call(*given, input=input, one="output" in options))
        return table

    def impacts(self, speed: Sequence[float] | Floats | float = 1.0, *, mass: float = 1.0) -> list[dict[str, Any]]:
        """Free impacts at speeds [m/s]: restitution, contact time, greatest depth and force, loops, energy lost."""
        speeds = np.atleast_1d(np.asarray(speed, float)).ravel()
        return [self._table(mass, None, {"speed": float(v)})["impacts"][0] for v in speeds]

    def _fitted(self, table: dict[str, Any], how: str) -> Law:
        fitted = {p["name"]: p["value"] for p in table["parameters"] if p["from"] == how}
        return Law(self.name, radius=self.radius, **{**self.parameters, **fitted})

    def fit(self, e: float, *, speed: float = 1.0, mass: float = 1.0) -> Law:
        """The same law with the damping that gives restitution e at this speed [m/s] of this mass [kg]."""
        table = self._table(mass, None, {"speed": float(speed), "e": f"{float(e)!r}@{float(speed)!r}"})
        return self._fitted(table, "--e")

    def fit_points(self, depth: npt.ArrayLike, rate: npt.ArrayLike, force: npt.ArrayLike) -> Law:
        """The same law with the parameters that were not given fitted to measured points: depth [m], rate [m/s], force [N]."""
        points = np.column_stack([np.ravel(np.asarray(x, float)) for x in (depth, rate, force)])
        text = "depth,rate,force\n" + "".join(",".join(map(repr, row)) + "\n" for row in points.tolist())
        return self._fitted(self._table(1.0, None, {"fit": "points.csv"}, Input.of_text("points.csv", text)), "--fit")

    def __repr__(self) -> str:
        return f"Law({self.name!r}, {', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"


def run(source: Any = None, *, record: Path | None = None, set: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """One whole run with its summary, as `routh run --json --events`; a recording is run again and compared.

    Options are those of the command line: until, engine, integrator, tol, dt, every, strict, dump, stop_at_fall, resume
    (a recording; then without a source). For a run that Python takes part in there is World. The key "wall" is seconds of
    the clock. RunError has the same summary as `error.summary` if the run stopped.
    """
    input = None if source is None else Input(source)
    given = ["run", *([] if input is None else [input.path, *input.words]), "--json", "--events", *words(options), *sets(set)]
    if "resume" not in options:
        given += ["--no-record"] if record is None else ["--output", os.fspath(record)]
    status, out, messages, errors = _core.command(given, *((input.path, input.text) if input else (None, None)))
    summary: dict[str, Any] = answer(out) if out else {}
    if status != "OK":
        error = fail(status, errors, messages)
        error.summary = summary
        raise error
    return summary


def explain(source: Any = None, *, set: Mapping[str, Any] | None = None) -> str:
    """Every value in force in a scene, with its origin, as `routh run --print-scene`."""
    input = None if source is None else Input(source)
    given = ["run", *([] if input is None else [input.path, *input.words]), "--print-scene", *sets(set)]
    return call(*given, input=input).decode()


def impact(source: Any, *, law: Sequence[str] | str | None = None, set: Mapping[str, Any] | None = None,
           **options: Any) -> dict[str, Any]:
    """One impact under each impact law, as `routh impact --json`; numbers along a path are arrays.

    `source`: a file of problems, a problem {"kind": ..., "inputs": {...}} or a list of them, or a scene in any form. Options are those of the command line: e, mu, eta2, id, nth, output (a picture), curves.
    """
    input = _problem_input(source)
    given = ["impact", input.path, "--json", *words({"law": law, **options}), *input.words, *sets(set)]
    result: dict[str, Any] = answer(call(*given, input=input, one="output" in options))
    return result


def _problem_input(source: Any) -> Input:
    """Problems of a program as a text, or what Input takes."""
    if isinstance(source, Mapping) and "kind" in source:
        source = [{"id": "problem", **source}]
    if isinstance(source, (list, tuple)):
        return Input.of_text("<problems>", "[" + ",\n".join(value_text(dict(p)) for p in source) + "]\n")
    return Input(source)


def solve(kind: str, **inputs: Any) -> dict[str, Any]:
    """Answers one problem: solve("lcp", A=..., b=...). `listing("problems")` has the kinds and their inputs."""
    answers, messages, errors = _solve([{"id": "problem", "kind": kind, "inputs": inputs}], {})
    result: dict[str, Any] = answers.get("problem", {"error": errors})
    if "error" in result:
        raise fail("INPUT_REFUSED", result["error"], messages)
    return result


def _solve(problems: Any, options: Mapping[str, Any]) -> tuple[dict[str, Any], list[_core.Message], str]:
    if isinstance(problems, (str, os.PathLike)):
        input = Input(os.fspath(problems))
        one = input.path.endswith((".h5", ".hdf5"))
    else:
        input, one = _problem_input(list(problems)), False
    given = ["solve", input.path, *words(options)]
    if one:
        return answer(call(*given, input=input, one=True, accept=("OK", "STOPPED"))), [], ""
    status, out, messages, errors = _core.command(given, input.path, input.text)
    if not out:
        raise fail(status, errors, messages)
    return answer(out), messages, errors


def solve_all(problems: Sequence[Mapping[str, Any]] | Path, **options: Any) -> dict[str, Any]:
    """Answers a list of {id, kind, inputs}, or a file of them, as `routh solve`: {id: answer}; a wrong one has the key "error".

    Options are those of the command line: only; of a file in FCLIB's layout (.hdf5) solver, tolerance.
    """
    return _solve(problems, options)[0]


def compare(first: Any, second: Path | None = None, *, set: Mapping[str, Any] | None = None, data: Any = None, free: Any = None,
            noise: Any = None, rename: Any = None, columns: Sequence[str] | None = None,
            progress: Progress = False, **options: Any) -> dict[str, Any]:
    """Two recordings with each other, one scene under several laws, or these ranked on measured `data`, as `routh compare --json`.

    Options are those of the command line: laws, frictions, impacts, methods, channel, tol, output (a picture); lists are
    joined by commas. With `data`: start, window, channels, every, folds, threads, robust; `data`, `free`, `noise`, `rename`, `columns` and
    `progress` are as in `fit`.
    """
    input = Input(first)
    series: list[Series] = []
    given = ["compare", input.path, *([] if second is None else [os.fspath(second)]), "--json", *words(options)]
    given += measured_words(data, free, noise, rename, columns, series)
    teller = Teller(progress)
    try:
        text = call(*given, *input.words, *sets(set), input=input, accept=("OK", "OUTSIDE_TOLERANCE"), one="output" in options, series=series,
                    progress=teller.call)
    finally:
        teller.end()
    result: dict[str, Any] = answer(text)
    return result


def check(source: Any = None, *, strict: bool = False, set: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Checks a scene, a robot's file or a recording without a run, as `routh check --json`: what is in it, and all messages
    under "diagnostics". SceneError where there are errors; with `strict` where there are warnings too."""
    input = None if source is None else Input(source)
    given = ["check", *([] if input is None else [input.path, *input.words]), "--json", *words({"strict": strict}), *sets(set)]
    found: dict[str, Any] = answer(call(*given, input=input))["files"][0]
    return found


def convert(source: Any, output: Path | None = None, *, set: Mapping[str, Any] | None = None) -> str:
    """A model of another format (URDF, MJCF, SDF), or a scene with all that it includes, as one scene: its text, or the file
    written, as `routh convert`."""
    input = Input(source)
    given = ["convert", input.path, *input.words, *sets(set), "--output", "-" if output is None else os.fspath(output)]
    text = call(*given, input=input)
    return text.decode() if output is None else os.fspath(output)


def paper(name: str | None = None, *, output: Path | None = None, set: Mapping[str, Any] | None = None, **options: Any) -> Any:
    """Figures of the papers once more, as `routh paper --json`: {"figures": [...]}, each with its numbers, what was expected, and
    whether all are `within` tolerance. Without a name: the list of figures.

    Options are those of the command line: figure, all, png, print_scene (the text of the figure's scene). Pictures are drawn only
    with an `output`: a folder, or FILE.html for one page.
    """
    given = ["paper", *([] if name is None else [name]), *words(options), *sets(set)]
    if options.get("print_scene"):
        return call(*given, one=True).decode()
    given += ["--json", *(["--no-picture"] if output is None and name != "all" else [])]
    given += [] if output is None else ["--output", os.fspath(output)]
    if name is None and not options:
        return answer(call(*given, one=True))["rows"]
    return answer(call(*given, one=True, accept=("OK", "OUTSIDE_TOLERANCE")))


def haptic(scene: Any, *, record: Path | None = None, set: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """A scene in real time with a device, the mouse or a simulated hand, as `routh haptic --json`: its report.

    Options are those of the command line: device, rate, until, max_force, max_torque, trace, listen, show_udp, deadline, decay,
    timeout, dry_run, strict. Ctrl-C ends it. RunError has the same report as `error.summary`.
    """
    input = Input(scene)
    given = ["haptic", input.path, *input.words, "--json", "--quiet", *words(options), *sets(set)]
    given += [] if record is None else ["--output", os.fspath(record)]
    status, out, messages, errors = _core.command(given, input.path, input.text)
    report: dict[str, Any] = answer(out) if out else {}
    if status != "OK":
        error = fail(status, errors, messages)
        error.summary = report
        raise error
    return report


def sweep(scene: Any = None, vary: Mapping[str, Any] | None = None, *, set: Mapping[str, Any] | None = None, progress: Progress = False,
          **options: Any) -> dict[str, Any]:
    """Many cases of a scene, as `routh sweep --json`: its summary, with the name of the journal; `cases` reads that.

    vary: {path: "0:1:11", "uniform(0,1)", "normal(0,1)" or a list of values}. Options are those of the command line: out, design,
    cases, seed, workers, lease, case, export, plot, of, over, output; resume="FILE.rsw" stands for the scene. Of a journal
    (FILE.rsw) without `vary`: its summary. `progress`: True for a line on standard error, or a function of (done, of, "cases"). After
    Ctrl-C the journal has what was finished.
    """
    again = scene is None and "resume" in options
    options = _without_workers(None if again else scene, set, options)
    input = None if again else Input(scene)
    given = [w for path, values in (vary or {}).items() for w in ("--vary", f"{path}={word(values)}")]
    given = [*([] if input is None else [input.path, *input.words]), *given, *sets(set)]
    teller = Teller(progress)
    try:
        text = call("sweep", "--json", *given, *words(options), input=input, one=True, progress=teller.call)
    finally:
        teller.end()
    result: dict[str, Any] = answer(text)
    return result


def _without_workers(scene: Any, set: Mapping[str, Any] | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """A controller that is a function of this program cannot be called in another process."""
    journal = scene is None or isinstance(scene, (str, os.PathLike)) and os.fspath(scene).endswith(".rsw")
    own = NAMES if journal or not NAMES else NAMES & {c["kind"] for c in Model(scene, set=set).values.get("controllers", [])}
    if own and not journal and int(options.get("workers") or 0) > 0:
        raise ValueError(f"the controller '{min(own)}' is a function of this program, which other processes cannot call: workers=0")
    return {"workers": 0, **options} if own else dict(options)


def cases(journal: Path) -> dict[str, Any]:
    """The columns of a sweep's journal in the order of the cases: arrays of numbers (NaN: not known), lists of words."""
    with contextlib.closing(sqlite3.connect(f"{pathlib.Path(journal).absolute().as_uri()}?mode=ro", uri=True)) as base:
        kinds = {name: kind for _, name, kind, *_ in base.execute("PRAGMA table_info(cases)")}
        rows = base.execute('SELECT * FROM cases ORDER BY "case"').fetchall()
    columns = list(zip(*rows)) if rows else [()] * len(kinds)
    return {name: list(column) if kind == "TEXT" else np.array(column, dtype=np.int64 if kind == "INTEGER" else np.float64)
            for (name, kind), column in zip(kinds.items(), columns)}


def listing(kind: str, name: str | None = None) -> list[dict[str, Any]]:
    """Rows of any table of `routh list`: name, doc, parameters, of problems also their outputs."""
    table = answer(call("list", kind, *([] if name is None else [name]), "--json"))
    rows: list[dict[str, Any]] = table["rows"] if "rows" in table else [table]
    return rows


def picture(recordings: Path | Sequence[Path], channels: Sequence[str] | str, output: Path | None = None, **options: Any
            ) -> str | bytes:
    """Draws channels into FILE.svg or FILE.png, the same picture as `routh plot` makes; without a file: SVG as bytes.

    Options are those of the command line: against, title, no_events. Needs gnuplot.
    """
    files = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    given = ["plot", *(os.fspath(f) for f in files), word(channels), *words(options)]
    drawn = call(*given, "--output", "-" if output is None else os.fspath(output), one=True)
    return drawn if output is None else os.fspath(output)


def page(recording: Path | Sequence[Path], output: Path | None = None, *, size: float = 4.0, shallow: bool = True) -> str:
    """The viewer with a recording, or several, as one page of HTML, as `routh view --export`: its text, or the file written.

    `size` [MB] of its numbers at most: frames are skipped evenly. `shallow`: impacts are not examined.
    """
    files = [recording] if isinstance(recording, (str, os.PathLike)) else list(recording)
    made = _core.page(files, float(size), shallow)
    if output is None:
        return made.decode()
    with open(output, "wb") as file:
        file.write(made)
    return os.fspath(output)
