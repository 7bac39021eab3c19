import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer } from './node-harness.js';

let node: TestNode;

const names = (answer: Answer): string[] => Object.keys(answer.json() as object);
const failure = (answer: Answer): unknown => [answer.status, answer.json().error.type, answer.json().error.reason];

beforeAll(async () => {
  node = await TestNode.start({ 'index.number_of_replicas': '0' });
  for (const name of ['logs-1', 'logs-2', 'other']) await node.put(`/${name}`);
  await node.put('/hidden-1', { settings: { hidden: true } });
  await node.put('/closed-1');
  await node.post('/closed-1/_close');
});

afterAll(async () => {
  await node.stop();
});

describe('creation', () => {
  it('keeps what it is given and says so', async () => {
    const body = {
      settings: { number_of_shards: 2, index: { refresh_interval: '5s' } },
      mappings: { dynamic: 'strict', properties: { at: { type: 'date' } } },
      aliases: { made: {} },
    };
    const created = await node.put('/made-1?wait_for_active_shards=all', body);
    expect(created.json()).toEqual({ acknowledged: true, shards_acknowledged: true, index: 'made-1' });
    expect((await node.get('/made-1')).json()['made-1']).toMatchObject({
      aliases: { made: {} },
      mappings: { dynamic: 'strict', properties: { at: { type: 'date' } } },
      settings: { index: { number_of_shards: '2', number_of_replicas: '0', refresh_interval: '5s' } },
    });
  });

  it('does not wait for copies that no node is there to hold', async () => {
    const answer = await node.put('/copies?wait_for_active_shards=all', { settings: { number_of_replicas: 1 } });
    expect(answer.json()).toEqual({ acknowledged: true, shards_acknowledged: false, index: 'copies' });
  });

  it('refuses a name that is taken, by an index or an alias', async () => {
    const taken = await node.put('/other');
    expect(taken.json().error).toMatchObject({ type: 'resource_already_exists_exception', index: 'other' });
    await node.put('/aliased', { aliases: { nickname: {} } });
    expect(failure(await node.put('/nickname'))).toEqual([
      400,
      'invalid_index_name_exception',
      'Invalid index name [nickname], already exists as alias',
    ]);
  });

  it.each([
    ['Upper', 'must be lowercase'],
    ['-dash', "must not start with '_', '-', or '+'"],
    ['a%23b', "must not contain '#'"],
    ['a%3Ab', "must not contain ':'"],
  ])('refuses the name %s', async (name, why) => {
    const answer = await node.put(`/${name}`);
    expect(failure(answer)).toEqual([
      400,
      'invalid_index_name_exception',
      `Invalid index name [${decodeURIComponent(name)}], ${why}`,
    ]);
  });

  it('leaves nothing behind when it is refused', async () => {
    const answer = await node.put('/refused', { mappings: { properties: { a: { type: 'nonsense' } } } });
    expect(answer.json().error).toMatchObject({
      type: 'mapper_parsing_exception',
      reason: expect.stringContaining('No handler for type [nonsense] declared on field [a]') as string,
    });
    expect((await node.request('HEAD', '/refused')).status).toBe(404);
    expect((await node.put('/refused', { settings: { number_of_shard: 1 } })).json().error.reason).toContain(
      'unknown setting [index.number_of_shard] did you mean',
    );
    expect((await node.put('/refused', { nonsense: {} })).status).toBe(400);
    expect((await node.request('HEAD', '/refused')).status).toBe(404);
  });
});

describe('which indices an expression names', () => {
  it.each([
    ['/logs-*', ['logs-1', 'logs-2']],
    ['/logs-*,-logs-1', ['logs-2']],
    ['/other,logs-2', ['logs-2', 'other']],
    ['/logs-1,missing?ignore_unavailable=true', ['logs-1']],
    ['/none-*', []],
    ['/hidden-*', []],
    ['/hidden-*?expand_wildcards=open,hidden', ['hidden-1']],
    ['/hidden-1', ['hidden-1']],
    ['/closed-*', []],
    ['/closed-*?expand_wildcards=closed', ['closed-1']],
    ['/closed-*,logs-1?expand_wildcards=all', ['closed-1', 'logs-1']],
    ['/logs-*?expand_wildcards=none&ignore_unavailable=true', []],
  ])('GET %s', async (path, expected) => {
    expect(names(await node.get(path))).toEqual(expected);
  });

  it.each([
    ['/missing', 'no such index [missing]'],
    ['/logs-1,missing', 'no such index [missing]'],
    ['/none-*?allow_no_indices=false', 'no such index [none-*]'],
    ['/hidden-*?allow_no_indices=false', 'no such index [hidden-*]'],
  ])('GET %s finds nothing', async (path, reason) => {
    expect(failure(await node.get(path))).toEqual([404, 'index_not_found_exception', reason]);
    expect((await node.request('HEAD', path)).status).toBe(404);
  });

  it('refuses an unknown word for what wildcards reach', async () => {
    expect(failure(await node.get('/logs-*?expand_wildcards=nearby'))).toEqual([
      400,
      'illegal_argument_exception',
      'No valid expand wildcard value [nearby]',
    ]);
  });

  it('answers HEAD by whether there is one', async () => {
    for (const [path, status] of [
      ['/logs-1', 200],
      ['/logs-1,other', 200],
      ['/logs-1,missing', 404],
      ['/closed-1', 200],
    ] as const) {
      expect([path, (await node.request('HEAD', path)).status]).toEqual([path, status]);
    }
  });
});

