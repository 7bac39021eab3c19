/** The measure of the fuzzers sees what a node holds, and not the room in its heaps. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestNode } from '../api/node-harness.js';
import { heldByNode, privateBytes, startMeasured } from './node-memory.js';

const MEGABYTE = 1e6;
const READS = 1_000;
const READS_AT_ONCE = 50;
const TEXTS = 16;
/** Of each text. */
const CHARACTERS = 500_000;
/** When V8 gives heaps more room is its own affair. */
const ROUNDS_MAX = 30;
const ROOM_BYTES_MIN = 24 * MEGABYTE;

let node: TestNode;

beforeAll(async () => {
  node = await startMeasured();
}, 60_000);

afterAll(async () => {
  await node.stop();
});

async function readMuch(): Promise<void> {
  for (let done = 0; done < READS; done += READS_AT_ONCE) {
    await Promise.all(Array.from({ length: READS_AT_ONCE }, () => node.get('/_cluster/settings?include_defaults')));
  }
}

/** What `act` adds to what is held. */
async function heldMoreAfter(act: () => Promise<void>): Promise<number> {
  const before = await heldByNode(node);
  await act();
  return (await heldByNode(node)) - before;
}

test('garbage is not held, nor the room that heaps have taken for it', async ({ skip }) => {
  // What is compiled, and kept of what is asked for the first time.
  await readMuch();
  const before = await heldByNode(node);
  let room = 0;
  for (let round = 0; room < ROOM_BYTES_MIN && round < ROUNDS_MAX; round++) {
    await readMuch();
    room = privateBytes(node) - before;
  }
  if (room < ROOM_BYTES_MIN) return skip(`heaps took no more room than ${room} bytes`);
  expect((await heldByNode(node)) - before).toBeLessThan(room / 2);
});

test('what heaps keep is held', async () => {
  const more = await heldMoreAfter(async () => {
    for (let at = 0; at < TEXTS; at++) {
      const pipeline = { description: `${at}`.padEnd(CHARACTERS, 'x'), processors: [] };
      expect((await node.put(`/_ingest/pipeline/p${at}`, pipeline)).status).toBe(200);
    }
  });
  expect(more).toBeGreaterThan(TEXTS * CHARACTERS);
});

test('what the kernels keep is held', async () => {
  await node.put('/i', { settings: { number_of_replicas: 0, refresh_interval: -1 }, mappings: { enabled: false } });
  const more = await heldMoreAfter(async () => {
    for (let at = 0; at < TEXTS; at++) {
      // Other characters each time: nothing to compress.
      const text = Buffer.from(
        Array.from({ length: CHARACTERS }, (_, place) => 97 + (((place * place * (at + 7)) >> 5) % 26)),
      );
      expect((await node.post('/i/_doc', { text: text.toString('latin1') })).status).toBe(201);
    }
  });
  expect(more).toBeGreaterThan((TEXTS * CHARACTERS) / 2);
});
