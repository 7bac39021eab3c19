/** The page of what works and what is refused has the names that the code has, no more and no fewer. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ABSENT_SETTINGS } from '../../src/base/absent-node-settings.js';
import { ACTION_NAMES, PHASES } from '../../src/cluster/lifecycle/policy.js';
import { CLUSTER_SETTINGS } from '../../src/cluster/settings/cluster-settings.js';
import { INDEX_SETTINGS } from '../../src/cluster/settings/index-settings.js';
import { PROCESSOR_TYPES } from '../../src/ingest/processors/table.js';
import { FIELD_TYPES } from '../../src/mapping/types.js';
import { INDEX_OPTIONS_KINDS, UNSUPPORTED_INDEX_OPTIONS } from '../../src/mapping/vector-index-options.js';
import { ABSENT_REPOSITORY_TYPES, REPOSITORY_TYPES } from '../../src/repositories/settings.js';
import { ABSENT_FAMILIES } from '../../src/rest/absent-endpoints.js';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { AGGREGATION_PARSERS, UNSUPPORTED_AGGREGATIONS } from '../../src/search/aggs/aggregation-parsers.js';
import { UNSUPPORTED_KNN_MEMBERS } from '../../src/search/query/specialized/knn-query.js';
import { QUERY_PARSERS, UNSUPPORTED_QUERIES } from '../../src/search/query/query-parsers.js';
import { RETRIEVERS, UNSUPPORTED_RETRIEVERS } from '../../src/search/request/retriever.js';
import { UNSUPPORTED_KEYS } from '../../src/search/request/unsupported.js';

const page = readTree('docs/compatibility.md');

interface Row {
  readonly names: readonly string[];
  readonly cells: readonly string[];
}

/** What a table is about, the names that work, and those that are refused by a table of the code. */
const TABLES: readonly (readonly [heading: string, offered: readonly string[], refused: readonly string[]])[] = [
  ['Endpoints', endpointNames(), []],
  ['Queries', [...QUERY_PARSERS.keys()], [...UNSUPPORTED_QUERIES]],
  ['Aggregations', [...AGGREGATION_PARSERS.keys()], [...UNSUPPORTED_AGGREGATIONS]],
  ['Members of the body', [], [...UNSUPPORTED_KEYS]],
  ['Retrievers', Object.keys(RETRIEVERS), [...UNSUPPORTED_RETRIEVERS]],
  ['Field types', ['object', 'nested', ...FIELD_TYPES], []],
  ['Index options of vectors', Object.keys(INDEX_OPTIONS_KINDS), [...UNSUPPORTED_INDEX_OPTIONS]],
  ['Tokenizers', componentsOf('tokenizer'), []],
  ['Token filters', componentsOf('filter'), []],
  ['Char filters', componentsOf('char_filter'), []],
  ['Processors', [...PROCESSOR_TYPES.keys()], []],
  ['Repositories', Object.keys(REPOSITORY_TYPES), ABSENT_REPOSITORY_TYPES],
  ['Lifecycle policies', [...new Set([...PHASES, ...ACTION_NAMES])], []],
];

describe.each(TABLES)('%s', (heading, offered, refused) => {
  const rows = rowsBelow(heading);
  const inState = (...states: string[]) =>
    rows.filter(({ cells }) => states.includes(cells[1] ?? '')).flatMap(({ names }) => names);

  test('every row has a state, and every name one row', () => {
    expect(rows.filter(({ cells }) => !['works', 'differs', 'refused'].includes(cells[1] ?? ''))).toEqual([]);
    const names = rows.flatMap((row) => row.names);
    expect(names).toEqual([...new Set(names)]);
  });

  test('what works or differs is what the code has', () => {
    expect(inState('works', 'differs').sort()).toEqual([...offered].sort());
  });

  test('what the code refuses by name is refused on the page, and nothing that it has', () => {
    expect(inState('refused')).toEqual(expect.arrayContaining([...refused]));
    expect(inState('refused').filter((name) => offered.includes(name))).toEqual([]);
  });
});

