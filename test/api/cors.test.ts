/** Pages of other origins in a browser: questions before requests, headers of answers, refusals. */
import { afterEach, expect, test } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode | undefined;
afterEach(async () => {
  await node?.stop();
  node = undefined;
});

const PAGE = 'http://tools.example:8080';

async function start(settings: Readonly<Record<string, string>>): Promise<TestNode> {
  node = await TestNode.start(settings);
  return node;
}

function ask(from: TestNode, origin: string): Promise<Answer> {
  return from.request('OPTIONS', '/films/_search', undefined, {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  });
}

function corsHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  const names = [...headers.keys()].filter((name) => name.startsWith('access-control-') || name === 'vary');
  return Object.fromEntries(names.map((name) => [name, headers.get(name) ?? '']));
}

test('without http.cors.enabled no answer speaks of origins', async () => {
  const alone = await start({});
  expect(corsHeaders(await ask(alone, PAGE))).toEqual({});
  expect(corsHeaders(await alone.get('/', { origin: PAGE }))).toEqual({});
});

test('origins of a list, all settings', async () => {
  const listed = await start({
    'http.cors.enabled': 'true',
    'http.cors.allow-origin': `http://other.example,${PAGE}`,
    'http.cors.allow-methods': 'get,POST',
    'http.cors.allow-headers': 'Content-Type,X-Mine',
    'http.cors.allow-credentials': 'true',
    'http.cors.max-age': '60',
    'http.cors.expose-headers': 'X-Opaque-Id',
  });
  const question = await ask(listed, PAGE);
  expect(question.status).toBe(200);
  const allowed = { 'access-control-allow-origin': PAGE, vary: 'Origin', 'access-control-allow-credentials': 'true' };
  expect(corsHeaders(question)).toEqual({
    ...allowed,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Content-Type, X-Mine',
    'access-control-max-age': '60',
  });
  // Errors are told as well: a page could not read them otherwise.
  for (const path of ['/', '/nothing/_search', '/_ml/info']) {
    const answer = await listed.get(path, { origin: PAGE });
    expect(corsHeaders(answer)).toEqual({ ...allowed, 'access-control-expose-headers': 'X-Opaque-Id' });
  }
  const refused = await listed.put('/films', undefined, { origin: 'http://evil.example' });
  expect(refused.status).toBe(403);
  expect(refused.json().error.reason).toBe(
    'origin [http://evil.example] is not among those of [http.cors.allow-origin]',
  );
  expect(corsHeaders(refused)).toEqual({});
  expect((await ask(listed, 'http://evil.example')).status).toBe(403);
  expect((await listed.request('HEAD', '/films')).status).toBe(404);
  // Its own pages, and who is no browser.
  expect((await listed.get('/', { origin: listed.url })).status).toBe(200);
  expect((await listed.get('/')).status).toBe(200);
  expect(corsHeaders(await listed.get('/'))).toEqual({});
});

test('any origin, and a pattern of origins', async () => {
  const open = await start({ 'http.cors.enabled': 'true', 'http.cors.allow-origin': '*' });
  expect(corsHeaders(await ask(open, PAGE))).toEqual({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'OPTIONS, HEAD, GET, POST, PUT, DELETE',
    'access-control-allow-headers':
      'X-Requested-With, Content-Type, Content-Length, Authorization, Accept, User-Agent, X-Elastic-Client-Meta',
    'access-control-max-age': '1728000',
  });
  // An OPTIONS that is not a browser's question is answered as ever.
  expect((await open.request('OPTIONS', '/films/_search', undefined, { origin: PAGE })).headers.get('allow')).toBe(
    'GET,POST',
  );
  await open.stop();
  const pattern = String.raw`/https?:\/\/localhost(:[0-9]+)?/`;
  const matched = await start({ 'http.cors.enabled': 'true', 'http.cors.allow-origin': pattern });
  expect(corsHeaders(await matched.get('/', { origin: 'http://localhost:5601' }))).toMatchObject({
    'access-control-allow-origin': 'http://localhost:5601',
    vary: 'Origin',
  });
  expect((await matched.get('/', { origin: 'http://localhost:5601.evil.example' })).status).toBe(403);
});

test('settings that cannot be meant stop the start', async () => {
  const wrong = [
    { 'http.cors.allow-origin': 'http://tools.example/page' },
    { 'http.cors.allow-methods': 'FETCH' },
    { 'http.cors.max-age': '-1' },
    { 'http.cors.enabled': 'true', 'http.cors.allow-origin': '/(/' },
  ];
  for (const settings of wrong) {
    await expect(TestNode.start(settings)).rejects.toThrow(/http\.cors\.\S+/);
  }
});
