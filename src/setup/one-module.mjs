/**
 * Top-level modules of a crate that import each other in a circle and are one module on purpose; `crates.mjs` refuses
 * all other circles. Each entry says why. Shorten it when a circle is cut.
 */
export const oneModule = {
  binding: [
    {
      modules: ['published', 'shard'],
      reason: 'A published view and its shard are two handles of one thing.',
    },
  ],
  engine: [
    {
      modules: ['copies', 'engine', 'reads', 'render', 'segments', 'stats', 'stored_queries'],
      reason: '`Shard` is one type whose methods stand in a file for each operation.',
    },
  ],
  phases: [
    {
      modules: ['cursor', 'search'],
      reason: 'A cursor is made from a result, and a result is continued at a cursor.',
    },
  ],
  aggregations: [
    {
      modules: ['buckets', 'kinds', 'partial', 'pipeline', 'reduce'],
      reason: 'Results of kinds hold buckets, whose results are merged, ordered and computed with as those above are.',
    },
  ],
  fetch: [
    {
      modules: ['field_values', 'source_fields'],
      reason: 'Both make the values of the `fields` object.',
    },
    {
      modules: ['inner_hits', 'join_hits'],
      reason: 'Inner hits of joins are inner hits.',
    },
  ],
  percolate: [
    {
      modules: ['segment_queries', 'verify'],
      reason: 'Queries of a segment are verified by what the verifier keeps for them.',
    },
  ],
  query: [
    {
      modules: [
        'children',
        'derived',
        'explain',
        'functions',
        'join',
        'knn',
        'node',
        'ordinals',
        'positional',
        'resolve',
        'scorers',
        'script',
        'sort',
        'statistics',
        'term_match',
        'view',
        'weight',
      ],
      reason:
        'A query is resolved to nodes, weighed and scored; each of these steps meets queries inside queries, and the view computes columns by them.',
    },
  ],
  plan: [
    {
      modules: [
        'function_score',
        'geo',
        'highlight',
        'join',
        'nested',
        'positional',
        'query',
        'request',
        'text',
        'vectors',
      ],
      reason: 'One recursive tree: queries hold queries, inner hits hold searches.',
    },
  ],
  buffer: [
    {
      modules: ['field', 'number', 'order', 'shape', 'term', 'text', 'vector', 'words'],
      reason: 'The kinds of field buffers are variants of one type that they share their order with.',
    },
  ],
  mapping: [
    {
      modules: ['compiled', 'join', 'spec', 'tree'],
      reason: 'The compiled mapping is made from its specification, and both know the tree of objects.',
    },
    {
      modules: ['document', 'dynamic', 'range_end'],
      reason: 'One walk over a document: dynamic fields and ends of ranges are read by the same rules.',
    },
  ],
  segment: [
    {
      modules: ['column', 'metadata', 'nested', 'reader', 'writer'],
      reason: 'The reader opens the parts, and the parts name errors and sections by the reader.',
    },
  ],
  analysis: [
    {
      modules: ['builtin', 'chain', 'filter', 'languages', 'registry', 'tokenizer', 'words'],
      reason: 'Chains are built from definitions that hold chains (synonyms, conditions, multiplexers).',
    },
  ],
  script: [
    {
      modules: ['compile', 'expression', 'fault', 'heap', 'library', 'number', 'run', 'tree', 'types'],
      reason: 'One interpreter: values, types, compiler and library name each other.',
    },
  ],
  geo: [
    {
      modules: ['area', 'geohash', 'grid', 'shape', 'tile'],
      reason: 'Areas, shapes and cells of grids are asked about one another.',
    },
  ],
};
