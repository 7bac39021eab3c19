import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode;

const failure = (answer: Answer): unknown => [answer.status, answer.json().error.type, answer.json().error.reason];
const NOT_CREATED = 'only write ops with an op_type of create are allowed in data streams';

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
  await node.put('/_index_template/logs', { index_patterns: 'logs-*', data_stream: {} });
});

afterAll(async () => {
  await node.stop();
});

async function backing(stream: string): Promise<string[]> {
  const [found] = (await node.get(`/_data_stream/${stream}`)).json().data_streams as {
    indices: { index_name: string }[];
  }[];
  return (found?.indices ?? []).map(({ index_name }) => index_name);
}

describe('data streams', () => {
  it('are made by their first document and take new documents with a time', async () => {
    const first = await node.post('/logs-a/_doc', { '@timestamp': '2024-01-01', message: 'first' });
    expect(first.status).toBe(201);
    expect(first.json()._index).toMatch(/^\.ds-logs-a-\d{4}\.\d\d\.\d\d-000001$/);
    expect(failure(await node.put('/logs-a/_doc/1', { '@timestamp': 1 }))).toEqual([
      400,
      'illegal_argument_exception',
      NOT_CREATED,
    ]);
    expect(failure(await node.put('/logs-a/_create/1', { inner: { '@timestamp': 1 }, text: '"@timestamp":' }))).toEqual(
      [400, 'mapper_parsing_exception', 'data stream timestamp field [@timestamp] is missing'],
    );
    const bulk = await node.bulk('/logs-a/_bulk?refresh=true', [
      { create: {} },
      { text: 'a \\" {', '@timestamp': 1 },
      { index: {} },
      { '@timestamp': 1 },
      { create: {} },
      { '@timestamp': [1, 2] },
      { create: {} },
      { '@timestamp': null },
      { delete: { _id: '1' } },
    ]);
    const items = bulk.json().items as Record<string, { status: number }>[];
    expect(items.flatMap((item) => Object.values(item).map(({ status }) => status))).toEqual([201, 400, 400, 400, 400]);
    expect((await node.get('/logs-*/_count')).json().count).toBe(2);
  });

  it('roll over at once, by conditions, or with the next document', async () => {
    const unmet = await node.post('/logs-a/_rollover', { conditions: { max_docs: 100, max_age: '7d' } });
    expect(unmet.json()).toMatchObject({
      rolled_over: false,
      conditions: { '[max_docs: 100]': false, '[max_age: 7d]': false },
    });
    expect((await node.post('/logs-a/_rollover', { conditions: { max_docs: 2 } })).json().rolled_over).toBe(true);
    expect(await backing('logs-a')).toHaveLength(2);
    expect((await node.post('/logs-a/_rollover?lazy=true')).json()).toMatchObject({ rolled_over: false, lazy: true });
    expect(await backing('logs-a')).toHaveLength(2);
    const next = await node.post('/logs-a/_doc', { '@timestamp': 5 });
    expect(next.json()._index).toMatch(/000003$/);
    expect(await backing('logs-a')).toHaveLength(3);
  });

  it('are resolved, counted and refused where only an index will do', async () => {
    const resolved = (await node.get('/_resolve/index/logs-*')).json();
    expect(resolved).toMatchObject({ indices: [], data_streams: [{ name: 'logs-a', timestamp_field: '@timestamp' }] });
    expect((await node.get('/_data_stream/_stats')).json()).toMatchObject({
      data_stream_count: 1,
      backing_indices: 3,
      data_streams: [{ data_stream: 'logs-a', maximum_timestamp: Date.UTC(2024, 0, 1) }],
    });
    expect((await node.delete('/logs-a')).status).toBe(400);
    const [first = ''] = await backing('logs-a');
    expect((await node.put(`/${first}/_doc/9`, { '@timestamp': 5 })).json().error.reason).toContain('is disallowed');
    expect((await node.put('/plain/_doc/1?require_data_stream=true', {})).status).toBe(404);
  });

  it('have settings, some of them for the indices that are there too, and no failure store', async () => {
    const settings = { 'index.lifecycle.name': 'some', 'index.number_of_shards': 2 };
    const [answer] = (await node.put('/_data_stream/logs-a/_settings', settings)).json().data_streams;
    expect(answer.index_settings_results).toEqual({
      applied_to_data_stream_only: ['index.number_of_shards'],
      applied_to_data_stream_and_backing_indices: ['index.lifecycle.name'],
    });
    const [first = ''] = await backing('logs-a');
    const { lifecycle, number_of_shards: shards } = (await node.get(`/${first}/_settings`)).json()[first].settings
      .index;
    expect([lifecycle, shards]).toEqual([{ name: 'some' }, '1']);
    await node.put('/_data_stream/logs-a/_settings', { 'index.lifecycle.name': null });
    expect((await node.get(`/${first}/_settings`)).json()[first].settings.index.lifecycle).toBeUndefined();
    const options = '/_data_stream/logs-a/_options';
    expect((await node.put(options, { failure_store: { enabled: false } })).json()).toEqual({ acknowledged: true });
    expect((await node.get(options)).json()).toEqual({ data_streams: [{ name: 'logs-a' }] });
    expect((await node.put(options, { failure_store: { enabled: true } })).json().error.reason).toContain(
      'failure stores are not supported',
    );
    const template = (enabled: boolean): Promise<Answer> =>
      node.put('/_index_template/optional', {
        index_patterns: 'optional-*',
        data_stream: {},
        template: { data_stream_options: { failure_store: { enabled } } },
      });
    expect((await template(true)).json().error.reason).toContain('failure stores are not supported');
    expect((await template(false)).json()).toEqual({ acknowledged: true });
    expect((await node.get('/logs-a::failures/_search')).json().error.reason).toBe(
      'failure stores of data streams are not supported: [logs-a::failures]',
    );
  });

  it('have aliases, with filters and one that takes writes', async () => {
    await node.put('/_index_template/named', {
      index_patterns: 'named-*',
      data_stream: {},
      template: { aliases: { 'of-{index}': { is_write_index: true }, names: { filter: { term: { kind: 'a' } } } } },
    });
    await node.bulk('/named-1/_bulk?refresh=true', [
      { create: {} },
      { '@timestamp': 1, kind: 'a' },
      { create: {} },
      { '@timestamp': 2, kind: 'b' },
    ]);
    await node.put('/_data_stream/named-2');
    const count = async (names: string): Promise<number> => (await node.get(`/${names}/_count`)).json().count as number;
    expect([await count('names'), await count('of-named-1'), await count('names,named-1')]).toEqual([1, 2, 2]);
    expect((await node.post('/of-named-1/_doc?refresh=true', { '@timestamp': 3, kind: 'a' })).status).toBe(201);
    await node.post('/named-1/_rollover');
    expect((await node.post('/of-named-1/_doc?refresh=true', { '@timestamp': 4 })).json()._index).toMatch(/000002$/);
    expect(await count('names')).toBe(2);
    expect((await node.get('/named-1/_alias')).json()).toEqual({
      'named-1': { aliases: { names: { filter: { term: { kind: 'a' } } }, 'of-named-1': { is_write_index: true } } },
    });
    expect((await node.get('/_cat/aliases/names,of-*?h=a,i,f,w&s=a,i')).text).toBe(
      'names      named-1 * -\nnames      named-2 * -\nof-named-1 named-1 - true\nof-named-2 named-2 - true\n',
    );
    expect((await node.get('/_resolve/index/names')).json().aliases).toEqual([
      { name: 'names', indices: ['named-1', 'named-2'] },
    ]);
  });

  it('share an alias whose writes one of them takes', async () => {
    const act = (...actions: unknown[]): Promise<Answer> => node.post('/_aliases', { actions });
    const add = (index: string, more = {}): unknown => ({ add: { index, alias: 'shared', ...more } });
    expect((await act(add('named-*'))).json()).toEqual({ acknowledged: true, errors: false });
    expect((await node.post('/shared/_doc', { '@timestamp': 1 })).json().error.reason).toContain(
      'no write index is defined for alias [shared]',
    );
    await act(add('named-1', { is_write_index: true }));
    await act(add('named-2', { is_write_index: true }));
    expect((await node.get('/_alias/shared')).json()).toEqual({
      'named-1': { aliases: { shared: {} } },
      'named-2': { aliases: { shared: { is_write_index: true } } },
    });
    expect(failure(await node.post('/shared/_rollover'))).toEqual([
      500,
      'illegal_state_exception',
      'Aliases to data streams cannot be rolled over. Please rollover the data stream itself.',
    ]);
    await node.put('/plain-index');
    const [backingIndex = ''] = await backing('named-1');
    const refusals = [
      [add('named-1', { routing: 'r' }), "aliases that point to data streams don't support index_routing"],
      [add('named-1,plain-index'), 'match with both data streams and regular indices are disallowed'],
      [add('plain-index'), 'data stream alias and indices alias have the same name (shared)'],
      [add(backingIndex), "Data stream backing indices don't support aliases."],
      [{ remove: { index: 'named-1', alias: 'gone' } }, 'aliases [gone] missing'],
    ] as const;
    for (const [action, reason] of refusals) expect((await act(action)).json().error.reason).toContain(reason);
    const mixed = await act(add('named-1'), { remove: { index: 'named-1', alias: 'gone', must_exist: false } });
    expect(mixed.json()).toMatchObject({
      acknowledged: true,
      errors: true,
      action_results: [
        { status: 200, action: { type: 'add', indices: ['named-1'], aliases: ['shared'] } },
        { status: 404, error: { type: 'aliases_not_found_exception' } },
      ],
    });
    expect((await node.delete('/named-2/_alias/shared')).status).toBe(200);
    expect(Object.keys((await node.get('/_alias/shared')).json())).toEqual(['named-1']);
    expect((await node.delete('/_data_stream/named-*')).status).toBe(200);
    expect((await node.get('/_alias/shared,names')).status).toBe(404);
    await node.delete('/plain-index');
  });

  it('delete what is older than they keep, and merge what takes no writes any more', async () => {
    const [first, second] = await backing('logs-a');
    await node.put('/_data_stream/logs-a/_lifecycle', { data_retention: '10d' });
    await node.put('/_cluster/settings', { transient: { 'data_streams.lifecycle.poll_interval': '1s' } });
    await node.until(async () => {
      const settings = (await node.get(`/${second}/_settings?flat_settings=true`)).json()[second ?? ''].settings;
      return settings['index.merge.policy.floor_segment'] === '100mb' ? true : undefined;
    });
    await node.put('/_data_stream/logs-a/_lifecycle', { data_retention: '1ms' });
    await node.until(async () => ((await backing('logs-a')).length === 1 ? true : undefined));
    expect((await node.get(`/${first}`)).status).toBe(404);
    const explained = (await node.get('/logs-a/_lifecycle/explain')).json().indices as Record<string, unknown>;
    expect(Object.values(explained)).toMatchObject([
      { managed_by_lifecycle: true, lifecycle: { data_retention: '1ms' } },
    ]);
  });

  it('go with all their indices', async () => {
    expect((await node.delete('/_data_stream/logs-a')).json()).toEqual({ acknowledged: true });
    expect((await node.get('/_cat/indices?expand_wildcards=all')).text).toBe('');
    expect((await node.get('/_data_stream/logs-a')).status).toBe(404);
  });
});

