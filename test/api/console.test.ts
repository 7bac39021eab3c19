/** The files of the web console over HTTP. What a browser makes of them: test/console/console.test.ts. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/rest/endpoints.js';
import { TestNode, type Json } from './node-harness.js';
import { startSecured } from './security-helpers.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(() => node.stop());

/** With the path as it is: `fetch` would resolve dots in it. */
function rawGet(path: string): Promise<{ status: number | undefined; text: string }> {
  const { hostname, port } = new URL(node.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('files', () => {
  test.each([
    ['/_console/', 'text/html; charset=utf-8'],
    ['/_console/index.html', 'text/html; charset=utf-8'],
    ['/_console/console.js', 'text/javascript; charset=utf-8'],
    ['/_console/console.css', 'text/css; charset=utf-8'],
    ['/_console/icon.svg', 'image/svg+xml'],
    ['/_console/licences.txt', 'text/plain; charset=utf-8'],
    ['/_console/endpoints.json', 'application/json'],
  ])('%s comes as %s', async (path, contentType) => {
    const answer = await node.get(path);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(contentType);
    expect(answer.text.length).toBeGreaterThan(0);
  });

  test('the path without a slash leads to the page', async () => {
    const answer = await fetch(`${node.url}/_console`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '_console/']);
    expect((await node.get('/_console')).text).toContain('<title>Quarry console</title>');
  });

  test('nothing is loaded from elsewhere, and the page has no script or style of its own', async () => {
    const { text } = await node.get('/_console/');
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, place]) => place);
    expect(loaded.sort()).toEqual(['console.css', 'console.js', 'icon.svg']);
    expect(text).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)/);
    const styles = (await node.get('/_console/console.css')).text;
    expect(styles).not.toMatch(/url\(|@import/);
  });

  test('a strict policy keeps scripts of others out', async () => {
    const { headers } = await node.get('/_console/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('the endpoints are those of the node', async () => {
    const listed = (await node.get('/_console/endpoints.json')).json() as readonly Json[];
    const own = ENDPOINTS.filter(({ distribution }) => distribution !== 'opensearch').flatMap(({ name, routes }) =>
      routes.map(({ method, path }) => `${name} ${method} ${path}`),
    );
    expect(listed.map(({ name, method, path }) => `${name} ${method} ${path}`).sort()).toEqual(own.sort());
  });
});

describe('caching', () => {
  test('a browser that has the file is told so', async () => {
    const first = await node.get('/_console/console.js');
    expect(first.headers.get('cache-control')).toBe('no-cache');
    const tag = first.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    const again = await node.get('/_console/console.js', { 'if-none-match': `"other", ${tag}` });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag]);
    const changed = await node.get('/_console/console.js', { 'if-none-match': '"other"' });
    expect([changed.status, changed.text]).toEqual([200, first.text]);
  });

  test('files are compressed for those who take it', async () => {
    const plain = await node.get('/_console/console.js', { 'accept-encoding': 'identity' });
    const packed = await node.get('/_console/console.js', { 'accept-encoding': 'gzip' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.text).toBe(plain.text);
    expect(packed.headers.get('vary')).toBe('Accept-Encoding');
  });

  test('HEAD gives the length without the file', async () => {
    const { text } = await node.get('/_console/console.css', { 'accept-encoding': 'identity' });
    const head = await node.request('HEAD', '/_console/console.css', undefined, { 'accept-encoding': 'identity' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  });
});

describe('what is refused', () => {
  test.each([
    '/_console/absent.js',
    '/_console/console/index.html',
    '/_console/../main.js',
    '/_console/..%2fmain.js',
    '/_console/%2e%2e/main.js',
    '/_console/....//main.js',
    '/_console/..\\main.js',
    '/_console//etc/passwd',
    '/_console/console.js%00',
    '/_console/constructor',
  ])('%s is no file', async (path) => {
    const { status, text } = await rawGet(path);
    expect(status).toBe(404);
    const { error } = JSON.parse(text) as Json;
    expect(error).toMatchObject({ type: 'resource_not_found_exception', reason: `the console has no file [${path}]` });
  });

  test('other methods, and nothing becomes an index', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await node.request(method, '/_console/');
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    }
    const options = await node.request('OPTIONS', '/_console/');
    expect([options.status, options.headers.get('allow')]).toEqual([200, 'GET, HEAD']);
    expect((await node.get('/_cat/indices')).text).toBe('');
  });

  test('everything, by name, where the console is turned off', async () => {
    const without = await TestNode.start({ 'console.enabled': 'false' });
    for (const path of ['/_console', '/_console/', '/_console/console.js']) {
      const answer = await without.get(path);
      expect(answer.status).toBe(400);
      expect(answer.json().error).toContain('the console is turned off, see [console.enabled]');
    }
    await without.stop();
  });
});

test('with security on, the files are there for everybody and the API is not', async () => {
  const secured = await startSecured();
  expect((await secured.get('/_console/')).status).toBe(200);
  expect((await secured.get('/_console/endpoints.json')).status).toBe(200);
  expect((await secured.get('/_console/absent')).status).toBe(404);
  expect((await secured.get('/')).status).toBe(401);
  await secured.stop();
});
