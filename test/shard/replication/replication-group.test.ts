import { expect, it } from 'vitest';
import { QuarryError } from '../../../src/base/errors.js';
import { silentLogger } from '../../../src/base/logger.js';
import { recoveryLimits } from '../../../src/cluster/copies/recovery-limits.js';
import { emptyClusterState } from '../../../src/cluster/state.js';
import type { Checkpoints } from '../../../src/native/replication.js';
import type { CopyLink } from '../../../src/shard/replication/copy-link.js';
import type { PrimaryStore } from '../../../src/shard/replication/copy-sender.js';
import { ReplicationGroup, type ShardView } from '../../../src/shard/replication/replication-group.js';
import { SimulatedClock } from '../../coordinator/simulated-clock.js';

const LIMITS = recoveryLimits(emptyClusterState('c', 'u'));
const NEWEST = 4;
const PRESENT = { allocationId: 'present', nodeId: 'n2', workerSlot: 0 };
/** The copy `away` is in sync and has no place. */
const VIEW: ShardView = {
  others: [PRESENT],
  inSync: new Set(['primary', 'present', 'away']),
  absent: ['away'],
  isActive: true,
  isComplete: false,
};

interface Asked {
  readonly allocationId: string;
  readonly isWanted: () => boolean;
  answer(): void;
  refuse(error: QuarryError): void;
}

/** A primary with one replica that has everything, and a master that answers when the test says so. */
class TestGroup {
  readonly clock = new SimulatedClock();
  readonly asked: Asked[] = [];
  readonly deposed: string[] = [];
  globalCheckpoint = -1;
  readonly group: ReplicationGroup;

  constructor() {
    const checkpoints = (): Checkpoints => ({
      maxSeqNo: NEWEST,
      localCheckpoint: NEWEST,
      persistedCheckpoint: NEWEST,
      globalCheckpoint: this.globalCheckpoint,
      historyStart: 0,
      primaryTerm: 1,
      searchableCheckpoint: NEWEST,
      refreshGeneration: -1,
    });
    const primary: PrimaryStore = {
      checkpoints,
      failure: () => undefined,
      historyUuid: () => 'h',
      operationsSince: () => Promise.resolve({ bytes: new Uint8Array(), lastSeqNo: NEWEST }),
      refreshInBackground: () => Promise.resolve(true),
      retainFrom: () => undefined,
      segmentSet: () => expect.unreachable(),
      setGlobalCheckpoint: (seqNo) => {
        this.globalCheckpoint = seqNo;
      },
      terms: () => [],
    };
    const link = {
      align: () => Promise.resolve({ outcome: 'aligned', maxSeqNo: 0 }),
      append: () => Promise.resolve({ maxSeqNo: NEWEST }),
      retain: () => Promise.resolve(null),
    } as unknown as CopyLink;
    const retention = {
      ownNodeId: 'n1',
      known: [],
      periodMs: () => LIMITS.inactivityMs,
      save: () => undefined,
      settled: () => Promise.resolve(),
    };
    const services = {
      clock: this.clock,
      logger: silentLogger,
      pace: () => Promise.resolve(0),
      retention,
      limits: () => LIMITS,
      link: () => link,
      reportStarted: () => Promise.resolve(),
      reportFailed: (allocationId: string, _reason: string, isWanted: () => boolean) =>
        new Promise<void>((resolve, reject) => {
          this.asked.push({ allocationId, isWanted, answer: resolve, refuse: reject });
        }),
    };
    this.group = new ReplicationGroup(primary, services, (reason) => this.deposed.push(reason));
  }

  /** What became of a write, until now. */
  write(): { outcome: string } {
    const write = { outcome: 'waits' };
    this.group.replicated(NEWEST).then(
      () => {
        write.outcome = 'acknowledged';
      },
      (error: unknown) => {
        write.outcome = (error as QuarryError).type;
      },
    );
    return write;
  }
}

it('acknowledges nothing before the master has taken copies without a place out of sync, and asks when something is written', async () => {
  const test = new TestGroup();
  const { group, clock, asked } = test;
  group.follow(VIEW);
  await clock.settled();
  // Nobody has written: the copy may come back as good as it was.
  expect([asked.length, test.globalCheckpoint]).toEqual([0, -1]);
  const first = test.write();
  const second = test.write();
  await clock.settled();
  expect(asked.map(({ allocationId }) => allocationId)).toEqual(['away']);
  // The other copy has it; undoing it must stay possible.
  expect([first.outcome, second.outcome, test.globalCheckpoint]).toEqual(['waits', 'waits', -1]);
  // An older state, in which nothing has changed yet.
  asked[0]?.answer();
  await clock.settled();
  group.follow(VIEW);
  await clock.settled();
  expect([first.outcome, second.outcome, asked.length]).toEqual(['acknowledged', 'acknowledged', 1]);
  expect(test.globalCheckpoint).toBe(NEWEST);
  group.close();
});

it('needs no answer when the state says it first', async () => {
  const test = new TestGroup();
  const { group, clock, asked } = test;
  group.follow(VIEW);
  const write = test.write();
  await clock.settled();
  expect(asked[0]?.isWanted()).toBe(true);
  group.follow({ ...VIEW, inSync: new Set(['primary', 'present']), absent: [] });
  await clock.settled();
  expect([write.outcome, asked[0]?.isWanted()]).toEqual(['acknowledged', false]);
  group.close();
});

it('acknowledges nothing when the master knows another primary, or the shard is closed', async () => {
  const deposed = new TestGroup();
  deposed.group.follow(VIEW);
  const write = deposed.write();
  await deposed.clock.settled();
  deposed.asked[0]?.refuse(new QuarryError('no_longer_primary_shard_exception', 'term 2'));
  await deposed.clock.settled();
  expect([write.outcome, deposed.deposed.length]).toEqual(['no_shard_available_action_exception', 1]);

  const closed = new TestGroup();
  closed.group.follow(VIEW);
  const waiting = closed.write();
  await closed.clock.settled();
  closed.group.close();
  await closed.clock.settled();
  expect([waiting.outcome, closed.asked[0]?.isWanted()]).toEqual(['no_shard_available_action_exception', false]);
});

it('waits for a copy that was level and then lost its place', async () => {
  const test = new TestGroup();
  const { group, clock, asked } = test;
  group.follow({ ...VIEW, inSync: new Set(['primary', 'present']), absent: [] });
  await clock.settled();
  group.follow({ ...VIEW, others: [], inSync: new Set(['primary', 'present']), absent: ['present'] });
  const write = test.write();
  await clock.settled();
  expect([asked.map(({ allocationId }) => allocationId), write.outcome]).toEqual([['present'], 'waits']);
  asked[0]?.answer();
  await clock.settled();
  expect(write.outcome).toBe('acknowledged');
  group.close();
});
