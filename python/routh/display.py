"""Worlds and recordings in a notebook: the viewer's page, inline and without a network."""

from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING

from routh import _core

if TYPE_CHECKING:
    from routh.recording import Recording
    from routh.world import World

HEIGHT = 480  # [pixel]


def frame(page: str) -> str:
    """A page within a page, without a network."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{HEIGHT}" '
            'style="border: 0" sandbox="allow-scripts"></iframe>')


def _show(path: str, words: str) -> str:
    from routh.tools import page

    try:
        return frame(page(path))
    except (_core.Error, OSError) as error:
        return _words(words, error)


def _words(words: str, error: Exception) -> str:
    return f"<pre>{html.escape(words)}\n{html.escape(str(error))}</pre>"


def recording_html(recording: Recording) -> str:
    """The viewer with a recording."""
    return _show(recording.path, repr(recording))


def world_html(world: World) -> str:
    """The viewer with the recording of a world, or with its present state alone."""
    if world._recorded is not None and os.path.exists(world._recorded):
        return _show(world._recorded, repr(world))
    from routh.world import World as Made

    with tempfile.TemporaryDirectory() as folder:
        title = os.path.splitext(os.path.basename(world.model.name))[0][:60] or "world"  # the page has the name of its file
        path = os.path.join(folder, f"{title}.rhr")
        still = Made(world.model)
        still.q[:], still.v[:] = world.q, world.v
        try:
            still.run(0.0, record=path)
        except (_core.Error, ValueError) as error:  # numbers that are not finite, a start that is no state of the engine
            return _words(repr(world), error)
        return _show(path, repr(world))
