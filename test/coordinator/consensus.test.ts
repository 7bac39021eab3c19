import { rm } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { QuarryError } from '../../src/base/errors.js';
import { seededRandom } from '../../src/base/random.js';
import { INBOX_MESSAGES_MAX } from '../../src/coordinator/consensus-inbox.js';
import { Cluster, ELECTION_TICKS, TICK_MS, type ClusterNode, type ClusterOptions } from './consensus-cluster.js';

const THREE = ['1', '2', '18446744073709551615'];

let cluster: Cluster | undefined;

async function start(voters: readonly string[], options: Partial<ClusterOptions> = {}): Promise<Cluster> {
  cluster = await Cluster.start(voters, { seed: 1, ...options });
  return cluster;
}

afterEach(async () => {
  cluster?.heal();
  await cluster?.end();
  cluster = undefined;
});

function others(group: Cluster, leader: ClusterNode): ClusterNode[] {
  return group.up.filter((node) => node !== leader);
}

describe('a lone voter', () => {
  it('leads when it has started, without any time passing', async () => {
    const group = await start(['7']);
    const { consensus, owner } = group.node('7');
    expect(consensus.role).toEqual({ role: 'leader', term: 2, leader: '7' });
    await group.propose(group.node('7'), 'a');
    await Promise.all(['b', 'c'].map((text) => group.propose(group.node('7'), text)));
    expect(owner.texts).toEqual(['a', 'b', 'c']);
    expect(group.clock.monotonicMs()).toBe(0);
  });

  it('finds everything again, from a snapshot and from entries after it', async () => {
    const group = await start(['7'], { snapshotEntries: 10 });
    const texts = Array.from({ length: 25 }, (_, nth) => `t${nth}`);
    for (const text of texts) await group.propose(group.node('7'), text);
    await group.clock.advance(TICK_MS);
    expect(group.node('7').consensus.counters.snapshotsTaken).toBe(2);
    const { owner } = await group.restart('7');
    expect(owner.snapshots).toBe(1);
    expect(owner.texts).toEqual(texts);
  });

  it('is failed for good by its disk, and says so', async () => {
    const group = await start(['7'], { snapshotEntries: 3 });
    const { consensus, owner, directory } = group.node('7');
    await rm(directory, { recursive: true });
    for (const text of ['a', 'b', 'c']) await group.propose(group.node('7'), text).catch(() => undefined);
    await group.clock.advance(TICK_MS);
    expect(owner.failure).toMatchObject({ type: 'i_o_exception' });
    await expect(consensus.propose(Buffer.from('d'), 1_000)).rejects.toMatchObject({ type: 'node_closed_exception' });
  });
});

