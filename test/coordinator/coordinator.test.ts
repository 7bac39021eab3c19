import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { silentLogger } from '../../src/base/logger.js';
import { seededRandom } from '../../src/base/random.js';
import { emptyClusterState, type ClusterState, type NodeRecord } from '../../src/cluster/state.js';
import { Coordinator } from '../../src/coordinator/coordinator.js';
import { decodePublication } from '../../src/coordinator/publication-codec.js';
import { applyPublication, type Publication } from '../../src/coordinator/publication.js';
import { publishChange } from '../../src/coordinator/publish.js';
import { StateHolder } from '../../src/coordinator/state-holder.js';

const NODE: NodeRecord = {
  id: 'n1',
  ephemeralId: 'first run',
  raftId: '1',
  name: 'one',
  host: '127.0.0.1',
  ip: '127.0.0.1',
  httpAddress: '127.0.0.1:9200',
  transportAddress: '127.0.0.1:9300',
  version: '1',
  roles: ['master', 'data'],
  attributes: {},
  workerSlots: 2,
};

/** A coordinator that leads a group of one; `persist` is given every state that it agrees on. */
function coordinator(persist: (state: ClusterState) => Promise<void>): Coordinator {
  const made = new Coordinator({
    clusterName: 'c',
    clock: systemClock,
    random: seededRandom(1),
    logger: silentLogger,
    rules: {
      analysis: { validate: () => undefined, has: () => true },
      scripts: { check: () => undefined, checkSimilarity: () => undefined },
    },
    others: {
      whenApplied: () => Promise.resolve(),
      submitToMaster: () => Promise.reject(new Error('there is no other node')),
      pendingTasksOfMaster: () => Promise.reject(new Error('there is no other node')),
    },
  });
  const role = { role: 'leader', term: 1, leader: '1' } as const;
  let index = 0;
  made.takePart('n1', {
    role,
    isEnded: false,
    propose: async (data) => {
      await persist(applyPublication(made.current, decodePublication(data)));
      made.onCommitted([{ data }]);
      return ++index;
    },
  });
  made.onRole(role);
  return made;
}

function join(subject: Coordinator): Promise<unknown> {
  return subject.submit('node-joined', { node: NODE });
}

describe('coordinator', () => {
  it('answers after the state is on disk and every thread has applied it', async () => {
    const events: string[] = [];
    const subject = coordinator(async (state) => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`disk ${state.version}`);
    });
    await subject.subscribe('thread', async (publication) => {
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`thread ${publication.kind}`);
    });
    await join(subject);
    events.push('answered');
    expect(events).toEqual(['thread full', 'disk 1', 'thread full', 'answered']);
  });

  it('writes and publishes commands that wait together once', async () => {
    let writes = 0;
    const subject = coordinator(() => {
      writes++;
      return Promise.resolve();
    });
    await join(subject);
    const settings = (count: number): unknown => ({
      persistent: { 'cluster.max_shards_per_node': String(count) },
      transient: {},
    });
    await Promise.all([0, 1, 2, 3].map((count) => subject.submit('update-cluster-settings', settings(100 + count))));
    expect(writes).toBeLessThanOrEqual(3);
    expect(subject.current.clusterSettings.persistent.get('cluster.max_shards_per_node')).toBe('103');
  });

  it('refuses a command alone when its reducer throws', async () => {
    const subject = coordinator(() => Promise.resolve());
    const bad = subject.submit('update-cluster-settings', { persistent: { 'no.such.setting': '1' }, transient: {} });
    const good = join(subject);
    await expect(bad).rejects.toMatchObject({ type: 'illegal_argument_exception' });
    await good;
    expect(subject.current.nodes.has('n1')).toBe(true);
  });

  it('keeps the old state when the disk refuses the new one', async () => {
    const subject = coordinator(() => Promise.reject(new Error('disk full')));
    await expect(join(subject)).rejects.toThrow('disk full');
    expect(subject.current.version).toBe(0);
  });

  it('goes on without a thread that cannot be told', async () => {
    const subject = coordinator(() => Promise.resolve());
    await subject.subscribe('broken', () => Promise.reject(new Error('crashed')));
    await join(subject);
    expect(subject.current.version).toBe(1);
  });
});

describe('publication', () => {
  const before: ClusterState = { ...emptyClusterState('c', 'u'), nodes: new Map([['a', NODE]]) };
  const after: ClusterState = { ...before, version: 1, masterNodeId: 'b', nodes: new Map([['b', NODE]]) };

  it('carries what changed, also through a clone, and nothing else', () => {
    const publication = structuredClone(publishChange(before, after));
    expect(applyPublication(before, publication)).toEqual(after);
    expect(applyPublication(before, publication).indices).toBe(before.indices);
    expect(JSON.stringify(publication)).not.toContain('clusterName');
  });

  it('is refused on top of another version', () => {
    const publication = publishChange(before, after);
    expect(() => applyPublication({ ...before, version: 7 }, publication)).toThrow('cannot be applied');
  });

  it('wakes those who wait for a state', async () => {
    const holder = new StateHolder(systemClock);
    const full: Publication = { kind: 'full', state: before };
    holder.apply(full);
    const waiting = holder.when((state) => state.masterNodeId === 'b', 10_000);
    const late = holder.when((state) => state.version > 5, 5);
    holder.apply(publishChange(before, after));
    expect((await waiting)?.version).toBe(1);
    expect(await late).toBeUndefined();
  });
});
