/**
 * Requests that try to learn what their user may not read, by endpoint: of whole documents and of single fields. Whatever is hidden has one of the marks
 * of `HIDDEN` in it, which no answer may show; the requests themselves do not hold them.
 */
import type { Answer, Json } from './node-harness.js';
import type { Ask } from './security-helpers.js';

/** What no answer may hold. */
export const HIDDEN = /hush|77770/i;

export interface Attempt {
  readonly endpoint: string;
  readonly name: string;
  /** The answers that a user gets. */
  run(ask: Ask): Promise<readonly Answer[]>;
}

/** Fields are tried under their usual name, and under one that field level security hides. */
export const PREFIXES = ['', 'secret_'] as const;
export type Prefix = (typeof PREFIXES)[number];

const FIELD_TYPES: Json = {
  title: { type: 'text', fielddata: true, fields: { raw: { type: 'keyword' } } },
  tag: { type: 'keyword', store: true },
  n: { type: 'long' },
  at: { type: 'date' },
  place: { type: 'geo_point' },
  near: { type: 'dense_vector', dims: 2, similarity: 'l2_norm' },
  odd: { type: 'long', ignore_malformed: true },
  done: { type: 'completion' },
  kids: { type: 'nested', properties: { name: { type: 'keyword' } } },
  flat: { type: 'flattened' },
  box: { properties: { inner: { type: 'keyword' } } },
};

export const MAPPING: Json = {
  dynamic: false,
  properties: {
    id: { type: 'keyword' },
    dept: { type: 'keyword' },
    owner: { type: 'keyword' },
    join: { type: 'join', relations: { parent: 'child' } },
    stored_query: { type: 'percolator' },
    ...Object.fromEntries(
      PREFIXES.flatMap((prefix) => Object.entries(FIELD_TYPES).map(([name, type]) => [`${prefix}${name}`, type])),
    ),
  },
};

/** Values of all fields of one prefix; hidden ones have the marks. */
export function valuesOf(prefix: Prefix, number: number, isHidden: boolean): Json {
  const word = isHidden ? 'hush' : 'plain';
  const far = isHidden ? 77_770_000 + number : number;
  return {
    [`${prefix}title`]: `${word}${number} common ${word}`,
    [`${prefix}tag`]: `${word}-${number}`,
    [`${prefix}n`]: far,
    [`${prefix}at`]: isHidden ? 7_777_000_000_000 + number : number,
    [`${prefix}place`]: { lat: number, lon: number },
    [`${prefix}near`]: [number, number],
    [`${prefix}odd`]: `${word}-is-no-number`,
    [`${prefix}done`]: `${word} completion ${number}`,
    [`${prefix}kids`]: [{ name: `${word}-kid-${number}` }],
    [`${prefix}flat`]: { key: `${word}-flat-${number}` },
    [`${prefix}box`]: { inner: `${word}-inner-${number}`, unmapped: `${word}-unmapped-${number}` },
    [`${prefix}loose`]: `${word}-loose-${number}`,
  };
}

const lines = (...objects: readonly unknown[]): string => objects.map((each) => `${JSON.stringify(each)}\n`).join('');

