"""Laws by themselves, impacts, problems, comparisons, pictures: laws in the library, the rest by the program
`routh` that the package carries, whose numbers are read back to the same bits."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from routh import _core
from routh.scene import Scene

Floats = npt.NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]


def program() -> str:
    """Path of the program `routh`: that of the package, or the one on the path."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "routh")
    found = own if os.path.exists(own) else shutil.which("routh")
    if found is None:
        raise FileNotFoundError("the program routh is not there: build the package again")
    return found


def command(*arguments: str, input: str | None = None, accept: Sequence[int] = (0,)) -> str:
    """Runs `routh` with these arguments and returns what it prints; raises RunError with its messages."""
    done = subprocess.run([program(), *arguments], input=input, capture_output=True, text=True, encoding="utf-8",
                          stdin=None if input is not None else subprocess.DEVNULL, check=False)
    if done.returncode not in accept:
        error = _core.RunError(done.stderr.strip() or _refusal(done.stdout) or f"exit code {done.returncode}")
        error.status = {1: "OUTSIDE_TOLERANCE", 2: "WRONG_USAGE", 3: "INPUT_REFUSED"}.get(done.returncode, "STOPPED")
        raise error
    return done.stdout


def _refusal(text: str) -> str:
    try:
        return "\n".join(d["message"] for d in json.loads(text).get("diagnostics", []))
    except (ValueError, KeyError, AttributeError):
        return ""


def _sets(set: Mapping[str, Any] | None) -> list[str]:
    from routh.scene import override

    return [word for path, value in (set or {}).items() for word in ("-s", override(path, value))]


class _File:
    """A scene as a file that the program can read: its own, or a temporary one."""

    def __init__(self, source: Any) -> None:
        self.made: str | None = None
        scene = None if isinstance(source, os.PathLike) else Scene(source)
        if scene is not None and scene.path is None:
            handle, self.made = tempfile.mkstemp(suffix=".yaml")
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(scene.text())
        self.path = self.made or os.fspath(scene.path if scene is not None and scene.path else source)
        self.sets = [w for v in (scene.values if scene is not None else []) for w in ("-s", v)]

    def __enter__(self) -> _File:
        return self

    def __exit__(self, *_: object) -> None:
        if self.made:
            os.unlink(self.made)


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

    def impacts(self, speed: Sequence[float] | float = 1.0, *, mass: float = 1.0) -> list[dict[str, Any]]:
        """Free impacts at speeds [m/s]: restitution, contact time, greatest depth and force, loops, energy lost."""
        speeds = [speed] if isinstance(speed, (int, float)) else list(speed)
        return [self._table(v, mass)["impacts"][0] for v in speeds]

    def fit(self, e: float, *, speed: float = 1.0, mass: float = 1.0) -> Law:
        """The same law with the damping that gives restitution e at this speed [m/s] of this mass [kg]."""
        table = self._table(speed, mass, "--e", f"{float(e)!r}@{float(speed)!r}")
        fitted = {p["name"]: p["value"] for p in table["parameters"] if p["from"] == "--e"}
        return Law(self.name, radius=self.radius, **{**self.parameters, **fitted})

    def _table(self, speed: float, mass: float, *more: str) -> dict[str, Any]:
        words = ["law", self.name, "--json", "--mass", repr(float(mass)), "--radius", repr(self.radius),
                 "--speed", repr(float(speed)), *_sets(self.parameters), *more]
        table: dict[str, Any] = json.loads(command(*words))
        return table

    def __repr__(self) -> str:
        return f"Law({self.name!r}, {', '.join(f'{k}={v!r}' for k, v in self.parameters.items())})"


class Friction:
    """A friction law: Friction("coulomb", mu=0.3).force(...). `rows("frictions")` lists them."""

    def __init__(self, name: str, *, radius: float = 0.05, **parameters: float) -> None:
        self.name, self.radius = name, float(radius)
        self.parameters = {k: float(v) for k, v in parameters.items()}

    def evaluate(self, normal: float, slip: Sequence[float], *, depth: float = 0.0, rate: float = 0.0,
                 state: Sequence[float] = (0.0, 0.0)) -> dict[str, Any]:
        """force [N], ds, stored [J], powers [W] and margin [N] at a normal force, a slip velocity and a state."""
        numbers = (float(depth), float(rate), float(normal), *map(float, slip), *map(float, state))
        return _core.friction_force(self.name, self.parameters, numbers, self.radius)


def impact(source: Any, *, law: Sequence[str] | str | None = None, set: Mapping[str, Any] | None = None,
           **options: Any) -> dict[str, Any]:
    """One impact under each impact law: of a problem file or of a scene, as `routh impact --json`.

    Options are those of the command line: e, mu, eta2, id, nth.
    """
    words: list[str] = []
    if law is not None:
        words += ["--law", law if isinstance(law, str) else ",".join(law)]
    for key, value in options.items():
        words += [f"--{key}", str(value)]
    with _File(source) as file:
        result: dict[str, Any] = json.loads(command("impact", file.path, "--json", *words, *file.sets, *_sets(set)))
    return result


def solve(kind: str, **inputs: Any) -> dict[str, Any]:
    """Answers one problem: solve("lcp", A=..., b=...). `routh list problems` lists the kinds and their inputs."""
    answer: dict[str, Any] = solve_all([{"id": "problem", "kind": kind, "inputs": inputs}])["problem"]
    if "error" in answer:
        raise _core.SceneError(answer["error"])
    return answer


def solve_all(problems: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Answers a list of {id, kind, inputs}, as `routh solve`: {id: answer}; a wrong one has the key "error"."""
    from routh.scene import value_text

    text = "[" + ",\n".join(value_text(dict(p)) for p in problems) + "]\n"
    answers: dict[str, Any] = json.loads(command("solve", "-", input=text, accept=(0, 3)))
    return answers


def compare(first: Any, second: Path | None = None, *, set: Mapping[str, Any] | None = None, **options: Any) -> dict[str, Any]:
    """Two recordings with each other, or one scene under several laws, as `routh compare --json`.

    Options are those of the command line: laws, frictions, impacts, methods, channel, tol; lists are joined by commas.
    """
    words: list[str] = []
    for key, value in options.items():
        words += [f"--{key}", value if isinstance(value, str) else ",".join(map(str, value)) if isinstance(value, Sequence)
                  else str(value)]
    if second is not None:
        text = command("compare", os.fspath(first), os.fspath(second), "--json", *words, accept=(0, 1))
    else:
        with _File(first) as file:
            text = command("compare", file.path, "--json", *words, *file.sets, *_sets(set), accept=(0, 1))
    result: dict[str, Any] = json.loads(text)
    return result


def picture(recordings: Path | Sequence[Path], channels: Sequence[str], output: Path, **options: Any) -> str:
    """Draws channels into FILE.svg or FILE.png, the same picture as `routh plot` makes. Needs gnuplot."""
    files = [recordings] if isinstance(recordings, (str, os.PathLike)) else list(recordings)
    words = [w for k, v in options.items() for w in ((f"--{k.replace('_', '-')}",) if v is True else (f"--{k}", str(v)))]
    command("plot", *(os.fspath(f) for f in files), ",".join(channels), "-o", os.fspath(output), "--quiet", *words)
    return os.fspath(output)


def page(recording: Path, output: Path | None = None, *, size: float = 4.0) -> str:
    """The viewer with a recording as one page of HTML, as `routh view --export`: its text, or the file written."""
    words = ["view", os.fspath(recording), "--shallow", "--size", str(size), "--quiet"]
    return command(*words, "--export", "-" if output is None else os.fspath(output))
