"""Plots as inline SVG; colours and line styles are classes of `style.css`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dppca.audit.report.document import number
from dppca.audit.report.markup import Child, Markup, join, tag

#: Pixels at which text has its nominal size; the page scales plots to the width that there is.
WIDTH, HEIGHT = 400, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 60, 20, 10, 40
_COLOURS = 6
#: Rows of a plot of intervals, and the width of a character of their names.
_ROW, _CHARACTER = 20, 6.2

#: How far intervals of different series at the same place are drawn apart.
_ASIDE = 3.0
_MARKED = ("points", "joined")


@dataclass(frozen=True)
class Scale:
    """A map of [low, high] to pixels [start, end]; values beyond are put a little beyond, to be clipped."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        low, high, x = (self._units(v) for v in (self.low, self.high, value))
        share = (x - low) / (high - low)
        return self.start + min(max(share, -0.1), 1.1) * (self.end - self.start)

    def _units(self, value: float) -> float:
        if not self.log:
            return value
        return math.log10(value) if value > 0.0 else -1e9

    def ticks(self) -> list[float]:
        """Return about five round values."""
        if not self.log:
            step = _nice_step((self.high - self.low) / 4.0)
            first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
            return [i * step for i in range(first, last + 1)]
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        if last - first < 2:
            fine = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5)]
            return [x for x in fine if self.low * 0.999 <= x <= self.high * 1.001]
        stride = math.ceil((last - first) / 6)
        return [10.0**e for e in range(last, first - 1, -stride)]


def _nice_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough * (1.0 - 1e-9))


# --- the privacy profile ------------------------------------------------------------------------------


def profile(audit: dict[str, Any]) -> Markup | None:
    """Return a plot of delta against epsilon: exact curve, estimate, band, claim and lower bound; None without curves."""
    exact, estimated = audit["curves"]["exact"], audit["curves"]["estimated"]
    if exact is None and estimated is None:
        return None
    delta, epsilon, bound = audit["delta"], audit["epsilon"], number(audit["lower_bound"])
    floor = 10.0 ** (math.floor(math.log10(delta)) - 2) if delta > 0.0 else 1e-4
    x = Scale(0.0, max((exact or estimated)[-1][0], 1.05 * epsilon), _LEFT, WIDTH - _RIGHT)
    y = Scale(floor, 1.0, HEIGHT - _BOTTOM, _TOP, log=True)
    level = y(delta) if delta > 0.0 else y.start
    marks: list[Child] = []
    if estimated is not None:
        marks += _band(estimated, x, y)
    if exact is not None:
        marks.append(_line(((x(e), y(d)) for e, d in exact), "exact"))
    if bound > 0.0:
        end = min(x(bound), x.end)
        marks.append(tag("line", class_="bound", x1=x.start, y1=level, x2=end, y2=level))
        tip = [(end + 4, level), (end - 4, level - 5), (end - 4, level + 5)]
        marks.append(tag("polygon", class_="bound-tip", points=_points(tip)))
    claim = x(epsilon)
    corners = [(claim, level - 6), (claim + 6, level), (claim, level + 6), (claim - 6, level)]
    frame = _frame(x, y, "\u03b5", "\u03b4(\u03b5)", _clipped(marks, x, y))
    over = tag("polygon", class_="claim", points=_points(corners))
    return _figure(HEIGHT, _describe_profile(audit, exact, estimated), [frame, over])


def _band(estimated: Sequence[Sequence[float]], x: Scale, y: Scale) -> list[Markup]:
    """Return the estimate, and its band in steps: from one point to the next the lower edge is the value at the right one."""
    epsilons = [x(point[0]) for point in estimated]
    lower = _steps(epsilons, [y(point[2]) for point in estimated], ahead=True)
    if estimated[0][3] is None:
        upper = [(e, y(point[1])) for e, point in zip(epsilons, estimated, strict=True)]
    else:
        upper = _steps(epsilons, [y(point[3]) for point in estimated], ahead=False)
    return [
        tag("polygon", class_="band", points=_points([*upper, *reversed(lower)])),
        _line(lower, "edge"),
        *([] if estimated[0][3] is None else [_line(upper, "edge")]),
        _line(((e, y(point[1])) for e, point in zip(epsilons, estimated, strict=True)), "estimate"),
    ]


