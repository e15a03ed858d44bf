"""Builds the extension routh._core against librouth.a and takes the program along.

ROUTH_BUILD names a build folder with both (default: build/release of the repository); where it has
none it is configured and built first. A source distribution takes headers, library and program along in
the folder native. Nothing is downloaded.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

here = Path(__file__).resolve().parent
root = here.parent
native = here / "native"
include = native / "include" if native.exists() else root / "include"
folder = Path(os.environ.get("ROUTH_BUILD", root / "build" / "release")).resolve()
header = (include / "routh" / "routh.h").read_text(encoding="utf-8")
version = re.search(r'^#define RH_VERSION "([0-9.]+)"', header, re.MULTILINE)[1]
flags = os.environ.get("ROUTH_PYTHON_FLAGS", "").split()
os.chdir(here)


def built() -> tuple[Path, Path]:
    """The library and the program."""
    if native.exists():
        return native / "librouth.a", native / "routh"
    found = list(folder.glob("**/librouth.a"))
    if not found or not (folder / "bin" / "routh").exists():
        subprocess.run(["cmake", "--preset", "release", "-B", folder, "-DROUTH_TESTS=OFF"], cwd=root, check=True)
        subprocess.run(["cmake", "--build", folder], check=True)
        found = list(folder.glob("**/librouth.a"))
    return found[0], folder / "bin" / "routh"


class SourceDistribution(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        target = Path(base_dir) / "native"
        shutil.copytree(include / "routh", target / "include" / "routh")
        shutil.copytree(here / "src", Path(base_dir) / "src", dirs_exist_ok=True)
        for file in built():
            shutil.copy2(file, target)
        subprocess.run(["strip", "-g", target / "librouth.a", target / "routh"], check=False)


class BuildExtension(build_ext):
    def build_extension(self, ext: Extension) -> None:
        archive = built()[0]
        ext.extra_objects = [str(archive)]
        ext.depends = [str(archive), *map(str, (include / "routh").glob("*.h")), "src/core.h"]
        super().build_extension(ext)


class BuildPackage(build_py):
    def run(self) -> None:
        super().run()
        target = Path(self.build_lib) / "routh" / "bin"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built()[1], target / "routh")
        subprocess.run(["strip", target / "routh"], check=False)


setup(
    version=version,
    packages=["routh"],
    package_data={"routh": ["py.typed", "*.pyi"]},
    ext_modules=[
        Extension(
            "routh._core",
            sorted(str(p.relative_to(here)) for p in (here / "src").glob("*.c")),
            include_dirs=[str(include)],
            libraries=["sundials_cvode", "sundials_nvecserial", "yaml", "expat", "sqlite3", "m"],
            define_macros=[("_POSIX_C_SOURCE", "200809L")],
            extra_compile_args=["-std=c17", "-O2", "-Wall", "-Wextra", "-Wshadow", "-ffp-contract=off",
                                "-fvisibility=hidden", *flags],
            extra_link_args=["-Wl,--exclude-libs,ALL", *flags],
            py_limited_api=True,
        )
    ],
    cmdclass={"build_ext": BuildExtension, "build_py": BuildPackage, "sdist": SourceDistribution},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
