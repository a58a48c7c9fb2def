/* At a reader's epsilon and delta: a curve that the page has stored; or, for one message of wang2020, its published noise. */
"use strict";
const calculator = (() => {
  // Complementary error function with a relative error below 1.2e-7 (a Chebyshev fit, Numerical Recipes, section 6.2).
  const fit = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];
  const erfc = (x) => {
    const t = 1 / (1 + 0.5 * Math.abs(x));
    const found = t * Math.exp(-x * x + fit.reduceRight((sum, c) => sum * t + c, 0));
    return x >= 0 ? found : 2 - found;
  };
  const phi = (x) => 0.5 * erfc(-x / Math.SQRT2);
  const profile = (epsilon, mu) => Math.max(0, phi(mu / 2 - epsilon / mu) - Math.exp(epsilon) * phi(-mu / 2 - epsilon / mu));
  const published = (epsilon, delta) => Math.sqrt(2 * Math.log(1.25 / delta)) / epsilon;
  const real = (epsilon, delta) => profile(epsilon, Math.SQRT2 / published(epsilon, delta));
  const enough = (epsilon, delta) => {
    let low = 1e-3, high = 1e6; // of the standard deviation
    for (let i = 0; i < 200; i++) {
      const middle = Math.sqrt(low * high);
      if (profile(epsilon, Math.SQRT2 / middle) > delta) low = middle; else high = middle;
    }
    return high;
  };
  // Between two points log delta is taken to be a line, which is a little below the curve.
  const deltaOn = (points, epsilon) => {
    const above = points.findIndex(([e]) => e >= epsilon);
    if (above < 1) return above === 0 && epsilon === points[0][0] ? points[0][1] : null;
    const [[low, first], [high, second]] = points.slice(above - 1, above + 1), share = (epsilon - low) / (high - low);
    return first > 0 && second > 0 ? Math.exp((1 - share) * Math.log(first) + share * Math.log(second)) : (1 - share) * first + share * second;
  };
  const epsilonOn = (points, delta) => {
    let low = points[0][0], high = points.at(-1)[0];
    if (deltaOn(points, low) <= delta) return low;
    if (deltaOn(points, high) > delta) return null;
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (deltaOn(points, middle) > delta) low = middle; else high = middle;
    }
    return high;
  };
  return { published, real, enough, deltaOn, epsilonOn };
})();
if (typeof document !== "undefined") document.addEventListener("DOMContentLoaded", () => {
  for (const form of document.querySelectorAll("form.calculator")) {
    const field = (name, value) => {
      const label = document.createElement("label"), input = document.createElement("input");
      input.value = value;
      label.append(`${name} `, input);
      form.append(label, " ");
      return input;
    };
    const points = form.dataset.points && JSON.parse(form.dataset.points), last = points && points.at(-1)[0];
    const epsilon = field("epsilon", points ? (last / 2).toPrecision(3) : "1"), delta = field("delta", "1e-5");
    const shown = document.createElement("output");
    form.append(shown);
    const show = () => {
      const e = Number(epsilon.value), d = Number(delta.value);
      if (points) {
        const at = calculator.deltaOn(points, e), least = calculator.epsilonOn(points, d);
        shown.textContent = at === null || !(d > 0 && d < 1)
          ? `epsilon must be in [${points[0][0]}, ${last}], delta in (0, 1)`
          : `As published delta is at least ${at.toExponential(2)} at epsilon = ${e}. For delta = ${d} epsilon is ${least === null ? `above ${last}` : `at least ${least.toPrecision(3)}`}.`;
      } else shown.textContent = e > 0.01 && e < 50 && d > 1e-12 && d < 1
        ? `The published standard deviation is ${calculator.published(e, d).toPrecision(4)}, and with it delta is ${calculator.real(e, d).toExponential(2)}; enough is ${calculator.enough(e, d).toPrecision(4)}.`
        : "epsilon must be in (0.01, 50), delta in (1e-12, 1)";
    };
    form.addEventListener("input", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    show();
  }
});
if (typeof module !== "undefined") module.exports = calculator;