test('families of endpoints that are absent', () => {
  const listed = rowsBelow('Families of endpoints that are refused').flatMap(({ cells }) =>
    namesIn(cells[1] ?? '').map((path) => `${cells[0] ?? ''}: ${path}`),
  );
  const absent = ABSENT_FAMILIES.map(
    ({ title, method, segments }) => `${title}: ${method === undefined ? '' : `${method} `}${segments.join('/')}`,
  );
  expect(listed.sort()).toEqual([...absent].sort());
});

test('settings that are offered at their default only, and those without an effect', () => {
  const listed = rowsBelow('Settings offered at their default only').map(({ names, cells }) => [names[0], cells[1]]);
  const known = [CLUSTER_SETTINGS, INDEX_SETTINGS].flatMap(({ settings }) => [...settings.values()]);
  const limited = known
    .filter(({ offer }) => offer !== 'full')
    .map(({ key, offer, fallback }) => [key, offer === 'ignored' ? '*ignored*' : shownDefault(fallback)]);
  expect(listed.sort()).toEqual(limited.sort());
});

test('settings of a node that are refused', () => {
  const listed = rowsBelow('Settings of a node that are refused').map(({ names, cells }) => [names[0], cells[1]]);
  const absent = [...ABSENT_SETTINGS].map(([key, { holds }]) => [key, holds === undefined ? 'none' : `\`${holds}\``]);
  expect(listed).toEqual(absent);
});

test('members of knn that are refused', () => {
  const [row] = rowsBelow('Queries').filter(({ names }) => names.includes('knn'));
  for (const member of UNSUPPORTED_KNN_MEMBERS) expect(row?.cells[2]).toContain(`\`${member}\``);
});

function shownDefault(fallback: string | readonly string[] | undefined): string {
  return fallback === undefined || fallback.length === 0 ? 'empty' : `\`${String(fallback)}\``;
}

/** The rows of the first table below a heading, without its own two lines. */
function rowsBelow(heading: string): readonly Row[] {
  const begin = new RegExp(`^#+ ${heading}$`, 'mu').exec(page);
  if (begin === null) throw new Error(`no heading [${heading}]`);
  const below = page.slice(begin.index).split('\n');
  const first = below.findIndex((line) => line.startsWith('|'));
  const end = below.findIndex((line, at) => at > first && !line.startsWith('|'));
  return below.slice(first + 2, end).map((line) => {
    const cells = line
      .slice(1, -1)
      .split(/(?<!\\)\|/u)
      .map((cell) => cell.trim().replaceAll('\\|', '|'));
    return { names: namesIn(cells[0] ?? ''), cells };
  });
}

function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/gu)].map(([, name]) => name ?? '');
}

/** The first segment of each path that is no name of an index. */
function endpointNames(): readonly string[] {
  const paths = ENDPOINTS.flatMap(({ routes }) => routes.map(({ path }) => path));
  const names = paths.map((path) => path.split('/').find((segment) => segment.startsWith('_')));
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** Names of the components that the native side builds: the arms of one `match`, and of the normalizations. */
function componentsOf(kind: 'tokenizer' | 'filter' | 'char_filter'): readonly string[] {
  const folder = `native-bindings/analysis/src/${kind}`;
  const names = armsOf(readTree(`${folder}/mod.rs`));
  if (kind !== 'filter') return names;
  // These two hold other filters, and are built where all of an index are known.
  return [...names, 'multiplexer', 'condition', ...armsOf(readTree(`${folder}/characters/normalize/mod.rs`))];
}

/** Up to the next function, which gives defaults to some of them. Older spellings behind a `|` are left out. */
function armsOf(source: string): readonly string[] {
  const arms = [...source.matchAll(/^ {8}"(\w+)"(?: \| "\w+")* => /gmu)].map(([, name]) => name ?? '');
  return [...new Set(arms)];
}

function readTree(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), 'utf8');
}
