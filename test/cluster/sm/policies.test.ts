/** Policies of OpenSearch's snapshot management: what may be written, when they run, what they let go. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { deleteSmPolicy, putSmPolicy, setSmEnabled } from '../../../src/cluster/changes/snapshots/sm-policies.js';
import { beginSmRun, noteSmRun } from '../../../src/cluster/changes/snapshots/sm-runs.js';
import { parseUnixCron } from '../../../src/cluster/slm/cron.js';
import { snapshotsToDelete } from '../../../src/cluster/sm/condition.js';
import { dueMs, workMs } from '../../../src/cluster/sm/due.js';
import { checkSmPolicy, readSmConfig, smSnapshotName } from '../../../src/cluster/sm/policy.js';
import type { SmPolicy } from '../../../src/cluster/sm/types.js';
import { decodeState, encodeState } from '../../../src/cluster/state-codec.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import { clusterOfOneNode, environment, NOW_MS } from '../support.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const POLICY = {
  description: 'each day',
  creation: { schedule: { cron: { expression: '0 8 * * *', timezone: 'UTC' } }, time_limit: '1h' },
  deletion: {
    schedule: { cron: { expression: '0 1 * * *', timezone: 'America/Los_Angeles' } },
    condition: { max_age: '7d', max_count: 21, min_count: 7 },
    time_limit: '1h',
    snapshot_pattern: 'external-*',
  },
  snapshot_config: {
    date_format: 'yyyy-MM-dd-HH:mm',
    timezone: 'America/Los_Angeles',
    indices: 'a,b*',
    repository: 'backup',
    ignore_unavailable: 'true',
    include_global_state: 'false',
    partial: true,
    metadata: { by: 'us' },
  },
};

describe('a policy is refused', () => {
  const cron = (members: JsonObject): JsonObject => ({
    creation: { schedule: { cron: { expression: '0 8 * * *', timezone: 'UTC', ...members } } },
  });
  const condition = (members: JsonObject): JsonObject => ({ deletion: { ...POLICY.deletion, condition: members } });
  const config = (members: JsonObject): JsonObject => ({ snapshot_config: { repository: 'backup', ...members } });
  test.each<[JsonObject, string]>([
    [{ creatoin: {} }, 'unknown field [creatoin] of a policy'],
    [{ creation: null, deletion: null }, 'Must provide either creation or deletion configuration.'],
    [{ creation: {} }, 'schedule field must not be null'],
    [{ creation: { schedule: { interval: {} } } }, 'unknown field [creation.schedule.interval] of a policy'],
    [{ creation: null, deletion: { condition: { max_count: 2 } } }, 'Schedule not provided for neither deletion'],
    [cron({ expression: '0 0 8 * * ?' }), 'expected five fields, found [6]'],
    [cron({ expression: '0 24 * * *' }), 'invalid [24] for [hours] of a cron expression'],
    [cron({ expression: '0 22-2 * * *' }), 'a range of hours does not go backward'],
    [cron({ expression: '0 0 30 2 *' }), 'Next execution time from the creation schedule is null'],
    [cron({ timezone: 'Mars/Olympus' }), 'Unknown time-zone ID: Mars/Olympus'],
    [cron({ schedule_delay: 5 }), 'unknown field [creation.schedule.cron.schedule_delay] of a policy'],
    [{ creation: { ...POLICY.creation, time_limit: 'long' } }, 'creation.time_limit'],
    [{ creation: { ...POLICY.creation, time_limit: '0s' } }, '[creation.time_limit] must be positive'],
    [{ deletion: { ...POLICY.deletion, condition: null } }, 'condition must not be null.'],
    [condition({ min_count: 1 }), 'Please provide max_age or max_count.'],
    [condition({ max_age: '1d', min_count: 0 }), 'min_count should be bigger than 0.'],
    [condition({ max_count: 3, min_count: 3 }), 'max_count should be bigger than min_count.'],
    [condition({ max_count: 1.5 }), '[deletion.condition.max_count] must be a whole number, found [1.5]'],
    [{ snapshot_config: null }, 'snapshot_config field must not be null'],
    [config({ repository: '' }), 'Must provide the repository in snapshot config.'],
    [config({ index: 'a' }), 'unknown field [snapshot_config.index] of a policy'],
    [config({ indices: 'a,,b' }), '[snapshot_config.indices] must be names that are not empty, found ["a,,b"]'],
    [config({ indices: 'a, ' }), '[snapshot_config.indices] must be names that are not empty'],
    [config({ indices: ',' }), '[snapshot_config.indices] must be names that are not empty'],
    [config({ indices: ['a', ''] }), '[snapshot_config.indices] must be names that are not empty'],
    [config({ indices: 5 }), '[snapshot_config.indices] must be a string or an array of strings, found [5]'],
    [config({ expand_wildcards: 'open,,closed' }), '[snapshot_config.expand_wildcards] must be names that are not'],
    [config({ partial: 'maybe' }), '[snapshot_config.partial] must be true or false, found ["maybe"]'],
    [config({ date_format: 'bogus' }), 'Invalid format: [bogus]: Unknown pattern letter: b'],
    [config({ date_format: 'yyyy/MM' }), '[snapshot_config.date_format] makes an invalid snapshot name'],
    [config({ timezone: 'UTC', date_format_timezone: '+01:00' }), 'and [snapshot_config.timezone] differ'],
    [{ notification: { channel: { id: 'x' } } }, '[notification] is not supported'],
    [{ schedule: { interval: { period: 5, unit: 'Minutes' } } }, '[schedule] may be the [interval] of [1] [Minutes]'],
    [{ name: 'other' }, '[name] is [other], and the policy is called [p]'],
    [{ enabled: 'maybe' }, '[enabled] must be true or false'],
  ])('%j', (members, reason) => {
    expect(() => checkSmPolicy('p', { ...POLICY, ...members }, NOW_MS)).toThrow(reason);
  });

  test('but not for an empty text of indices, which names all of them', () => {
    expect(() => checkSmPolicy('p', { ...POLICY, ...config({ indices: '' }) }, NOW_MS)).not.toThrow();
  });

  test('for metadata of more than 1,024 bytes with its name', () => {
    const check = (characters: number) => () =>
      checkSmPolicy('p', { ...POLICY, ...config({ metadata: { a: 'x'.repeat(characters) } }) }, NOW_MS);
    expect(check(1_000)).not.toThrow();
    expect(check(1_001)).toThrow('must be smaller than [1024] bytes with the name of the policy, but is [1025] bytes');
  });

  test.each(['P', '_p', 'a b', 'a,b', 'a#b', 'a/b', 'p'.repeat(231)])('for its name: %s', (name) => {
    expect(() => checkSmPolicy(name, POLICY, NOW_MS)).toThrow('invalid');
  });
});

test('a policy means what it says', () => {
  const { definition, enabled } = checkSmPolicy('p', POLICY, NOW_MS);
  expect(enabled).toBe(true);
  expect(readSmConfig('p', definition)).toMatchObject({
    indices: ['a', 'b*'],
    options: { ignoreUnavailable: true },
    includeGlobalState: false,
    partial: true,
    metadata: { by: 'us', sm_policy: 'p' },
  });
  expect(smSnapshotName('p', definition.snapshotConfig, NOW_MS, 'abcd1234')).toBe('p-2024-03-22-06:45-abcd1234');
  expect(smSnapshotName('p', {}, NOW_MS, 'abcd1234')).toBe('p-2024-03-22t13:45:30-abcd1234');
  // The deletion's schedule is that of the creation where it has none.
  const deletion = { condition: { max_count: 5 } };
  const { definition: short } = checkSmPolicy('p', { ...POLICY, deletion }, NOW_MS);
  expect(short.deletion).toMatchObject({ expression: '0 8 * * *', timezone: 'UTC', condition: { minCount: 1 } });
});

describe('a cron expression of Unix', () => {
  const next = (expression: string, zone: string, from: string, count = 1): readonly string[] => {
    const cron = parseUnixCron(expression, zone);
    let atMs = Date.parse(from);
    return Array.from({ length: count }, () => {
      atMs = cron.nextAfter(atMs) ?? NaN;
      return new Date(atMs).toISOString().slice(0, 16);
    });
  };
  test.each([
    ['0 8 * * *', 'UTC', '2024-03-22T08:00:00Z', ['2024-03-23T08:00', '2024-03-24T08:00']],
    ['*/20 9-10 * * MON-FRI', 'UTC', '2024-03-22T10:30:00Z', ['2024-03-22T10:40', '2024-03-25T09:00']],
    ['0 0 1 * 0', 'UTC', '2024-05-27T00:00:00Z', ['2024-06-01T00:00', '2024-06-02T00:00']],
    ['0 0 * * 7', 'UTC', '2024-05-27T00:00:00Z', ['2024-06-02T00:00', '2024-06-09T00:00']],
    ['0 1 * JAN *', 'America/Los_Angeles', '2024-01-01T00:00:00Z', ['2024-01-01T09:00', '2024-01-02T09:00']],
    // The night before summer time, and the one of it.
    ['30 3 * * *', 'Europe/Paris', '2024-03-30T00:00:00Z', ['2024-03-30T02:30', '2024-03-31T01:30']],
  ])('%s in %s', (expression, zone, from, expected) => {
    expect(next(expression, zone, from, expected.length)).toEqual(expected);
  });
});

