/** Documents by id and searches are answered from what was worked out for such requests of the same user before: never for longer than he may read them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, Json, TestNode } from './node-harness.js';
import { ADMIN, basic, startSecured } from './security-helpers.js';
import { nextTask } from './task-numbers.js';

const PASSWORD = 'users-password';
/** The first ones make the front ready, and have what is common to them worked out. */
const TIMES = 4;

let node: TestNode;

const as = (authorization: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  node.request(method, path, body, { authorization });

async function admin(method: string, path: string, body?: unknown): Promise<Json> {
  const answer = await as(ADMIN, method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json();
}

async function role(name: string, indices: readonly string[], privileges: readonly string[] = ['read']): Promise<void> {
  await admin('PUT', `/_security/role/${name}`, { cluster: ['monitor'], indices: [{ names: indices, privileges }] });
}

async function user(name: string, indices: readonly string[]): Promise<string> {
  await role(name, indices);
  await admin('PUT', `/_security/user/${name}`, { password: PASSWORD, roles: [name] });
  return basic(name, PASSWORD);
}

/** What all of several requests in a row were answered with. */
async function statusOf(authorization: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const statuses = new Set<number>();
  for (let time = 0; time < TIMES; time++) {
    statuses.add((await node.request('GET', path, undefined, { authorization, ...headers })).status);
  }
  expect([...statuses]).toHaveLength(1);
  return [...statuses][0] ?? 0;
}

beforeAll(async () => {
  // Numbers of tasks tell which way a request took, and each front has its own.
  node = await startSecured({ 'http.front_threads': '1' });
  for (const index of ['open', 'closed-to-many']) await admin('PUT', `/${index}/_doc/1?refresh=true`, { from: index });
  await admin('POST', '/_aliases', { actions: [{ add: { index: 'closed-to-many', alias: 'window' } }] });
}, 60_000);

afterAll(async () => {
  await node.stop();
});

it('users read what they may, side by side in the same words', async () => {
  const [one, other] = [await user('one', ['open']), await user('other', ['window'])];
  for (let round = 0; round < 3; round++) {
    const paths = ['/open/_doc/1', '/closed-to-many/_doc/1', '/window/_doc/1', '/absent/_doc/1'];
    const of = async (who: string): Promise<readonly number[]> => {
      const statuses = [];
      for (const path of paths) statuses.push(await statusOf(who, path));
      return statuses;
    };
    expect(await of(one)).toEqual([200, 403, 403, 403]);
    expect(await of(other)).toEqual([403, 403, 200, 403]);
    expect(await of(ADMIN)).toEqual([200, 200, 200, 404]);
    expect(await of('')).toEqual([401, 401, 401, 401]);
  }
});

it('a role that is changed counts from the next request on', async () => {
  const changing = await user('changing', ['open']);
  expect(await statusOf(changing, '/open/_doc/1')).toBe(200);
  await role('changing', ['closed-*']);
  expect(await statusOf(changing, '/open/_doc/1')).toBe(403);
  expect(await statusOf(changing, '/closed-to-many/_doc/1')).toBe(200);
  await role('changing', ['*'], ['create_doc']);
  expect(await statusOf(changing, '/closed-to-many/_doc/1')).toBe(403);
  await admin('DELETE', '/_security/user/changing');
  expect(await statusOf(changing, '/open/_doc/1')).toBe(401);
});

it('an API key reads what it was given, and nothing once it is invalidated', async () => {
  const { id, encoded } = await admin('POST', '/_security/api_key', {
    name: 'narrow',
    role_descriptors: { narrow: { indices: [{ names: ['open'], privileges: ['read'] }] } },
  });
  const key = `ApiKey ${encoded}`;
  expect(await statusOf(key, '/open/_doc/1')).toBe(200);
  expect(await statusOf(key, '/closed-to-many/_doc/1')).toBe(403);
  expect(await statusOf(key, '/')).toBe(403);
  await admin('DELETE', '/_security/api_key', { ids: [id] });
  expect(await statusOf(key, '/open/_doc/1')).toBe(401);
});

it('who runs as another reads as that one, if he may run as him', async () => {
  const reader = await user('run-as-reader', ['open']);
  await user('run-as-target', ['closed-to-many']);
  const runAs = { 'es-security-runas-user': 'run-as-target' };
  expect(await statusOf(ADMIN, '/closed-to-many/_doc/1', runAs)).toBe(200);
  expect(await statusOf(ADMIN, '/open/_doc/1', runAs)).toBe(403);
  expect(await statusOf(ADMIN, '/open/_doc/1')).toBe(200);
  expect(await statusOf(reader, '/closed-to-many/_doc/1', runAs)).toBe(403);
});

it('the root is for those who may see it', async () => {
  await admin('PUT', '/_security/role/blind', { indices: [{ names: ['open'], privileges: ['read'] }] });
  await admin('PUT', '/_security/user/blind', { password: PASSWORD, roles: ['blind'] });
  const seeing = await user('seeing', ['open']);
  for (let round = 0; round < 2; round++) {
    expect(await statusOf(basic('blind', PASSWORD), '/')).toBe(403);
    expect(await statusOf(seeing, '/')).toBe(200);
  }
});

/** The indices of the hits of the last of several equal searches, or the status of all of them. */
async function foundIn(authorization: string, path: string, runAs: Record<string, string> = {}): Promise<Json> {
  const body = { query: { match: { from: 'open closed' } } };
  const answers: Json[] = [];
  for (let time = 0; time < TIMES; time++) {
    const answer = await node.request('POST', path, body, { authorization, ...runAs });
    const found = (): Json => answer.json().hits.hits.map(({ _index: index }: Json) => index);
    answers.push(answer.status === 200 ? found() : answer.status);
  }
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return answers[0];
}

it('users search what they may, side by side in the same words', async () => {
  const [one, other] = [await user('searching', ['open']), await user('searching-else', ['window'])];
  const restricted = basic('searching-part', PASSWORD);
  const query = { term: { from: 'nothing' } };
  const part = { indices: [{ names: ['open'], privileges: ['read'], query }] };
  await admin('PUT', '/_security/role/searching-part', part);
  await admin('PUT', '/_security/user/searching-part', { password: PASSWORD, roles: ['searching-part'] });
  for (let round = 0; round < 3; round++) {
    const of = async (who: string): Promise<Json[]> => {
      const found = [];
      for (const path of ['/open/_search', '/closed-to-many/_search', '/window/_search', '/o*/_search', '/_search']) {
        found.push(await foundIn(who, path));
      }
      return found;
    };
    const hidden = 'closed-to-many';
    expect(await of(one)).toEqual([['open'], 403, 403, ['open'], ['open']]);
    expect(await of(other)).toEqual([403, 403, [hidden], [], [hidden]]);
    expect(await of(restricted)).toEqual([[], 403, 403, [], []]);
    expect(await of(ADMIN)).toEqual([['open'], [hidden], [hidden], ['open'], expect.arrayContaining(['open', hidden])]);
  }
  await role('searching', ['closed-*']);
  expect(await foundIn(one, '/open/_search')).toBe(403);
  expect(await foundIn(one, '/_search')).toEqual(['closed-to-many']);
  const runAs = { 'es-security-runas-user': 'searching-else' };
  expect(await foundIn(ADMIN, '/open/_search', runAs)).toBe(403);
  expect(await foundIn(ADMIN, '/_search', runAs)).toEqual(['closed-to-many']);
  expect(await foundIn(one, '/_search', runAs)).toBe(403);
});

it('searches of a user are answered at once', async () => {
  const fast = await user('searching-fast', ['open']);
  const tasks = (): Promise<number> => nextTask((path) => as(ADMIN, 'GET', path));
  let usual = Infinity;
  for (let round = 0; round < 50 && usual > 0; round++) {
    const before = await tasks();
    expect(await foundIn(fast, '/open/_search')).toEqual(['open']);
    usual = (await tasks()) - before - 1;
  }
  expect(usual).toBe(0);
});
