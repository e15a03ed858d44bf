"""Plots by matplotlib: channels of recordings, Routh's diagram of an impact."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Union

import numpy as np

from routh.recording import Recording


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    import matplotlib.pyplot as pyplot

    return pyplot.subplots()[1]


def plot(recording: Union[Recording, str, "os.PathLike[str]"], *channels: str, against: str | None = None,
         events: bool = True, axes: Any = None) -> Any:
    """Channels over time, or against another channel, events marked; returns the axes of matplotlib."""
    rec = recording if isinstance(recording, Recording) else Recording(recording)
    if not channels:
        raise ValueError("name channels to plot; recording.channels has them")
    units = {rec.channels[name] for name in channels if name in rec.channels}
    x = rec.time if against is None else rec[against]
    ax = _axes(axes)
    for name in channels:
        ax.plot(x, rec[name], label=name)
    ax.set_xlabel("t [s]" if against is None else f"{against} [{rec.channels[against]}]")
    ax.set_ylabel(f"{channels[0]} [{units.pop()}]" if len(channels) == 1 and units else ", ".join(f"[{u}]" for u in sorted(units)))
    if against is None and events:
        for t in np.unique(rec.events["t"]):
            ax.axvline(t, color="0.85", linewidth=0.6, zorder=0)
    ax.legend()
    return ax


def diagram(source: Any, *, law: Sequence[str] | str | None = None, axes: Any = None, **options: Any) -> Any:
    """Routh's diagram of a planar impact: the plane of impulses with the lines of sticking, of greatest compression
    and of limiting friction, the path and its end under each law. Takes what routh.impact takes; returns the axes."""
    from routh.tools import impact

    answer = impact(source, law=law, **options)
    if "inv_m1" not in answer:
        raise ValueError("this impact is not planar, or of several contacts: it has no such diagram")
    ax = _axes(axes)
    m1, m2, m3 = (float(answer[f"inv_m{i}"]) for i in (1, 2, 3))
    first = answer["laws"][0]
    slip, approach = float(first["S_0"]), float(first["C_0"])
    top = 1.15 * max(float(entry["P_n"]) for entry in answer["laws"])
    normal = np.linspace(0.0, top, 101)
    # S = S_0 + m1 P_t - m3 P_n and C = C_0 - m3 P_t + m2 P_n; the inverse masses are positive for m1, m2
    ax.plot((m3 * normal - slip) / m1, normal, "--", color="0.4", label="sticking")
    if m3 != 0.0:
        ax.plot((approach + m2 * normal) / m3, normal, ":", color="0.4", label="greatest compression")
    else:
        ax.axhline(-approach / m2, linestyle=":", color="0.4", label="greatest compression")
    for side in (-1.0, 1.0):
        ax.plot(side * float(answer["mu_s"]) * normal, normal, color="0.8", label="friction" if side > 0 else None)
    for entry in answer["laws"]:
        drawn = ax.plot(entry["curve"]["P_t"], entry["curve"]["P_n"])[0]
        ax.plot([entry["P_t"]], [entry["P_n"]], "o", color=drawn.get_color(), label=entry["law"])
    span = 1.4 * max(abs(x) for entry in answer["laws"] for x in entry["curve"]["P_t"]) or top
    ax.set_xlim(-span, span)
    ax.set_ylim(0.0, top)
    ax.set_xlabel("tangential impulse [N s]")
    ax.set_ylabel("normal impulse [N s]")
    ax.legend(fontsize="small")
    return ax
