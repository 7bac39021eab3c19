import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { deleteSlmPolicy, putSlmPolicy, setSlmMode } from '../../../src/cluster/changes/snapshots/slm-policies.js';
import {
  beginSlmRetention,
  beginSlmRun,
  endSlmRetention,
  endSlmRun,
  requestSlmRetention,
  slmRunStarted,
} from '../../../src/cluster/changes/snapshots/slm-runs.js';
import { checkSlmPolicy } from '../../../src/cluster/slm/policy.js';
import { decodeState, encodeState } from '../../../src/cluster/state-codec.js';
import type { ClusterState } from '../../../src/cluster/state.js';
import { clusterOfOneNode, environment, NOW_MS } from '../support.js';

const POLICY: JsonObject = {
  schedule: '0 30 1 * * ?',
  name: '<daily-{now/d}>',
  repository: 'backup',
  config: { indices: 'a,b', partial: true },
  retention: { expire_after: '30d', min_count: 5, max_count: 50 },
};

/** With a repository for the policies' snapshots. */
function clusterWithRepository(): ClusterState {
  const repository = { name: 'backup', uuid: 'r', type: 'fs', settings: new Map() };
  return { ...clusterOfOneNode(), repositories: new Map([['backup', repository]]) };
}

describe('a policy is refused', () => {
  test.each<[JsonObject, string]>([
    [{ schedul: '1h' }, '[snapshot_lifecycle] unknown field [schedul]'],
    [{ config: { index: 'a' } }, '[config] unknown field [index]'],
    [{ retention: { min: 1 } }, '[retention] unknown field [min]'],
    [{ config: { partial: 'maybe' } }, '[config] [partial] must be true or false'],
    [{ config: { indices: [1] } }, '[config] [indices] must be a text or a list of texts'],
    [{ config: { expand_wildcards: 'wide' } }, 'wide'],
    [{ config: { feature_states: [1] } }, '[config] [feature_states] must be a text or a list of texts'],
    [{ retention: { min_count: 0 } }, 'minimum snapshot count must be at least 1, but was: 0'],
    [{ retention: { max_count: 1.5 } }, '[retention] [max_count] must be a whole number'],
    [{ retention: { min_count: 3, max_count: 2 } }, 'minimum snapshot count 3 cannot be larger than maximum'],
    [{ retention: { expire_after: '3 days' } }, 'retention.expire_after'],
    [{ schedule: 'often' }, 'invalid schedule [often]: must be a valid cron expression or time unit'],
    [{ name: 'Daily' }, 'invalid snapshot name [Daily]: must be lowercase'],
    [{ name: '<daily-{now/d>' }, 'invalid dynamic name expression [<daily-{now/d>]'],
    [{ name: '' }, 'invalid snapshot name []: cannot be empty'],
    [{ repository: ' ' }, 'invalid repository name [ ]: cannot be empty'],
    [{ config: { metadata: { policy: 'x' } } }, 'field name [policy] is reserved'],
    [{ config: { metadata: { a: 'x'.repeat(1_010) } } }, 'must be smaller than [1011] bytes, but is [1018] bytes'],
  ])('%j', (members, reason) => {
    expect(() => checkSlmPolicy('p', { ...POLICY, ...members })).toThrow(reason);
  });

  test('without what it needs, or for its id', () => {
    const { schedule: _schedule, ...rest } = POLICY;
    expect(() => checkSlmPolicy('p', rest)).toThrow('[snapshot_lifecycle] Required [schedule]');
    expect(() => checkSlmPolicy('_p', POLICY)).toThrow("invalid policy id [_p]: must not start with '_'");
    expect(() => checkSlmPolicy('p'.repeat(256), POLICY)).toThrow('name is too long, (256 > 255 bytes)');
    expect(checkSlmPolicy('p'.repeat(255), POLICY)).toBe(POLICY);
    const largest = { ...POLICY, config: { metadata: { a: 'x'.repeat(1_003) } } };
    expect(checkSlmPolicy('p', largest)).toBe(largest);
  });
});

function withPolicy(policy = POLICY, state = clusterWithRepository()): ClusterState {
  return putSlmPolicy(state, { id: 'p', policy: checkSlmPolicy('p', policy) }, environment()).state;
}

const policyOf = (state: ClusterState) => state.slmPolicies.get('p');

test('a policy has versions, and survives the disk', () => {
  const state = withPolicy();
  expect(withPolicy(POLICY, state)).toBe(state);
  const changed = withPolicy({ ...POLICY, schedule: '1h' }, state);
  expect(policyOf(changed)).toMatchObject({ version: 2, modifiedAtMs: NOW_MS, stats: { taken: 0 } });
  expect(decodeState(encodeState(changed))).toEqual(changed);
  expect(deleteSlmPolicy(changed, { id: 'p' }, environment()).state.slmPolicies.size).toBe(0);
  expect(() => deleteSlmPolicy(changed, { id: 'q' }, environment())).toThrow('snapshot lifecycle policy not found: q');
});

