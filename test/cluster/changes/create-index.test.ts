import { describe, expect, it } from 'vitest';
import { createIndex, type CreateIndexInput } from '../../../src/cluster/changes/indices/create-index.js';
import { updateClusterSettings } from '../../../src/cluster/changes/update-cluster-settings.js';
import { clusterOfOneNode, clusterWith, environment, indexOf, NOW_MS } from '../support.js';

describe('creation of an index', () => {
  it('writes its settings, keeps what was asked and places every primary on a worker of its own', () => {
    const made = environment();
    const input: CreateIndexInput = {
      name: '<logs-{now/d}>',
      settings: { number_of_shards: 2, index: { refresh_interval: '5s' }, 'index.hidden': null },
    };
    const { state, result } = createIndex(clusterOfOneNode(), input, made);
    expect(result).toEqual({ index: { name: 'logs-2024.03.22', uuid: 'u1' }, created: true });
    const index = indexOf(state, 'logs-2024.03.22');
    expect(Object.fromEntries(index.settings)).toEqual({
      'index.number_of_shards': '2',
      'index.number_of_replicas': '1',
      'index.refresh_interval': '5s',
      'index.uuid': 'u1',
      'index.creation_date': String(NOW_MS),
      'index.provided_name': '<logs-{now/d}>',
      'index.version.created': expect.any(String) as string,
    });
    expect(index).toMatchObject({
      numberOfShards: 2,
      numberOfReplicas: 1,
      routingNumShards: 1024,
      primaryTerms: [1, 1],
    });
    const copies = state.routing.get(index.name)?.shards.flat() ?? [];
    expect(copies.map(({ primary, state: copyState, workerSlot }) => [primary, copyState, workerSlot])).toEqual([
      [true, 'INITIALIZING', 0],
      [false, 'UNASSIGNED', null],
      [true, 'INITIALIZING', 1],
      [false, 'UNASSIGNED', null],
    ]);
    expect(state.version).toBe(2);
  });

  it('takes defaults of the node for what the request leaves out', () => {
    const defaults = new Map([
      ['index.number_of_shards', '3'],
      ['index.number_of_replicas', '0'],
    ]);
    const input = { name: 'a', settings: { number_of_replicas: 2 }, defaults };
    const { state } = createIndex(clusterOfOneNode(), input, environment());
    expect(indexOf(state, 'a')).toMatchObject({ numberOfShards: 3, numberOfReplicas: 2 });
  });

  it('follows the number of nodes with auto_expand_replicas', () => {
    const input = { name: 'a', settings: { auto_expand_replicas: '0-all' } };
    expect(indexOf(createIndex(clusterOfOneNode(), input, environment()).state, 'a').numberOfReplicas).toBe(0);
  });

  it('gives the present index when it may be there', () => {
    const before = clusterWith({ name: 'a' });
    const { state, result } = createIndex(before, { name: 'a', ifAbsent: true }, environment());
    expect(state).toBe(before);
    expect(result).toEqual({ index: { name: 'a', uuid: indexOf(before, 'a').uuid }, created: false });
  });

  it.each<[CreateIndexInput, object]>([
    [{ name: 'taken' }, { type: 'resource_already_exists_exception', message: 'index [taken/u1] already exists' }],
    [{ name: 'alias' }, { message: 'Invalid index name [alias], already exists as alias' }],
    [{ name: 'Bad' }, { type: 'invalid_index_name_exception' }],
    [
      { name: 'a', settings: { uuid: 'x', creation_date: 1 } },
      {
        type: 'validation_exception',
        message:
          'Validation Failed: 1: private index setting [index.uuid] can not be set explicitly;' +
          '2: private index setting [index.creation_date] can not be set explicitly;',
      },
    ],
    [
      { name: 'a', settings: { number_of_shards: 4, number_of_routing_shards: 6 } },
      { message: 'the number of source shards [4] must be a factor of [6]' },
    ],
    [
      { name: 'a', settings: { number_of_shards: 4, routing_partition_size: 2 } },
      { message: 'mapping type [_doc] must have routing required for partitioned index [a]' },
    ],
    [
      { name: 'a', mappings: { properties: { x: { type: 'nonsense' } } } },
      {
        type: 'mapper_parsing_exception',
        message: 'Failed to parse mapping [_doc]: No handler for type [nonsense] declared on field [x]',
      },
    ],
    [{ name: 'a', aliases: { taken: {} } }, { type: 'invalid_alias_name_exception' }],
    [{ name: 'a', aliases: { b: { filter: { nonsense: {} } } } }, { message: 'failed to parse filter for alias [b]' }],
    [{ name: 'a', aliases: { b: { bogus: 1 } } }, { message: 'unknown field [bogus] in alias [b]' }],
  ])('refuses %j', (input, error) => {
    const state = clusterWith({ name: 'taken', aliases: { alias: {} } });
    expect(() => createIndex(state, input, environment())).toThrow(expect.objectContaining(error) as Error);
  });

  it('stops at the limit of shards', () => {
    const limit = { persistent: { 'cluster.max_shards_per_node': 3 }, transient: {} };
    const { state } = updateClusterSettings(clusterWith({ name: 'a' }), limit, environment());
    expect(() => createIndex(state, { name: 'b' }, environment())).toThrow(
      'Validation Failed: 1: this action would add [2] total shards, but this cluster currently has [2]/[3] maximum ' +
        'shards open;',
    );
  });
});
