/* node search.js SITE QUERY...: the pages that Sphinx's own search finds for each query, best first, as JSON. */
"use strict";
const fs = require("fs"), vm = require("vm");
const [site, ...queries] = process.argv.slice(2);
const read = (name) => fs.readFileSync(`${site}/${name}`, "utf8");
const scripts = [...read("search.html").matchAll(/_static\/(?:[\w-]*stemmer|language_data|searchtools)\.js/g)].map((match) => read(match[0]));
const nothing = () => undefined;
const context = vm.createContext({ console, localStorage: { setItem: nothing }, document: { getElementById: () => null }, _ready: nothing, _: (text) => text, DOCUMENTATION_OPTIONS: {}, SPHINX_HIGHLIGHT_ENABLED: false });
context.window = context;
vm.runInContext(`${scripts.join("\n")};globalThis.Search = Search;`, context);
vm.runInContext(read("searchindex.js"), context);
const found = queries.map((query) => vm.runInContext(`Search._performSearch(...Search._parseQuery(${JSON.stringify(query)}))`, context));
console.log(JSON.stringify(found.map((results) => [...results].reverse().map((result) => result[0]))));
