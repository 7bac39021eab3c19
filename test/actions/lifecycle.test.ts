import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../src/actions/context.js';
import { rollover } from '../../src/actions/indices/rollover.js';
import { runDataStreams } from '../../src/actions/lifecycle/run-data-streams.js';
import { runPolicies } from '../../src/actions/lifecycle/run-policies.js';
import type { JsonObject } from '../../src/base/json-value.js';
import { createDataStream, updateDataStreams } from '../../src/cluster/changes/indices/data-streams.js';
import { putLifecyclePolicy } from '../../src/cluster/changes/lifecycle-policies.js';
import { putIndexTemplate } from '../../src/cluster/changes/put-templates.js';
import { rollover as rolloverChange } from '../../src/cluster/changes/indices/rollover.js';
import { checkPolicy } from '../../src/cluster/lifecycle/policy.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { parseIndexTemplate } from '../../src/cluster/templates/parse-template.js';
import { COMMANDS, type CommandName } from '../../src/coordinator/commands.js';
import { clusterOfOneNode, clusterWith, environment, indexOf, NOW_MS } from '../cluster/support.js';

const DAY_MS = 86_400_000;
const OPTIONS = { dryRun: false, lazy: false, masterTimeoutMs: 0, timeoutMs: 0 };
type Reducer = (state: ClusterState, input: unknown, made: unknown) => { state: ClusterState; result: unknown };

/** A cluster whose master answers at once, and whose shards hold one document each. */
class Rounds {
  state: ClusterState;
  nowMs = NOW_MS;
  /** Before a command. */
  onCommand: (name: CommandName) => void = () => undefined;
  /** What nodes have heard of, where that is less than the master knows. */
  told: ClusterState | undefined;
  readonly submitted: string[] = [];
  private readonly made = environment();

  constructor(state: ClusterState) {
    this.state = state;
  }

  get context(): ActionContext {
    const begin = (): Promise<object> => Promise.resolve({ context: this.context, finish: () => undefined });
    const context = {
      tasks: { number: 0, opaqueId: undefined, begin },
      clusterState: () => this.told ?? this.state,
      whenState: () => Promise.resolve(undefined),
      clock: { nowMs: () => this.nowMs },
      logger: { log: () => undefined },
      settings: { values: { 'compatibility.distribution': 'opensearch' }, indexDefaults: {} },
      shards: { onCopy: () => Promise.resolve({ stats: { documents: 1 }, segments: [] }) },
      coordinator: { submit: (name: CommandName, input: unknown) => this.submit(name, input) },
    };
    return context as unknown as ActionContext;
  }

  private submit(name: CommandName, input: unknown): Promise<unknown> {
    return Promise.resolve().then(() => {
      this.onCommand(name);
      this.submitted.push(name);
      const { reduce } = COMMANDS[name] as unknown as { reduce: Reducer };
      const { state, result } = reduce(this.state, input, { ...this.made, nowMs: this.nowMs });
      this.state = state;
      return result;
    });
  }
}

function withPolicy(state: ClusterState, phases: JsonObject): ClusterState {
  return putLifecyclePolicy(state, { name: 'p', policy: checkPolicy({ policy: { phases } }) }, environment()).state;
}

const MANAGED = { 'index.lifecycle.name': 'p', 'index.lifecycle.rollover_alias': 'logs' };
const PHASES = {
  hot: { actions: { rollover: { max_docs: 1 } } },
  delete: { min_age: '1d', actions: { delete: {} } },
};

describe('a policy that rolls over', () => {
  it('leaves an alias alone that its index does not have, and keeps that index', async () => {
    const write = { logs: { is_write_index: true } };
    const cluster = clusterWith({ name: 'logs-1', aliases: write }, { name: 'logs-backup', settings: MANAGED });
    const rounds = new Rounds(withPolicy(cluster, PHASES));
    await runPolicies(rounds.context);
    rounds.nowMs += 9 * DAY_MS;
    await runPolicies(rounds.context);
    expect([...rounds.state.indices.keys()]).toEqual(['logs-1', 'logs-backup']);
    expect(indexOf(rounds.state, 'logs-backup').lifecycle?.failure?.reason).toBe(
      'index.lifecycle.rollover_alias [logs] does not point to index [logs-backup]',
    );
  });

  it('leaves an alias alone whose writes another index takes', async () => {
    const inputs = [
      { name: 'logs-1', aliases: { logs: { is_write_index: true } } },
      { name: 'logs-0', settings: MANAGED, aliases: { logs: { is_write_index: false } } },
    ];
    const rounds = new Rounds(withPolicy(clusterWith(...inputs), PHASES));
    await runPolicies(rounds.context);
    expect(indexOf(rounds.state, 'logs-0').lifecycle?.failure?.reason).toBe(
      'index [logs-0] is not the write index for alias [logs]',
    );
    expect(rounds.state.indices.size).toBe(2);
  });

  it('does not take the rollover of another alias for its own', async () => {
    const aliases = { logs: { is_write_index: true }, other: { is_write_index: true } };
    const policy = { ...PHASES, hot: { actions: { rollover: { max_docs: 5 } } } };
    const rounds = new Rounds(withPolicy(clusterWith({ name: 'logs-1', settings: MANAGED, aliases }), policy));
    await rollover(rounds.context, { target: 'other', newIndex: 'other-2', conditions: [], ...OPTIONS });
    rounds.nowMs += 9 * DAY_MS;
    await runPolicies(rounds.context);
    expect(indexOf(rounds.state, 'logs-1').lifecycle).toMatchObject({ phase: 'hot', done: [] });
  });
});

