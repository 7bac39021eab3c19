/**
 * A node is killed again and again while clients load it. After each start every acknowledged write is there, exactly once and with
 * its last acknowledged value; a write whose answer never came may or may not have happened, but not half.
 */
import { afterEach, expect, test } from 'vitest';
import { seededRandom, type Random } from '../../src/base/random.js';
import { TestNode } from '../api/node-harness.js';

const KILLS = Number(process.env['QUARRY_CRASH_KILLS'] ?? 20);
const SEED = Number(process.env['QUARRY_CRASH_SEED'] ?? 1);
const CLIENTS = 3;
const DOCUMENTS_PER_BATCH = 40;
const IDS = 4_000;
const INDEX = 'crash';

/** A value, or `undefined` for a deleted document. */
type State = number | undefined;

/** What a client knows of each document: the last acknowledged state, and states that an unanswered request may have made. */
class Ledger {
  readonly #acknowledged = new Map<string, State>();
  readonly #possible = new Map<string, Set<State>>();

  expect(id: string, state: State): void {
    const states = this.#possible.get(id) ?? new Set();
    this.#possible.set(id, states.add(state));
  }

  acknowledge(id: string, state: State): void {
    this.#acknowledged.set(id, state);
    this.#possible.delete(id);
  }

  /** Throws where the documents found contradict what was answered; afterwards what was found is what is known. */
  compare(found: ReadonlyMap<string, number>): void {
    const ids = new Set([...this.#acknowledged.keys(), ...this.#possible.keys(), ...found.keys()]);
    for (const id of ids) {
      const allowed = new Set([this.#acknowledged.get(id), ...(this.#possible.get(id) ?? [])]);
      const actual = found.get(id);
      if (!allowed.has(actual)) {
        throw new Error(`document ${id} is ${actual}, but only ${[...allowed].join(' or ')} was written`);
      }
    }
    this.#possible.clear();
    this.#acknowledged.clear();
    for (const [id, value] of found) this.#acknowledged.set(id, value);
  }
}

/** Each client writes ids of its own, so that the order of its requests is the order of their effects. */
async function load(
  node: TestNode,
  client: number,
  random: Random,
  ledger: Ledger,
  values: { next: number },
): Promise<void> {
  for (;;) {
    const batch = new Map<string, State>();
    while (batch.size < DOCUMENTS_PER_BATCH) {
      const id = `${client}-${random.below(IDS)}`;
      batch.set(id, random.below(5) === 0 ? undefined : values.next++);
    }
    const lines = [...batch].flatMap(([id, value]): object[] =>
      value === undefined ? [{ delete: { _id: id } }] : [{ index: { _id: id } }, { value, text: `value ${value}` }],
    );
    for (const [id, value] of batch) ledger.expect(id, value);
    let answer;
    try {
      answer = await node.bulk(`/${INDEX}/_bulk`, lines);
    } catch {
      return;
    }
    if (answer.status !== 200) return;
    const { items } = answer.json() as { items: Record<string, { _id: string; status: number }>[] };
    for (const item of items) {
      const [result] = Object.values(item);
      // A missing document cannot be deleted: 404 acknowledges its absence.
      expect([200, 201, 404]).toContain(result?.status);
      if (result !== undefined) ledger.acknowledge(result._id, batch.get(result._id));
    }
  }
}

/** Every document of the index by id, read in pages; an id that comes twice fails. */
async function readAll(node: TestNode): Promise<Map<string, number>> {
  await node.post(`/${INDEX}/_refresh`);
  const found = new Map<string, number>();
  let after: unknown[] | undefined;
  for (;;) {
    const body = { size: 1_000, sort: [{ value: 'asc' }], ...(after === undefined ? {} : { search_after: after }) };
    const answer = await node.post(`/${INDEX}/_search`, body);
    expect(answer.status, answer.text).toBe(200);
    const { hits } = answer.json().hits as { hits: { _id: string; _source: { value: number }; sort: unknown[] }[] };
    for (const hit of hits) {
      expect(found.has(hit._id), `document ${hit._id} is there twice`).toBe(false);
      found.set(hit._id, hit._source.value);
    }
    after = hits.at(-1)?.sort;
    if (hits.length === 0) return found;
  }
}

let node: TestNode | undefined;

afterEach(async () => {
  await node?.stop();
  node = undefined;
});

test(
  `${KILLS} kills during bulk loads lose no acknowledged write and show none twice`,
  { timeout: 60_000 + KILLS * 10_000 },
  async () => {
    const random = seededRandom(SEED);
    const ledger = new Ledger();
    const values = { next: 1 };
    node = await TestNode.start();
    const mappings = { properties: { value: { type: 'long' }, text: { type: 'text' } } };
    const settings = { number_of_shards: 2, number_of_replicas: 0, refresh_interval: '200ms' };
    expect((await node.put(`/${INDEX}`, { settings, mappings })).status).toBe(200);
    for (let kill = 0; kill < KILLS; kill++) {
      const running = node;
      const clients = Array.from({ length: CLIENTS }, (_, client) => load(running, client, random, ledger, values));
      await new Promise((resolve) => setTimeout(resolve, 100 + random.below(500)));
      // Now and then a flush is under way, so that the kill may hit a commit.
      if (random.below(3) === 0) running.post(`/${INDEX}/_flush`).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, random.below(20)));
      await running.signal('SIGKILL');
      await Promise.all(clients);
      node = await TestNode.start({}, running.directory);
      const found = await readAll(node);
      ledger.compare(found);
      expect((await node.get(`/${INDEX}/_count`)).json().count).toBe(found.size);
    }
    expect(values.next).toBeGreaterThan(KILLS * DOCUMENTS_PER_BATCH);
  },
);