const DUE_MS = Date.UTC(2024, 2, 23, 8);

function withPolicy(body: JsonObject = POLICY, state = clusterOfOneNode()): ClusterState {
  return putSmPolicy(state, { name: 'p', ...checkSmPolicy('p', body, NOW_MS) }, environment()).state;
}

const policyOf = (state: ClusterState): SmPolicy => {
  const policy = state.smPolicies.get('p');
  if (policy === undefined) throw new Error('there is no policy');
  return policy;
};

test('a policy is changed only by who knows it, and survives the disk', () => {
  const state = withPolicy();
  const { seqNo } = policyOf(state);
  const put = (expected?: { seqNo: number; primaryTerm: number }): ClusterState => {
    const checked = checkSmPolicy('p', { ...POLICY, description: 'other' }, NOW_MS);
    return putSmPolicy(state, { name: 'p', ...checked, ...(expected && { expected }) }, environment()).state;
  };
  expect(() => put()).toThrow('[p-sm-policy]: version conflict, document already exists (current version [1])');
  expect(() => put({ seqNo: seqNo + 1, primaryTerm: 1 })).toThrow(`current document has seqNo [${seqNo}]`);
  expect(() => put({ seqNo, primaryTerm: 2 })).toThrow('version conflict');
  const changed = put({ seqNo, primaryTerm: 1 });
  expect(policyOf(changed)).toMatchObject({ version: 2, definition: { description: 'other' } });
  expect(policyOf(changed).seqNo).toBeGreaterThan(seqNo);
  expect(decodeState(encodeState(changed))).toEqual(changed);
  const gone = deleteSmPolicy(changed, { name: 'p' }, environment());
  expect([gone.state.smPolicies.size, gone.result.version]).toEqual([0, 3]);
  expect(() => deleteSmPolicy(gone.state, { name: 'p' }, environment())).toThrow('policy not found');
});

