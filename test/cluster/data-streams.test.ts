import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json-value.js';
import { createIndex } from '../../src/cluster/changes/indices/create-index.js';
import {
  createDataStream,
  deleteDataStreams,
  migrateAlias,
  modifyDataStreams,
  updateDataStreams,
} from '../../src/cluster/changes/indices/data-streams.js';
import { deleteIndices } from '../../src/cluster/changes/indices/delete-indices.js';
import { deleteIndexTemplates, putIndexTemplate } from '../../src/cluster/changes/put-templates.js';
import { rollover } from '../../src/cluster/changes/indices/rollover.js';
import { updateAliases } from '../../src/cluster/changes/indices/update-aliases.js';
import { rolloverConditions, streamDuties, TAIL_POLICY } from '../../src/cluster/data-streams/data-stream-duties.js';
import { resolveIndices } from '../../src/cluster/names/index-expression.js';
import { IndicesDefaults } from '../../src/cluster/names/indices-options.js';
import { areMet, describeCondition, parseConditions } from '../../src/cluster/data-streams/rollover-conditions.js';
import { decodeState, encodeState } from '../../src/cluster/state-codec.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { parseIndexTemplate } from '../../src/cluster/templates/parse-template.js';
import { clusterOfOneNode, environment, indexOf, NOW_MS } from './support.js';

const DAY_MS = 86_400_000;

function withTemplate(state = clusterOfOneNode()): ClusterState {
  const template = parseIndexTemplate({
    index_patterns: 'logs*',
    data_stream: {},
    template: { settings: { priority: 7 }, lifecycle: { data_retention: '5d' } },
  });
  return putIndexTemplate(state, { name: 'logs', template, create: true }, environment()).state;
}

function withStream(): ClusterState {
  return createDataStream(withTemplate(), { name: 'logs', backingNames: 'plain' }, environment()).state;
}

function roll(state: ClusterState, target = 'logs', nowMs = NOW_MS): ClusterState {
  return rollover(state, { target, backingNames: 'plain', dryRun: false }, environment(nowMs)).state;
}

const namesOf = (state: ClusterState): readonly string[] | undefined =>
  state.dataStreams.get('logs')?.indices.map(({ name }) => name);

