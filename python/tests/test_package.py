"""The package as a file: the limited interface of CPython 3.11, other interpreters, a wheel that is made offline and carries all."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import routh
from conftest import ROOT

ASAN = bool(os.environ.get("ROUTH_ASAN"))
HEADERS = sysconfig.get_paths()["include"]


def test_limited_interface():
    """Every symbol of the interpreter that the extension uses is declared under Py_LIMITED_API of 3.11."""
    source = "#define Py_LIMITED_API 0x030B0000\n#define PY_SSIZE_T_CLEAN\n#include <Python.h>\n"
    text = subprocess.run(["cc", "-E", "-P", f"-I{HEADERS}", "-"], input=source, capture_output=True, text=True, check=True).stdout
    declared = set(re.findall(r"\b_?Py\w+", text))
    own = routh._core.__file__
    listed = subprocess.run(["nm", "-D", "--undefined-only", own], capture_output=True, text=True, check=True).stdout
    used = set(re.findall(r" U (_?Py\w+)", listed))
    assert own.endswith("_core.abi3.so") and len(used) > 50 and used <= declared
    given = subprocess.run(["nm", "-D", "--defined-only", own], capture_output=True, text=True, check=True).stdout
    assert ASAN or re.findall(r" T (\w+)", given) == ["PyInit__core"]  # nothing of the library is visible to other extensions


def interpreters():
    """CPythons from 3.11 on: those on the path and those that ROUTH_PYTHONS names, separated by colons."""
    names = [sys.executable, *(f"python3.{minor}" for minor in range(11, 20)), *os.environ.get("ROUTH_PYTHONS", "").split(":")]
    found = {os.path.realpath(path): path for path in map(shutil.which, filter(None, names)) if path}
    question = "import sys; print(sys.implementation.name, sys.version_info >= (3, 11), not hasattr(sys, 'abiflags') or 't' not in sys.abiflags)"
    for path in found.values():
        done = subprocess.run([path, "-c", question], capture_output=True, text=True, check=False)
        if done.stdout.split() == ["cpython", "True", "True"]:  # without the lock there is no stable interface yet
            yield path


@pytest.mark.skipif(ASAN, reason="the sanitizer's library is loaded into one interpreter only")
def test_other_interpreters(scenes):
    """The same file runs in every CPython from 3.11 on that is here, with the same bits, and without NumPy."""
    script = Path(__file__).parent / "core_alone.py"
    want = routh.World(scenes / "ball.yaml", set={"run.until": 0.3}).run(0.2).hash
    for path in interpreters():
        words = [path, "-X", "dev", "-W", "error", script, routh._core.__file__, scenes / "ball.yaml"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, want, ""), path


@pytest.mark.skipif(ASAN, reason="the wheel is that of the release")
def test_wheel(tmp_path):
    """python3 -m build --no-isolation, without a network where one can be taken away: a source distribution, and the wheel made from it."""
    pytest.importorskip("build")
    away = ["unshare", "-rn"] if subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0 else []
    tree = tmp_path / "python"  # not in the tree: setuptools leaves files there
    shutil.copytree(ROOT / "python", tree, ignore=shutil.ignore_patterns("build", "tests", "__pycache__", "*.egg-info"))
    for name in ("include", "cli", "src", "CMakeLists.txt"):
        (tmp_path / name).symlink_to(ROOT / name)
    environment = {**os.environ, "ROUTH_BUILD": os.environ.get("ROUTH_BUILD", str(ROOT / "build" / "release")), "PIP_NO_INDEX": "1",
                   "ROUTH_PYTHON_FLAGS": "-O0"}
    subprocess.run([*away, sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path / "dist", tree], check=True, capture_output=True,
                   env=environment)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert re.fullmatch(rf"routh-{re.escape(routh.__version__)}-cp311-abi3-linux_\w+\.whl", wheel.name)
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"routh/_core.abi3.so", "routh/_core.pyi", "routh/py.typed", "routh/bin/routh"} <= names
    assert {f"routh/{path.name}" for path in (ROOT / "python" / "routh").glob("*.py")} <= names
    target = tmp_path / "target"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", target, wheel]
    subprocess.run([*away, *install], check=True, capture_output=True)
    code = "import routh; print(routh.__file__, routh.program(), routh.World('drop.yaml').run().hash)"
    (tmp_path / "drop.yaml").write_text((ROOT / "scenes" / "ball.yaml").read_text())
    done = subprocess.run([*away, sys.executable, "-c", code], cwd=tmp_path, env={**environment, "PYTHONPATH": str(target)}, capture_output=True,
                          text=True, check=True).stdout.split()
    assert done == [str(target / "routh" / "__init__.py"), str(target / "routh" / "bin" / "routh"), routh.World(ROOT / "scenes" / "ball.yaml").run().hash]
    assert os.access(target / "routh" / "bin" / "routh", os.X_OK)
