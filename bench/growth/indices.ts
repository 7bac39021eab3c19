/** Indices, their mappings and settings, templates, names and patterns. */
import { creating, INDEX, json, list, named, type Probe } from './probe.js';

const text = { type: 'text' };
const get = (name: string, path: (n: number) => string, most = 300): Probe => ({
  name,
  most,
  request: (n) => ({ method: 'GET', path: path(n) }),
});

const analysisOf =
  (part: string, made: (at: number) => unknown): ((n: number) => unknown) =>
  (n) => ({
    settings: { analysis: { [part]: named(n, made) } },
  });

const created: readonly Probe[] = [
  creating('index: fields', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: named(n, () => text) },
  })),
  creating('index: objects', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: named(n, () => ({ properties: { a: text } })) },
  })),
  creating('index: fields of fields', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: { a: { ...text, fields: named(n, () => ({ type: 'keyword' })) } } },
  })),
  creating('index: copy_to', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: { a: text, ...named(n, () => ({ ...text, copy_to: 'a' })) } },
  })),
  creating('index: copy_to of one', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: { a: { ...text, copy_to: list(n, (at) => `p${at}`) }, ...named(n, () => text) } },
  })),
  creating('index: alias fields', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { properties: { a: text, ...named(n, () => ({ type: 'alias', path: 'a' })) } },
  })),
  creating('index: runtime fields', (n) => ({
    settings: { 'index.mapping.total_fields.limit': 1_000_000 },
    mappings: { runtime: named(n, (at) => ({ type: 'long', script: `emit(${at})` })) },
  })),
  creating('index: dynamic templates', (n) => ({
    mappings: {
      dynamic_templates: list(n, (at) => ({ [`t${at}`]: { match: `m${at}_*`, mapping: { type: 'keyword' } } })),
    },
  })),
  creating('index: dotted field', (n) => ({
    settings: { 'index.mapping.depth.limit': 100_000 },
    mappings: { properties: { [list(n, () => 'a').join('.')]: text } },
  })),
  creating('index: aliases', (n) => ({ aliases: named(n, () => ({})) })),
  creating('index: filtered aliases', (n) => ({ aliases: named(n, (at) => ({ filter: { term: { k: at } } })) })),
  creating(
    'index: analyzers',
    analysisOf('analyzer', () => ({ tokenizer: 'standard', filter: ['lowercase'] })),
  ),
  creating(
    'index: filters',
    analysisOf('filter', () => ({ type: 'stop', stopwords: ['a'] })),
  ),
  creating(
    'index: normalizers',
    analysisOf('normalizer', () => ({ type: 'custom', filter: ['lowercase'] })),
  ),
  creating('index: synonyms', (n) => ({
    settings: {
      analysis: {
        filter: { s: { type: 'synonym_graph', synonyms: list(n, (at) => `a${at} b, c${at}`) } },
        analyzer: { a: { tokenizer: 'standard', filter: ['lowercase', 's'] } },
      },
    },
  })),
  creating('index: _meta', (n) => ({ mappings: { _meta: named(n, String) } })),
  creating('index: _source excludes', (n) => ({ mappings: { _source: { excludes: list(n, (at) => `f${at}`) } } })),
  creating('index: format', (n) => ({
    mappings: { properties: { d: { type: 'date', format: list(n, () => 'yyyy-MM-dd').join('||') } } },
  })),
  creating('index: similarities', (n) => ({ settings: { similarity: named(n, () => ({ type: 'BM25' })) } })),
  creating('index: relations', (n) => ({
    mappings: { properties: { j: { type: 'join', relations: named(n, (at) => `c${at}`) } } },
  })),
  creating('index: sort', (n) => ({
    settings: { 'index.sort.field': list(n, (at) => `p${at}`) },
    mappings: { properties: named(n, () => ({ type: 'long' })) },
  })),
];