describe('GET of an index', () => {
  it('shows the features that are asked for, defaults and readable values', async () => {
    expect((await node.get('/other?features=mappings,aliases')).json()).toEqual({
      other: { aliases: {}, mappings: {} },
    });
    expect((await node.get('/other?features=nonsense')).json().error.reason).toBe('No feature for name [nonsense]');
    const flat = (await node.get('/other?include_defaults&flat_settings')).json().other;
    expect(flat.settings['index.number_of_shards']).toBe('1');
    expect(flat.defaults['index.refresh_interval']).toBe('1s');
    expect(flat.defaults['index.number_of_shards']).toBeUndefined();
    const { creation_date: millis, creation_date_string: text } = (await node.get('/other?human')).json().other.settings
      .index;
    expect(new Date(Number(millis)).toISOString()).toBe(text);
  });
});

describe('deletion', () => {
  it('takes the named ones and no others', async () => {
    for (const name of ['gone-1', 'gone-2', 'gone-3']) await node.put(`/${name}`);
    expect((await node.delete('/gone-1,gone-2')).json()).toEqual({ acknowledged: true });
    expect(names(await node.get('/gone-*'))).toEqual(['gone-3']);
    await node.post('/gone-3/_close');
    expect((await node.delete('/gone-*')).json()).toEqual({ acknowledged: true });
    expect((await node.request('HEAD', '/gone-3')).status).toBe(404);
  });

  it('deletes all of several or none', async () => {
    await node.put('/kept-1');
    expect((await node.delete('/kept-1,missing')).status).toBe(404);
    expect((await node.request('HEAD', '/kept-1')).status).toBe(200);
    expect((await node.delete('/missing?ignore_unavailable=true')).json()).toEqual({ acknowledged: true });
    expect((await node.delete('/none-*?allow_no_indices=false')).status).toBe(404);
  });

  it('refuses aliases, and wildcards where they are forbidden', async () => {
    await node.put('/behind', { aliases: { front: {} } });
    expect(failure(await node.delete('/front'))).toEqual([
      400,
      'illegal_argument_exception',
      'The provided expression [front] matches an alias, specify the corresponding concrete indices instead.',
    ]);
    const forbid = (value: boolean | null): Promise<Answer> =>
      node.put('/_cluster/settings', { transient: { 'action.destructive_requires_name': value } });
    await forbid(true);
    expect((await node.delete('/behin*')).json().error.reason).toBe(
      'Wildcard expressions or all indices are not allowed',
    );
    await forbid(null);
    expect((await node.request('HEAD', '/behind')).status).toBe(200);
  });
});

describe('what is asked before an upgrade', () => {
  it('tells what is deprecated, and that no system index is to be migrated', async () => {
    await node.put('/_template/old', { index_patterns: ['old-*'] });
    await node.put('/_cluster/settings', { transient: { 'cluster.info.update.interval': '20s' } });
    const report = (await node.get('/_migration/deprecations')).json();
    expect(report).toMatchObject({ node_settings: [], index_settings: {}, templates: { old: [{ level: 'warning' }] } });
    expect(report.cluster_settings).toContainEqual(
      expect.objectContaining({ level: 'warning', message: 'Transient cluster settings are deprecated' }),
    );
    await node.put('/_cluster/settings', { transient: { 'cluster.info.update.interval': null } });
    await node.delete('/_template/old');
    const features = (await node.get('/_migration/system_features')).json();
    expect(features.migration_status).toBe('NO_MIGRATION_NEEDED');
    const untouched = { minimum_index_version: '1000099', migration_status: 'NO_MIGRATION_NEEDED' };
    expect(features.features).toContainEqual({ feature_name: 'tasks', ...untouched, indices: [] });
    await node.put('/.kibana_8.0.0_001', { settings: { number_of_replicas: 0 } });
    const { features: used } = (await node.get('/_migration/system_features')).json();
    const indices = [{ index: '.kibana_8.0.0_001', version: '1000099' }];
    expect(used).toContainEqual({ feature_name: 'kibana', ...untouched, indices });
    await node.delete('/.kibana_8.0.0_001');
    expect((await node.post('/_migration/system_features')).json()).toMatchObject({ accepted: false });
  });

  it('makes an index like another one', async () => {
    await node.put('/model', {
      settings: { number_of_shards: 3, priority: 5, 'blocks.write': true },
      mappings: { dynamic: 'strict', properties: { a: { type: 'text' } } },
    });
    const override = {
      settings_override: { 'index.priority': null },
      mappings_override: { properties: { b: { type: 'date' } } },
    };
    expect((await node.put('/_create_from/model/alike', override)).json()).toMatchObject({ index: 'alike' });
    const { mappings, settings } = (await node.get('/alike')).json().alike;
    expect(mappings).toEqual({ dynamic: 'strict', properties: { a: { type: 'text' }, b: { type: 'date' } } });
    expect(settings.index).toMatchObject({ number_of_shards: '3', provided_name: 'alike' });
    expect([settings.index.priority, settings.index.blocks]).toEqual([undefined, undefined]);
    expect((await node.put('/_create_from/model/other', { aliases: {} })).status).toBe(400);
    expect((await node.put('/_create_from/none/other')).status).toBe(404);
  });
});
