"""Every plot, drawn by matplotlib (the extra `plot`): of a result, of an algorithm's audits, of an experiment."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

from dppca.audit.report.document import number
from dppca.audit.report.markup import Markup, escape, tag, visible
from dppca.reference.extras import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours of a claim, a bound above it, a bound within it, an exact and an estimated curve: legible on white and on black.
CLAIM, ABOVE, WITHIN, EXACT, ESTIMATE = "#808080", "#d1495b", "#4a7fd0", "#2f8f6b", "#d98a26"
SERIES = ("#4a7fd0", "#d98a26", "#2f8f6b", "#a265c8", "#a08a20", "#7f8a98")
_MARKERS = "osD^vx"
#: Replaced by the colour of the text around the plot.
_INK = "#010203"
_RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dppca",
    "text.parse_math": False,
    "font.size": 9.0,
    "font.sans-serif": ["DejaVu Sans"],
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK),
}
WIDTH, HEIGHT, ROW = 5.6, 3.3, 0.24
#: A bound of 0 is drawn at this share of its claim, which the axis of shares begins with.
LEAST_SHARE = 0.01
_DELTA, _EPSILON = "\u03b4", "\u03b5"


def _figure(height: float = HEIGHT, layout: Literal["constrained"] | None = "constrained") -> tuple[Figure, Axes]:
    """Return a figure of one plot, which belongs to no window."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - an extra, whose absence the caller tells

    figure = Figure(figsize=(WIDTH, height), layout=layout)
    return figure, figure.add_subplot()


def _shown_axes() -> Axes:
    """Return new axes that a notebook shows, and a script by `pyplot.show`."""
    try:
        from matplotlib import pyplot  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(needs("matplotlib", "a plot"), name=error.name) from None
    return pyplot.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")[1]


def _styled(draw: Callable[..., Markup]) -> Callable[..., Markup]:
    """Draw in this module's style; without matplotlib, say in the place of the plot what to install."""

    @functools.wraps(draw)
    def styled(*arguments: Any) -> Markup:
        try:
            from matplotlib import rc_context  # noqa: PLC0415 - an extra
        except ModuleNotFoundError as error:
            return tag("p", needs(error.name, "a plot") or str(error), class_="none")
        with rc_context(_RC):
            return draw(*arguments)

    return styled


# --- the privacy profile ------------------------------------------------------------------------------


def profile(result: Mapping[str, Any], ax: Axes | None = None) -> Axes:
    """Draw delta against epsilon for the document of a result (`card.document`), and return the axes."""
    if ax is None:
        ax = _shown_axes()
    claim, bound, curve = result["claim"], result["bound"], result["profile"]
    delta, epsilon = bound["delta"], number(bound["epsilon"])
    floor = 10.0 ** (math.floor(math.log10(delta)) - 2) if delta > 0.0 else 1e-4
    ends = [claim["epsilon"] * 1.2] if claim else []
    ends += [curve["epsilons"][-1]] if curve else []
    ends += [result["exact"][-1][0]] if result.get("exact") else []
    ends += [epsilon * 1.3] if math.isfinite(epsilon) else []
    end = max(ends, default=1.0) or 1.0
    if curve:
        _band(ax, curve)
    if result.get("exact"):
        points = result["exact"]
        ax.plot(
            [p[0] for p in points], [max(p[1], floor / 10) for p in points], color=EXACT, label=f"exact {_DELTA}({_EPSILON})"
        )
    level = max(delta, floor)
    if epsilon > 0.0:
        above = claim is not None and epsilon > claim["epsilon"]
        words = "no \u03b5 holds" if math.isinf(epsilon) else f"\u03b5 is at least {epsilon:.4g}"
        ax.plot([0.0, min(epsilon, end)], [level, level], color=ABOVE if above or not claim else WITHIN, lw=2.5, marker=">",
                markevery=[1], label=words, clip_on=level > floor)  # fmt: skip
    if claim and (whole := claim.get("curve")):
        ax.plot(whole["epsilons"], whole["deltas"], color=CLAIM, lw=1.2, label=f"claimed {claim['statement']}")
    if claim:
        ax.plot([claim["epsilon"]], [level], "D", color=CLAIM, ms=7, zorder=5, clip_on=False,
                label=f"claimed ({claim['epsilon']:g}, {claim['delta']:g})" + " (the lower edge)" * (delta == 0.0))  # fmt: skip
    ax.set(yscale="log", xlim=(0.0, end), ylim=(floor, 1.0), xlabel=_EPSILON, ylabel=f"{_DELTA}({_EPSILON})")
    ax.yaxis.set_major_formatter(power)
    ax.minorticks_off()
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
    return ax


def power(value: float, _: float) -> str:
    """Return the label of a tick on a logarithmic axis, without mathematics: that would be parsed in names, too."""
    return f"{value:g}"


