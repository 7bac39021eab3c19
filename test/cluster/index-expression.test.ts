import { describe, expect, it } from 'vitest';
import { closeIndices } from '../../src/cluster/changes/indices/open-close-indices.js';
import { resolveIndices } from '../../src/cluster/names/index-expression.js';
import { indicesOptions, IndicesDefaults, type IndicesParameters } from '../../src/cluster/names/indices-options.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { clusterWith, environment, indexOf, NOW_MS } from './support.js';

function exampleCluster(): ClusterState {
  const state = clusterWith(
    { name: 'logs-1', aliases: { logs: {}, current: {} } },
    { name: 'logs-2', aliases: { logs: {} } },
    { name: 'logs-2024.03.22' },
    { name: 'shut' },
    { name: 'secret', settings: { hidden: true }, aliases: { veiled: { is_hidden: true } } },
    { name: '.dot', settings: { hidden: true } },
  );
  return closeIndices(state, { indices: [indexOf(state, 'shut')] }, environment()).state;
}

const STATE = exampleCluster();

type Family = keyof typeof IndicesDefaults;

function names(expression: string, parameters: IndicesParameters = {}, family: Family = 'expandOpen'): string[] {
  const options = indicesOptions(IndicesDefaults[family], parameters);
  const expressions = expression === '' ? [] : expression.split(',');
  return resolveIndices(STATE, expressions, options, NOW_MS).map(({ name }) => name);
}

const OPEN = ['logs-1', 'logs-2', 'logs-2024.03.22'];

describe('index expressions', () => {
  it.each<[string, IndicesParameters, string[]]>([
    ['', {}, OPEN],
    ['_all', {}, OPEN],
    ['*', {}, OPEN],
    ['*', { expand_wildcards: ['all'] }, ['.dot', ...OPEN, 'secret', 'shut']],
    ['*', { expand_wildcards: ['closed'] }, ['shut']],
    ['*', { expand_wildcards: ['open', 'hidden'] }, ['.dot', ...OPEN, 'secret']],
    ['*', { expand_wildcards: ['none'] }, []],
    ['logs-*,-logs-2', {}, ['logs-1', 'logs-2024.03.22']],
    ['logs-*,-logs-2*', {}, ['logs-1']],
    ['logs', {}, ['logs-1', 'logs-2']],
    ['cur*', {}, ['logs-1']],
    ['.d*', {}, ['.dot']],
    ['secret', {}, ['secret']],
    ['veiled', {}, ['secret']],
    ['<logs-{now/d}>', {}, ['logs-2024.03.22']],
    ['shut', {}, ['shut']],
    ['nothing*', {}, []],
    ['logs-1,missing', { ignore_unavailable: true }, ['logs-1']],
    ['missing', { ignore_unavailable: true }, []],
  ])('[%s] with %j', (expression, parameters, expected) => {
    expect(names(expression, parameters)).toEqual(expected);
  });

  it.each<[string, IndicesParameters, Family, object]>([
    [
      'missing',
      {},
      'expandOpen',
      {
        type: 'index_not_found_exception',
        message: 'no such index [missing]',
        details: { 'resource.type': 'index_or_alias', 'resource.id': 'missing', index_uuid: '_na_', index: 'missing' },
      },
    ],
    ['nothing*', { allow_no_indices: false }, 'expandOpen', { message: 'no such index [nothing*]' }],
    ['shut', {}, 'expandOpenForbidClosed', { type: 'index_closed_exception', message: 'closed' }],
    ['_x', {}, 'expandOpen', { type: 'invalid_index_name_exception' }],
    [
      'logs',
      {},
      'delete',
      {
        message: 'The provided expression [logs] matches an alias, specify the corresponding concrete indices instead.',
      },
    ],
    [
      'logs',
      {},
      'single',
      {
        message:
          "alias [logs] has more than one index associated with it [logs-1, logs-2], can't execute a single index op",
      },
    ],
    ['*', { expand_wildcards: ['some'] }, 'expandOpen', { message: 'No valid expand wildcard value [some]' }],
  ])('refuses [%s] with %j for %s', (expression, parameters, family, error) => {
    expect(() => names(expression, parameters, family)).toThrow(expect.objectContaining(error) as Error);
  });

  it('leaves closed indices out when they are unavailable and may be', () => {
    expect(names('shut,logs-1', { ignore_unavailable: true }, 'expandOpenForbidClosed')).toEqual(['logs-1']);
  });

  it('never deletes through an alias that a wildcard matches', () => {
    expect(names('log*', {}, 'delete')).toEqual(OPEN);
  });
});
