import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../src/actions/context.js';
import { broadcast } from '../../src/actions/indices/broadcast.js';
import { QuarryError, type ErrorType } from '../../src/base/errors.js';
import { TestCluster } from '../cluster/allocation/cluster.js';
import { indexOf } from '../cluster/support.js';

/** Nodes a and b have the copies of one shard; each call takes the next outcome of its node, and then succeeds. */
function clusterWhere(outcomes: Readonly<Record<string, (ErrorType | 'leaves')[]>>) {
  const cluster = new TestCluster('ab');
  cluster.create('x');
  cluster.settle();
  const index = indexOf(cluster.state, 'x');
  const asked: string[] = [];
  const context = {
    clusterState: () => cluster.state,
    shards: {
      onCopy: (_key: unknown, { nodeId }: { nodeId: string }) => {
        asked.push(nodeId);
        const outcome = outcomes[nodeId]?.shift();
        if (outcome === 'leaves') cluster.leave(nodeId);
        if (outcome === undefined) return Promise.resolve(true);
        const type = outcome === 'leaves' ? 'node_disconnected_exception' : outcome;
        return Promise.reject(new QuarryError(type, 'lost'));
      },
    },
  };
  return { asked, run: () => broadcast(context as unknown as ActionContext, [index], 'refresh', null) };
}

describe('a broadcast', () => {
  it('asks once more over a connection that broke', async () => {
    const { asked, run } = clusterWhere({ a: ['node_disconnected_exception'], b: ['node_disconnected_exception'] });
    const { answers, failures, total } = await run();
    expect([answers.length, failures.length, total]).toEqual([2, 0, 2]);
    expect([...asked].sort()).toEqual(['a', 'a', 'b', 'b']);
  });

  it('tells of copies that do not answer the second time, failed otherwise, or are gone', async () => {
    const twice = clusterWhere({ a: ['node_disconnected_exception', 'node_disconnected_exception'], b: [] });
    expect((await twice.run()).failures.map(({ error }) => error.type)).toEqual(['node_disconnected_exception']);
    const other = clusterWhere({ a: ['i_o_exception'], b: ['leaves'] });
    expect((await other.run()).failures).toHaveLength(2);
    expect(other.asked.length).toBe(2);
  });
});
