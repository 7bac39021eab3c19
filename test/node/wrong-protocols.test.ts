/** Who comes to the wrong port, or by the wrong protocol, and how a node ends while somebody waits. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { TestNode } from '../api/node-harness.js';

let node: TestNode | undefined;
afterEach(async () => {
  await node?.stop();
  node = undefined;
});

async function start(settings: Readonly<Record<string, string | undefined>>): Promise<TestNode> {
  node = await TestNode.start({ 'transport.port': '0', ...settings });
  return node;
}

/** What comes back for these bytes until the connection ends. */
async function rawAnswer(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.end(bytes);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString('latin1');
}

test('a client on the port of the nodes is told so, in one sentence', async () => {
  const alone = await start({});
  const { nodes } = (await alone.get('/_nodes/_local')).json();
  const [{ transport_address: address }] = Object.values(nodes) as [{ transport_address: string }];
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(`http://${address}/_search`, { method });
    expect(answer.status).toBe(400);
    const body = (await answer.json()) as { error: string };
    expect(body.error).toMatch(/^This is the port that nodes use among themselves\./);
  }
});

test('TLS on the port of HTTP is ended with an error, and the node goes on', async () => {
  const alone = await start({});
  const hello = Buffer.concat([
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc]),
    Buffer.alloc(508, 7),
  ]);
  expect(await rawAnswer(alone.url, hello)).toMatch(/^HTTP\/1\.1 [45]\d\d /);
  await rawAnswer(alone.url, Buffer.from('SSH-2.0-client\r\n\r\n'));
  expect((await alone.get('/')).status).toBe(200);
});

test('a stop does not wait for those who wait for the cluster', async () => {
  const alone = await start({});
  const waiting = alone.get('/_cluster/health?wait_for_nodes=3&timeout=60s');
  await alone.until(async () => {
    const { nodes } = (await alone.get('/_tasks?actions=cluster:monitor/health')).json();
    return Object.keys(nodes).length > 0 ? true : undefined;
  });
  const code = alone.signal('SIGTERM');
  const answer = await waiting;
  expect(answer.status).toBe(503);
  expect(answer.json().error).toMatchObject({ type: 'node_closed_exception', reason: 'node is stopping' });
  expect(await code).toBe(0);
  const messages = (await alone.logged()).map(({ msg }) => msg);
  expect(messages).toContain('stopped');
  expect(messages).not.toContain('requests were cut off');
});

test('a stop says what it waits for', async () => {
  const alone = await start({});
  // The body of this one never comes.
  const { hostname, port } = new URL(alone.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write('POST /_bulk HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100\r\n\r\n{');
  await alone.until(async () => {
    const { nodes } = (await alone.get('/_nodes/stats/breaker')).json();
    const [{ breakers }] = Object.values(nodes) as [{ breakers: Record<string, { estimated_size_in_bytes: number }> }];
    return (breakers.inflight_requests?.estimated_size_in_bytes ?? 0) > 0 ? true : undefined;
  });
  expect(await alone.signal('SIGINT')).toBe(0);
  socket.destroy();
  expect(alone.printed).toMatch(/quarry: the stop waits for requests: 1 whose bodies are coming \(for \d+ s at most\)/);
});

test('a node that others can reach starts without security only where that is allowed, and says so', async () => {
  const reachable = { 'http.host': '0.0.0.0', 'http.publish_host': '127.0.0.1' };
  await expect(start(reachable)).rejects.toThrow(
    /quarry: \[http\.host: 0\.0\.0\.0\] can be reached from other machines.*\[security\.allow_insecure_bind: true\]\n/,
  );
  const open = await start({ ...reachable, 'security.allow_insecure_bind': 'true' });
  expect(open.printed).toMatch(/WARNING: this node has no security and can be reached at 127\.0\.0\.1:\d+:/);
  await open.until(async () =>
    (await open.logged()).some(({ msg }) => msg === 'the node has no security') ? true : undefined,
  );
  await open.stop();
  const closed = await start({});
  expect(closed.printed).not.toContain('no security');
});

test.each(['elasticsearch', 'opensearch'])('all indices at once, as %s without a setting', async (distribution) => {
  const own = { 'compatibility.distribution': distribution, 'action.destructive_requires_name': undefined };
  const alone = await start(own);
  const isRefused = distribution === 'elasticsearch';
  await alone.put('/films');
  for (const pattern of ['_all', '*', 'fil*']) {
    const answer = await alone.delete(`/${pattern}`);
    expect(answer.status).toBe(isRefused ? 400 : 200);
    if (!isRefused) await alone.put('/films');
  }
  const { defaults } = (await alone.get('/_cluster/settings?include_defaults&flat_settings')).json();
  expect(defaults['action.destructive_requires_name']).toBe(String(isRefused));
  await alone.put('/_cluster/settings', { persistent: { 'action.destructive_requires_name': false } });
  expect((await alone.delete('/_all')).status).toBe(200);
});