test('there are 1,000 policies, and no more', () => {
  const one = policyOf(withPolicy());
  const many = new Map(Array.from({ length: 999 }, (_, at) => [`q${at}`, one]));
  const state = { ...clusterOfOneNode(), smPolicies: many };
  const full = withPolicy(POLICY, state);
  expect(full.smPolicies.size).toBe(1_000);
  const checked = checkSmPolicy('more', POLICY, NOW_MS);
  expect(() => putSmPolicy(full, { name: 'more', ...checked }, environment())).toThrow('there are [1000] snapshot');
});

test('a run begins at its time, once, and the next waits until it has ended', () => {
  const snapshots = [{ name: 's' }];
  const begin = (state: ClusterState, atMs: number) =>
    beginSmRun(state, { name: 'p', workflow: 'creation', snapshots }, environment(atMs));
  const state = withPolicy();
  expect(workMs(policyOf(state), 'creation', NOW_MS)).toBe(DUE_MS);
  expect(begin(state, DUE_MS - 1).result.run).toBeUndefined();
  const begun = begin(state, DUE_MS + 5);
  const run = begun.result.run;
  expect(run).toMatchObject({ repository: 'backup', snapshots, isBegun: false });
  expect(policyOf(begun.state).workflows.creation).toMatchObject({ dueMs: DUE_MS + DAY_MS, lastDueMs: DUE_MS });
  expect(begin(begun.state, DUE_MS + DAY_MS).result.run).toBeUndefined();
  const note = (before: ClusterState, runId: string) =>
    noteSmRun(before, { name: 'p', workflow: 'creation', runId, status: 'SUCCESS' }, environment(DUE_MS + MINUTE_MS));
  expect(note(begun.state, 'another').state).toBe(begun.state);
  const ended = note(begun.state, run?.id ?? '').state;
  expect(policyOf(ended).workflows.creation?.latest).toEqual({
    status: 'SUCCESS',
    startedAtMs: DUE_MS + 5,
    endedAtMs: DUE_MS + MINUTE_MS,
  });
  expect(begin(ended, DUE_MS + HOUR_MS).result.run).toBeUndefined();
  expect(begin(ended, DUE_MS + DAY_MS).result.run).toBeDefined();
  const stopped = setSmEnabled(ended, { name: 'p', enabled: false }, environment(DUE_MS + HOUR_MS)).state;
  expect(begin(stopped, DUE_MS + DAY_MS).result.run).toBeUndefined();
  expect(workMs(policyOf(stopped), 'creation', DUE_MS + DAY_MS)).toBe(Infinity);
});