test('a policy may not run more often than the settings let it', () => {
  expect(policyOf(withPolicy({ ...POLICY, schedule: '15m' }))?.version).toBe(1);
  const often = 'schedule would be too frequent, executing more than every [15m]';
  expect(() => withPolicy({ ...POLICY, schedule: '899999ms' })).toThrow(often);
  expect(() => withPolicy({ ...POLICY, schedule: '0 0/5 * * * ?' })).toThrow(often);
});

const BY = { nodeId: 'n', ephemeralId: 'first run' };

describe('a run', () => {
  const begin = (state: ClusterState, snapshotName: string, dueMs?: number, nowMs = NOW_MS) =>
    beginSlmRun(state, { id: 'p', snapshotName, ...BY, ...(dueMs === undefined ? {} : { dueMs }) }, environment(nowMs));

  test('begins once for one time, and not for an earlier one', () => {
    const { state, result } = begin(withPolicy(), 's1', NOW_MS);
    expect(result.begun).toBe(true);
    expect(begin(state, 's2', NOW_MS).result.begun).toBe(false);
    expect(begin(state, 's2', NOW_MS - 60_000).result.begun).toBe(false);
    expect(begin(state, 's2', NOW_MS + 1).result.begun).toBe(true);
    expect(begin(state, 's2').result.begun).toBe(true);
  });

  test('that a clock noted that was far ahead keeps nobody from later ones', () => {
    const { state } = begin(withPolicy(), 's1', NOW_MS + 86_400_000, NOW_MS + 86_400_000);
    expect(begin(state, 's2', NOW_MS).result.begun).toBe(true);
  });

  test('does not begin by the schedule when all is stopped, but when somebody asks', () => {
    const { state } = setSlmMode(withPolicy(), { running: false }, environment());
    expect(begin(state, 's1', NOW_MS).result.begun).toBe(false);
    expect(begin(state, 's1').result.begun).toBe(true);
    expect(begin(clusterWithRepository(), 's1', NOW_MS).result.begun).toBe(false);
    expect(() => begin(clusterWithRepository(), 's1')).toThrow('no such snapshot lifecycle policy [p]');
  });

  test('is one of ten at most', () => {
    let state = withPolicy();
    for (let run = 0; run < 10; run++) ({ state } = begin(state, `s${run}`));
    expect(() => begin(state, 's10')).toThrow('[10] snapshots of it are under way already');
  });

  test('counts once, as what it came to', () => {
    let { state } = begin(withPolicy(), 's1');
    ({ state } = slmRunStarted(state, { id: 'p', snapshotName: 's1', uuid: 'u' }, environment()));
    expect(policyOf(state)?.runs.get('s1')).toEqual({
      startedAtMs: NOW_MS,
      uuid: 'u',
      repository: 'backup',
      ...BY,
    });
    expect(decodeState(encodeState(state))).toEqual(state);
    const ended = endSlmRun(state, { id: 'p', snapshotName: 's1', details: '{}' }, environment(NOW_MS + 5));
    expect(ended.result.noted).toBe(true);
    expect(policyOf(ended.state)).toMatchObject({
      lastFailure: { snapshotName: 's1', startedAtMs: NOW_MS, endedAtMs: NOW_MS + 5, details: '{}' },
      invocationsSinceLastSuccess: 1,
      stats: { taken: 0, failed: 1 },
    });
    const again = endSlmRun(ended.state, { id: 'p', snapshotName: 's1' }, environment());
    expect(again).toEqual({ state: ended.state, result: { noted: false } });
    const { state: second } = begin(ended.state, 's2');
    const good = endSlmRun(second, { id: 'p', snapshotName: 's2' }, environment()).state;
    expect(policyOf(good)).toMatchObject({ invocationsSinceLastSuccess: 0, stats: { taken: 1, failed: 1 } });
    expect(policyOf(good)?.runs.size).toBe(0);
  });
});

test('retention begins once for one time, or when it is asked for', () => {
  const state = withPolicy();
  const first = beginSlmRetention(state, { dueMs: NOW_MS }, environment());
  expect(first.result.begun).toBe(true);
  expect(beginSlmRetention(first.state, { dueMs: NOW_MS }, environment()).result.begun).toBe(false);
  expect(beginSlmRetention(first.state, {}, environment()).result.begun).toBe(false);
  const stopped = setSlmMode(first.state, { running: false }, environment()).state;
  expect(beginSlmRetention(stopped, { dueMs: NOW_MS + 1 }, environment()).result.begun).toBe(false);
  const asked = requestSlmRetention(stopped, null, environment()).state;
  const second = beginSlmRetention(asked, {}, environment());
  expect(second.result.begun).toBe(true);
  const policies = [
    { id: 'p', deleted: 2, deletionFailures: 1 },
    { id: 'gone', deleted: 1, deletionFailures: 0 },
  ];
  const noted = { failed: true, timedOut: true, deletionMs: 7, policies };
  const { slm, slmPolicies } = endSlmRetention(second.state, noted, environment()).state;
  expect(slm).toMatchObject({ retentionRuns: 2, retentionFailed: 1, retentionTimedOut: 1, retentionDeletionMs: 7 });
  expect(slm.retentionWanted).toBe(false);
  expect(slmPolicies.get('p')?.stats).toMatchObject({ deleted: 2, deletionFailures: 1 });
});