describe('a group of three', () => {
  it('elects one leader, which is a leader once it has applied what there was', async () => {
    const group = await start(THREE);
    const leader = await group.elect();
    expect(group.clock.monotonicMs()).toBeLessThan(2 * 2 * ELECTION_TICKS * TICK_MS);
    await group.untilSettled(group.propose(leader, 'a'));
    await group.until(() => group.isLevel);
    for (const node of others(group, leader)) {
      expect(node.consensus.role).toEqual({ role: 'follower', term: leader.consensus.role.term, leader: leader.id });
      await expect(group.propose(node, 'b')).rejects.toMatchObject({ type: 'not_master_exception', status: 503 });
    }
    const [first, second] = others(group, leader);
    if (first === undefined || second === undefined) throw new Error('nobody else');
    group.isolate(first.id);
    await group.clock.advance(3 * TICK_MS);
    expect(leader.consensus.silentMs(first.id)).toBeGreaterThan(TICK_MS);
    expect(leader.consensus.silentMs(second.id)).toBeLessThanOrEqual(TICK_MS);
    expect(leader.consensus.silentMs('5')).toBeUndefined();
    expect(leader.consensus.status().peers.map(({ id }) => id)).toEqual(THREE);
  });

  it('goes on without a leader that is cut off, which steps down and does not know what became of its proposal', async () => {
    const group = await start(THREE);
    const old = await group.elect();
    await group.untilSettled(group.propose(old, 'before'));
    group.isolate(old.id);
    const lost = group.propose(old, 'lost', 60_000);
    const barrier = old.consensus.readBarrier(60_000);
    barrier.catch(() => undefined);
    await expect(group.untilSettled(lost)).rejects.toMatchObject({
      type: 'failed_to_commit_cluster_state_exception',
      status: 503,
    });
    await expect(group.untilSettled(barrier)).rejects.toMatchObject({ type: 'not_master_exception' });
    await group.until(() => group.leader !== old && group.leader !== undefined);
    await group.untilSettled(group.propose(group.leader ?? old, 'after'));
    group.heal();
    await group.until(() => group.isLevel);
    expect(old.owner.texts).toEqual(['before', 'after']);
  });

  it('does not wait longer than it was told to', async () => {
    const group = await start(THREE);
    const leader = await group.elect();
    group.isolate(leader.id);
    const proposal = group.propose(leader, 'a', 150);
    await expect(group.untilSettled(proposal)).rejects.toMatchObject({
      type: 'failed_to_commit_cluster_state_exception',
    });
  });

  it('hands the leadership over when its leader stops, before anybody misses it', async () => {
    const group = await start(THREE);
    const leader = await group.elect();
    await group.untilSettled(group.propose(leader, 'a'));
    const begin = group.clock.monotonicMs();
    await group.stop(leader.id);
    await group.elect();
    expect(group.clock.monotonicMs() - begin).toBeLessThan(ELECTION_TICKS * TICK_MS);
    expect(group.leader).not.toBe(leader);
  });

  it('elects nobody who only votes', async () => {
    const group = await start(['1', '2'], { votesOnly: '1' });
    expect((await group.elect()).id).toBe('2');
    await group.stop('2');
    await group.clock.advance(10 * ELECTION_TICKS * TICK_MS);
    expect(group.leader).toBeUndefined();
    await group.restart('2');
    expect((await group.elect()).id).toBe('2');
  });

  it('hands on by the one who only votes what it alone of the rest has', async () => {
    const group = await start(['1', '2', '3'], { votesOnly: '3' });
    const leader = await group.elect();
    const behind = group.node(leader.id === '1' ? '2' : '1');
    group.isolate(behind.id);
    await group.untilSettled(group.propose(leader, 'committed without it'));
    await group.stop(leader.id);
    group.heal();
    await group.until(() => group.leader === behind);
    expect(behind.owner.texts).toEqual(['committed without it']);
    await group.untilSettled(group.propose(behind, 'next'));
    await group.until(() => group.isLevel);
    expect(group.node('3').owner.roles.filter(({ role }) => role === 'leader')).toEqual([]);
    expect(group.up.flatMap(({ owner }) => owner.roles).filter((role) => role.leader === '3')).toEqual([]);
  });

  it('brings a member that was away level by a snapshot', async () => {
    const group = await start(THREE, { snapshotEntries: 10, keptEntries: 2 });
    const leader = await group.elect();
    const [away] = others(group, leader);
    if (away === undefined) throw new Error('nobody else');
    group.isolate(away.id);
    for (let nth = 0; nth < 30; nth++) await group.untilSettled(group.propose(leader, `t${nth}`));
    group.heal();
    await group.until(() => group.isLevel);
    expect(away.owner.snapshots).toBeGreaterThan(0);
    expect(away.owner.texts).toHaveLength(30);
  });

  it('confirms reads with a majority', async () => {
    const group = await start(THREE);
    const leader = await group.elect();
    const index = await group.untilSettled(group.propose(leader, 'a'));
    expect(await group.untilSettled(leader.consensus.readBarrier(1_000))).toBeGreaterThanOrEqual(index);
    const [other] = others(group, leader);
    await expect(other?.consensus.readBarrier(1_000)).rejects.toMatchObject({ type: 'not_master_exception' });
  });

  it('goes on when it is sent what it cannot read', async () => {
    const group = await start(THREE);
    const leader = await group.elect();
    leader.consensus.receive('1', Buffer.from('hostile'));
    expect(leader.consensus.counters.refusedMessages).toBe(1);
    await group.untilSettled(group.propose(leader, 'a'));
  });
});

