/** The master's schedules of snapshot lifecycle management, in simulated time. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { silentLogger } from '../../src/base/logger.js';
import { putSlmPolicy, setSlmMode } from '../../src/cluster/changes/snapshots/slm-policies.js';
import {
  beginSlmRetention,
  beginSlmRun,
  endSlmRun,
  requestSlmRetention,
} from '../../src/cluster/changes/snapshots/slm-runs.js';
import { putSmPolicy, setSmEnabled } from '../../src/cluster/changes/snapshots/sm-policies.js';
import { beginSmRun, noteSmRun } from '../../src/cluster/changes/snapshots/sm-runs.js';
import { updateClusterSettings } from '../../src/cluster/changes/update-cluster-settings.js';
import type { Change } from '../../src/cluster/changes/change.js';
import { checkSmPolicy } from '../../src/cluster/sm/policy.js';
import type { SmStatus } from '../../src/cluster/sm/types.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { SlmTimer, type SlmWork } from '../../src/coordinator/slm-timer.js';
import { clusterOfOneNode, environment, NODE } from '../cluster/support.js';
import { SimulatedClock } from './simulated-clock.js';

const MINUTE_MS = 60_000;
const BY = { nodeId: NODE.id, ephemeralId: NODE.ephemeralId };
const HOUR_MS = 60 * MINUTE_MS;

let clock: SimulatedClock;
let state: ClusterState;
let watchers: Set<(state: ClusterState) => void>;
/** Minutes at which something was begun. */
let begun: string[];
let followed: string[];
let timers: SlmTimer[];
/** What comes of workflows, one after the other; a success where nothing is said. */
let ended: SmStatus[];
let work: SlmWork;
/** Of snapshots: undefined while they go on. */
let finish: (() => void)[];

function change<Result>(make: (state: ClusterState) => Change<Result>): Result {
  const made = make(state);
  state = made.state;
  for (const watcher of [...watchers]) watcher(state);
  return made.result;
}

const minute = (): string => String(clock.nowMs() / MINUTE_MS);
const now = (): ReturnType<typeof environment> => environment(clock.nowMs());

beforeEach(() => {
  clock = new SimulatedClock();
  const repository = { name: 'r', uuid: 'u', type: 'fs', settings: new Map() };
  state = { ...clusterOfOneNode(), repositories: new Map([['r', repository]]) };
  watchers = new Set();
  [begun, followed, finish, timers, ended] = [[], [], [], [], []];
  work = {
    startRun(_node, { id, dueMs }) {
      const snapshotName = `${id}-${minute()}`;
      const result = change((before) => beginSlmRun(before, { id, snapshotName, dueMs, ...BY }, now()));
      if (result.begun) begun.push(`${id} ${minute()}`);
      change((before) => endSlmRun(before, { id, snapshotName }, now()));
      return Promise.resolve();
    },
    followRun(_node, { id, snapshotName }) {
      followed.push(snapshotName);
      return new Promise((resolve) => {
        finish.push(() => {
          change((before) => endSlmRun(before, { id, snapshotName }, now()));
          resolve();
        });
      });
    },
    runRetention(_node, input) {
      if (change((before) => beginSlmRetention(before, input, now())).begun) begun.push(`retention ${minute()}`);
      return Promise.resolve();
    },
    runWorkflow(_node, { name, workflow }) {
      const snapshots = [{ name: `${name}-${minute()}` }];
      const { run } = change((before) => beginSmRun(before, { name, workflow, snapshots }, now()));
      const id = run?.id ?? state.smPolicies.get(name)?.workflows[workflow]?.run?.id;
      if (run !== undefined) begun.push(`${workflow} of ${name} ${minute()}`);
      const status = ended.shift() ?? 'SUCCESS';
      if (id !== undefined) change((before) => noteSmRun(before, { name, workflow, runId: id, status }, now()));
      return Promise.resolve();
    },
  };
});
afterEach(() => {
  for (const timer of timers) timer.end();
});

