"""The viewer of `routh view`: a page served by a thread of this process, and pictures of recordings."""

from __future__ import annotations

import atexit
import html
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from typing import Any

from routh.call import Input, Path, call, sets, words
from routh.recording import Recording

_open: weakref.WeakSet[Viewer] = weakref.WeakSet()


def _files(recordings: Any) -> list[str]:
    several = recordings if isinstance(recordings, (list, tuple)) else [recordings]
    return [one.path if isinstance(one, Recording) else os.fspath(one) for one in several]


def _is_recordings(source: Any) -> bool:
    one = source[0] if isinstance(source, (list, tuple)) and source else source
    return isinstance(one, Recording) or isinstance(one, (str, os.PathLike)) and os.fspath(one).endswith(".rhr")


class Viewer:
    """A page that is served until close(), the end of a `with`, or the end of the program; `url` is its address."""

    def __init__(self, source: Any = None, *, set: Mapping[str, Any] | None = None, **options: Any) -> None:
        for name in ("export", "png", "frames", "video"):
            if name in options:
                raise TypeError(f"view() serves a page; {'page' if name == 'export' else 'render'}() writes what {name} stands for")
        self._closing = False
        self._known = threading.Event()
        self._failure: BaseException | None = None
        #: The address of the page, with the token that lets a client in.
        self.url = ""
        self._input = None if source is None or _is_recordings(source) else Input(source)
        files = _files(source) if _is_recordings(source) else [self._input.path, *self._input.words] if self._input else []
        self._given = ["view", *files, *words(options), *sets(set)]
        self._thread = threading.Thread(target=self._serve, name="routh view", daemon=True)
        self._thread.start()
        self._known.wait()
        if self._failure is not None:
            raise self._failure
        _open.add(self)

    def _serve(self) -> None:
        try:
            call(*self._given, input=self._input, poll=self._poll)
        except BaseException as error:  # raised by whoever waits
            self._failure = error
        self._known.set()

    def _poll(self, printed: bytes) -> bool:
        if printed and not self.url:
            self.url = printed.decode().strip()
            self._known.set()
        return self._closing

    @property
    def running(self) -> bool:
        """Is the page served?"""
        return self._thread.is_alive()

    def open(self) -> bool:
        """Opens the page in the browser of this machine."""
        import webbrowser

        return webbrowser.open(self.url)

    def wait(self) -> None:
        """Serves until Ctrl-C, or until close() in another thread."""
        try:
            while self.running:
                self._thread.join(0.1)
        except KeyboardInterrupt:
            pass
        self.close()

    def close(self) -> None:
        """Ends the server; what was to be recorded or written is whole then. Raises what went wrong while it ran."""
        self._closing = True
        self._thread.join()
        _open.discard(self)
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return f'<a href="{html.escape(self.url, quote=True)}" target="_blank">{html.escape(self.url)}</a>'

    def __repr__(self) -> str:
        return f"Viewer({self.url!r}{'' if self.running else ', closed'})"


@atexit.register
def _close_all() -> None:
    for viewer in list(_open):
        viewer._closing = True
    for viewer in list(_open):
        viewer._thread.join()


def view(source: Any = None, *, set: Mapping[str, Any] | None = None, **options: Any) -> Viewer:
    """Serves the page of `routh view` by a thread of this process: of a recording or a list of them, of a scene in any form, which
    runs in real time, or without a source of a sandbox.

    Options are those of the command line: output (FILE.rhr: the scene's run is recorded as well; of a sandbox FILE.yaml), port,
    listen. `page` writes one file instead, `render` takes pictures.
    """
    return Viewer(source, set=set, **options)


def render(recordings: Any, output: Path, **options: Any) -> str:
    """Pictures of recordings by a headless browser (Chromium): FILE.png, one at the time `at` [s]; FILE.mp4, a video (ffmpeg); or a
    folder of pictures, `rate` per simulated second; as `routh view --png`, `--video` and `--frames`. Returns the output.

    Options are those of the command line: at, rate, speed, pixels, look, no_arrows.
    """
    target = os.fspath(output)
    kind = {".png": "--png", ".mp4": "--video"}.get(os.path.splitext(target)[1], "--frames")
    how: Sequence[str] = [kind, target]
    call("view", *_files(recordings), *how, *words(options), one=True)
    return target