const changed: readonly Probe[] = [
  json('aliases, actions', 'POST', '/_aliases', (n) => ({
    actions: list(n, (at) => ({ add: { index: INDEX, alias: `x${at}` } })),
  })),
  json('aliases, one action of many names', 'POST', '/_aliases', (n) => ({
    actions: [{ add: { index: INDEX, aliases: list(n, (at) => `x${at}`) } }],
  })),
  json('aliases, removals', 'POST', '/_aliases', (n) => ({
    actions: [
      { add: { index: INDEX, alias: 'x' } },
      ...list(n, (at) => ({ remove: { index: INDEX, alias: `x${at}`, must_exist: false } })),
    ],
  })),
  json(
    'mapping, fields that are there',
    'PUT',
    `/${INDEX}/_mapping`,
    (n) => ({ properties: named(Math.min(n, 900), () => text, 'g') }),
    900,
  ),
  json('index template, patterns', 'PUT', '/_index_template/grown', (n) => ({
    index_patterns: list(n, (at) => `t${at}-*`),
    priority: 7,
  })),
  json('index template, fields', 'PUT', '/_index_template/grown', (n) => ({
    index_patterns: ['t0-*'],
    template: {
      settings: { 'index.mapping.total_fields.limit': 1_000_000 },
      mappings: { properties: named(n, () => text) },
    },
  })),
  json('index template, composed of', 'PUT', '/_index_template/grown', (n) => ({
    index_patterns: ['t0-*'],
    composed_of: list(n, (at) => `none${at}`),
    ignore_missing_component_templates: list(n, (at) => `none${at}`),
  })),
  json('legacy template, patterns', 'PUT', '/_template/grown', (n) => ({
    index_patterns: list(n, (at) => `l${at}-*`),
  })),
  json(
    'simulated template',
    'POST',
    '/_index_template/_simulate',
    (n) => ({
      index_patterns: ['s-*'],
      template: { mappings: { properties: named(n, () => text) } },
    }),
    900,
  ),
  json('put pipeline, processors', 'PUT', '/_ingest/pipeline/grown', (n) => ({
    processors: list(n, (at) => ({ set: { field: `f${at}`, value: at } })),
  })),
  json('stored script', 'PUT', '/_scripts/grown', (n) => ({
    script: { lang: 'painless', source: `int x = 0; ${list(n, (at) => `x += ${at};`).join(' ')} return x` },
  })),
  json('stored template', 'PUT', '/_scripts/grown-template', (n) => ({
    script: { lang: 'mustache', source: { query: { terms: { k: list(n, (at) => `{{p${at}}}`) } } } },
  })),
  json('rendered template', 'POST', '/_render/template', (n) => ({
    source: JSON.stringify({ query: { terms: { k: list(n, (at) => `{{p${at}}}`) } } }),
    params: named(n, String),
  })),
  json('rendered section', 'POST', '/_render/template', (n) => ({
    source: '{"a":[{{#l}}"{{.}}",{{/l}}1]}',
    params: { l: list(n, String) },
  })),
  json(
    'executed script',
    'POST',
    '/_scripts/painless/_execute',
    (n) => ({
      script: { source: `def m = [:]; for (int i = 0; i < ${n}; i++) { m[i] = i } return m.size()` },
    }),
    200_000,
  ),
  json(
    'executed script, text',
    'POST',
    '/_scripts/painless/_execute',
    (n) => ({
      script: {
        source: `StringBuilder b = new StringBuilder(); for (int i = 0; i < ${n}; i++) { b.append('x') } return b.length()`,
      },
    }),
    200_000,
  ),
  json('executed script, literals', 'POST', '/_scripts/painless/_execute', (n) => ({
    script: { source: `return [${list(n, String).join(',')}].size()` },
  })),
  json('executed script, ifs', 'POST', '/_scripts/painless/_execute', (n) => ({
    script: { source: `int x = 3; ${list(n, (at) => `if (x == ${at}) { x = 3 }`).join(' ')} return x` },
  })),
  json('executed script, blocks', 'POST', '/_scripts/painless/_execute', (n) => ({
    script: { source: `${list(n, (at) => `{ int y = ${at}; }`).join(' ')} return 1` },
  })),
  json('executed script, comments', 'POST', '/_scripts/painless/_execute', (n) => ({
    script: { source: `${'/* a */'.repeat(n)} return 1` },
  })),
  json('executed script, regex', 'POST', '/_scripts/painless/_execute', (n) => ({
    script: { source: `return /${'a?'.repeat(n)}/.matcher('a').find()` },
  })),
  json('cluster settings', 'PUT', '/_cluster/settings', (n) => ({
    transient: Object.fromEntries(list(n, (at) => [`logger.p${at}`, 'info'])),
  })),
  json('cluster settings, exclusions', 'PUT', '/_cluster/settings', (n) => ({
    transient: { 'cluster.routing.allocation.exclude._name': list(n, (at) => `n${at}`).join(',') },
  })),
  json('field_caps, filter', 'POST', `/${INDEX}/_field_caps?fields=*`, (n) => ({
    index_filter: { bool: { should: list(n, (at) => ({ term: { k: `v${at}` } })) } },
  })),
  json('search with names', 'POST', `/_search?ignore_unavailable=true`, (n) => ({
    query: { terms: { _index: list(n, (at) => `i${at}`) } },
  })),
];