describe('members', () => {
  it('are added, change their office and are removed', async () => {
    const group = await start(['1']);
    const first = group.node('1');
    for (let nth = 0; nth < 5; nth++) await group.propose(first, `t${nth}`);
    const added = await group.add('2', []);
    expect(added.owner.memberships).toEqual([{ voters: [], learners: [], outgoingVoters: [] }]);
    await group.untilSettled(first.consensus.changeMembers(['1'], ['2'], 5_000));
    await group.until(() => group.isLevel);
    expect(added.consensus.membership).toEqual({ voters: ['1'], learners: ['2'], outgoingVoters: [] });
    expect(added.owner.snapshots).toBe(1);
    await group.add('3', []);
    await group.untilSettled(first.consensus.changeMembers(['1', '2', '3'], [], 5_000));
    await expect(first.consensus.changeMembers(['2', '3'], [], 5_000)).rejects.toMatchObject({
      type: 'illegal_argument_exception',
    });
    await group.until(() => group.isLevel);
    first.consensus.transferLeadership('2');
    await group.until(() => group.leader === added);
    await group.untilSettled(added.consensus.changeMembers(['2', '3'], [], 5_000));
    expect(added.consensus.membership.voters).toEqual(['2', '3']);
  });

  it('that do not vote know no leader when it has been silent for long, and know it again when it speaks', async () => {
    const group = await start(['1']);
    const leader = await group.elect();
    const learner = await group.add('2', []);
    await group.untilSettled(leader.consensus.changeMembers(['1'], ['2'], 5_000));
    await group.until(() => learner.consensus.role.leader === '1');
    group.isolate('2');
    await group.until(() => learner.consensus.role.leader === undefined);
    expect(learner.consensus.role.role).toBe('follower');
    group.heal();
    await group.until(() => learner.consensus.role.leader === '1');
  });

  it('are refused when the list makes no sense', async () => {
    const group = await start(['1']);
    const { consensus } = group.node('1');
    for (const [voters, learners] of [
      [[], []],
      [['1', '1'], []],
      [['1', '2'], ['2']],
      [['zero'], []],
    ] as const) {
      const change = consensus.changeMembers(voters, learners, 1_000);
      await expect(change).rejects.toMatchObject({ type: 'illegal_argument_exception' });
    }
  });
});

describe('queues', () => {
  it('drop messages that find no room while the disk is being written', async () => {
    const group = await start(['1']);
    const { consensus } = group.node('1');
    const proposal = group.propose(group.node('1'), 'a');
    for (let nth = 0; nth < INBOX_MESSAGES_MAX + 10; nth++) consensus.receive('2', Buffer.from('x'));
    await proposal;
    await consensus.idle();
    expect(consensus.counters).toMatchObject({ droppedMessages: 10, refusedMessages: INBOX_MESSAGES_MAX });
  });
});

/** Proposals from all sides while nodes are cut off and restarted and messages get lost. */
async function history(seed: number): Promise<void> {
  const group = await Cluster.start(THREE, {
    seed,
    lostPercent: seed % 20,
    delayMsMax: 1 + (seed % 7) * 20,
    snapshotEntries: 20,
  });
  cluster = group;
  const random = seededRandom(seed);
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const outcomes: Promise<void>[] = [];
  for (let step = 0; step < 80; step++) {
    await group.clock.advance(random.below(150));
    const node = group.up[random.below(group.up.length)];
    if (node === undefined) continue;
    switch (random.below(12)) {
      case 0:
        group.isolate(node.id);
        break;
      case 1:
      case 2:
        group.heal();
        group.lostPercent = seed % 20;
        break;
      case 3:
        await group.restart(node.id);
        break;
      default: {
        const text = `${seed}/${step}`;
        const outcome = group.propose(group.leader ?? node, text, 2_000).then(
          () => void acknowledged.push(text),
          (error: unknown) => {
            if (error instanceof QuarryError && error.type === 'not_master_exception') refused.push(text);
          },
        );
        outcomes.push(outcome);
      }
    }
  }
  group.heal();
  await group.untilSettled(Promise.all(outcomes));
  const leader = await group.elect();
  await group.untilSettled(group.propose(leader, 'last'));
  await group.until(() => group.isLevel);
  const { texts } = leader.owner;
  expect(new Set(texts).size).toBe(texts.length);
  expect(acknowledged.filter((text) => !texts.includes(text))).toEqual([]);
  expect(refused.filter((text) => texts.includes(text))).toEqual([]);
}

describe('histories', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed))('keep what was acknowledged (seed %i)', async (seed) => {
    await history(seed);
  });
});
