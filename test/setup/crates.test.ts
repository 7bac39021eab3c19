import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface Package {
  name: string;
  dependencies: { name: string; kind: string | null; path?: string }[];
}

interface Module {
  crateTable: (architecture: string) => string[][];
  wrongDependencies: (rows: string[][], packages: Package[]) => string[];
  moduleGraph: (source: string) => Map<string, Set<string>>;
  circles: (graph: Map<string, Set<string>>) => string[][];
  wrongCircles: (crate: string, found: string[][], allowed: { modules: string[]; reason: string }[]) => string[];
}

const { crateTable, wrongDependencies, moduleGraph, circles, wrongCircles } = (await import(
  '../../src/setup/crates.mjs' as string
)) as Module;

const ARCHITECTURE = [
  '## Crates of `native-bindings/`',
  '',
  '| crate | what it answers |',
  '| --- | --- |',
  '| `above` | `of` others |',
  '| `left`, `right` | side by side |',
  '| `below` | the rest |',
  '',
  '## Next',
  '| `other` | no crate |',
].join('\n');

/** A package that depends on crates of these names, in `tests` on those of its tests. */
function crate(name: string, imports: string[], tests: string[] = []): Package {
  const dependency = (kind: string | null) => (other: string) => ({ name: `quarry-${other}`, kind, path: `/${other}` });
  const registry = { name: 'serde', kind: null };
  return {
    name: `quarry-${name}`,
    dependencies: [registry, ...imports.map(dependency(null)), ...tests.map(dependency('dev'))],
  };
}

describe('directions between crates', () => {
  const rows = crateTable(ARCHITECTURE);

  it('are those of the table', () => {
    expect(rows).toEqual([['above'], ['left', 'right'], ['below']]);
    const packages = [
      crate('above', ['left', 'below']),
      crate('left', ['below']),
      crate('right', []),
      crate('below', []),
    ];
    expect(wrongDependencies(rows, packages)).toEqual([]);
  });

  it('refuse an import upward or sideways, but of tests', () => {
    const packages = [
      crate('above', []),
      crate('left', ['right']),
      crate('right', [], ['above']),
      crate('below', ['above']),
    ];
    expect(wrongDependencies(rows, packages)).toEqual([
      'quarry-left imports quarry-right, which does not stand below it',
      'quarry-below imports quarry-above, which does not stand below it',
    ]);
  });

  it('miss crates on either side', () => {
    const packages = [crate('above', []), crate('left', []), crate('below', []), crate('new', [])];
    expect(wrongDependencies(rows, packages)).toEqual([
      'quarry-new is not in the table of crates',
      'quarry-right is in the table of crates, but there is none',
    ]);
  });
});

describe('directions between the modules of a crate', () => {
  let source = '';
  beforeEach(() => {
    source = mkdtempSync(path.join(tmpdir(), 'quarry-crates-'));
  });
  afterEach(() => {
    rmSync(source, { recursive: true, force: true });
  });

  function write(files: Record<string, string>): void {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(source, file)), { recursive: true });
      writeFileSync(path.join(source, file), text);
    }
  }

  it('are followed through folders, lists and paths in the text', () => {
    write({
      'lib.rs': 'pub mod a;\npub use a::A;\n',
      'a/mod.rs': 'use super::b::B;\nmod inner;\n',
      'a/inner.rs': 'use super::super::c;\nuse crate::{d::{D, E}, f};\n',
      'b.rs': 'fn b() -> super::c::C { crate::d::d() }\n',
      'c.rs': '// crate::a is a comment\nconst TEXT: &str = "crate::b::B";\n',
      'd.rs': '#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n',
      'f.rs': '',
      'tests.rs': 'use crate::a::A;\n',
    });
    const graph = moduleGraph(source);
    const shown = [...graph].map(([name, imports]) => [name, [...imports].sort().join(' ')]);
    expect(Object.fromEntries(shown)).toEqual({ a: 'b c d f', b: 'c d', c: '', d: '', f: '' });
    expect(circles(graph)).toEqual([]);
  });

  it('refuse a circle that is not listed, and a list that is longer than its circle', () => {
    write({ 'a.rs': 'use crate::b::B;', 'b/mod.rs': 'use crate::c::C;', 'c.rs': 'use super::a::A;', 'd.rs': '' });
    const found = circles(moduleGraph(source));
    expect(found).toEqual([['a', 'b', 'c']]);
    expect(wrongCircles('x', found, [])).toEqual(['x: a, b, c import each other']);
    expect(wrongCircles('x', found, [{ modules: ['a', 'b', 'c'], reason: 'one' }])).toEqual([]);
    expect(wrongCircles('x', found, [{ modules: ['a', 'b', 'c', 'd'], reason: 'one' }])).toEqual([
      'x: not all of a, b, c, d are in a circle any more: shorten the list',
    ]);
  });
});
