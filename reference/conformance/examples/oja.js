// Worked example of the line protocol: liu2022 Algorithm 1 (oja) and Algorithm 2 (private_oja) in JavaScript.
// One case is one line of JSON on standard input; its answer is one line of JSON on standard output.
"use strict";

class Refusal extends Error {}

const norm = (v) => Math.hypot(...v);
const dot = (u, v) => u.reduce((sum, entry, i) => sum + entry * v[i], 0);

function normalise(w) {
  const length = norm(w);
  if (length === 0) throw new Refusal("the iterate became 0");
  return w.map((entry) => entry / length);
}

// A_i w, for a matrix A_i or for a row x_i that stands for x_i x_i^T.
function gradient(A, w) {
  if (Array.isArray(A[0])) return A.map((row) => dot(row, w));
  const product = dot(A, w);
  return A.map((entry) => entry * product);
}

function clip(g, beta) {
  const length = norm(g);
  return length > beta ? g.map((entry) => (entry * beta) / length) : g;
}

function checkSteps(steps, count, least) {
  if (steps.some((eta) => !(eta > 0))) throw new Refusal("step_sizes must be > 0");
  if (count < steps.length || least > steps.length) throw new Refusal("step_sizes must be one for each step");
}

// Draws are looked up by name, so a wrong name or a missing draw is an error.
function reader(draws) {
  const byName = new Map(draws.map((entry) => [entry.name, entry.draw]));
  return (name) => {
    if (!byName.has(name)) throw new Error(`no draw ${name}`);
    return byName.get(name);
  };
}

function oja({ parameters, inputs, draws }) {
  const A = inputs.A;
  const steps = parameters.step_sizes;
  checkSteps(steps, A.length, 0);
  let w = normalise(reader(draws)("w[0]")); // line 1
  const intermediates = [{ line: "1", name: "w", value: w }];
  steps.forEach((eta, t) => {
    const g = gradient(A[t], w);
    const wPrime = w.map((entry, i) => entry + eta * g[i]); // line 2
    w = normalise(wPrime); // line 2
    intermediates.push({ line: "2", name: "w'", value: wPrime }, { line: "2", name: "w", value: w });
  });
  return { output: w, intermediates }; // line 3
}

function privateOja({ parameters, calibration, inputs, draws }) {
  const { delta, n, step_sizes: steps } = parameters;
  if (!(delta > 0 && delta < 1)) throw new Refusal("delta must be in (0, 1)");
  const A = inputs.A;
  if (A.length !== n) throw new Refusal("A must have the calibrated n");
  checkSteps(steps, n, n);
  const { alpha, beta } = calibration; // lines 2 and 3 are the calibration's
  const draw = reader(draws);
  const order = draw("order"); // line 1
  let w = normalise(draw("w[0]")); // line 1
  const releases = {};
  for (let t = 1; t <= n; t++) { // line 4
    const z = draw(`g[${t}]`); // line 5
    const g = clip(gradient(A[order[t - 1]], w), beta);
    const noisy = g.map((entry, i) => entry + 2 * beta * alpha * z[i]);
    releases[`g[${t}]`] = { value: g, released: noisy };
    w = normalise(w.map((entry, i) => entry + steps[t - 1] * noisy[i])); // lines 6 and 7
  }
  return { output: w, releases }; // line 8
}

const ALGORITHMS = { "liu2022.oja": oja, "liu2022.private_oja": privateOja };

function answer(request) {
  const algorithm = ALGORITHMS[request.algorithm];
  if (algorithm === undefined) return { unsupported: request.algorithm };
  try {
    return algorithm(request);
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message };
    throw error;
  }
}

const lines = require("readline").createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const request = JSON.parse(line);
  process.stdout.write(JSON.stringify({ id: request.id, ...answer(request) }) + "\n");
});