describe('lifecycle policies', () => {
  it('take an index from phase to phase, and wait where a step failed', async () => {
    const phases = {
      hot: { actions: { rollover: { max_docs: 1 }, set_priority: { priority: 50 } } },
      warm: { min_age: '0ms', actions: { forcemerge: { max_num_segments: 1 }, readonly: {} } },
      delete: { min_age: '1h', actions: { delete: {} } },
    };
    expect((await node.put('/_ilm/policy/aging', { policy: { phases } })).json()).toEqual({ acknowledged: true });
    expect((await node.get('/_ilm/policy/aging')).json().aging).toMatchObject({ version: 1, policy: { phases } });
    await node.put('/_cluster/settings', { transient: { 'indices.lifecycle.poll_interval': '1s' } });
    const settings = { 'index.lifecycle.name': 'aging' };
    await node.put('/aged-1', { settings, aliases: { aged: { is_write_index: true } } });
    await node.put('/aged-1/_doc/1?refresh=true', { a: 1 });
    const explained = async (): Promise<Record<string, unknown>> =>
      (await node.get('/aged-1/_ilm/explain')).json().indices['aged-1'] as Record<string, unknown>;
    await node.until(async () => ((await explained())['step'] === 'ERROR' ? true : undefined));
    expect((await explained())['failed_step']).toBe('rollover');
    await node.put('/aged-1/_settings', { 'index.lifecycle.rollover_alias': 'aged' });
    await node.post('/aged-1/_ilm/retry');
    await node.until(async () => {
      const { phase, action } = await explained();
      return phase === 'warm' && action === 'complete' ? true : undefined;
    });
    const aged = (await node.get('/aged-1')).json()['aged-1'];
    expect(aged.settings.index).toMatchObject({
      priority: '50',
      blocks: { write: 'true' },
      routing: { allocation: { include: { _tier_preference: 'data_warm,data_hot' } } },
    });
    expect((await node.get('/aged')).json()['aged-000002']).toBeDefined();
    expect((await node.delete('/_ilm/policy/aging')).status).toBe(400);
    await node.post('/_ilm/move/aged-1', { current_step: { phase: 'warm' }, next_step: { phase: 'delete' } });
    await node.until(async () => ((await node.get('/aged-1')).status === 404 ? true : undefined));
  });

  it('are refused by place, and can be stopped', async () => {
    const refusal = async (phases: unknown): Promise<unknown> =>
      (await node.put('/_ilm/policy/bad', { policy: { phases } })).json().error.reason;
    expect(await refusal({ tepid: {} })).toBe(
      'phase [tepid] is not supported, expected one of [hot, warm, cold, frozen, delete]',
    );
    expect(await refusal({ warm: { actions: { rollover: { max_docs: 1 } } } })).toBe(
      'invalid action [rollover] defined in phase [warm]',
    );
    expect(await refusal({ warm: { actions: { downsample: {} } } })).toBe(
      'action [downsample] of phase [warm] is not supported',
    );
    expect(await refusal({ warm: { actions: { shrink: {} } } })).toBe(
      'Either [number_of_shards] or [max_primary_shard_size] must be set',
    );
    expect(await refusal({ cold: { actions: { shrink: { number_of_shards: 1 } } } })).toBe(
      'invalid action [shrink] defined in phase [cold]',
    );
    expect(await refusal({ hot: {}, delete: null })).toBe('[phases.delete] must be an object, found [null]');
    expect(await refusal({ hot: { actions: { set_priority: { weight: 1 } } } })).toBe(
      '[phases.hot.actions.set_priority] unknown field [weight]',
    );
    expect(await refusal({ hot: { actions: { migrate: {} } } })).toBe(
      'invalid action [migrate] defined in phase [hot]',
    );
    expect(await refusal({ warm: { actions: { migrate: { enabled: 1 } } } })).toBe(
      '[phases.warm.actions.migrate.enabled] must be true or false',
    );
    expect(await refusal({ delete: { actions: { delete: { delete_searchable_snapshot: 'x' } } } })).toBe(
      '[phases.delete.actions.delete.delete_searchable_snapshot] must be true or false',
    );
    await node.post('/_ilm/stop');
    expect((await node.get('/_ilm/status')).json()).toEqual({ operation_mode: 'STOPPED' });
    await node.post('/_ilm/start');
    expect((await node.get('/_ilm/policy/gone')).status).toBe(404);
  });
});

describe('blocks', () => {
  it('are put up and taken down by name', async () => {
    await node.put('/blocked');
    expect((await node.put('/blocked/_block/write')).json()).toMatchObject({
      indices: [{ name: 'blocked', blocked: true }],
    });
    expect((await node.put('/blocked/_doc/1', {})).status).toBe(403);
    await node.delete('/blocked/_block/write');
    expect((await node.put('/blocked/_doc/1', {})).status).toBe(201);
    expect((await node.put('/blocked/_block/colour')).json().error.reason).toBe('No block found with name colour');
  });
});