def _steps(xs: Sequence[float], ys: Sequence[float], *, ahead: bool) -> list[tuple[float, float]]:
    """Return a staircase that takes the value of the next point (ahead) or of the one before between points."""
    path = [(xs[0], ys[0])]
    for i in range(1, len(xs)):
        path += [(xs[i - 1], ys[i]), (xs[i], ys[i])] if ahead else [(xs[i], ys[i - 1]), (xs[i], ys[i])]
    return path


def _describe_profile(audit: dict[str, Any], exact: Any, estimated: Any) -> str:
    at = f"Privacy profile, delta against epsilon. Claim: ({audit['epsilon']:g}, {audit['delta']:g})."
    if exact is not None:
        at += f" The exact curve is {_value(exact, audit['epsilon']):.3g} at the claim's epsilon."
    if estimated is not None:
        at += f" The estimate there is {_value(estimated, audit['epsilon']):.3g}."
    return f"{at} Lower bound on epsilon: {number(audit['lower_bound']):.4g}."


def _value(points: Sequence[Sequence[float]], epsilon: float) -> float:
    return min(points, key=lambda point: abs(point[0] - epsilon))[1]


def bounds(audits: Sequence[dict[str, Any]]) -> Markup:
    """Return a plot of one algorithm's lower bounds, one below the other, with what is claimed and what is exact."""
    names = [f"{i}  {audit['choice']}, {audit['view']}" for i, audit in enumerate(audits, start=1)]
    left = min(max(map(len, names)) * _CHARACTER + 14, 0.5 * WIDTH)
    known = [
        number(audit[key]) for audit in audits for key in ("epsilon", "lower_bound", "exact_epsilon") if audit[key] is not None
    ]
    x = Scale(0.0, 1.08 * max([value for value in known if math.isfinite(value)], default=1.0) or 1.0, left, WIDTH - _RIGHT)
    rows: list[Child] = []
    for i, (name, audit) in enumerate(zip(names, audits, strict=True)):
        y = _TOP + _ROW * (i + 0.5)
        rows.append(tag("text", name[: int((left - 14) / _CHARACTER)], x=left - 6, y=y + 4, text_anchor="end"))
        end = min(x(number(audit["lower_bound"])), x.end)
        kind = "bound" if audit["verdict"] == "REFUTED" else "bound within"
        if end > x.start:
            rows.append(tag("line", class_=kind, x1=x.start, y1=y, x2=end, y2=y))
            tip = [(end + 4, y), (end - 4, y - 5), (end - 4, y + 5)]
            rows.append(tag("polygon", class_=kind.replace("bound", "bound-tip", 1), points=_points(tip)))
        if audit["exact_epsilon"] is not None and math.isfinite(number(audit["exact_epsilon"])):
            rows.append(tag("path", class_="reference", d=f"M{x(number(audit['exact_epsilon'])):.1f} {y - 7:.1f}v14"))
        claim = x(audit["epsilon"])
        rows.append(
            tag("polygon", class_="claim", points=_points([(claim, y - 6), (claim + 6, y), (claim, y + 6), (claim - 6, y)]))
        )
    bottom = _TOP + _ROW * len(audits)
    ticks = [
        [tag("line", class_="grid", x1=x(t), y1=_TOP, x2=x(t), y2=bottom), _tick(t, x(t), bottom + 14, log=False)]
        for t in x.ticks()
    ]
    height = bottom + _BOTTOM
    title = tag("text", "\u03b5", class_="axis", x=(left + WIDTH - _RIGHT) / 2, y=height - 6, text_anchor="middle")
    refuted = sum(audit["verdict"] == "REFUTED" for audit in audits)
    label = f"Lower bounds on epsilon, claims and exact values; {refuted} of {len(audits)} audits refute their claim."
    return _figure(height, label, [ticks, rows, title])


# --- plots of experiments -----------------------------------------------------------------------------


def plot(of: dict[str, Any]) -> Markup:
    """Return a plot of an experiment."""
    return _intervals(of) if of["kind"] == "intervals" else _xy(of)