def _band(ax: Axes, curve: Mapping[str, Any]) -> None:
    """Draw an estimate and its band in steps: from one point to the next the lower edge is the value at the right one."""
    x, upper = curve["epsilons"], curve["upper"]
    ax.step(x, curve["lower"], where="pre", color=ESTIMATE, lw=0.8)
    if upper is not None:
        ax.step(x, upper, where="post", color=ESTIMATE, lw=0.8)
    top_x, top = steps(x, upper, ahead=False) if upper is not None else (x, curve["estimate"])
    low_x, low = steps(x, curve["lower"], ahead=True)
    ax.fill([*top_x, *reversed(low_x)], [max(v, 1e-300) for v in (*top, *reversed(low))], color=ESTIMATE, alpha=0.2, lw=0)
    ax.plot(
        x,
        curve["estimate"],
        color=ESTIMATE,
        ls="--",
        label=f"estimate and {100 * curve['confidence']:.4g} % band, all \u03b5 at once",
    )


def steps(xs: Sequence[float], ys: Sequence[float], *, ahead: bool) -> tuple[list[float], list[float]]:
    """Return a staircase that takes the value of the next point (ahead) or of the one before between points."""
    path = [(xs[0], ys[0])]
    for i in range(1, len(xs)):
        path += [(xs[i - 1], ys[i]), (xs[i], ys[i])] if ahead else [(xs[i], ys[i - 1]), (xs[i], ys[i])]
    return [x for x, _ in path], [y for _, y in path]


def about_profile(result: Mapping[str, Any]) -> str:
    """Return in words what the plot of a result shows, for who cannot see it."""
    claim, bound = result["claim"], result["bound"]
    parts = ["Privacy profile, delta against epsilon."]
    if claim:
        parts.append(f"Claim: ({claim['epsilon']:g}, {claim['delta']:g}).")
        if result.get("exact"):
            parts.append(f"The exact curve is {_nearest(result['exact'], claim['epsilon']):.3g} at the claim's epsilon.")
        if result["profile"]:
            points = list(zip(result["profile"]["epsilons"], result["profile"]["estimate"], strict=True))
            parts.append(f"The estimate there is {_nearest(points, claim['epsilon']):.3g}.")
    return " ".join([*parts, f"Lower bound on epsilon: {number(bound['epsilon']):.4g}."])


def _nearest(points: Sequence[Sequence[float]], epsilon: float) -> float:
    return min(points, key=lambda point: abs(point[0] - epsilon))[1]


@_styled
def profile_svg(result: Mapping[str, Any]) -> Markup:
    """Return the plot of a result as an element of a page."""
    return _svg(_drawn(json.dumps(["profile", result])), about_profile(result))


@_styled
def curves_svg(curves: Mapping[str, Sequence[Sequence[float]]], epsilon: float, delta: float, about: str) -> Markup:
    """Return a plot of exact curves of delta against epsilon, by their names, and of the point that is promised."""
    return _svg(_drawn(json.dumps(["curves", {"curves": curves, "promised": [epsilon, delta]}])), about)


def draw_curves(data: Mapping[str, Any], ax: Axes) -> None:
    """Draw curves of delta against epsilon, the published one first, and the point that is promised."""
    epsilon, delta = data["promised"]
    top = max(value for curve in data["curves"].values() for _, value in curve)
    log = delta > 0.0
    for (name, curve), colour in zip(data["curves"].items(), (ABOVE, EXACT), strict=False):
        ax.plot([e for e, _ in curve], [max(d, 1e-300) if log else d for _, d in curve], color=colour, label=name)
    ax.plot([epsilon], [delta], "D", color=CLAIM, ms=8, label="promised", clip_on=False, zorder=5)
    at = min(next(iter(data["curves"].values())), key=lambda point: abs(point[0] - epsilon))[1]
    ax.annotate(f"{at:.2g}", (epsilon, at), xytext=(7, 3), textcoords="offset points")
    ax.set(xlabel=_EPSILON, ylabel=f"{_DELTA}({_EPSILON})", xlim=(0.0, None), ylim=(0.0, None))
    if log:
        ax.set(yscale="log", ylim=(delta / 100.0, max(2.0 * top, 10.0 * delta)))
        ax.yaxis.set_major_formatter(power)
    ax.legend()


def _minor(value: float, _: float) -> str:
    """Return the label of a minor tick: at 2 and 5 times a power of ten."""
    return f"{value:g}" if round(value / 10.0 ** math.floor(math.log10(value))) in {2, 5} else ""


# --- many audits, experiments -------------------------------------------------------------------------


