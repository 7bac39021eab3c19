/** Documents of which a user may read those of his department, and what every way of reading shows of them. */
import { expect } from 'vitest';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { attempts, EXEMPT, HIDDEN, MAPPING, PREFIXES, valuesOf, type Attempt } from './restricted-reads.js';
import { done, type Ask } from './security-helpers.js';

export const IDS = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'b3', 'b4', 'b5'] as const;

/** Documents `a*` may be read and `b*` may not, by the query `dept: open`; with `onlyVisible` the latter are not there. */
export async function putDocuments(ask: Ask, index: string, settings: object, onlyVisible = false): Promise<void> {
  await done(ask('PUT', `/${index}`, { settings, mappings: MAPPING }));
  const put = async (id: string, more: object, routing = id): Promise<void> => {
    const isHidden = id.startsWith('b');
    const values = PREFIXES.map((prefix) => valuesOf(prefix, Number(id.slice(1)), isHidden));
    const dept = isHidden ? 'closed' : 'open';
    if (isHidden && onlyVisible) return;
    await done(ask('PUT', `/${index}/_doc/${id}?routing=${routing}`, Object.assign({ id, dept, ...more }, ...values)));
  };
  for (const id of IDS) {
    await put(id, { join: 'parent', owner: `user-${id}`, stored_query: { term: { dept: 'open' } } });
  }
  // Children of those that may be read and of those that may not, in the same way.
  for (const [child, parent] of [
    ['a11', 'a1'],
    ['b11', 'a1'],
    ['a12', 'b1'],
    ['b12', 'b1'],
  ] as const) {
    await put(child, { join: { name: 'child', parent } }, parent);
  }
  await done(ask('POST', `/${index}/_refresh`));
}

/** Every endpoint that may tell of documents is tried, or has a reason not to be. */
export function untriedEndpoints(tried: readonly Attempt[]): readonly string[] {
  const known = new Set([...tried.map(({ endpoint }) => endpoint), ...Object.keys(EXEMPT)]);
  const reads = ENDPOINTS.filter(({ action }) => {
    const name = typeof action === 'string' ? action : action.name;
    return name.startsWith('indices:data/read/') || name.startsWith('indices:data/write/') || ALSO.has(name);
  });
  return reads.map(({ name }) => name).filter((name) => !known.has(name) && !WRITES.has(name));
}

/** Not named as reads, but ways to what documents and mappings hold. */
const ALSO: ReadonlySet<string> = new Set([
  'indices:admin/analyze',
  'indices:admin/analyze_disk_usage',
  'indices:admin/get',
  'indices:admin/index/create_from_source',
  'indices:admin/mappings/fields/get',
  'indices:admin/mappings/get',
  'indices:admin/shards/search_shards',
  'indices:admin/validate/query',
  'indices:monitor/stats',
]);
/** Tell nothing of documents but that they were written, or how many there are in all. */
const WRITES: ReadonlySet<string> = new Set(['create', 'delete', 'index', 'cat.indices', 'cat.shards']);

/** Runs all attempts; returns the names of those that showed what is hidden. */
export async function leaks(ask: Ask, index: string, ids: readonly string[]): Promise<readonly string[]> {
  const leaking: string[] = [];
  for (const prefix of PREFIXES) {
    for (const attempt of attempts(index, prefix, ids)) {
      const answers = await attempt.run(ask);
      for (const { status, text } of answers) {
        expect(status, `${attempt.name}: ${text}`).toBeLessThan(500);
        if (HIDDEN.test(text)) leaking.push(`${attempt.name}: ${HIDDEN.exec(text)?.[0] ?? ''} ${text.slice(0, 300)}`);
      }
    }
  }
  return leaking;
}