def _xy(of: dict[str, Any]) -> Markup:
    points = [point for series in of["series"] for point in series["points"]]
    if not points:
        return tag("p", "No points.")
    x = _axis([point[0] for point in points], of["x"], _LEFT, WIDTH - _RIGHT)
    heights = [value for point in points for value in point[1:] if value is not None and (value > 0.0 or not of["y"]["log"])]
    y = _axis(heights, of["y"], HEIGHT - _BOTTOM, _TOP)
    marks: list[Child] = []
    spread = [i for i, series in enumerate(of["series"]) if any(point[2] is not None for point in series["points"])]
    for i, series in enumerate(of["series"]):
        aside = _ASIDE * (spread.index(i) - 0.5 * (len(spread) - 1)) if i in spread else 0.0
        colour = "level" if series["marks"] == "dashes" else f"c{i % _COLOURS}"
        path = [(x(point[0]) + aside, y(point[1])) for point in series["points"]]
        whiskers = [
            tag("line", x1=x(point[0]) + aside, y1=y(point[2]), x2=x(point[0]) + aside, y2=y(point[3]))
            for point in series["points"]
            if point[2] is not None and point[3] is not None
        ]
        drawn = [*whiskers]
        if series["marks"] != "points":
            drawn.append(_line(sorted(path), series["marks"]))
        if series["marks"] in _MARKED:
            drawn += [_marker(i, *place) for place in path]
        marks.append(tag("g", drawn, class_=colour))
    label = f"{of['title']}. {of['y']['label']} against {of['x']['label']}: {', '.join(s['name'] for s in of['series'])}."
    return join([_figure(HEIGHT, label, [_frame(x, y, of["x"]["label"], of["y"]["label"], _clipped(marks, x, y))]), _key(of)])


def _key(of: dict[str, Any]) -> Markup:
    """Return the names of the series, each with its mark."""
    items = []
    for i, series in enumerate(of["series"]):
        dashed = series["marks"] == "dashes"
        mark = [_marker(i, 12, 6)] if series["marks"] in _MARKED else []
        line = [] if series["marks"] == "points" else [_line([(0, 6), (24, 6)], series["marks"])]
        swatch = tag(
            "svg", line, mark, class_="level" if dashed else f"c{i % _COLOURS}", viewBox="0 0 24 12", aria_hidden="true"
        )
        items.append(tag("li", swatch, series["name"]))
    return tag("ul", items, class_="key")


def _intervals(of: dict[str, Any]) -> Markup:
    estimates = of["estimates"]
    if not estimates:
        return tag("p", "No estimates.")
    left = min(max(len(e["name"]) for e in estimates) * _CHARACTER + 14, 0.5 * WIDTH)
    height = _TOP + _ROW * len(estimates) + _BOTTOM
    values = [v for e in estimates for v in (e["value"], e["low"], e["high"], e["reference"]) if v is not None]
    x = _axis(values, of["x"], left, WIDTH - _RIGHT)
    rows = []
    for i, e in enumerate(estimates):
        y = _TOP + _ROW * (i + 0.5)
        rows.append(tag("text", e["name"], x=left - 6, y=y + 4, text_anchor="end"))
        rows.append(tag("line", class_="grid", x1=left, y1=y, x2=WIDTH - _RIGHT, y2=y))
        ends = [] if e["low"] is None else [tag("line", x1=x(e["low"]), y1=y, x2=x(e["high"]), y2=y)]
        if e["reference"] is not None:
            rows.append(tag("path", class_="reference", d=f"M{x(e['reference']):.1f} {y - 7:.1f}v14"))
        rows.append(tag("g", ends, _marker(0, x(e["value"]), y), class_="c0"))
    bottom = _TOP + _ROW * len(estimates)
    ticks = [
        [tag("line", class_="grid", x1=x(t), y1=_TOP, x2=x(t), y2=bottom), _tick(t, x(t), bottom + 14, log=x.log)]
        for t in x.ticks()
    ]
    title = tag("text", of["x"]["label"], class_="axis", x=(left + WIDTH - _RIGHT) / 2, y=height - 6, text_anchor="middle")
    label = f"{of['title']}. " + "; ".join(f"{e['name']}: {e['value']:.4g}" for e in estimates)
    drawn = _figure(height, label, [ticks, rows, title])
    if not of["reference"]:
        return drawn
    swatch = tag("svg", tag("path", class_="reference", d="M12 -1v14"), viewBox="0 0 24 12", aria_hidden="true")
    return join([drawn, tag("ul", tag("li", swatch, of["reference"]), class_="key")])


# --- parts --------------------------------------------------------------------------------------------


