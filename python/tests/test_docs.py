"""The tutorial runs cell by cell, the notebook is made from it, every name is documented, examples of the docs run."""

import importlib
import inspect
import pkgutil
import re
import runpy
import subprocess
import sys
import types

import pytest
import routh
from conftest import ROOT


def test_tutorial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = (ROOT / "examples" / "tutorial.py").read_text()
    space = {}
    for cell in script.split("# %%")[1:]:
        head, _, body = cell.partition("\n")
        if "[markdown]" not in head:
            exec(compile(body, "tutorial", "exec"), space)  # noqa: S102
    assert space["recording"]._repr_html_().startswith(("<iframe", "<pre>"))


def test_the_folder_of_sources():
    """Scripts and notebooks do not stand beside the package's sources, which would be imported in the place of the package."""
    assert not (ROOT / "examples" / "routh").exists()
    done = subprocess.run([sys.executable, "-c", "import routh"], cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "folder of its sources" in done.stderr


def test_notebook():
    make = runpy.run_path(str(ROOT / "python" / "notebook.py"))["notebook"]
    made = make((ROOT / "examples" / "tutorial.py").read_text())
    assert made == (ROOT / "examples" / "tutorial.ipynb").read_text(), "python3 python/notebook.py examples/tutorial.py examples/tutorial.ipynb"


@pytest.mark.parametrize("page", ["python.md", "tutorial.md"])
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("scenes", "tests"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    space = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL):
        exec(compile(block, page, "exec"), space)  # noqa: S102


def test_every_name_is_documented():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in routh.__all__:
        assert name.startswith("__") or f"`{name}" in page or f".{name}" in page, f"docs/python.md does not have {name}"


def undocumented(owner, name):
    """Public members of a class, those of its bases in the package included, without a docstring."""
    for base in owner.__mro__:
        for key, member in vars(base).items() if base.__module__.startswith("routh") else ():
            called = isinstance(member, (property, staticmethod, classmethod)) or callable(member) or hasattr(member, "__get__")
            if not key.startswith("_") and called and not inspect.getdoc(getattr(owner, key)):
                yield f"{name}.{key}"


def test_every_name_has_a_docstring():
    missing, seen = [], set()
    modules = [importlib.import_module(f"routh.{m.name}") for m in pkgutil.iter_modules(routh.__path__) if m.name != "__main__"]
    for module in [routh, *modules]:
        missing += [] if module.__doc__ else [module.__name__]
        for name, thing in vars(module).items():
            if name.startswith("_") or not getattr(thing, "__module__", "").startswith("routh") or id(thing) in seen:
                continue
            seen.add(id(thing))
            if inspect.isclass(thing):
                missing += [*([] if thing.__doc__ else [name]), *undocumented(thing, name)]
            elif callable(thing) and not isinstance(thing, types.GenericAlias):
                missing += [] if thing.__doc__ else [f"{module.__name__}.{name}"]
    assert len(seen) > 50 and missing == []
