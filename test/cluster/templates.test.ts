import { describe, expect, it } from 'vitest';
import { createIndex } from '../../src/cluster/changes/indices/create-index.js';
import {
  deleteComponentTemplates,
  deleteIndexTemplates,
  putComponentTemplate,
  putIndexTemplate,
  putLegacyTemplate,
} from '../../src/cluster/changes/put-templates.js';
import { decodeState, encodeState } from '../../src/cluster/state-codec.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { mergeMappings } from '../../src/cluster/templates/merge-mappings.js';
import {
  parseComponentTemplate,
  parseIndexTemplate,
  parseLegacyTemplate,
} from '../../src/cluster/templates/parse-template.js';
import { simulateTemplate } from '../../src/cluster/templates/simulate.js';
import { patternsOverlap } from '../../src/cluster/names/wildcard.js';
import type { JsonObject } from '../../src/base/json-value.js';
import { clusterOfOneNode, environment } from './support.js';

interface Given {
  readonly component?: Readonly<Record<string, JsonObject>>;
  readonly index?: Readonly<Record<string, JsonObject>>;
  readonly legacy?: Readonly<Record<string, JsonObject>>;
}

function clusterOf(given: Given): ClusterState {
  let state = clusterOfOneNode();
  for (const [name, body] of Object.entries(given.component ?? {})) {
    state = putComponentTemplate(
      state,
      { name, template: parseComponentTemplate(body), create: false },
      environment(),
    ).state;
  }
  for (const [name, body] of Object.entries(given.legacy ?? {})) state = legacy(state, name, body);
  for (const [name, body] of Object.entries(given.index ?? {})) state = put(state, name, body);
  return state;
}

function put(state: ClusterState, name: string, body: JsonObject): ClusterState {
  return putIndexTemplate(state, { name, template: parseIndexTemplate(body), create: false }, environment()).state;
}

function legacy(state: ClusterState, name: string, body: JsonObject): ClusterState {
  const template = parseLegacyTemplate(body, undefined);
  return putLegacyTemplate(state, { name, template, create: false }, environment()).state;
}

function settingsOfNew(state: ClusterState, name: string, settings: JsonObject = {}): ReadonlyMap<string, unknown> {
  const index = createIndex(state, { name, settings }, environment()).state.indices.get(name);
  return index?.settings ?? new Map();
}

describe('what an index gets from templates', () => {
  it('takes one index template with its components, the later ones and the request winning', () => {
    const state = clusterOf({
      component: {
        low: { template: { settings: { number_of_replicas: 3, priority: 4, refresh_interval: '9s' } } },
        high: { template: { settings: { 'index.number_of_replicas': 2 } } },
      },
      legacy: { old: { index_patterns: '*', settings: { 'index.max_result_window': 5 } } },
      index: {
        general: { index_patterns: 'a*', priority: 1, template: { settings: { priority: 9 } } },
        special: {
          index_patterns: 'ab*',
          priority: 2,
          composed_of: ['low', 'high'],
          template: { settings: { priority: 7 } },
        },
      },
    });
    const settings = settingsOfNew(state, 'abc', { refresh_interval: null });
    expect(settings.get('index.number_of_replicas')).toBe('2');
    expect(settings.get('index.priority')).toBe('7');
    expect(settings.has('index.refresh_interval')).toBe(false);
    expect(settings.has('index.max_result_window')).toBe(false);
  });

  it('takes all legacy templates that match, in their order, where no index template does', () => {
    const state = clusterOf({
      legacy: {
        last: { index_patterns: ['x*'], order: 2, settings: { priority: 2 }, aliases: { 'all-{index}': {} } },
        first: { index_patterns: '*', order: 1, settings: { priority: 1, number_of_shards: 3 } },
      },
    });
    const created = createIndex(state, { name: 'x1', aliases: { '{index}': {} } }, environment()).state.indices.get(
      'x1',
    );
    expect(created?.settings.get('index.priority')).toBe('2');
    expect(created?.numberOfShards).toBe(3);
    expect([...(created?.aliases.keys() ?? [])]).toEqual(['all-x1', '{index}']);
  });

  it('spares hidden indices the templates for all names', () => {
    const state = clusterOf({ index: { all: { index_patterns: '*', template: { settings: { priority: 3 } } } } });
    expect(settingsOfNew(state, 'plain').get('index.priority')).toBe('3');
    expect(settingsOfNew(state, 'quiet', { hidden: true }).has('index.priority')).toBe(false);
  });

  it('keeps templates over a restart', () => {
    const state = clusterOf({
      component: { part: { template: { settings: { priority: null }, mappings: { properties: {} } } } },
      legacy: { old: { index_patterns: 'x*', order: 4 } },
      index: { new: { index_patterns: ['b', 'c'], composed_of: ['part'], data_stream: {} } },
    });
    expect(decodeState(encodeState(state))).toEqual(state);
  });
});

