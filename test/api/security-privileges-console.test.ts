/** The role `console_admin`: whoever has it alone can read every page of the web console, and neither documents nor change anything. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as answers from '../../src/console/api/answers.js';
import * as snapshots from '../../src/console/pages/snapshots/answers.js';
import type { Answer, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';

const PASSWORD = 'users-password';
const MATCH_ALL = { query: { match_all: {} } };

/** What pages ask for beyond what their lists of answers say. */
const OTHERS = [
  '_console/endpoints.json',
  '_nodes/stats/indices,os,process,jvm,thread_pool',
  '_cluster/allocation/explain?index=films&shard=0&primary=true',
  'films/_mapping',
];

let node: TestNode;

const as = (user: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  node.request(method, path.startsWith('/') ? path : `/${path}`, body, {
    authorization: user === 'admin' ? ADMIN : basic(user, PASSWORD),
  });

async function admin(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
}

beforeAll(async () => {
  node = await startSecured();
  await admin('PUT', 'films/_doc/1?refresh=true', { title: 'secret' });
  await admin('PUT', 'films/_doc/2?refresh=true', { title: 'open' });
  await admin('PUT', '.hidden', { settings: { hidden: true } });
  await admin('PUT', '_security/role/some', {
    indices: [{ names: ['films'], privileges: ['read'], query: { match: { title: 'open' } } }],
  });
  await admin('PUT', '_security/user/alone', { password: PASSWORD, roles: ['console_admin'] });
  await admin('PUT', '_security/user/both', { password: PASSWORD, roles: ['console_admin', 'some'] });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

/** By the console's own words, so that a page that asks for more needs a role that grants more. */
function pathsOfPages(): readonly string[] {
  const made = [
    answers.indexDescription('films'),
    answers.indexSegments('films'),
    answers.indexStatistics('films'),
    ...[...Object.values(answers), ...Object.values(snapshots)].filter((each) => typeof each === 'object'),
  ];
  return [...made.map(({ path }) => path), ...OTHERS];
}

test('everything that pages ask for is granted', async () => {
  const paths = pathsOfPages();
  expect(paths.length).toBeGreaterThan(15);
  for (const path of paths) expect([path, (await as('alone', 'GET', path)).status]).toEqual([path, 200]);
  // Of a repository that is not there.
  expect((await as('alone', 'GET', snapshots.newestSnapshots('none').path)).status).toBe(404);
  const listed = (await as('alone', 'GET', answers.CAT_INDICES.path)).json() as readonly answers.CatIndex[];
  const all = (await as('admin', 'GET', answers.CAT_INDICES.path)).json() as readonly answers.CatIndex[];
  expect(listed.map(({ index }) => index)).toEqual(all.map(({ index }) => index));
  expect(listed.map(({ index }) => index)).toEqual(expect.arrayContaining(['films', '.hidden']));
});

test.each([
  ['POST', 'films/_search', MATCH_ALL],
  ['GET', '_search', undefined],
  ['GET', 'films/_count', undefined],
  ['GET', 'films/_doc/1', undefined],
  ['GET', 'films/_source/1', undefined],
  ['POST', 'films/_terms_enum', { field: 'title.keyword' }],
  ['GET', 'films/_termvectors/1', undefined],
  ['GET', 'films/_validate/query?rewrite=true&q=title:s*', undefined],
  ['GET', 'films/_field_caps?fields=*', undefined],
  ['POST', 'films/_pit?keep_alive=1m', undefined],
])('documents are not: %s %s', async (method, path, body) => {
  expect((await as('alone', method, path, body)).status).toBe(403);
});

test.each([
  ['PUT', 'films/_settings', { index: { number_of_replicas: 0 } }],
  ['PUT', '_cluster/settings', { persistent: {} }],
  ['POST', '_cluster/reroute?retry_failed=true', undefined],
  ['POST', '_tasks/_all:1/_cancel', undefined],
  ['POST', 'films/_refresh', undefined],
  ['POST', 'films/_flush', undefined],
  ['POST', 'films/_forcemerge', undefined],
  ['POST', 'films/_close', undefined],
  ['DELETE', 'films', undefined],
  ['PUT', 'films/_doc/3', { title: 'new' }],
  ['PUT', '.kibana_1/_doc/1', { title: 'new' }],
  ['PUT', '_snapshot/backups', { type: 'fs', settings: { location: 'backups' } }],
  ['POST', '_slm/policy/nightly/_execute', undefined],
])('changes are not: %s %s', async (method, path, body) => {
  expect((await as('alone', method, path, body)).status).toBe(403);
});

test('another role beside it shows no more documents than it does alone', async () => {
  const found = (await as('both', 'POST', 'films/_search', MATCH_ALL)).json();
  expect(found.hits.hits.map(({ _id }: { readonly _id: string }) => _id)).toEqual(['2']);
});