describe('a data stream', () => {
  it('is made of hidden indices that its template makes, with a field of time', () => {
    const state = roll(withStream());
    expect(namesOf(state)).toEqual(['.ds-logs-000001', '.ds-logs-000002']);
    const index = indexOf(state, '.ds-logs-000002');
    expect(index.settings.get('index.hidden')).toBe('true');
    expect(index.settings.get('index.priority')).toBe('7');
    expect(index.mapping.root.properties.get('@timestamp')).toMatchObject({ type: 'date' });
    expect(decodeState(encodeState(state))).toEqual(state);
    const reached = resolveIndices(state, ['lo*'], IndicesDefaults.expandOpen, NOW_MS);
    expect(reached.map(({ name }) => name)).toEqual(namesOf(state));
  });

  it('tells the day in the names of its indices in the other dialect', () => {
    const change = createDataStream(withTemplate(), { name: 'logs', backingNames: 'dated' }, environment());
    expect(change.result.index.name).toBe('.ds-logs-2024.03.22-000001');
  });

  it('loses old indices, but not the one that takes writes', () => {
    const state = roll(withStream());
    const without = deleteIndices(state, { indices: [indexOf(state, '.ds-logs-000001')] }, environment()).state;
    expect(namesOf(without)).toEqual(['.ds-logs-000002']);
    const last = { indices: [indexOf(without, '.ds-logs-000002')] };
    expect(() => deleteIndices(without, last, environment())).toThrow('is the write index for data stream [logs]');
    const gone = deleteDataStreams(without, { names: ['logs'] }, environment()).state;
    expect([gone.dataStreams.size, gone.indices.size]).toEqual([0, 0]);
  });

  it('keeps its template, and its name from others', () => {
    const state = withStream();
    expect(() => deleteIndexTemplates(state, { names: ['l*'] }, environment())).toThrow(
      'in use by a data streams [logs]',
    );
    const free = createIndex(state, { name: 'other' }, environment()).state;
    const add = (index: string, alias: string): unknown =>
      updateAliases(
        free,
        { actions: [{ kind: 'add', index: indexOf(free, index), alias, metadata: {} }] },
        environment(),
      );
    expect(() => add('other', 'logs')).toThrow('an index or data stream exists with the same name as the alias');
    expect(() => add('.ds-logs-000001', 'a')).toThrow("backing indices don't support aliases");
  });

  it('is not left without a template by another one', () => {
    const putOver = (body: JsonObject, name = 'logs'): ClusterState => {
      const template = parseIndexTemplate({ index_patterns: 'log*', ...body });
      return putIndexTemplate(withStream(), { name, template, create: false }, environment()).state;
    };
    const message = 'priority [9] would cause data streams [logs] to no longer match a data stream template';
    expect(() => putOver({ priority: 9 })).toThrow(message);
    expect(() => putOver({ priority: 9 }, 'other')).toThrow(message);
    expect(() => putOver({ priority: 9, index_patterns: 'x', data_stream: {} })).toThrow(message);
    expect(putOver({ priority: 9, data_stream: {} }, 'other').indexTemplates.size).toBe(2);
  });

  it('keeps its field of time whatever is said of the indices to come', () => {
    const mappings = { properties: { '@timestamp': { type: 'keyword' } } };
    const message = 'data stream timestamp field [@timestamp] is of type [keyword]';
    const state = withStream();
    expect(() => updateDataStreams(state, { names: ['logs'], mappings }, environment())).toThrow(message);
    const stream = state.dataStreams.get('logs');
    if (stream === undefined) throw new Error('no stream');
    const changed = { ...state, dataStreams: new Map([['logs', { ...stream, mappings }]]) };
    expect(() => roll(changed)).toThrow(message);
  });

  it('takes over the indices of an alias', () => {
    const properties = { '@timestamp': { type: 'date' } };
    const first = createIndex(
      withTemplate(),
      { name: 'a', mappings: { properties }, aliases: { logs: { is_write_index: true } } },
      environment(),
    ).state;
    const second = createIndex(
      first,
      { name: 'b', mappings: { properties }, aliases: { logs: {} } },
      environment(),
    ).state;
    const state = migrateAlias(second, { alias: 'logs' }, environment()).state;
    expect(namesOf(state)).toEqual(['b', 'a']);
    expect(state.dataStreams.get('logs')?.lifecycle?.retention).toBe('5d');
    const action = { kind: 'remove_backing_index', stream: 'logs', index: 'b' } as const;
    const freed = modifyDataStreams(state, { actions: [action] }, environment()).state;
    expect(namesOf(freed)).toEqual(['a']);
    expect(indexOf(freed, 'b').settingsVersion).toBe(indexOf(state, 'b').settingsVersion + 1);
    expect(() => modifyDataStreams(freed, { actions: [{ ...action, index: 'a' }] }, environment())).toThrow(
      'because it is the write index',
    );
  });

  it('has settings of its own for the indices to come', () => {
    const settings = new Map([['index.priority', '9']]);
    const state = updateDataStreams(withStream(), { names: ['logs'], settings }, environment()).state;
    expect(indexOf(state, '.ds-logs-000001').settings.get('index.priority')).toBe('7');
    expect(indexOf(roll(state), '.ds-logs-000002').settings.get('index.priority')).toBe('9');
  });
});

describe('the lifecycle of a data stream', () => {
  it('merges what takes no writes any more once, and deletes it when its time is over', () => {
    const lifecycle = { enabled: true, retention: '7d' };
    const state = updateDataStreams(roll(withStream()), { names: ['logs'], lifecycle }, environment()).state;
    const first = indexOf(state, '.ds-logs-000001');
    const at = (nowMs: number): readonly string[][] =>
      [streamDuties(state, 'logs', nowMs)].map((duties) => [
        (duties?.merge ?? []).map(({ name }) => name).join(),
        (duties?.delete ?? []).map(({ name }) => name).join(),
      ]);
    expect(at(NOW_MS + 7 * DAY_MS - 1)).toEqual([[first.name, '']]);
    expect(at(NOW_MS + 7 * DAY_MS)).toEqual([['', first.name]]);
    const merged = { ...first, settings: new Map([...first.settings, ...Object.entries(TAIL_POLICY)]) };
    const after = { ...state, indices: new Map([...state.indices, [first.name, merged]]) };
    expect(streamDuties(after, 'logs', NOW_MS)?.merge).toEqual([]);
  });

  it('leaves indices alone that have a policy, and counts from when their documents are said to be', () => {
    const lifecycle = { enabled: true, retention: '7d' };
    const state = updateDataStreams(roll(withStream()), { names: ['logs'], lifecycle }, environment()).state;
    const dutiesWith = (settings: Readonly<Record<string, string>>, name = '.ds-logs-000001') => {
      const index = indexOf(state, name);
      const changed = { ...index, settings: new Map([...index.settings, ...Object.entries(settings)]) };
      const indices = new Map([...state.indices, [name, changed]]);
      return streamDuties({ ...state, indices }, 'logs', NOW_MS + 7 * DAY_MS);
    };
    expect(dutiesWith({})?.delete).toHaveLength(1);
    expect(dutiesWith({ 'index.lifecycle.name': 'keep-7-years' })).toMatchObject({ delete: [], merge: [] });
    expect(dutiesWith({ 'index.lifecycle.origination_date': String(NOW_MS + 1) })?.delete).toEqual([]);
    const ofOld = dutiesWith({ 'index.lifecycle.name': 'p' }, '.ds-logs-000002');
    expect([ofOld?.conditions, ofOld?.delete.length]).toEqual([undefined, 1]);
  });

  it('hands over the sooner the shorter documents are kept', () => {
    const ages = ['1d', '14d', '90d', '91d', undefined].map((retention) =>
      rolloverConditions({ enabled: true, ...(retention === undefined ? {} : { retention }) })
        .map(describeCondition)
        .at(0),
    );
    expect(ages).toEqual(['1h', '1d', '7d', '30d', '30d'].map((age) => `[max_age: ${age}]`));
  });
});

