/** What tests do with indices of a cluster again and again. */
import { expect } from 'vitest';
import { must } from '../../src/base/assert.js';
import type { Answer, Json } from '../api/node-harness.js';
import type { TestCluster, TestMember } from './cluster-harness.js';

/** As many as `write` writes, unless told otherwise. */
export const DOCUMENTS = 30;

export interface IndexHelpers {
  /** The body of an answer, which is none of an error. */
  readonly ok: (asked: Promise<Answer>) => Promise<Json>;
  readonly create: (index: string, settings: Json) => Promise<void>;
  /** Documents with the numbers from `from` on as their ids. */
  readonly write: (index: string, from?: number, count?: number) => Promise<void>;
  readonly health: (index: string) => Promise<Json>;
  readonly countOf: (index: string) => Promise<number>;
  readonly untilStatus: (index: string, status: string) => Promise<Json>;
  /** Resolves when it is green, and nothing moves. */
  readonly settled: (index: string) => Promise<void>;
  /** The node with the primary or the replica of an index of one shard. */
  readonly memberWith: (index: string, prirep: 'p' | 'r') => Promise<TestMember>;
}

export function indexHelpers(clusterOf: () => TestCluster): IndexHelpers {
  async function ok(asked: Promise<Answer>): Promise<Json> {
    const answer = await asked;
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json();
  }

  async function create(index: string, settings: Json): Promise<void> {
    await ok(
      clusterOf()
        .node()
        .put(`/${index}`, { settings: { number_of_shards: 1, ...settings } }),
    );
    await ok(clusterOf().node().get(`/_cluster/health/${index}?wait_for_no_initializing_shards=true&timeout=60s`));
  }

  async function write(index: string, from = 0, count = DOCUMENTS): Promise<void> {
    const lines = Array.from({ length: count }, (_, at) => [{ index: { _id: String(from + at) } }, { n: from + at }]);
    const { errors } = await ok(clusterOf().node().bulk(`/${index}/_bulk?refresh=true`, lines.flat()));
    expect(errors).toBe(false);
  }

  async function health(index: string): Promise<Json> {
    return ok(clusterOf().node().get(`/_cluster/health/${index}?master_timeout=5s`));
  }

  async function countOf(index: string): Promise<number> {
    return (await ok(clusterOf().node().get(`/${index}/_count`))).count as number;
  }

  function untilStatus(index: string, status: string): Promise<Json> {
    return clusterOf().until(`[${index}] to be ${status}`, async () => {
      const found = await health(index);
      return found.status === status ? found : undefined;
    });
  }

  async function settled(index: string): Promise<void> {
    const waits = 'wait_for_status=green&wait_for_no_initializing_shards=true&wait_for_no_relocating_shards=true';
    const found = await ok(clusterOf().node().get(`/_cluster/health/${index}?${waits}&timeout=60s`));
    expect(found.timed_out).toBe(false);
  }

  async function memberWith(index: string, prirep: 'p' | 'r'): Promise<TestMember> {
    const rows = await ok(clusterOf().node().get(`/_cat/shards/${index}?format=json&h=node,prirep`));
    const row = (rows as { node: string; prirep: string }[]).find((each) => each.prirep === prirep);
    return clusterOf().member(must(row?.node, 'the node of a copy'));
  }
  return { ok, create, write, health, countOf, untilStatus, settled, memberWith };
}