test('a clock that was wrong stops no policy, and one that is a little late runs nothing twice', () => {
  const { definition } = policyOf(withPolicy());
  const times = definition.creation;
  if (times === undefined) throw new Error('no creation');
  const far = { dueMs: DUE_MS + 400 * DAY_MS, lastDueMs: DUE_MS + 399 * DAY_MS };
  expect(dueMs(times, far, NOW_MS)).toBe(DUE_MS);
  const ran = { dueMs: DUE_MS + DAY_MS, lastDueMs: DUE_MS };
  expect(dueMs(times, ran, DUE_MS - 500)).toBe(DUE_MS + DAY_MS);
});

describe('what is let go', () => {
  const days = (...ages: readonly number[]) => ages.map((age) => ({ age, startedAtMs: NOW_MS - age * DAY_MS }));
  test.each([
    [{ maxAge: '7d', minCount: 1 }, [1, 8, 9], [9, 8]],
    [{ maxAge: '7d', minCount: 2 }, [1, 8, 9], [9]],
    [{ maxAge: '7d', minCount: 5 }, [8, 9], []],
    [{ minCount: 1, maxCount: 2 }, [1, 2, 3, 4], [4, 3]],
    [{ maxAge: '7d', minCount: 1, maxCount: 2 }, [1, 2, 3, 9], [9, 3]],
    [{ maxAge: '1d', minCount: 3, maxCount: 4 }, [2, 3, 4, 5, 6], [6, 5]],
    [{ maxAge: '7d', minCount: 1 }, [8], []],
    [{ maxAge: '7d', minCount: 1 }, [], []],
  ])('by %j of %j', (condition, ages, gone) => {
    expect(snapshotsToDelete(condition, days(...ages), NOW_MS).map(({ age }) => age)).toEqual(gone);
  });
});