describe('merging of mappings', () => {
  it('replaces fields, merges objects, and names of rules', () => {
    const merged = mergeMappings(
      [
        { properties: { 'a.b': { type: 'keyword' }, c: { type: 'text', boost: 2 } }, _meta: { x: { y: 1 } } },
        { dynamic_templates: [{ one: { mapping: {} } }, { two: { mapping: {} } }] },
        { properties: { a: { properties: { d: { type: 'long' } } }, c: { type: 'text' } }, _meta: { x: { z: 2 } } },
        { dynamic_templates: [{ one: { match: '*' } }] },
      ],
      'replace',
    );
    expect(merged).toEqual({
      properties: { a: { properties: { b: { type: 'keyword' }, d: { type: 'long' } } }, c: { type: 'text' } },
      _meta: { x: { y: 1, z: 2 } },
      dynamic_templates: [{ one: { match: '*' } }, { two: { mapping: {} } }],
    });
  });

  it('keeps a field of any name', () => {
    const fields = (type: string): JsonObject => ({
      properties: JSON.parse(`{"__proto__":{"type":"${type}"}}`) as JsonObject,
    });
    const merged = mergeMappings([{ properties: {} }, fields('keyword')], 'replace');
    expect(JSON.stringify(merged)).toBe('{"properties":{"__proto__":{"type":"keyword"}}}');
  });
});

