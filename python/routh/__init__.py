"""Routh: contact and impact dynamics of articulated rigid bodies.

    import routh
    world = routh.World("scenes/ball.yaml")
    world.run(until=1)
    world.q

docs/python.md is the manual.
"""

try:
    import routh._core
except ModuleNotFoundError as error:
    if error.name != "routh._core":
        raise
    raise ModuleNotFoundError("routh is imported from the folder of its sources, which have no extension: start Python in another folder, "
                              "in the environment that ./run --python makes", name="routh._core") from None

from routh._core import Error, Event, Message, RunError, SceneError, StopRun
from routh._core import event_kinds as _event_kinds
from routh._core import kinds, rows
from routh._core import version as __version__
from routh.batch import Batch
from routh.controllers import Moment, controller
from routh.env import AutoresetMode, Box, VectorEnv
from routh.model import Model
from routh.plot import diagram, plot
from routh.recording import EVENT_DTYPE, Recording, open
from routh.scene import SECTIONS, Scene
from routh.studies import fit
from routh.tools import (
    Friction, Law, cases, check, command, compare, convert, explain, haptic, impact, listing, page, paper, picture, program, run, solve,
    solve_all, sweep,
)
from routh.viewer import Viewer, render, view
from routh.world import CONTACT_DTYPE, Body, Joint, State, World

EVENT_KINDS: dict[str, str] = _event_kinds()

__all__ = [
    "AutoresetMode", "Batch", "Body", "Box", "CONTACT_DTYPE", "EVENT_DTYPE", "EVENT_KINDS", "Error", "Event",
    "Friction", "Joint", "Law", "Message", "Model", "Moment", "Recording", "RunError", "SECTIONS", "Scene", "SceneError",
    "State", "StopRun", "VectorEnv", "Viewer", "World", "__version__", "cases", "check", "command", "compare", "controller", "convert",
    "diagram", "explain",
    "fit", "haptic", "impact", "kinds", "listing", "open", "page", "paper", "picture", "plot", "program", "render", "rows", "run", "solve",
    "solve_all", "sweep", "view",
]