/** Paths are bounded by what a request line may be. */
const inPaths: readonly Probe[] = [
  get('search, names', (n) => `/${list(n, () => INDEX).join(',')}/_search`),
  get('search, patterns', (n) => `/${list(n, (at) => `g${at}*`).join(',')}/_search`),
  get('search, exclusions', (n) => `/*,${list(n, (at) => `-g${at}*`).join(',')}/_search`),
  get('field_caps, fields', (n) => `/${INDEX}/_field_caps?fields=${list(n, (at) => `f${at}`).join(',')}`),
  get('field_caps, patterns', (n) => `/${INDEX}/_field_caps?fields=${list(n, (at) => `*f${at}*`).join(',')}`),
  get('filter_path', (n) => `/${INDEX}/_mapping?filter_path=${list(n, (at) => `**.f${at}`).join(',')}`),
  get('filter_path, stars', (n) => `/${INDEX}/_mapping?filter_path=${'**.'.repeat(n)}type`),
  get('mapping of fields', (n) => `/${INDEX}/_mapping/field/${list(n, (at) => `f${at}`).join(',')}`),
  get('mapping of patterns', (n) => `/${INDEX}/_mapping/field/${list(n, (at) => `*f${at}*`).join(',')}`),
  get('settings of names', (n) => `/${INDEX}/_settings/${list(n, (at) => `index.s${at}*`).join(',')}`),
  get('health, names', (n) => `/_cluster/health/${list(n, () => INDEX).join(',')}`),
  get('resolve, patterns', (n) => `/_resolve/index/${list(n, (at) => `*${at}*`).join(',')}`),
  get('wildcard of stars', (n) => `/${'*a'.repeat(n)}/_search`),
  get('cat, columns', (n) => `/_cat/indices?h=${list(n, () => 'index').join(',')}`),
  get('cat, sorts', (n) => `/_cat/indices?s=${list(n, () => 'index').join(',')}`),
  get('search, _source', (n) => `/${INDEX}/_search?_source=${list(n, (at) => `*f${at}*`).join(',')}`),
  get('search, sorts', (n) => `/${INDEX}/_search?sort=${list(n, () => 'n').join(',')}`),
  get('aliases, names', (n) => `/_alias/${list(n, (at) => `x${at}*`).join(',')}`),
  get('stats, fields', (n) => `/${INDEX}/_stats?fields=${list(n, (at) => `*f${at}*`).join(',')}`),
];

export const indexProbes: readonly Probe[] = [...created, ...changed, ...inPaths];