@_styled
def bounds_svg(audits: Sequence[Mapping[str, Any]]) -> Markup:
    """Return a plot of bounds as shares of what is claimed, one audit a row, by reading, on a logarithmic axis."""
    kept = [{key: a[key] for key in ("choice", "view", "epsilon", "lower_bound", "exact_epsilon", "verdict")} for a in audits]
    refuted = sum(audit["verdict"] == "REFUTED" for audit in audits)
    label = f"Lower bounds on epsilon as shares of what is claimed; {refuted} of {len(audits)} audits refute their claim."
    return _svg(_drawn(json.dumps(["bounds", kept])), label)


def share(value: float | str | None, claimed: float) -> float | None:
    """Return an epsilon as a share of what is claimed, between LEAST_SHARE and infinity."""
    if value is None:
        return None
    epsilon = number(value)
    return max(epsilon / claimed, LEAST_SHARE) if claimed > 0.0 else (math.inf if epsilon > 0.0 else LEAST_SHARE)


def _bounds(audits: Sequence[Mapping[str, Any]]) -> Figure:
    figure, ax = _figure(0.9 + ROW * len(audits))
    order = sorted(range(len(audits)), key=lambda i: [a["choice"] for a in audits].index(audits[i]["choice"]))
    shares = [share(audits[i]["lower_bound"], audits[i]["epsilon"]) or LEAST_SHARE for i in order]
    exact = [share(audits[i]["exact_epsilon"], audits[i]["epsilon"]) for i in order]
    end = 2.0 * max([x for x in (*shares, *exact, 1.0) if x is not None and math.isfinite(x)])
    for y, (i, found, true) in enumerate(zip(order, shares, exact, strict=True)):
        colour = ABOVE if audits[i]["verdict"] == "REFUTED" else WITHIN
        ax.plot([LEAST_SHARE, min(found, end)], [y, y], color=colour, lw=2.5, marker=">", markevery=[1])
        if true is not None and math.isfinite(true):
            ax.plot([true], [y], "|", color=_INK, ms=11, mew=2)
    ax.axvline(1.0, color=CLAIM, lw=1.5, ls="--")
    names = [f"{i + 1}  {visible(audits[i]['choice'])}, {visible(audits[i]['view'])}"[:34] for i in order]
    ax.set_yticks(range(len(order)), names)
    ax.set(xscale="log", xlim=(LEAST_SHARE, end), ylim=(len(order) - 0.4, -0.6))
    ax.xaxis.set_major_formatter(power)
    ax.set_xlabel(f"lower bound / claimed {_EPSILON}; upright mark: exact")
    return figure


@_styled
def experiment_svg(of: Mapping[str, Any]) -> Markup:
    """Return a plot of an experiment; where there is nothing to draw, a line that says so."""
    intervals = of["kind"] == "intervals"
    if not (of["estimates"] if intervals else [point for series in of["series"] for point in series["points"]]):
        return tag("p", "No estimates." if intervals else "No points.")
    if intervals:
        label = f"{of['title']}. " + "; ".join(f"{e['name']}: {e['value']:.4g}" for e in of["estimates"])
    else:
        label = f"{of['title']}. {of['y']['label']} against {of['x']['label']}: {', '.join(s['name'] for s in of['series'])}."
    return _svg(_drawn(json.dumps(["intervals" if intervals else "xy", of])), label)


def _xy(of: Mapping[str, Any]) -> Figure:
    figure, ax = _figure()
    log = of["y"]["log"]
    for i, series in enumerate(of["series"]):
        kept = [point for point in series["points"] if point[1] > 0.0 or not log]
        if series["marks"] != "points":
            kept.sort()
        line = {"points": "", "joined": "-", "line": "-", "dashes": "--", "dots": ":"}[series["marks"]]
        colour = CLAIM if series["marks"] == "dashes" else SERIES[i % len(SERIES)]
        marker = _MARKERS[i % len(_MARKERS)] if series["marks"] in {"points", "joined"} else ""
        x, y = [point[0] for point in kept], [point[1] for point in kept]
        ax.plot(x, y, line or "none", color=colour, marker=marker, ms=4, label=visible(series["name"]))
        for at, _, low, high in kept:
            if low is not None and high is not None:
                ax.plot([at, at], [max(low, 1e-300) if log else low, high], color=colour, lw=1)
    ax.set(xscale="log" if of["x"]["log"] else "linear", yscale="log" if log else "linear")
    ax.set(xlabel=visible(of["x"]["label"]), ylabel=visible(of["y"]["label"]))
    for axis, scale in ((ax.xaxis, of["x"]["log"]), (ax.yaxis, log)):
        if scale:
            axis.set_major_formatter(power)
            axis.set_minor_formatter(_minor)
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def draw_estimates(estimates: Sequence[Mapping[str, Any]], ax: Axes, first: int) -> None:
    """Draw estimates and their intervals, one a row from row `first` on, with upright marks at what they are compared with."""
    for y, e in enumerate(estimates, first):
        if e["low"] is not None:
            ax.plot([e["low"], e["high"]], [y, y], color=SERIES[0])
        ax.plot([e["value"]], [y], "o", color=SERIES[0], ms=5)
        if e["reference"] is not None:
            ax.plot([e["reference"]], [y], "|", color=_INK, ms=11, mew=2)