def _axis(values: Iterable[float], axis: dict[str, Any], start: float, end: float) -> Scale:
    """Return a scale with a margin around the values; a share or a distance, if it comes near 0, starts there."""
    values = list(values) or [1.0]
    low, high = min(values), max(values)
    if axis["log"]:
        low, high = (low, high) if low < high else (0.5 * low, 2.0 * high)
        margin = (high / low) ** 0.04
        return Scale(low / margin, high * margin, start, end, log=True)
    if low == high:
        low, high = low - 0.5 * abs(low or 1.0), high + 0.5 * abs(high or 1.0)
    margin = 0.04 * (high - low)
    low = 0.0 if 0.0 <= low < 0.3 * high else low - margin
    return Scale(low, high + margin, start, end)


def _frame(x: Scale, y: Scale, x_label: str, y_label: str, inside: Markup) -> Markup:
    """Return the grid, ticks, names of the axes, and what is inside."""
    left, right, top, bottom = x.start, x.end, y.end, y.start
    grid = [
        *(tag("line", class_="grid", x1=x(t), y1=top, x2=x(t), y2=bottom) for t in x.ticks()),
        *(tag("line", class_="grid", x1=left, y1=y(t), x2=right, y2=y(t)) for t in y.ticks()),
    ]
    ticks = [
        *(_tick(t, x(t), bottom + 14, log=x.log) for t in x.ticks()),
        *(_tick(t, left - 5, y(t) + 4, log=y.log, anchor="end") for t in y.ticks()),
    ]
    middle = (top + bottom) / 2
    names = [
        tag("text", x_label, class_="axis", x=(left + right) / 2, y=bottom + 32, text_anchor="middle"),
        tag("text", y_label, class_="axis", transform=f"translate(10 {middle:.0f}) rotate(-90)", text_anchor="middle"),
    ]
    box = tag("path", class_="box", d=f"M{left} {top}V{bottom}H{right}")
    return join([grid, inside, box, ticks, names])


def _tick(value: float, x: float, y: float, *, log: bool, anchor: str = "middle") -> Markup:
    if log and value > 0.0 and not 0.01 < value < 900.0:
        exponent = math.floor(math.log10(value) + 1e-9)
        mantissa = round(value / 10.0**exponent)
        power = tag("tspan", _signed(f"{exponent}"), dy=-4, class_="power")
        return tag("text", "10" if mantissa == 1 else f"{mantissa}\u00b710", power, x=x, y=y, text_anchor=anchor)
    words = f"{value:,.0f}" if 1e4 <= abs(value) < 1e7 else f"{value:.4g}"
    return tag("text", _signed(words), x=x, y=y, text_anchor=anchor)


def _signed(words: str) -> str:
    """Return the number as text with the sign for minus in place of the hyphen."""
    return words.replace("-", "\u2212")


def _clipped(marks: Child, x: Scale, y: Scale) -> Markup:
    """Return marks cut off at the frame: an inner svg clips what is outside, and needs no id."""
    left, top, width, height = x.start, y.end, x.end - x.start, y.start - y.end
    view = f"{left:.5g} {top:.5g} {width:.5g} {height:.5g}"
    return tag("svg", marks, x=left, y=top, width=width, height=height, viewBox=view)


def _figure(height: float, label: str, children: Child) -> Markup:
    return tag("svg", children, class_="plot", viewBox=f"0 0 {WIDTH} {height:.5g}", role="img", aria_label=label)


def _line(path: Iterable[tuple[float, float]], class_: str) -> Markup:
    return tag("polyline", class_=class_, points=_points(path))


def _points(path: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in path)


def _marker(index: int, x: float, y: float) -> Markup:
    """Return a shape of the series' own."""
    shapes: tuple[Callable[[], Markup], ...] = (
        lambda: tag("circle", cx=x, cy=y, r=2.8),
        lambda: tag("rect", x=x - 2.6, y=y - 2.6, width=5.2, height=5.2),
        lambda: tag("polygon", points=_points([(x, y - 3.6), (x + 3.4, y + 2.6), (x - 3.4, y + 2.6)])),
        lambda: tag("polygon", points=_points([(x, y - 3.8), (x + 3.8, y), (x, y + 3.8), (x - 3.8, y)])),
        lambda: tag("polygon", points=_points([(x, y + 3.6), (x + 3.4, y - 2.6), (x - 3.4, y - 2.6)])),
        lambda: tag("path", class_="cross", d=f"M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"),
    )
    return shapes[index % len(shapes)]()