describe('a round of policies', () => {
  it('goes on with other indices when one is gone in the middle of a step', async () => {
    const settings = { 'index.lifecycle.name': 'p' };
    const phases = { hot: { actions: { set_priority: { priority: 7 } } } };
    const rounds = new Rounds(withPolicy(clusterWith({ name: 'a', settings }, { name: 'b', settings }), phases));
    rounds.onCommand = (name) => {
      const indices = [...rounds.state.indices].filter(([index]) => index !== 'a');
      if (name === 'update-index-settings') rounds.state = { ...rounds.state, indices: new Map(indices) };
    };
    await runPolicies(rounds.context);
    expect(indexOf(rounds.state, 'b').lifecycle?.done).toEqual(['set_priority']);
  });

  it('tries again what failed in the one before', async () => {
    const policy = { hot: { actions: { rollover: { max_docs: 1 } } } };
    const rounds = new Rounds(withPolicy(clusterWith({ name: 'logs-1', settings: MANAGED }), policy));
    await runPolicies(rounds.context);
    expect(indexOf(rounds.state, 'logs-1').lifecycle?.failure?.action).toBe('rollover');
    const given = { ...indexOf(rounds.state, 'logs-1'), aliases: new Map([['logs', { isWriteIndex: true }]]) };
    rounds.state = { ...rounds.state, indices: new Map([['logs-1', given]]) };
    await runPolicies(rounds.context);
    expect(indexOf(rounds.state, 'logs-1').lifecycle).toMatchObject({ phase: 'hot', done: ['rollover'] });
    expect(indexOf(rounds.state, 'logs-1').lifecycle?.failure).toBeUndefined();
  });
});

describe('a rollover by conditions', () => {
  it('is not done for an alias that the node does not know yet', async () => {
    const rounds = new Rounds(clusterWith({ name: 'logs-1', aliases: { logs: {} } }));
    rounds.told = clusterOfOneNode();
    const request = { target: 'logs', ...OPTIONS };
    const answer = await rollover(rounds.context, { ...request, conditions: [{ name: 'max_docs', bound: 9 }] });
    expect([answer.rolledOver, rounds.state.indices.size]).toEqual([false, 1]);
    expect((await rollover(rounds.context, { ...request, conditions: [] })).rolledOver).toBe(true);
  });
});

/** The stream `s` of three indices that keeps documents for a day. */
function streamOfThree(): ClusterState {
  const template = parseIndexTemplate({ index_patterns: 's', data_stream: {} });
  const made = environment();
  const base = putIndexTemplate(clusterOfOneNode(), { name: 's', template, create: true }, made).state;
  let state = createDataStream(base, { name: 's', backingNames: 'plain' }, made).state;
  for (let turn = 0; turn < 2; turn++) {
    state = rolloverChange(state, { target: 's', backingNames: 'plain', dryRun: false }, made).state;
  }
  return withRetention(state, '1d');
}

function withRetention(state: ClusterState, retention: string): ClusterState {
  return updateDataStreams(state, { names: ['s'], lifecycle: { enabled: true, retention } }, environment()).state;
}

describe('the lifecycle of data streams', () => {
  it('deletes no more once documents are to be kept longer', async () => {
    const rounds = new Rounds(streamOfThree());
    rounds.nowMs += 2 * DAY_MS;
    rounds.onCommand = (name) => {
      if (name === 'delete-indices') rounds.state = withRetention(rounds.state, '9d');
    };
    await runDataStreams(rounds.context);
    expect(rounds.submitted.filter((name) => name === 'delete-indices')).toHaveLength(1);
    expect(rounds.state.indices.has('.ds-s-000002')).toBe(true);
  });
});
