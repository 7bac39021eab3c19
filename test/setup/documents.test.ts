/** The documents hold together: links lead somewhere, files that they name are there, lines wrap, the doorway stays short. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COLUMNS_MAX = 120;
const LINES_MAX: Readonly<Record<string, number>> = { 'ARCHITECTURE.md': 130, 'README.md': 150 };
/** They are wrapped when they are written anew. */
const NOT_WRAPPED = /^bench\/records\//u;
/** Groups of a version in the change log, in the order in which somebody who decides whether to upgrade reads them. */
const GROUPS_OF_CHANGES = ['Breaking', 'Added', 'Changed', 'Fixed', 'Faster'];
/** Documents that name files of the tree. */
const NAMES_FILES = /^(docs\/|ARCHITECTURE|CONTRIBUTING)/u;
/** Paths that documents name and that are no files of the tree: endpoints between nodes, files of a node. */
const NOT_IN_TREE: ReadonlySet<string> = new Set([
  'dist/program',
  'front/watch',
  'front/challenge',
  'front/prove',
  'config/certs',
  'config/cluster.secret',
  'front/tasks',
  'cluster/raft/raft.log',
  '../index',
]);

const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .trim()
  .split('\n');
const documents = tracked.filter((name) => name.endsWith('.md') && existsSync(path.join(ROOT, name)));
/** Files without `src/` in crates, and all folders, each behind a slash. */
const places = new Set(tracked.flatMap((name) => withFolders(name).map((each) => `/${each}`)));

describe.each(documents)('%s', (name) => {
  const text = readFileSync(path.join(ROOT, name), 'utf8');

  test('its links lead to files', () => {
    const targets = [...prose(text).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/gu)].map(([, target]) => target ?? '');
    const local = targets.filter((target) => !/^[a-z]+:/u.test(target));
    const broken = local.filter((target) => !existsSync(path.resolve(ROOT, path.dirname(name), target)));
    expect(broken).toEqual([]);
  });

  const isWrapped = !NOT_WRAPPED.test(name);
  if (isWrapped)
    test('its lines wrap', () => {
      const long = prose(text)
        .split('\n')
        .filter((line) => line.length > COLUMNS_MAX && !line.trimStart().startsWith('|'));
      expect(long).toEqual([]);
    });

  if (NAMES_FILES.test(name))
    test('the files that it names are there', () => {
      const named = [...prose(text).matchAll(/`([\w.-]+(?:\/[\w.-]+)+|[\w-]+\.(?:rs|ts|mjs|fbs))\/?`/gu)].map(
        ([, place]) => place ?? '',
      );
      const missing = named.filter((place) => !place.startsWith('_') && !NOT_IN_TREE.has(place) && !isThere(place));
      expect(missing).toEqual([]);
    });

  const linesMax = LINES_MAX[name];
  if (linesMax !== undefined)
    test('it stays short', () => {
      expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(linesMax);
    });
});

test('the change log of each version has its groups in order', () => {
  const [, ...versions] = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8').split(/^## /mu);
  expect(versions.length).toBeGreaterThan(0);
  for (const version of versions) {
    const groups = [...version.matchAll(/^### (.+)$/gmu)].map(([, group]) => group ?? '');
    expect(groups).toEqual(GROUPS_OF_CHANGES.filter((group) => groups.includes(group)));
  }
});

/** Without blocks of code. */
function prose(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gmu, '');
}

/** Documents name files by the end of their path, modules without the ending, and crates without `src/`. */
function isThere(place: string): boolean {
  return [...places].some((each) => ['', '.ts', '.rs'].some((ending) => each.endsWith(`/${place}${ending}`)));
}

function withFolders(name: string): readonly string[] {
  const parts = name.split('/');
  const all = parts.map((_, at) => parts.slice(0, at + 1).join('/'));
  return [...all, ...all.map((each) => each.replace('/src/', '/'))];
}
