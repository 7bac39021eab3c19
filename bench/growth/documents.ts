/** Documents, bulks, pipelines and analysis. */
import { ring, square } from './queries.js';
import { INDEX, json, list, named, words, type GrowingRequest, type Probe } from './probe.js';

function lines(
  name: string,
  path: string,
  body: (n: number, round: number) => readonly unknown[],
  most?: number,
): Probe {
  return {
    name,
    request: (n, round): GrowingRequest => ({
      method: 'POST',
      path,
      body: body(n, round)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    }),
    ...(most === undefined ? {} : { most }),
  };
}

/** One document, in an index that is made for it. */
function writing(name: string, document: (n: number) => unknown, most?: number): Probe {
  return {
    name: `document: ${name}`,
    request: (n, round) => ({ method: 'PUT', path: `/made-${round}/_doc/1`, body: JSON.stringify(document(n)) }),
    made: (round) => `/made-${round}`,
    ...(most === undefined ? {} : { most }),
  };
}

function nestedObjects(n: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < n; at++) value = { o: value };
  return value;
}

const ofDocuments: readonly Probe[] = [
  writing('new fields', (n) => named(n, (at) => at)),
  writing('new texts', (n) => named(n, (at) => `w${at}`)),
  writing('new objects', (n) => named(n, (at) => ({ x: at }))),
  writing('dotted fields of one object', (n) => Object.fromEntries(list(n, (at) => [`a.p${at}`, at]))),
  writing('dotted parts', (n) => ({ [list(n, () => 'a').join('.')]: 1 })),
  writing('nesting', (n) => nestedObjects(n)),
  writing('numbers', (n) => ({ a: list(n, (at) => at) })),
  writing('texts', (n) => ({ a: list(n, (at) => `v${at}`) })),
  writing('objects', (n) => ({ a: list(n, (at) => ({ x: at })) })),
  writing('objects, fields', (n) => ({ a: list(Math.ceil(n / 10), (at) => named(10, () => at)) })),
  writing('arrays in arrays', (n) => ({ a: list(n, (at) => [[at]]) })),
  writing('words', (n) => ({ a: words(n) })),
  writing('one long word', (n) => ({ a: 'x'.repeat(n) })),
  writing('one long number', (n) => ({ a: `1${'0'.repeat(n)}` })),
  writing('escapes', (n) => ({ a: '\u0001"\\'.repeat(n) })),
  writing('spaces', (n) => ({ a: ' '.repeat(n) })),
  writing('signs', (n) => ({ a: '\u0301'.repeat(n) })),
  writing('equal names', (n) => ({ a: list(n, () => ({ x: 1, y: 2 })) })),
];

const intoKnown = (name: string, document: (n: number) => unknown, most?: number): Probe =>
  json(`document: ${name}`, 'POST', `/${INDEX}/_doc`, document, most);

