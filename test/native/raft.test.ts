import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkRaft } from '../../src/native/check.js';
import { hasRaftMember, RaftMember, type RaftMemberOptions, type RaftPersisted } from '../../src/native/raft.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'quarry-raft-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

function open(change: Partial<RaftMemberOptions> = {}): Promise<RaftMember> {
  return RaftMember.open({
    directory,
    id: '18446744073709551615',
    electionTicks: 5,
    heartbeatTicks: 1,
    mayLead: true,
    seed: 3,
    messageBytesMax: 1_000,
    messagesInFlightMax: 10,
    uncommittedBytesMax: 10_000,
    committedBytesMax: 10_000,
    keptEntries: 0,
    initialVoters: ['18446744073709551615'],
    ...change,
  });
}

async function settle(member: RaftMember): Promise<RaftPersisted[]> {
  const all: RaftPersisted[] = [];
  for (let ready = member.ready(); ready !== undefined; ready = member.ready()) {
    all.push(ready.mustSync ? await member.persistInBackground() : member.persist());
  }
  return all;
}

test('a lone member commits, takes a snapshot and finds both again', async () => {
  expect(hasRaftMember(directory)).toBe(false);
  const member = await open();
  expect(member.propose(Buffer.from('early'))).toMatchObject({ outcome: 'not_leader' });
  member.campaign();
  await settle(member);
  expect(member.state()).toMatchObject({ role: 'leader', leader: '18446744073709551615', term: 2 });
  const proposed = member.propose(Buffer.from('a'));
  const committed = (await settle(member)).flatMap((persisted) => persisted.committed);
  expect(proposed).toEqual({ outcome: 'at', index: 3, term: 2 });
  expect(committed.map(({ index, term, data }) => [index, term, Buffer.from(data).toString()])).toEqual([[3, 2, 'a']]);
  await member.compact(3, Buffer.from('state'));
  expect(member.state()).toMatchObject({ applied: 3, snapshotIndex: 3, logEntries: 0 });
  expect(member.status()).toMatchObject({ lastIndex: 3, peers: [{ id: '18446744073709551615', matched: 3 }] });
  member.close();
  expect(() => member.tick()).toThrow('the raft member is closed');
  expect(hasRaftMember(directory)).toBe(true);
  const again = await open({ initialVoters: [] });
  const recovered = again.takeRecovered();
  expect(recovered).toMatchObject({ index: 3, term: 2 });
  expect(Buffer.from(recovered?.data ?? []).toString()).toBe('state');
  expect(again.takeRecovered()).toBeUndefined();
  expect(again.membership()).toEqual({ voters: ['18446744073709551615'], learners: [], outgoingVoters: [] });
  again.close();
});

test('wrong arguments and calls out of turn are refused by name', async () => {
  await expect(open({ id: '-1' })).rejects.toMatchObject({ type: 'illegal_argument_exception' });
  await expect(open({ id: '0' })).rejects.toMatchObject({ type: 'illegal_argument_exception' });
  await expect(open({ electionTicks: 2 })).rejects.toMatchObject({ type: 'illegal_argument_exception' });
  const member = await open();
  expect(() => member.step(Buffer.from('hostile'))).toThrow('a message between members');
  expect(() => member.propose(new Uint8Array())).toThrow('a proposal has 1 to');
  member.campaign();
  member.ready();
  expect(() => member.tick()).toThrow('must be persisted first');
  member.close();
});

test('damage is found without opening', async () => {
  const member = await open();
  member.close();
  expect(checkRaft(directory)).toEqual([]);
  const log = join(directory, 'raft.log');
  const bytes = await readFile(log);
  bytes[20] = 0xff;
  await writeFile(log, bytes);
  expect(checkRaft(directory)).toMatchObject([{ file: directory, place: 'raft' }]);
  await expect(open()).rejects.toMatchObject({ type: 'corrupt_index_exception' });
});
