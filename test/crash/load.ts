/** Clients that write documents of their own to one index until they are told to stop. */
import { expect } from 'vitest';
import type { TestNode } from '../api/node-harness.js';

export const LOADED_INDEX = 'loaded';

const CLIENTS = 3;
const DOCUMENTS_PER_BATCH = 20;

export interface Load {
  readonly acknowledged: ReadonlySet<string>;
  /** Statuses other than 200 and 201, of requests and of items. */
  readonly refusals: readonly number[];
  /** Resolves when so many more documents are acknowledged. */
  more(count: number): Promise<void>;
  /** Resolves when every client has its last answer. */
  stop(): Promise<void>;
}

export function startLoad(node: TestNode): Load {
  const acknowledged = new Set<string>();
  const refusals: number[] = [];
  let isOver = false;
  const send = async (ids: readonly string[]): Promise<void> => {
    const lines = ids.flatMap((id) => [{ index: { _id: id } }, { text: `document ${id}` }]);
    const answer = await node.bulk(`/${LOADED_INDEX}/_bulk`, lines);
    if (answer.status !== 200) {
      refusals.push(answer.status);
      return;
    }
    for (const { index } of answer.json().items as { index: { _id: string; status: number } }[]) {
      if (index.status === 201) acknowledged.add(index._id);
      else refusals.push(index.status);
    }
  };
  const client = async (name: number): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      try {
        await send(Array.from({ length: DOCUMENTS_PER_BATCH }, (_, item) => `${name}-${round}-${item}`));
      } catch {
        // The connection ended: nothing was acknowledged. A node that is stopped takes no more.
        return;
      }
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, name) => client(name));
  return {
    acknowledged,
    refusals,
    async more(count) {
      const goal = acknowledged.size + count;
      await node.until(() => Promise.resolve(acknowledged.size >= goal ? true : undefined));
    },
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

/** Every acknowledged document can be read, and a search finds as many as there are. */
export async function expectAll(node: TestNode, ids: Iterable<string>): Promise<void> {
  const wanted = [...ids];
  const found = await node.post(`/${LOADED_INDEX}/_mget?_source=false`, { ids: wanted });
  expect(found.status, found.text).toBe(200);
  const missing = (found.json().docs as { _id: string; found?: boolean }[]).filter((one) => one.found !== true);
  expect(missing).toEqual([]);
  await node.post(`/${LOADED_INDEX}/_refresh`);
  // What was written without an answer may be there as well.
  expect((await node.get(`/${LOADED_INDEX}/_count`)).json().count).toBeGreaterThanOrEqual(wanted.length);
}

export async function createLoadedIndex(node: TestNode, settings: Record<string, unknown> = {}): Promise<void> {
  const answer = await node.put(`/${LOADED_INDEX}`, {
    settings: { number_of_shards: 1, number_of_replicas: 0, ...settings },
    mappings: { properties: { text: { type: 'text' } } },
  });
  expect(answer.status, answer.text).toBe(200);
}
