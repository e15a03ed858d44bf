"""The tutorial runs cell by cell, the notebook is made from it, every name is documented, examples of the docs run."""

import inspect
import re
import runpy

import pytest
import routh
from conftest import ROOT


def test_tutorial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = (ROOT / "python" / "tutorial.py").read_text()
    space = {}
    for cell in script.split("# %%")[1:]:
        head, _, body = cell.partition("\n")
        if "[markdown]" not in head:
            exec(compile(body, "tutorial", "exec"), space)  # noqa: S102
    assert space["recording"]._repr_html_().startswith(("<iframe", "<pre>"))


def test_notebook():
    make = runpy.run_path(str(ROOT / "python" / "notebook.py"))["notebook"]
    made = make((ROOT / "python" / "tutorial.py").read_text())
    assert made == (ROOT / "python" / "tutorial.ipynb").read_text(), "python3 python/notebook.py python/tutorial.py python/tutorial.ipynb"


@pytest.mark.parametrize("page", ["python.md", "tutorial.md"])
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    space = {}
    for block in re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL):
        exec(compile(block, page, "exec"), space)  # noqa: S102


def test_every_name_is_documented():
    page = (ROOT / "docs" / "python.md").read_text()
    for name in routh.__all__:
        assert name.startswith("__") or f"`{name}" in page or f".{name}" in page, f"docs/python.md does not have {name}"
        thing = getattr(routh, name)
        if inspect.isclass(thing) and thing.__module__.startswith("routh."):
            assert thing.__doc__, name
            for key, member in vars(thing).items():
                if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    assert (member.fget if isinstance(member, property) else member).__doc__, f"{name}.{key}"
        elif inspect.isfunction(thing):
            assert thing.__doc__, name
