"""Builds the extension routh._core against the archives of Routh and takes the program along.

ROUTH_BUILD names a build folder with both (default: build/release of the repository); where it has
none it is configured and built first. A source distribution takes headers, archives and program along in
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
native = here / "native"
root = native if native.exists() else here.parent
folder = Path(os.environ.get("ROUTH_BUILD", root / "build" / "release")).resolve()
header = (root / "include" / "routh" / "routh.h").read_text(encoding="utf-8")
version = re.search(r'^#define RH_VERSION "([0-9.]+)"', header, re.MULTILINE)[1]
flags = os.environ.get("ROUTH_PYTHON_FLAGS", "").split()
ARCHIVES = ("cli/librouth_verbs.a", "src/librouth_tools.a", "src/librouth.a")  # each uses the later ones
HEADERS = ("include/routh", "cli", "src")
os.chdir(here)


def built() -> list[Path]:
    """The archives and the program."""
    files = [folder / name for name in (*ARCHIVES, "bin/routh")]
    if native.exists():
        return [native / file.name for file in files]
    if not all(file.exists() for file in files):
        subprocess.run(["cmake", "--preset", "release", "-B", folder, "-DROUTH_TESTS=OFF"], cwd=root, check=True)
        subprocess.run(["cmake", "--build", folder], check=True)
    return files


def libraries() -> list[str]:
    """Options of the linker for the libraries that the archives use; pkg-config knows where HDF5 is."""
    asked = subprocess.run(["pkg-config", "--libs", "hdf5-serial"], capture_output=True, text=True, check=False)
    hdf5 = asked.stdout.split() if asked.returncode == 0 else ["-lhdf5"]
    names = ("sundials_cvode", "sundials_nvecserial", "yaml", "expat", "sqlite3", "websockets", "cminpack", "nlopt", "m")
    return ["-Wl,--as-needed", *hdf5, *(f"-l{name}" for name in names)]


class SourceDistribution(sdist):
    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        target = Path(base_dir) / "native"
        for name in HEADERS:
            for file in (root / name).glob("**/*.h"):
                (target / file.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(file, target / file.relative_to(root))
        shutil.copytree(here / "src", Path(base_dir) / "src", dirs_exist_ok=True)
        for file in built():
            shutil.copy2(file, target)
            subprocess.run(["strip", "-g", target / file.name], check=False)


class BuildExtension(build_ext):
    def build_extension(self, ext: Extension) -> None:
        archives = [str(file) for file in built()[:-1]]
        ext.extra_objects = archives
        ext.extra_link_args = [*ext.extra_link_args, *libraries()]
        ext.depends = [*archives, *map(str, (root / "include" / "routh").glob("*.h")), "src/core.h"]
        super().build_extension(ext)


class BuildPackage(build_py):
    def run(self) -> None:
        super().run()
        target = Path(self.build_lib) / "routh" / "bin"
        target.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built()[-1], target / "routh")
        subprocess.run(["strip", target / "routh"], check=False)


setup(
    version=version,
    packages=["routh"],
    package_data={"routh": ["py.typed", "*.pyi"]},
    ext_modules=[
        Extension(
            "routh._core",
            sorted(str(p.relative_to(here)) for p in (here / "src").glob("*.c")),
            include_dirs=[str(root / name) for name in ("include", "src", "cli")],
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
