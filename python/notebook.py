"""Makes a notebook of a script with cells: notebook.py SCRIPT.py NOTEBOOK.ipynb. Cells begin with "# %%"; those of text with
"# %% [markdown]". The notebook has no results: they appear when it is run."""

import json
import sys
from pathlib import Path


def cells(script: str) -> list[dict[str, object]]:
    made = []
    for number, part in enumerate(script.split("# %%")[1:]):
        head, _, body = part.partition("\n")
        lines = body.strip("\n").splitlines(keepends=True)
        if "[markdown]" in head:
            text = [line.removeprefix("#").removeprefix(" ") for line in lines]
            made.append({"cell_type": "markdown", "id": f"cell{number}", "metadata": {}, "source": text})
        else:
            made.append({"cell_type": "code", "id": f"cell{number}", "metadata": {}, "execution_count": None, "outputs": [],
                         "source": lines})
    return made


def notebook(script: str) -> str:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells(script), "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1) + "\n"


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(notebook(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
