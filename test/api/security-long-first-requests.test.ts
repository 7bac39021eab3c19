/** A first request of a user waits until the password is known to be right. It may take longer than a connection may be silent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json, TestNode } from './node-harness.js';
import { ADMIN, askAs, basic, done, PASSWORD, startSecured } from './security-helpers.js';

const SILENT_SECONDS_MAX = 10;
const TEST_MS_MAX = 90_000;
/** Does not come with the head of the request: connections have smaller buffers. */
const LARGE_BYTES = 4_000_000;

let node: TestNode;

beforeAll(async () => {
  node = await startSecured();
  const documents = ['{"index":{}}', '{"n":1}', '{"index":{}}', '{"n":2}', ''].join('\n');
  expect(await ask(ADMIN, 'POST', '/numbers/_bulk?refresh', documents)).toMatchObject({ errors: false });
});

afterAll(async () => {
  await node.stop();
});

function ask(credentials: string, method: string, path: string, body?: unknown): Promise<Json> {
  return done(askAs(() => node, credentials)(method, path, body));
}

/** Credentials that no front has seen yet. */
async function newcomer(name: string): Promise<string> {
  await ask(ADMIN, 'PUT', `/_security/user/${name}`, { password: PASSWORD, roles: ['superuser'] });
  return basic(name, PASSWORD);
}

test(
  'is answered, whether it has a body or not',
  async () => {
    const [reader, writer] = [await newcomer('reader'), await newcomer('writer')];
    const patient = `/_cluster/health?wait_for_status=green&timeout=${SILENT_SECONDS_MAX + 3}s`;
    // Two documents, one at a time, and as long between them.
    const pace = `scroll_size=1&requests_per_second=${1 / (SILENT_SECONDS_MAX + 3)}`;
    const [health, updated] = await Promise.all([
      askAs(() => node, reader)('GET', patient),
      ask(writer, 'POST', `/numbers/_update_by_query?${pace}`, { query: { match_all: {} } }),
    ]);
    expect(health.status).toBe(408);
    expect(health.json()).toMatchObject({ status: 'yellow', timed_out: true });
    expect(updated).toMatchObject({ updated: 2, failures: [] });
  },
  TEST_MS_MAX,
);

test('is read to its end where much of it is still to come', async () => {
  const line = `{"index":{}}\n{"text":"${'x'.repeat(1_000)}"}\n`;
  const lines = Math.ceil(LARGE_BYTES / line.length);
  const answer = await ask(await newcomer('loader'), 'POST', '/texts/_bulk', line.repeat(lines));
  expect(answer).toMatchObject({ errors: false, items: { length: lines } });
});
