/**
 * `node src/setup/crates.mjs`: imports of the crates and of their modules go one way.
 *
 * Between crates: a crate depends only on crates that stand below it in ARCHITECTURE.md's table. What only tests use
 * (dev-dependencies) may stand anywhere. Inside a crate: its top-level modules do not import each other in a circle,
 * but for those that `one-module.mjs` lists with the reason.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib.mjs';
import { oneModule } from './one-module.mjs';

/** Names of crates in ARCHITECTURE.md's table, a list for each row, from the top. */
export function crateTable(architecture) {
  const section = architecture.split('## Crates of `native-bindings/`')[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (`[^|]*`) \|/gm)].map(([, cell]) =>
    [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name),
  );
}

/**
 * What is wrong with the crates' dependencies, a line each.
 * `rows`: see `crateTable`; `packages`: of `cargo metadata`, each `name` with its `dependencies` (`name`, `kind`, `path`).
 */
export function wrongDependencies(rows, packages) {
  const place = new Map(rows.flatMap((names, row) => names.map((name) => [`quarry-${name}`, row])));
  const missing = packages.filter(({ name }) => !place.has(name));
  const gone = [...place.keys()].filter((name) => !packages.some((one) => one.name === name));
  const upward = packages.flatMap(({ name, dependencies }) =>
    dependencies
      .filter(({ kind, path: folder }) => kind !== 'dev' && typeof folder === 'string')
      .filter((dependency) => !(place.get(dependency.name) > place.get(name)))
      .map((dependency) => `${name} imports ${dependency.name}, which does not stand below it`),
  );
  return [
    ...missing.map(({ name }) => `${name} is not in the table of crates`),
    ...gone.map((name) => `${name} is in the table of crates, but there is none`),
    ...upward,
  ];
}

const IS_TEST = /(^|\/)((\w+_)?tests?|test_\w+)(\/|\.rs$)/;

/** A module's text without comments, strings and the tests at its end. */
function plainText(text) {
  const tests = /#\[cfg\(test\)\]\s*(pub(\(\w+\))? )?mod \w+ \{/.exec(text);
  return (tests ? text.slice(0, tests.index) : text).replace(/\/\/[^\n]*/g, '').replace(/"(\\.|[^"\\])*"/g, '""');
}

/** First segments that a module imports from its crate's root. `depth`: 1 for a file in `src/`. */
export function importedModules(text, depth) {
  const plain = plainText(text);
  // `use crate::{a::B, c}` names several; the house writes one line for each, but nothing keeps it so.
  const up = `(?:crate|${'super::'.repeat(depth).slice(0, -2)})::`;
  const single = [...plain.matchAll(new RegExp(`(?<![\\w:])${up}([a-z_]\\w*)`, 'g'))].map(([, name]) => name);
  const lists = [...plain.matchAll(new RegExp(`(?<![\\w:])${up}\\{([^;]*)\\}`, 'g'))];
  const listed = lists.flatMap(([, list]) => {
    const flat = list.replace(/\{[^{}]*\}/g, '').replace(/\{[^{}]*\}/g, '');
    return flat.split(',').map((one) => one.trim().split('::')[0]);
  });
  return new Set([...single, ...listed].filter((name) => name !== 'super' && name !== ''));
}

function rustFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.rs') && !IS_TEST.test(file) && !/^(bin\/|lib\.rs|main\.rs)/.test(file));
}

/** The imports between the top-level modules of a crate: a set for each module. */
export function moduleGraph(source) {
  const graph = new Map();
  for (const file of rustFiles(source)) {
    const [top] = file.replace(/\.rs$/, '').split('/');
    if (!graph.has(top)) graph.set(top, new Set());
  }
  for (const file of rustFiles(source)) {
    const parts = file.replace(/(\/mod)?\.rs$/, '').split('/');
    const imported = importedModules(readFileSync(path.join(source, file), 'utf8'), parts.length);
    for (const name of imported) if (graph.has(name) && name !== parts[0]) graph.get(parts[0]).add(name);
  }
  return graph;
}

/** Modules that import each other, directly or through others: each a sorted list of two or more. */
export function circles(graph) {
  const reached = new Map([...graph.keys()].map((from) => [from, reachable(graph, from)]));
  const found = new Map();
  for (const module of graph.keys()) {
    const circle = [...reached.get(module)].filter((other) => reached.get(other).has(module)).sort();
    if (circle.length > 1) found.set(circle.join(' '), circle);
  }
  return [...found.values()];
}

function reachable(graph, from) {
  const seen = new Set();
  const waiting = [...graph.get(from)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    waiting.push(...graph.get(next));
  }
  return seen;
}

/** What is wrong with the circles of a crate. `allowed`: groups of modules that are one on purpose. */
export function wrongCircles(crate, found, allowed) {
  const isAllowed = (circle) => allowed.some(({ modules }) => circle.every((module) => modules.includes(module)));
  const isThere = ({ modules }) => modules.every((module) => found.some((circle) => circle.includes(module)));
  return [
    ...found.filter((circle) => !isAllowed(circle)).map((circle) => `${crate}: ${circle.join(', ')} import each other`),
    ...allowed
      .filter((group) => !isThere(group))
      .map(({ modules }) => `${crate}: not all of ${modules.join(', ')} are in a circle any more: shorten the list`),
  ];
}

function main() {
  const native = path.join(root, 'native-bindings');
  const metadata = execFileSync('cargo', ['metadata', '--no-deps', '--offline', '--format-version', '1'], {
    cwd: native,
    maxBuffer: 1 << 28,
  });
  const { packages } = JSON.parse(metadata.toString());
  const rows = crateTable(readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8'));
  const wrong = wrongDependencies(rows, packages);
  for (const crate of rows.flat()) {
    const graph = moduleGraph(path.join(native, crate, 'src'));
    wrong.push(...wrongCircles(crate, circles(graph), oneModule[crate] ?? []));
  }
  for (const line of wrong) console.error(line);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