const ofKnownFields: readonly Probe[] = [
  intoKnown('nested', (n) => ({ o: list(n, (at) => ({ k: `v${at}` })) }), 10_000),
  intoKnown('geo points', (n) => ({ g: list(n, (at) => [at % 90, at % 45]) })),
  intoKnown('polygon, points', (n) => ({ s: { type: 'polygon', coordinates: [ring(n)] } })),
  intoKnown('multipolygon', (n) => ({ s: { type: 'multipolygon', coordinates: list(n, square) } })),
  intoKnown('polygon, holes', (n) => ({
    s: {
      type: 'polygon',
      coordinates: [
        [
          [-1, -1],
          [50, -1],
          [50, 50],
          [-1, 50],
          [-1, -1],
        ],
        ...list(n, (at) => square(at)[0] ?? []),
      ],
    },
  })),
  intoKnown('linestring', (n) => ({
    s: { type: 'linestring', coordinates: list(n + 2, (at) => [(at % 100) / 10, at / 1e4]) },
  })),
  intoKnown('multipoint', (n) => ({ s: { type: 'multipoint', coordinates: ring(n) } })),
  intoKnown('collection', (n) => ({
    s: { type: 'geometrycollection', geometries: list(n, (at) => ({ type: 'polygon', coordinates: square(at) })) },
  })),
  intoKnown('well-known text', (n) => ({
    s: `MULTIPOINT (${ring(n)
      .map((point) => point.join(' '))
      .join(', ')})`,
  })),
  intoKnown('flattened keys', (n) => ({ j: named(n, String) })),
  intoKnown('completions', (n) => ({ c: { input: list(n, (at) => `v${at}`) } })),
  intoKnown('text with positions', (n) => ({ v: words(n) })),
  intoKnown(
    'stored query, clauses',
    (n) => ({ q: { bool: { should: list(n, (at) => ({ term: { t: `w${at}` } })) } } }),
    1_000,
  ),
  intoKnown('dates', (n) => ({ d: list(n, (at) => at * 1_000) })),
  intoKnown('addresses', (n) => ({ i: list(n, (at) => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`) })),
];

const bulks: readonly Probe[] = [
  lines('bulk, new ids', `/${INDEX}/_bulk`, (n) => list(n, (at) => at).flatMap((at) => [{ index: {} }, { n: at }])),
  lines('bulk, one id', `/${INDEX}/_bulk`, (n) =>
    list(n, (at) => at).flatMap((at) => [{ index: { _id: 'same' } }, { n: at }]),
  ),
  lines('bulk, updates of one id', `/${INDEX}/_bulk`, (n) =>
    list(n, (at) => at).flatMap((at) => [{ update: { _id: 'same' } }, { doc: { n: at }, doc_as_upsert: true }]),
  ),
  lines('bulk, scripts', `/${INDEX}/_bulk`, (n) =>
    list(n, (at) => at).flatMap((at) => [
      { update: { _id: 'same' } },
      { script: `ctx._source.n = ${at}`, upsert: { n: 1 } },
    ]),
  ),
  lines('bulk, deletes', `/${INDEX}/_bulk`, (n) => list(n, (at) => ({ delete: { _id: `none${at}` } }))),
  lines('bulk, errors', `/${INDEX}/_bulk`, (n) =>
    list(n, (at) => at).flatMap((at) => [{ index: {} }, { n: `no number ${at}` }]),
  ),
  lines('bulk, aliases and names', `/_bulk`, (n) =>
    list(n, (at) => at).flatMap((at) => [{ index: { _index: INDEX, routing: `r${at}` } }, { n: at }]),
  ),
  json('mget', 'POST', `/${INDEX}/_mget`, (n) => ({ ids: list(n, String) })),
  json('mget, one id', 'POST', `/${INDEX}/_mget`, (n) => ({ ids: list(n, () => '1') })),
  json('mget, sources', 'POST', `/${INDEX}/_mget`, (n) => ({
    docs: list(n, (at) => ({ _id: '1', _source: [`f${at}`] })),
  })),
  json('mtermvectors', 'POST', `/${INDEX}/_mtermvectors`, (n) => ({
    docs: list(n, () => ({ _id: '1', fields: ['t'] })),
  })),
  json('termvectors, words', 'POST', `/${INDEX}/_termvectors`, (n) => ({
    doc: { t: words(n) },
    term_statistics: true,
  })),
  lines('msearch', `/${INDEX}/_msearch`, (n) =>
    list(n, () => 0).flatMap(() => [{}, { query: { match: { t: 'w1' } } }]),
  ),
  json('rank_eval', 'POST', `/${INDEX}/_rank_eval`, (n) => ({
    requests: list(n, (at) => ({ id: `r${at}`, request: { query: { match: { t: 'w1' } } }, ratings: [] })),
    metric: { precision: { k: 3 } },
  })),
  json('rank_eval, ratings', 'POST', `/${INDEX}/_rank_eval`, (n) => ({
    requests: [
      {
        id: 'r',
        request: { query: { match_all: {} } },
        ratings: list(n, (at) => ({ _index: INDEX, _id: String(at), rating: 1 })),
      },
    ],
    metric: { dcg: { k: 100 } },
  })),
];

const simulated = (
  name: string,
  processors: (n: number) => unknown,
  source: (n: number) => unknown = () => ({ a: 'b' }),
  most?: number,
): Probe =>
  json(
    `pipeline: ${name}`,
    'POST',
    '/_ingest/pipeline/_simulate',
    (n) => ({ pipeline: { processors: processors(n) }, docs: [{ _source: source(n) }] }),
    most,
  );

const pipelines: readonly Probe[] = [
  simulated('set', (n) => list(n, (at) => ({ set: { field: `f${at}`, value: at } }))),
  simulated('set below one object', (n) => list(n, (at) => ({ set: { field: `o.f${at}`, value: at } }))),
  simulated('templates', (n) => list(n, () => ({ set: { field: 'f', value: '{{a}}' } }))),
  simulated('template, parts', (n) => [{ set: { field: 'f', value: '{{a}}'.repeat(n) } }]),
  simulated('append', (n) => list(n, (at) => ({ append: { field: 'l', value: at } }))),
  simulated('scripts', (n) => list(n, (at) => ({ script: { source: `ctx.x = ${at}` } }))),
  simulated('rename', (n) =>
    list(n, (at) => ({ rename: { field: at === 0 ? 'a' : `a${at - 1}`, target_field: `a${at}` } })),
  ),
  simulated('conditions', (n) => list(n, (at) => ({ set: { if: `ctx.a == '${at}'`, field: 'f', value: at } }))),
  simulated('grok, patterns', (n) => [
    { grok: { field: 'a', patterns: list(n, (at) => `${at}%{WORD:w}`), ignore_missing: true } },
    { set: { field: 'x', value: 1 } },
  ]),
  simulated(
    'grok, text',
    () => [{ grok: { field: 'a', patterns: ['%{GREEDYDATA:x}'] } }],
    (n) => ({ a: words(n) }),
  ),
  simulated(
    'dissect, keys',
    (n) => [{ dissect: { field: 'a', pattern: list(n, (at) => `%{k${at}}`).join(' ') } }],
    (n) => ({ a: words(n) }),
  ),
  simulated(
    'split',
    () => [{ split: { field: 'a', separator: ' ' } }],
    (n) => ({ a: words(n) }),
  ),
  simulated(
    'gsub',
    () => [{ gsub: { field: 'a', pattern: '\\d+', replacement: 'x' } }],
    (n) => ({ a: words(n) }),
  ),
  simulated(
    'kv',
    () => [{ kv: { field: 'a', field_split: ' ', value_split: 'w' } }],
    (n) => ({ a: words(n) }),
  ),
  simulated(
    'csv',
    (n) => [{ csv: { field: 'a', target_fields: list(n, (at) => `k${at}`) } }],
    (n) => ({ a: list(n, String).join(',') }),
  ),
  simulated(
    'json',
    () => [{ json: { field: 'a', target_field: 'b' } }],
    (n) => ({ a: JSON.stringify(named(n, String)) }),
  ),
  simulated(
    'foreach',
    () => [{ foreach: { field: 'a', processor: { uppercase: { field: '_ingest._value' } } } }],
    (n) => ({ a: list(n, (at) => `v${at}`) }),
  ),
  simulated(
    'remove',
    (n) => [{ remove: { field: list(n, (at) => `k${at}`), ignore_missing: true } }],
    (n) => named(n, String, 'k'),
  ),
  simulated(
    'date, formats',
    (n) => [{ date: { field: 'a', formats: [...list(n, (at) => `yyyy-MM-dd'${at}'`), 'yyyy'] } }],
    () => ({ a: '2020' }),
  ),
  simulated(
    'html_strip',
    () => [{ html_strip: { field: 'a' } }],
    (n) => ({ a: '<b>x</b> &amp; <'.repeat(n) }),
  ),
  simulated(
    'urldecode',
    () => [{ urldecode: { field: 'a' } }],
    (n) => ({ a: '%20'.repeat(n) }),
  ),
  simulated(
    'user_agent',
    () => [{ user_agent: { field: 'a' } }],
    (n) => ({ a: 'Mozilla/5.0 ('.repeat(n) }),
  ),
  simulated(
    'sort',
    () => [{ sort: { field: 'a' } }],
    (n) => ({ a: list(n, (at) => (at * 7919) % n) }),
  ),
  simulated(
    'dot_expander',
    () => [{ dot_expander: { field: '*' } }],
    (n) => Object.fromEntries(list(n, (at) => [`a.k${at}`, at])),
  ),
  json('pipeline: documents', 'POST', '/_ingest/pipeline/_simulate', (n) => ({
    pipeline: { processors: [{ set: { field: 'f', value: '{{a}}' } }] },
    docs: list(n, (at) => ({ _source: { a: at } })),
  })),
];

const analyzed = (name: string, body: (n: number) => unknown, most?: number): Probe =>
  json(`analyze: ${name}`, 'POST', '/_analyze', body, most);

const filters = (type: string, made: (n: number) => object, of = ''): Probe =>
  analyzed(`${type}${of}`, (n) => ({ tokenizer: 'standard', filter: [{ type, ...made(n) }], text: 'w1 w2' }));

const long = (name: string, filter: unknown, text = (n: number): string => words(Math.min(n, 9_000))): Probe =>
  analyzed(`text through ${name}`, (n) => ({ tokenizer: 'standard', filter: [filter], text: text(n) }), 9_000);

const analysis: readonly Probe[] = [
  analyzed('filters', (n) => ({ tokenizer: 'standard', filter: list(n, () => 'lowercase'), text: 'a b' })),
  analyzed('texts', (n) => ({ analyzer: 'standard', text: list(n, (at) => `w${at}`) })),
  analyzed('explained filters', (n) => ({
    tokenizer: 'standard',
    filter: list(n, () => 'lowercase'),
    text: 'a b',
    explain: true,
  })),
  filters('stop', (n) => ({ stopwords: list(n, (at) => `w${at}`) })),
  filters('synonym', (n) => ({ synonyms: list(n, (at) => `a${at} => b${at}`) })),
  filters('synonym_graph', (n) => ({ synonyms: list(n, (at) => `a${at} x, b${at}`) }), ', pairs'),
  filters('synonym_graph', (n) => ({ synonyms: [list(n, (at) => `a${at} x`).join(', ')] }), ', one rule of many'),
  filters('synonym', (n) => ({ synonyms: [list(n, (at) => `a${at}`).join(', ')] }), ', one rule of many'),
  filters('synonym', (n) => ({ synonyms: list(n, () => 'w1, w2') }), ', one rule again and again'),
  filters('synonym_graph', (n) => ({ synonyms: list(n, (at) => `w1 => x${at} y z`) }), ', of one word'),
  filters('keyword_marker', (n) => ({ keywords: list(n, (at) => `w${at}`) })),
  filters('stemmer_override', (n) => ({ rules: list(n, (at) => `a${at} => b`) })),
  filters('keep', (n) => ({ keep_words: list(n, (at) => `w${at}`) })),
  filters('dictionary_decompounder', (n) => ({ word_list: list(n, (at) => `w${at}`) })),
  filters('word_delimiter_graph', (n) => ({ protected_words: list(n, (at) => `w${at}`) })),
  filters('multiplexer', (n) => ({ filters: list(n, () => 'lowercase') })),
  filters('common_grams', (n) => ({ common_words: list(n, (at) => `w${at}`) })),
  filters('pattern_capture', (n) => ({ patterns: list(n, (at) => `(w${at})`) })),
  filters('pattern_replace', (n) => ({ pattern: list(n, (at) => `w${at}x`).join('|') })),
  analyzed('mapping char filter', (n) => ({
    tokenizer: 'standard',
    char_filter: [{ type: 'mapping', mappings: list(n, (at) => `a${at} => b`) }],
    text: 'a1',
  })),
  analyzed('pattern tokenizer', (n) => ({
    tokenizer: { type: 'pattern', pattern: list(n, (at) => `w${at}x`).join('|') },
    text: 'a',
  })),
  analyzed('n-grams', (n) => ({ tokenizer: { type: 'edge_ngram', min_gram: 1, max_gram: 2 }, text: 'x'.repeat(n) })),
  analyzed('html', (n) => ({ tokenizer: 'standard', char_filter: ['html_strip'], text: '<a &b; '.repeat(n) })),
  analyzed('path', (n) => ({ tokenizer: 'path_hierarchy', text: '/a'.repeat(n) })),
  analyzed('words of one letter', (n) => ({ analyzer: 'standard', text: 'a '.repeat(Math.min(n, 9_000)) }), 9_000),
  analyzed('thai', (n) => ({ tokenizer: 'thai', text: 'กินข้าว'.repeat(n) })),
  analyzed('urls', (n) => ({ tokenizer: 'uax_url_email', text: 'a@'.repeat(n) })),
  long('shingle', { type: 'shingle', max_shingle_size: 4 }),
  long('word_delimiter_graph', { type: 'word_delimiter_graph', preserve_original: true }, (n) => 'a1B-'.repeat(n)),
  long('fingerprint', { type: 'fingerprint', max_output_size: 1_000_000 }),
  long('unique', { type: 'unique' }),
  long('min_hash', { type: 'min_hash' }),
  long('cjk_bigram', { type: 'cjk_bigram' }, (n) => '多'.repeat(n)),
  long('synonym_graph', { type: 'synonym_graph', synonyms: ['w1 w2 w3 w4, a', 'w1 w2, b'] }, (n) =>
    'w1 w2 w3 '.repeat(n),
  ),
  long('flatten_graph', { type: 'flatten_graph' }),
  long('common_grams', { type: 'common_grams', common_words: ['w1'] }, (n) => 'w1 '.repeat(n)),
];

export const documentProbes: readonly Probe[] = [...ofDocuments, ...ofKnownFields, ...bulks, ...pipelines, ...analysis];