function master(own: Partial<SlmWork> = {}): SlmTimer {
  const coordinator = {
    get current() {
      return state;
    },
    watch(watcher: (state: ClusterState) => void) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
  const timer = new SlmTimer({ self: NODE, coordinator, clock, logger: silentLogger, work: { ...work, ...own } });
  timers.push(timer);
  timer.begin();
  return timer;
}

function put(id: string, schedule: string): void {
  const policy = { schedule, name: 's', repository: 'r', retention: { max_count: 1 } };
  change((before) => putSlmPolicy(before, { id, policy }, now()));
}

test('what is due runs at its time, also what came and changed meanwhile', async () => {
  master();
  await clock.advance(10 * MINUTE_MS);
  put('hourly', '1h');
  await clock.advance(15 * MINUTE_MS);
  put('sharp', '0 0 * * * ?');
  await clock.advance(HOUR_MS);
  expect(begun).toEqual(['sharp 60', 'hourly 70']);
  put('sharp', '0 30 * * * ?');
  await clock.advance(HOUR_MS);
  expect(begun.slice(2)).toEqual(['sharp 90', 'retention 90', 'hourly 130']);
});

test('what comes right after a time was not due then', async () => {
  master();
  await clock.advance(HOUR_MS + 1_000);
  put('sharp', '0 0 * * * ?');
  change((before) => setSlmMode(before, { running: false }, now()));
  await clock.advance(HOUR_MS);
  change((before) => setSlmMode(before, { running: true }, now()));
  const settings = { persistent: { 'slm.retention_schedule': '0 0 * * * ?' }, transient: {} };
  change((before) => updateClusterSettings(before, settings, now()));
  await clock.advance(MINUTE_MS);
  expect(begun).toEqual([]);
  await clock.advance(HOUR_MS);
  expect(begun).toEqual(['sharp 180', 'retention 180']);
});

test('retention runs at its time, which may change or be none', async () => {
  put('rare', '10d');
  master();
  await clock.advance(2 * HOUR_MS);
  expect(begun).toEqual(['retention 90']);
  const settings = (schedule: string) => ({ persistent: { 'slm.retention_schedule': schedule }, transient: {} });
  change((before) => updateClusterSettings(before, settings('0 15 * * * ?'), now()));
  await clock.advance(HOUR_MS);
  change((before) => updateClusterSettings(before, settings(''), now()));
  await clock.advance(48 * HOUR_MS);
  expect(begun).toEqual(['retention 90', 'retention 135']);
  change((before) => requestSlmRetention(before, null, now()));
  await clock.settled();
  expect(begun.at(-1)).toBe(`retention ${minute()}`);
});

test('nothing runs while it is stopped but what is asked for, and the time that passed is not made up for', async () => {
  put('hourly', '1h');
  master();
  change((before) => setSlmMode(before, { running: false }, now()));
  await clock.advance(2 * HOUR_MS);
  expect(begun).toEqual([]);
  change((before) => requestSlmRetention(before, null, now()));
  await clock.settled();
  change((before) => setSlmMode(before, { running: true }, now()));
  await clock.advance(HOUR_MS);
  expect(begun).toEqual(['retention 120', 'hourly 180']);
});

test('a time that passed without a master is passed over', async () => {
  put('hourly', '1h');
  master().end();
  await clock.advance(3 * HOUR_MS + MINUTE_MS);
  master();
  await clock.advance(HOUR_MS);
  expect(begun).toEqual(['hourly 240']);
});

test('two who take themselves for the master run each time once', async () => {
  put('hourly', '1h');
  master();
  master();
  await clock.advance(2 * HOUR_MS);
  expect(begun.filter((each) => each.startsWith('hourly'))).toEqual(['hourly 60', 'hourly 120']);
});

test('a worker that does not answer delays nobody else, and its policy runs again at the next time', async () => {
  put('a', '1h');
  put('b', '1h');
  let failures = 0;
  master({
    startRun(node, input, timeoutMs) {
      if (input.id !== 'a' || failures++ > 0) return work.startRun(node, input, timeoutMs);
      return Promise.reject(new Error('the worker is gone'));
    },
  });
  await clock.advance(2 * HOUR_MS);
  expect(begun.filter((each) => !each.startsWith('retention'))).toEqual(['b 60', 'a 120', 'b 120']);
});

test('a new master follows the snapshots that were begun before, and those that users begin', async () => {
  put('p', '10d');
  const begin = (snapshotName: string, uuid: boolean, by = BY): void => {
    change((before) => beginSlmRun(before, { id: 'p', snapshotName, ...by }, now()));
    if (!uuid) return;
    change((before) => {
      const policy = before.slmPolicies.get('p');
      const run = policy?.runs.get(snapshotName);
      if (policy === undefined || run === undefined) throw new Error('no run');
      const runs = new Map([...policy.runs, [snapshotName, { ...run, uuid: 'u' }]]);
      return { state: { ...before, slmPolicies: new Map([['p', { ...policy, runs }]]) }, result: null };
    });
  };
  begin('s1', true);
  begin('lost', false);
  begin('lost at once', false, { ...BY, ephemeralId: 'a run before' });
  const first = master();
  expect(followed).toEqual(['s1', 'lost at once']);
  begin('s2', true);
  expect(followed).toEqual(['s1', 'lost at once', 's2']);
  first.end();
  master();
  expect(followed.slice(3)).toEqual(['s1', 'lost at once', 's2']);
  // What never began is looked for after a while.
  await clock.advance(11 * MINUTE_MS);
  expect(followed.slice(6)).toEqual(['lost']);
  for (const each of finish) each();
  await clock.settled();
  expect(state.slmPolicies.get('p')).toMatchObject({ stats: { taken: 4, failed: 0 } });
  expect(state.slmPolicies.get('p')?.runs.size).toBe(0);
});

function putManaged(name: string, members: JsonObject): void {
  const body = { snapshot_config: { repository: 'r' }, ...members };
  const input = { name, ...checkSmPolicy(name, body, clock.nowMs()) };
  change((before) => putSmPolicy(before, input, now()));
}

const cron = (expression: string): JsonObject => ({ schedule: { cron: { expression, timezone: 'UTC' } } });

test('both workflows of a policy of snapshot management run at their times', async () => {
  const deletion = { ...cron('30 */2 * * *'), condition: { max_count: 2 } };
  putManaged('nightly', { creation: cron('0 * * * *'), deletion });
  master();
  await clock.advance(2 * HOUR_MS + 31 * MINUTE_MS);
  expect(begun.filter((each) => each.includes('nightly'))).toEqual([
    'deletion of nightly 30',
    'creation of nightly 60',
    'creation of nightly 120',
    'deletion of nightly 150',
  ]);
  change((before) => setSmEnabled(before, { name: 'nightly', enabled: false }, now()));
  await clock.advance(3 * HOUR_MS);
  change((before) => setSmEnabled(before, { name: 'nightly', enabled: true }, now()));
  await clock.advance(HOUR_MS);
  expect(begun.filter((each) => each.includes('nightly')).slice(4)).toEqual([
    'creation of nightly 360',
    'deletion of nightly 390',
  ]);
});

test('a time of snapshot management that passed without a master is made up for once, by one of two masters', async () => {
  putManaged('p', { creation: cron('0 * * * *') });
  await clock.advance(3 * HOUR_MS + MINUTE_MS);
  master();
  master();
  await clock.settled();
  await clock.advance(HOUR_MS);
  expect(begun.filter((each) => each.includes('of p'))).toEqual(['creation of p 181', 'creation of p 240']);
});

test('a workflow that fails is tried again three times, a minute after each failure', async () => {
  putManaged('p', { creation: cron('0 * * * *') });
  master();
  ended = ['RETRYING', 'RETRYING', 'RETRYING', 'RETRYING'];
  await clock.advance(HOUR_MS + 2 * MINUTE_MS);
  expect(state.smPolicies.get('p')?.workflows.creation).toMatchObject({
    run: { retry: { left: 1, atMs: HOUR_MS + 3 * MINUTE_MS } },
    latest: { status: 'RETRYING', startedAtMs: HOUR_MS },
  });
  await clock.advance(10 * MINUTE_MS);
  expect(ended).toEqual([]);
  const { run, latest } = state.smPolicies.get('p')?.workflows.creation ?? {};
  expect(run).toBeUndefined();
  expect(latest).toMatchObject({ status: 'FAILED', endedAtMs: HOUR_MS + 3 * MINUTE_MS });
  await clock.advance(HOUR_MS);
  expect(state.smPolicies.get('p')?.workflows.creation?.latest).toMatchObject({ status: 'SUCCESS' });
});