def _intervals(of: Mapping[str, Any]) -> Figure:
    estimates = of["estimates"]
    figure, ax = _figure(0.9 + ROW * len(estimates))
    draw_estimates(estimates, ax, 0)
    ax.set_yticks(range(len(estimates)), [visible(e["name"]) for e in estimates])
    ax.set(xscale="log" if of["x"]["log"] else "linear", ylim=(len(estimates) - 0.4, -0.6))
    if of["x"]["log"]:
        ax.xaxis.set_major_formatter(power)
        ax.xaxis.set_minor_formatter(_minor)
    ax.set_xlabel(visible(of["x"]["label"]) + (f"; upright mark: {visible(of['reference'])}" if of["reference"] else ""))
    return figure


# --- SVG ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _drawn(what: str) -> str:
    """Return the SVG of a plot whose kind and data are this JSON text."""
    kind, data = json.loads(what)
    if kind == "profile":
        figure, ax = _figure(layout=None)  # a page has a thousand of these, and finding margins is half of drawing
        figure.subplots_adjust(left=0.13, right=0.96, bottom=0.13, top=0.83)
        profile(data, ax)
    elif kind == "curves":
        figure, ax = _figure()
        draw_curves(data, ax)
    else:
        draw: dict[str, Callable[[Any], Figure]] = {"bounds": _bounds, "xy": _xy, "intervals": _intervals}
        figure = draw[kind](data)
    return _text(figure)


def _text(figure: Figure, *, transparent: bool = True) -> str:
    """Return a figure as compact SVG: coordinates of two digits, ids of its own, the ink of the text around it."""
    held = io.BytesIO()
    figure.savefig(held, format="svg", transparent=transparent, metadata={"Date": None})
    root = ElementTree.fromstring(held.getvalue())  # noqa: S314 - matplotlib's
    salt = hashlib.sha256(held.getvalue()).hexdigest()[:8]
    for element in root.iter():
        element.tag = element.tag.partition("}")[2]
        element.attrib = {name.rpartition("}")[2]: _compact(value) for name, value in element.attrib.items()}
        element.text, element.tail = element.text if element.tag == "text" else "", "\n"
    used = {name for element in root.iter() for value in element.attrib.values() for name in _REFERENCE.findall(value)}
    for element in root.iter():
        if element.attrib.get("id") not in used:
            element.attrib.pop("id", None)
        else:
            element.attrib["id"] = f"p{salt}-{element.attrib['id']}"
        element.attrib = {name: _REFERENCE.sub(rf"#p{salt}-\1", value) for name, value in element.attrib.items()}
    _flatten(root)
    root.attrib = {"viewBox": root.attrib["viewBox"]}
    return ElementTree.tostring(root, encoding="unicode").strip()


_REFERENCE = re.compile(r"(?:(?<=url\()|^)#(?=[mpC])([\w.-]+)")  # of matplotlib's ids, not of colours


def _compact(value: str) -> str:
    """Return the value of an attribute on one line, its numbers rounded to two digits, with the ink of the surrounding text."""
    rounded = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), value)
    return " ".join(rounded.replace(_INK, "currentColor").split())


def _flatten(element: ElementTree.Element) -> None:
    """Remove what shows nothing: metadata, style sheets, and groups that set nothing."""
    for child in list(element):
        _flatten(child)
        at = list(element).index(child)
        if child.tag in {"metadata", "style"}:
            element.remove(child)
        elif child.tag in {"g", "defs"} and (not child.attrib or not len(child)) and "id" not in child.attrib:
            element[at : at + 1] = list(child) if child.tag == "g" else ([child] if len(child) else [])


def _svg(text: str, label: str) -> Markup:
    return Markup(text.replace("<svg", f'<svg class="plot" role="img" aria-label="{escape(label)}"', 1))


def file(draw: Callable[[Any, Axes], None], data: Any, height: float, about: str) -> str:
    """Return a plot as the text of an SVG file of its own, dark on white, with a line about its data."""
    try:
        from matplotlib import rc_context  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(needs(error.name, "a plot"), name=error.name) from None
    dark = {key: "#222222" if value == _INK else value for key, value in _RC.items()}
    with rc_context(dark):
        figure, ax = _figure(height)
        draw(data, ax)
        drawn = _text(figure, transparent=False)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{72 * WIDTH:.0f}pt" height="{72 * height:.0f}pt"'
    return drawn.replace("<svg", head, 1).replace(">", f">\n<desc>{escape(about)}</desc>\n", 1) + "\n"