/** `index` stands for whatever name leads to the documents; `ids` are those that there are, also hidden ones. */
export function attempts(index: string, prefix: Prefix, ids: readonly string[]): readonly Attempt[] {
  const f = (name: string): string => `${prefix}${name}`;
  const one = (endpoint: string, name: string, method: string, path: string, body?: unknown): Attempt => ({
    endpoint,
    name: `${endpoint} ${name} (${prefix || 'usual'})`,
    run: async (ask) => [await ask(method, path, body)],
  });
  const steps = (endpoint: string, name: string, run: Attempt['run']): Attempt => ({
    endpoint,
    name: `${endpoint} ${name} (${prefix || 'usual'})`,
    run,
  });
  const search = (name: string, body: Json): Attempt => one('search', name, 'POST', `/${index}/_search`, body);
  const agg = (name: string, aggregation: Json): Attempt =>
    search(`agg ${name}`, { size: 0, aggs: { a: aggregation } });
  return [
    ...ids.flatMap((id) => [
      one('get', id, 'GET', `/${index}/_doc/${id}?realtime=true`),
      one('get', `${id} refreshed`, 'GET', `/${index}/_doc/${id}?refresh=true&_source=*&stored_fields=${f('tag')}`),
      one('get_source', id, 'GET', `/${index}/_source/${id}`),
      one('explain', id, 'POST', `/${index}/_explain/${id}?_source=true&stored_fields=${f('tag')}`, {
        query: { exists: { field: f('tag') } },
      }),
      one('termvectors', id, 'GET', `/${index}/_termvectors/${id}?fields=*`),
    ]),
    one('mget', 'ids', 'POST', `/${index}/_mget`, { ids }),
    one('mget', 'docs', 'POST', '/_mget', {
      docs: ids.map((_id) => ({ _index: index, _id, stored_fields: [f('tag')] })),
    }),
    one('mtermvectors', 'ids', 'POST', `/${index}/_mtermvectors?fields=${f('title')},${f('tag')}`, { ids }),
    one('count', 'term', 'POST', `/${index}/_count`, { query: { exists: { field: f('tag') } } }),
    one('cat.count', 'all', 'GET', `/_cat/count/${index}?format=json`),
    one('field_caps', 'all', 'GET', `/${index}/_field_caps?fields=${prefix}*&include_empty_fields=false`),
    one('field_caps', 'filter', 'POST', `/${index}/_field_caps?fields=*`, {
      index_filter: { range: { [f('n')]: { gte: 77_769_999 } } },
    }),
    one('terms_enum', 'tag', 'POST', `/${index}/_terms_enum`, { field: f('tag'), string: '' }),
    one('terms_enum', 'raw', 'POST', `/${index}/_terms_enum`, {
      field: f('title.raw'),
      string: '',
      index_filter: { match_all: {} },
    }),
    one('terms_enum', 'flat', 'POST', `/${index}/_terms_enum`, { field: f('flat.key'), string: '' }),
    one('indices.validate_query', 'explain', 'POST', `/${index}/_validate/query?explain=true&all_shards=true`, {
      query: { prefix: { [f('tag')]: 'h' } },
    }),
    one('indices.validate_query', 'rewrite', 'POST', `/${index}/_validate/query?rewrite=true`, {
      query: { wildcard: { [f('tag')]: '*' } },
    }),
    one('rank_eval', 'match', 'POST', `/${index}/_rank_eval`, {
      requests: [
        {
          id: 'r',
          request: { query: { exists: { field: f('tag') } } },
          ratings: ids.map((_id) => ({ _index: index, _id, rating: 1 })),
        },
      ],
      metric: { recall: { k: 100 } },
    }),
    one(
      'msearch',
      'two',
      'POST',
      '/_msearch',
      lines({ index }, { query: { match_all: {} } }, { index }, { size: 20, sort: [f('n')] }),
    ),
    one('search_template', 'one', 'POST', `/${index}/_search/template`, {
      source: { query: { exists: { field: '{{f}}' } }, sort: ['{{n}}'] },
      params: { f: f('tag'), n: f('n') },
    }),
    one(
      'msearch_template',
      'one',
      'POST',
      '/_msearch/template',
      lines({ index }, { source: { size: 20, sort: [f('n')] } }),
    ),
    search('everything', { size: 100, version: true, seq_no_primary_term: true, stored_fields: ['*'], _source: true }),
    search('docvalue_fields', { docvalue_fields: [`${prefix}*`, f('n'), f('tag'), f('title.raw'), f('flat.key')] }),
    search('fields', {
      _source: false,
      fields: [`${prefix}*`, f('title'), f('kids'), f('box.*'), f('flat.key'), f('loose')],
    }),
    search('stored', { stored_fields: [f('tag'), '_source'] }),
    search('source includes', {
      _source: { includes: [f('title'), f('box'), f('loose'), `${prefix}*`], excludes: ['nothing'] },
    }),
    search('sort', {
      sort: [
        { [f('n')]: { order: 'desc', unmapped_type: 'long' } },
        { [f('tag')]: { missing: '_first', unmapped_type: 'keyword' } },
      ],
    }),
    search('sort by place', { sort: [{ _geo_distance: { [f('place')]: { lat: 0, lon: 0 }, ignore_unmapped: true } }] }),
    search('sort by nested', { sort: [{ [f('kids.name')]: { nested: { path: f('kids') } } }] }),
    search('sort by script', {
      sort: [{ _script: { type: 'string', script: `doc['${f('tag')}'].size() == 0 ? '' : doc['${f('tag')}'].value` } }],
    }),
    search('highlight', {
      query: { query_string: { query: 'common OR h*', fields: [f('title')] } },
      highlight: { fields: { '*': {}, [f('title')]: { type: 'plain' } }, require_field_match: false },
    }),
    search('highlight without a match', {
      highlight: { no_match_size: 100, fields: { [f('title')]: {}, '*title': {} } },
    }),
    search('script fields', { script_fields: { s: { script: `doc['${f('tag')}'].value` } } }),
    search('script source', { script_fields: { s: { script: 'params._source.toString()' } } }),
    search('script source by another way', { script_fields: { s: { script: "params['_sou' + 'rce'].toString()" } } }),
    search('script field by another way', {
      script_fields: { s: { script: `def d = doc; d['${prefix}' + 'tag'].value` } },
    }),
    search('script field api', { script_fields: { s: { script: `field('${f('tag')}').get('')` } } }),
    search('runtime', {
      runtime_mappings: {
        r: { type: 'keyword', script: `emit(doc['${f('tag')}'].value)` },
        [f('loose')]: { type: 'keyword' },
      },
      fields: ['r', f('loose')],
      aggs: { a: { terms: { field: 'r' } }, b: { terms: { field: f('loose') } } },
    }),
    search('runtime of the source', {
      runtime_mappings: { r: { type: 'keyword', script: `emit(params._source.${f('tag')})` } },
      fields: ['r'],
    }),
    search('runtime of the mapping', {
      fields: [f('shown'), f('shown_source')],
      sort: [{ [f('shown')]: { unmapped_type: 'keyword' } }],
    }),
    search('explained', { explain: true, query: { match: { [f('title')]: 'common' } } }),
    search('profiled', { profile: true }),
    search('suggested', {
      suggest: {
        t: { text: 'husk', term: { field: f('title'), suggest_mode: 'always', min_word_length: 2, prefix_length: 0 } },
        p: { text: 'husk', phrase: { field: f('title'), max_errors: 2 } },
        c: { prefix: 'h', completion: { field: f('done') } },
        d: { prefix: 'p', completion: { field: f('done') } },
      },
    }),
    search('collapsed', {
      collapse: { field: f('tag'), inner_hits: { name: 'i', size: 5, docvalue_fields: [f('n')] } },
    }),
    search('nested inner hits', {
      query: {
        nested: { path: f('kids'), query: { match_all: {} }, inner_hits: { docvalue_fields: [f('kids.name')] } },
      },
    }),
    search('children', { query: { has_child: { type: 'child', query: { match_all: {} }, inner_hits: {} } } }),
    search('parents', { query: { has_parent: { parent_type: 'parent', query: { match_all: {} }, inner_hits: {} } } }),
    search('query string', { query: { query_string: { query: '*' } }, highlight: { fields: { '*': {} } } }),
    search('simple query string', { query: { simple_query_string: { query: 'common', fields: ['*'] } } }),
    search('multi match', { query: { multi_match: { query: 'common', fields: ['*title', f('tag')] } }, explain: true }),
    search('knn', { knn: { field: f('near'), query_vector: [0, 0], k: 10, num_candidates: 20 } }),
    search('knn query', { query: { knn: { field: f('near'), query_vector: [5, 5], num_candidates: 5 } } }),
    search('like', {
      query: {
        more_like_this: {
          fields: [f('title')],
          like: ids.map((_id) => ({ _index: index, _id })),
          min_term_freq: 1,
          min_doc_freq: 1,
        },
      },
    }),
    search('like everything', {
      query: {
        more_like_this: { like: ids.map((_id) => ({ _index: index, _id })), min_term_freq: 1, min_doc_freq: 1 },
      },
    }),
    search('percolated', {
      query: { percolate: { field: 'stored_query', document: { [f('tag')]: 'x', dept: 'open' } } },
    }),
    search('percolated by id', { query: { percolate: { field: 'stored_query', index, id: ids.at(-1) } } }),
    search('looked up', { query: { terms: { [f('tag')]: { index, id: ids.at(-1), path: f('tag') } } } }),
    search('scored by a field', { query: { function_score: { field_value_factor: { field: f('n'), missing: 1 } } } }),
    search('scored by a script', {
      query: {
        script_score: { query: { match_all: {} }, script: `doc['${f('n')}'].size() == 0 ? 0 : doc['${f('n')}'].value` },
      },
    }),
    search('rescored', {
      rescore: {
        window_size: 50,
        query: { rescore_query: { function_score: { field_value_factor: { field: f('n'), missing: 1 } } } },
      },
    }),
    search('ignored', { query: { exists: { field: '_ignored' } }, fields: ['_ignored'] }),
    agg('ignored', { terms: { field: '_ignored' } }),
    agg('terms', { terms: { field: f('tag'), size: 100 } }),
    agg('terms of all', { terms: { field: f('tag'), size: 100, min_doc_count: 0 } }),
    agg('words', { terms: { field: f('title'), size: 100, min_doc_count: 0 } }),
    agg('raw', { terms: { field: f('title.raw'), size: 100 } }),
    agg('flat', { terms: { field: f('flat.key'), size: 100 } }),
    agg('script', { terms: { script: `doc['${f('tag')}'].value`, size: 100 } }),
    agg('histogram', { histogram: { field: f('n'), interval: 10_000_000, min_doc_count: 0 } }),
    agg('date histogram', { date_histogram: { field: f('at'), calendar_interval: 'year', min_doc_count: 1 } }),
    agg('stats', { stats: { field: f('n') } }),
    agg('max', { max: { field: f('n') } }),
    agg('cardinality', { cardinality: { field: f('tag') } }),
    agg('percentiles', { percentiles: { field: f('n') } }),
    agg('string stats', { string_stats: { field: f('tag'), show_distribution: true } }),
    agg('composite', { composite: { sources: [{ c: { terms: { field: f('tag') } } }] } }),
    agg('multi terms', { multi_terms: { terms: [{ field: f('tag') }, { field: f('n') }] } }),
    agg('rare', { rare_terms: { field: f('tag') } }),
    agg('top hits', {
      top_hits: { size: 20, _source: true, docvalue_fields: [f('n')], sort: [{ [f('n')]: { unmapped_type: 'long' } }] },
    }),
    agg('top metrics', { top_metrics: { metrics: { field: f('n') }, sort: { [f('n')]: 'desc' } } }),
    agg('global', { global: {}, aggs: { b: { terms: { field: f('tag'), size: 100 } } } }),
    agg('significant', { significant_terms: { field: f('tag'), min_doc_count: 1, percentage: {} } }),
    agg('significant words', { significant_text: { field: f('title'), min_doc_count: 1, percentage: {} } }),
    agg('children', { children: { type: 'child' }, aggs: { b: { terms: { field: f('tag') } } } }),
    agg('parents', { parent: { type: 'child' }, aggs: { b: { terms: { field: f('tag') } } } }),
    agg('nested', {
      nested: { path: f('kids') },
      aggs: {
        b: { terms: { field: f('kids.name') } },
        c: { reverse_nested: {}, aggs: { d: { terms: { field: f('tag') } } } },
      },
    }),
    agg('filters', {
      filters: { filters: { x: { exists: { field: f('tag') } } } },
      aggs: { b: { max: { field: f('n') } } },
    }),
    agg('missing', { missing: { field: f('tag') } }),
    agg('geo bounds', { geo_bounds: { field: f('place') } }),
    agg('scripted', {
      scripted_metric: {
        init_script: 'state.l = []',
        map_script: `state.l.add(doc['${f('tag')}'].value)`,
        combine_script: 'return state.l',
        reduce_script: 'return states',
      },
    }),
    steps('scroll', 'pages', async (ask) => {
      const answers = [
        await ask('POST', `/${index}/_search?scroll=1m`, { size: 2, sort: [{ [f('n')]: { unmapped_type: 'long' } }] }),
      ];
      for (;;) {
        const last = answers.at(-1)?.json() as Json;
        if (last._scroll_id === undefined || last.hits.hits.length === 0) break;
        answers.push(await ask('POST', '/_search/scroll', { scroll: '1m', scroll_id: last._scroll_id }));
      }
      return answers;
    }),
    steps('open_point_in_time', 'search', async (ask) => {
      const opened = await ask('POST', `/${index}/_pit?keep_alive=1m`);
      const pit = { id: opened.json().id as string };
      const found = await ask('POST', '/_search', {
        size: 100,
        pit,
        sort: [{ [f('n')]: { unmapped_type: 'long' } }],
        aggs: { a: { terms: { field: f('tag') } } },
      });
      await ask('DELETE', '/_pit', pit);
      return [found];
    }),
    steps('create_pit', 'search', async (ask) => {
      const opened = await ask('POST', `/${index}/_search/point_in_time?keep_alive=1m`);
      if (opened.status !== 200) return [opened];
      const id = opened.json().pit_id as string;
      const found = await ask('POST', '/_search', { size: 100, pit: { id } });
      await ask('DELETE', '/_search/point_in_time', { pit_id: [id] });
      return [found];
    }),
    steps('async_search.submit', 'search', async (ask) => {
      const begun = await ask(
        'POST',
        `/${index}/_async_search?wait_for_completion_timeout=20s&keep_on_completion=true`,
        { size: 100, aggs: { a: { terms: { field: f('tag'), size: 100 } } } },
      );
      if (begun.status !== 200) return [begun];
      const id = begun.json().id as string;
      const got = await ask('GET', `/_async_search/${id}`);
      await ask('DELETE', `/_async_search/${id}`);
      return [begun, got];
    }),
    steps('reindex', 'copy', async (ask) => {
      const copy = `copy-of-${prefix}${index}`.toLowerCase();
      await ask('DELETE', `/${copy}`);
      const made = await ask('POST', '/_reindex?refresh=true', { source: { index }, dest: { index: copy } });
      return [made, await ask('POST', `/${copy}/_search`, { size: 100 })];
    }),
    one('update', 'with its source', 'POST', `/${index}/_update/${ids.at(-1) ?? ''}?_source=true`, {
      doc: { touched: true },
    }),
    one('update', 'by a script', 'POST', `/${index}/_update/${ids[0] ?? ''}?_source=true`, {
      script: 'ctx._source.touched = true',
    }),
    one(
      'bulk',
      'update',
      'POST',
      '/_bulk?_source=true',
      lines(
        { update: { _index: index, _id: ids[0] } },
        { doc: { touched: true } },
        { update: { _index: index, _id: ids.at(-1) } },
        { doc: { touched: true } },
      ),
    ),
    one('indices.get_mapping', 'all', 'GET', `/${index}/_mapping`),
    one('indices.get_field_mapping', 'all', 'GET', `/${index}/_mapping/field/*`),
    one('indices.get', 'all', 'GET', `/${index}?features=mappings`),
    one('indices.stats', 'fields', 'GET', `/${index}/_stats?fields=*`),
    one('indices.disk_usage', 'fields', 'POST', `/${index}/_disk_usage?run_expensive_tasks=true`),
    one('indices.analyze', 'of a field', 'POST', `/${index}/_analyze`, { field: f('title'), text: 'x' }),
    one('indices.clone', 'to another', 'PUT', `/${index}/_clone/copy-of-${index}`),
    one('indices.put_alias', 'to another', 'PUT', `/${index}/_alias/copy-of-alias`),
    one('indices.create_from', 'to another', 'PUT', `/_create_from/${index}/copy-made-of-${index}`),
  ];
}

/** Endpoints that read documents or fields, or work on indices, and why they are not among the attempts. */
export const EXEMPT: Readonly<Record<string, string>> = {
  'async_search.delete': 'tells nothing',
  'async_search.get': 'is part of the attempt of [async_search.submit]',
  clear_scroll: 'tells nothing',
  close_point_in_time: 'tells nothing',
  delete_all_pits: 'tells nothing',
  delete_pit: 'tells nothing',
  get_all_pits: 'lists points in time, not what is in them',
  render_search_template: 'reads no index',
  search_shards: 'tells where shards are',
  delete_by_query: 'tells how many documents it deleted: has a test of its own',
  update_by_query: 'changes documents: has a test of its own',
};