describe('what is refused', () => {
  const base = clusterOf({
    component: { part: { template: { mappings: { properties: { f: { type: 'keyword' } } } } } },
    index: { user: { index_patterns: 'lo*', composed_of: ['part'], priority: 3 } },
  });
  const refusals: readonly (readonly [string, () => unknown, string])[] = [
    [
      'an unknown member',
      () => put(base, 'x', { index_patterns: 'q', colour: 1 }),
      '[index_template] unknown field [colour]',
    ],
    [
      'an unknown member of its content',
      () => put(base, 'x', { index_patterns: 'q', template: { mapping: {} } }),
      '[template] unknown field [mapping]',
    ],
    ['a missing list of patterns', () => put(base, 'x', {}), 'Required one of fields [index_patterns]'],
    [
      'a bad name',
      () => put(base, 'A b', { index_patterns: 'q' }),
      '1: name must not contain a space;2: name must be lower',
    ],
    ['a bad pattern', () => put(base, 'x', { index_patterns: '_q' }), "index_pattern [_q] must not start with '_'"],
    [
      'a missing component',
      () => put(base, 'x', { index_patterns: 'q', composed_of: ['gone'] }),
      'index template [x] specifies component templates [gone] that do not exist',
    ],
    [
      'the same priority for the same names',
      () => put(base, 'x', { index_patterns: '*gs', priority: 3 }),
      'from existing templates [user] with patterns (user => [lo*]) that have the same priority [3]',
    ],
    [
      'content that cannot be',
      () => put(base, 'x', { index_patterns: 'q', template: { settings: { number_of_shards: 0 } } }),
      'composable template [x] template after composition is invalid',
    ],
    [
      'a component that would break a template',
      () => deleteComponentTemplates(base, { names: ['part'] }, environment()),
      'component templates [part] cannot be removed as they are still in use by index templates [user]',
    ],
    [
      'to delete what is not there',
      () => deleteIndexTemplates(base, { names: ['gone'] }, environment()),
      '[gone] missing',
    ],
    [
      'a legacy template that would not be used',
      () => legacy(base, 'old', { index_patterns: 'logs' }),
      'use composable templates (/_index_template) instead',
    ],
    [
      'a plain index where a data stream is meant',
      () => createIndex(put(base, 'x', { index_patterns: 'q', data_stream: {} }), { name: 'q' }, environment()),
      'cannot create index with name [q], because it matches with template [x] that creates data streams only',
    ],
    [
      'a field of time that is no date',
      () =>
        put(base, 'x', {
          index_patterns: 'q',
          data_stream: {},
          template: { mappings: { properties: { '@timestamp': { type: 'keyword' } } } },
        }),
      'composable template [x] template after composition is invalid',
    ],
  ];
  const aliasToNowhere = { properties: { a: { type: 'alias', path: 'gone' } } };
  const wholes: readonly (readonly [string, JsonObject, string])[] = [
    ['an alias to nowhere', { mappings: aliasToNowhere }, 'an alias must refer to an existing field in the mappings.'],
    [
      'more fields than an index may have',
      {
        settings: { 'index.mapping.total_fields.limit': 1 },
        mappings: { properties: { a: { type: 'long' }, b: { type: 'long' } } },
      },
      'Limit of total fields [1] has been exceeded',
    ],
    [
      'partitions of a routing that need not be',
      { settings: { number_of_shards: 4, 'index.number_of_routing_shards': 8, 'index.routing_partition_size': 2 } },
      'must have routing required for partitioned index',
    ],
  ];
  it.each(wholes)('%s, though not in a component alone', (_what, template, message) => {
    const causeOf = (act: () => unknown): string => {
      try {
        act();
      } catch (error) {
        return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      }
      return '';
    };
    expect(causeOf(() => put(base, 'x', { index_patterns: 'q', template }))).toContain(message);
    expect(causeOf(() => legacy(base, 'x', { index_patterns: 'q', ...template }))).toContain(message);
    expect(clusterOf({ component: { other: { template } } }).componentTemplates.size).toBe(1);
  });

  it('but not an alias to the time that a data stream has in any case', () => {
    const properties = { time: { type: 'alias', path: '@timestamp' } };
    const body = { index_patterns: 'q', data_stream: {}, template: { mappings: { properties } } };
    expect(put(base, 'x', body).indexTemplates.has('x')).toBe(true);
  });

  it.each(refusals)('%s', (_what, act, message) => {
    expect(act).toThrow(message);
  });

  it('but not a missing component that may be missing', () => {
    const body = { index_patterns: 'q', composed_of: ['gone'], ignore_missing_component_templates: ['gone'] };
    expect(put(base, 'x', body).indexTemplates.has('x')).toBe(true);
  });
});

describe('a simulation', () => {
  it('tells what an index would get, and which templates it would not use', () => {
    const state = clusterOf({
      legacy: { old: { index_patterns: ['t*'] } },
      index: { loser: { index_patterns: 'te*', priority: 1 }, other: { index_patterns: 'x' } },
    });
    const body = parseIndexTemplate({ index_patterns: 'te*', priority: 2, template: { settings: { priority: 8 } } });
    const change = simulateTemplate(state, { index: 'test', body, create: false }, environment());
    expect(change.state).toBe(state);
    expect(change.result?.composition.settings.get('index.priority')).toBe('8');
    expect(change.result?.overlapping.map(({ name }) => name)).toEqual(['old', 'loser']);
    expect(simulateTemplate(state, { index: 'none', create: false }, environment()).result).toBeNull();
  });
});

describe('patterns', () => {
  it.each([
    ['a*', '*b', true],
    ['a*', 'b*', false],
    ['ab', 'a*b', true],
    ['a*c', 'ab', false],
    ['*', '', true],
    ['a*b*c', '*x*', true],
    ['abc', 'abc', true],
    ['abc', 'abd', false],
  ])('%s and %s overlap: %s', (left, right, expected) => {
    expect(patternsOverlap(left, right)).toBe(expected);
    expect(patternsOverlap(right, left)).toBe(expected);
  });
});