describe('a rollover of an alias', () => {
  it('moves the alias, or only the writes where one index is marked for them', () => {
    const moved = roll(createIndex(clusterOfOneNode(), { name: 'x-9', aliases: { x: {} } }, environment()).state, 'x');
    expect(indexOf(moved, 'x-9').aliases.has('x')).toBe(false);
    expect(indexOf(moved, 'x-000010').aliases.get('x')).toEqual({});
    expect(indexOf(moved, 'x-9').rolledOver).toEqual(new Map([['x', NOW_MS]]));
    const aliases = { x: { is_write_index: true } };
    const marked = roll(createIndex(clusterOfOneNode(), { name: 'x-9', aliases }, environment()).state, 'x');
    expect(indexOf(marked, 'x-9').aliases.get('x')).toEqual({ isWriteIndex: false });
    expect(indexOf(marked, 'x-000010').aliases.get('x')).toEqual({ isWriteIndex: true });
  });

  it('is read as earlier versions kept it', () => {
    const moved = roll(createIndex(clusterOfOneNode(), { name: 'x-9', aliases: { x: {} } }, environment()).state, 'x');
    const former = { ...indexOf(moved, 'x-9'), rolledOver: { target: 'x', atMs: NOW_MS } };
    const indices = new Map<string, unknown>([...moved.indices, ['x-9', former]]);
    expect(decodeState(encodeState({ ...moved, indices } as unknown as ClusterState))).toEqual(moved);
    expect(decodeState(encodeState(moved))).toEqual(moved);
  });

  it('computes date math anew', () => {
    const state = createIndex(clusterOfOneNode(), { name: '<x-{now/d}-1>', aliases: { x: {} } }, environment()).state;
    expect([...roll(state, 'x', NOW_MS + DAY_MS).indices.keys()]).toEqual(['x-2024.03.22-1', 'x-2024.03.23-000002']);
  });

  it('refuses what it cannot roll over', () => {
    const state = createIndex(clusterOfOneNode(), { name: 'plain', aliases: { x: {} } }, environment()).state;
    expect(() => roll(state, 'plain')).toThrow('is a [concrete index] but one of [alias,data_stream] was expected');
    expect(() => roll(state, 'gone')).toThrow('rollover target [gone] does not exist');
    expect(() => roll(state, 'x')).toThrow("index name [plain] does not match pattern '^.*-\\d+$'");
  });

  it('does nothing for an index that another one has followed meanwhile', () => {
    const before = createIndex(clusterOfOneNode(), { name: 'x-1', aliases: { x: {} } }, environment()).state;
    const source = { name: 'x-1', uuid: 'another' };
    const change = rollover(before, { target: 'x', backingNames: 'plain', dryRun: false, source }, environment());
    expect([change.state, change.result]).toEqual([before, { oldIndex: 'x-1', newIndex: 'x-000002' }]);
  });
});

describe('conditions', () => {
  const figures = { ageMs: 5_000, docs: 10, bytes: 2048, largestShardBytes: 1024, largestShardDocs: 6 };

  it.each([
    [{}, true],
    [{ max_docs: 10 }, true],
    [{ max_docs: 11, max_size: '2kb' }, true],
    [{ max_age: '5s', min_docs: 11 }, false],
    [{ max_primary_shard_docs: 7, max_primary_shard_size: '1025b' }, false],
    [{ max_primary_shard_size: '1kb', min_age: '1s', min_size: '1b', min_primary_shard_docs: 6 }, true],
  ])('%j are met: %s', (body, expected) => {
    expect(areMet(parseConditions(body), figures)).toBe(expected);
  });

  it('are refused by name', () => {
    expect(() => parseConditions({ max_weight: 1 })).toThrow('[conditions] unknown field [max_weight]');
    expect(() => parseConditions({ max_docs: 'many' })).toThrow('[conditions.max_docs] with value [many]');
    expect(() => parseConditions({ min_docs: 1 })).toThrow('at least one max_* rollover condition must be set');
  });
});
