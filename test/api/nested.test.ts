/** Nested documents over HTTP: what is indexed, found, shown, counted, replaced and merged. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
}, 90_000);

afterAll(async () => {
  await node.stop();
});

const COMMENTS = {
  properties: {
    title: { type: 'keyword' },
    comments: {
      type: 'nested',
      properties: {
        author: { type: 'keyword' },
        text: { type: 'text', store: true },
        stars: { type: 'integer' },
        replies: { type: 'nested', properties: { author: { type: 'keyword' }, likes: { type: 'integer' } } },
      },
    },
  },
};

const POSTS = [
  {
    title: 'one',
    comments: [
      { author: 'ann', text: 'good and cheap', stars: 5, replies: [{ author: 'bob', likes: 1 }] },
      {
        author: 'bob',
        text: 'bad',
        stars: 1,
        replies: [
          { author: 'ann', likes: 7 },
          { author: 'cid', likes: 2 },
        ],
      },
    ],
  },
  { title: 'two', comments: { author: 'ann', text: 'bad', stars: 2 } },
  { title: 'three' },
  { title: 'four', comments: [{ author: 'cid', text: 'good good', stars: 4 }] },
];

async function call(method: string, path: string, body?: unknown, status = 200): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect({ status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({ status, text: '' });
  return answer.text === '' ? undefined : answer.json();
}

async function posts(index: string, settings: object = {}): Promise<void> {
  await call('PUT', `/${index}`, { settings, mappings: COMMENTS });
  for (const [id, post] of POSTS.entries()) await call('PUT', `/${index}/_doc/${id + 1}`, post, 201);
  await call('POST', `/${index}/_refresh`);
}

function titles(answer: Json): readonly string[] {
  return answer.hits.hits.map((hit: Json) => hit._source.title);
}

async function search(index: string, body: object): Promise<Json> {
  return call('POST', `/${index}/_search`, body);
}

function nested(path: string, query: object, more: object = {}): object {
  return { nested: { path, query, ...more } };
}

const both = (author: string, stars: number): object => ({
  bool: { must: [{ term: { 'comments.author': author } }, { range: { 'comments.stars': { gte: stars } } }] },
});

describe('a nested field', () => {
  beforeAll(() => posts('posts'));

  test('is shown by fields as objects', async () => {
    const answer = await search('posts', { query: { term: { title: 'one' } }, _source: false, fields: ['*'] });
    expect(answer.hits.hits[0].fields).toEqual({
      title: ['one'],
      comments: [
        {
          author: ['ann'],
          text: ['good and cheap'],
          stars: [5],
          replies: [{ author: ['bob'], likes: [1] }],
        },
        {
          author: ['bob'],
          text: ['bad'],
          stars: [1],
          replies: [
            { author: ['ann'], likes: [7] },
            { author: ['cid'], likes: [2] },
          ],
        },
      ],
    });
    const named = { query: { term: { title: 'two' } }, fields: ['comments.stars', 'comments.replies.likes'] };
    expect((await search('posts', named)).hits.hits[0].fields).toEqual({ comments: [{ stars: [2] }] });
  });

  test('keeps the values of one object together', async () => {
    expect(titles(await search('posts', { query: nested('comments', both('ann', 3)) }))).toEqual(['one']);
    expect(titles(await search('posts', { query: nested('comments', both('bob', 3)) }))).toEqual([]);
    const deep = nested('comments.replies', { term: { 'comments.replies.author': 'ann' } });
    expect(titles(await search('posts', { query: deep }))).toEqual(['one']);
    const within = { bool: { must: [{ term: { 'comments.author': 'ann' } }, deep] } };
    expect(titles(await search('posts', { query: nested('comments', within) }))).toEqual([]);
  });

  test('is seen by roots alone everywhere else', async () => {
    expect((await search('posts', {})).hits.total.value).toBe(4);
    expect((await call('GET', '/posts/_count')).count).toBe(4);
    expect((await search('posts', { query: { term: { 'comments.author': 'ann' } } })).hits.total.value).toBe(0);
    expect((await search('posts', { query: { exists: { field: 'comments' } } })).hits.total.value).toBe(0);
    const exists = nested('comments', { exists: { field: 'comments.replies' } });
    expect((await search('posts', { query: exists })).hits.total.value).toBe(0);
    const some = nested('comments', { exists: { field: 'comments.stars' } });
    expect((await search('posts', { query: { bool: { must_not: [some] } } })).hits.total.value).toBe(1);
    const stats = await call('GET', '/posts/_stats/docs');
    expect(stats._all.primaries.docs).toMatchObject({ count: 4, deleted: 0 });
    expect((await call('GET', '/_cat/count/posts?format=json'))[0].count).toBe('4');
    expect((await call('GET', '/_cat/indices/posts?format=json'))[0]['docs.count']).toBe('4');
    expect((await call('GET', '/posts/_doc/1'))._source).toEqual(POSTS[0]);
  });

  test('scores by its mode', async () => {
    const points = { function_score: { query: { match_all: {} }, field_value_factor: { field: 'comments.stars' } } };
    for (const [mode, score] of [
      ['avg', 3],
      ['sum', 6],
      ['min', 1],
      ['max', 5],
      ['none', 0],
    ] as const) {
      const query = {
        bool: { must: [nested('comments', points, { score_mode: mode })], filter: [{ term: { title: 'one' } }] },
      };
      expect((await search('posts', { query })).hits.hits[0]._score).toBe(score);
    }
  });

  test('refuses what it cannot do by name', async () => {
    const refusal = async (body: object) =>
      (await call('POST', '/posts/_search', body, 400)).error.root_cause[0].reason as string;
    expect(await refusal({ query: nested('nowhere', { match_all: {} }) })).toContain(
      '[nested] failed to find nested object under path [nowhere]',
    );
    expect(await refusal({ query: { nested: { query: { match_all: {} } } } })).toBe("[nested] requires 'path' field");
    expect(await refusal({ query: nested('comments', { match_all: {} }, { score_mode: 'most' }) })).toBe(
      'No score mode for child query [most] found',
    );
    expect(await refusal({ aggs: { up: { reverse_nested: {} } } })).toBe(
      'Reverse nested aggregation [up] can not be used outside of a [nested] aggregation',
    );
    const unmapped = nested('nowhere', { match_all: {} }, { ignore_unmapped: true });
    expect((await search('posts', { query: unmapped })).hits.total.value).toBe(0);
  });
});

describe('inner hits', () => {
  beforeAll(() => posts('inner'));

  const good = (innerHits: object): object => ({
    query: nested('comments', { match: { 'comments.text': 'good bad' } }, { inner_hits: innerHits }),
    sort: ['title'],
  });

  test('show the objects that matched, where they stand and their part of the source', async () => {
    const answer = await search('inner', good({}));
    const hit = answer.hits.hits.find(({ _id }: Json) => _id === '1');
    const inner = hit.inner_hits.comments.hits;
    expect(inner.total).toEqual({ value: 2, relation: 'eq' });
    expect(inner.max_score).toBe(inner.hits[0]._score);
    const byOffset = [...inner.hits].sort((a: Json, b: Json) => a._nested.offset - b._nested.offset);
    expect(byOffset.map(({ _id, _nested, _source }: Json) => ({ _id, _nested, _source }))).toEqual(
      POSTS[0]?.comments instanceof Array
        ? POSTS[0].comments.map((comment, offset) => ({
            _id: '1',
            _nested: { field: 'comments', offset },
            _source: comment,
          }))
        : [],
    );
  });

  test('have pages, orders, names and what hits have', async () => {
    const answer = await search(
      'inner',
      good({
        name: 'worst',
        size: 1,
        sort: [{ 'comments.stars': 'asc' }],
        _source: ['comments.author'],
        docvalue_fields: ['comments.stars'],
        stored_fields: undefined,
        fields: ['comments.author'],
        version: true,
        highlight: { fields: { 'comments.text': {} } },
      }),
    );
    const [first] = answer.hits.hits.find(({ _id }: Json) => _id === '1').inner_hits.worst.hits.hits;
    expect(first).toMatchObject({
      _nested: { field: 'comments', offset: 1 },
      _version: 1,
      _score: null,
      sort: [1],
      _source: { author: 'bob' },
      fields: { 'comments.stars': [1], comments: [{ author: ['bob'] }] },
      highlight: { 'comments.text': ['<em>bad</em>'] },
    });
    const second = await search('inner', good({ size: 1, from: 1, sort: [{ 'comments.stars': 'asc' }] }));
    const page = second.hits.hits.find(({ _id }: Json) => _id === '1').inner_hits.comments.hits;
    expect(page.hits.map((hit: Json) => hit.sort)).toEqual([[5]]);
    const stored = await search(
      'inner',
      good({ stored_fields: ['comments.text'], sort: [{ 'comments.stars': 'asc' }] }),
    );
    const [shown] = stored.hits.hits.find(({ _id }: Json) => _id === '1').inner_hits.comments.hits.hits;
    expect(shown.fields).toEqual({ 'comments.text': ['bad'] });
    expect(shown._source).toBeUndefined();
  });

  test('have inner hits of their own, and reach down several levels', async () => {
    const replies = nested('comments.replies', { range: { 'comments.replies.likes': { gte: 2 } } }, { inner_hits: {} });
    const answer = await search('inner', { query: nested('comments', replies, { inner_hits: {} }) });
    const [comment] = answer.hits.hits[0].inner_hits.comments.hits.hits;
    expect(comment._nested).toEqual({ field: 'comments', offset: 1 });
    const below = comment.inner_hits['comments.replies'].hits;
    expect(below.hits.map(({ _nested }: Json) => _nested)).toEqual(
      [0, 1].map((offset) => ({ field: 'comments', offset: 1, _nested: { field: 'replies', offset } })),
    );
    const direct = await search('inner', { query: replies });
    expect(direct.hits.hits[0].inner_hits['comments.replies'].hits.total.value).toBe(2);
  });

  test('are refused beyond the window, and where two have one name', async () => {
    const large = await call('POST', '/inner/_search', good({ size: 101 }), 400);
    expect(large.error.root_cause[0].reason).toContain('Inner result window is too large');
    const twice = { bool: { should: [0, 1].map(() => nested('comments', { match_all: {} }, { inner_hits: {} })) } };
    const refused = await call('POST', '/inner/_search', { query: twice }, 400);
    expect(refused.error.root_cause[0].reason).toBe('[inner_hits] already contains an entry for key [comments]');
  });

  test('tell named queries', async () => {
    const named = { term: { 'comments.author': { value: 'ann', _name: 'is ann' } } };
    const answer = await search('inner', { query: nested('comments', named, { inner_hits: {}, _name: 'any' }) });
    const [hit] = answer.hits.hits;
    expect(hit.matched_queries).toEqual(['any']);
    expect(hit.inner_hits.comments.hits.hits[0].matched_queries).toEqual(['is ann']);
  });
});

describe('aggregations and sorts', () => {
  beforeAll(() => posts('figures'));

  test('go down to nested documents and back up', async () => {
    const aggs = {
      comments: {
        nested: { path: 'comments' },
        aggs: {
          stars: { avg: { field: 'comments.stars' } },
          authors: {
            terms: { field: 'comments.author', order: { 'replies>likes': 'desc' } },
            aggs: {
              posts: { reverse_nested: {}, aggs: { titles: { terms: { field: 'title' } } } },
              replies: {
                nested: { path: 'comments.replies' },
                aggs: { likes: { sum: { field: 'comments.replies.likes' } } },
              },
              best: { top_hits: { size: 1, sort: [{ 'comments.stars': 'desc' }] } },
            },
          },
          answered: { filter: nested('comments.replies', { match_all: {} }) },
          pages: { composite: { sources: [{ author: { terms: { field: 'comments.author' } } }] } },
        },
      },
      nowhere: { nested: { path: 'nowhere' } },
    };
    const { aggregations } = await search('figures', { size: 0, aggs });
    expect(aggregations.nowhere.doc_count).toBe(0);
    const { comments } = aggregations;
    expect([comments.doc_count, comments.stars.value, comments.answered.doc_count]).toEqual([4, 3, 2]);
    const authors = Object.fromEntries(comments.authors.buckets.map((bucket: Json) => [bucket.key, bucket]));
    expect(Object.keys(authors)).toEqual(['bob', 'ann', 'cid']);
    expect(authors.ann.posts.doc_count).toBe(2);
    expect(authors.ann.posts.titles.buckets.map(({ key }: Json) => key)).toEqual(['one', 'two']);
    expect(authors.bob.replies).toEqual({ doc_count: 2, likes: { value: 9 } });
    expect(authors.ann.best.hits.hits[0]).toMatchObject({
      _id: '1',
      _nested: { field: 'comments', offset: 0 },
      _source: { author: 'ann', stars: 5 },
    });
    expect(comments.pages.buckets.map(({ key, doc_count }: Json) => [key.author, doc_count])).toEqual([
      ['ann', 2],
      ['bob', 1],
      ['cid', 1],
    ]);
  });

  test('sort by values of nested documents', async () => {
    const by = (sort: object) => search('figures', { sort: [sort] }).then(titles);
    const stars = (more: object) => ({ 'comments.stars': { order: 'asc', nested: { path: 'comments', ...more } } });
    expect(await by(stars({}))).toEqual(['one', 'two', 'four', 'three']);
    expect(await by(stars({ filter: { term: { 'comments.author': 'ann' } } }))).toEqual([
      'two',
      'one',
      'three',
      'four',
    ]);
    expect(await by({ 'comments.stars': { order: 'desc', mode: 'sum', nested: { path: 'comments' } } })).toEqual([
      'one',
      'four',
      'two',
      'three',
    ]);
    expect(await by(stars({ max_children: 1 }))).toEqual(['two', 'four', 'one', 'three']);
    const levels = {
      path: 'comments',
      filter: { term: { 'comments.author': 'ann' } },
      nested: { path: 'comments.replies' },
    };
    const answer = await search('figures', {
      sort: [{ 'comments.replies.likes': { order: 'desc', missing: -1, nested: levels } }],
    });
    expect(answer.hits.hits[0].sort).toEqual([1]);
    const terms = await search('figures', {
      sort: [{ 'comments.author': { order: 'desc', nested: { path: 'comments' } } }],
    });
    expect(terms.hits.hits.map((hit: Json) => hit.sort[0])).toEqual(['cid', 'bob', 'ann', null]);
    const refused = await call('POST', '/figures/_search', { sort: [stars({ path: 'title' })] }, 400);
    expect(refused.error.root_cause[0].reason).toContain('under path [title]');
  });
});

describe('documents with nested ones', () => {
  test('are replaced, deleted, merged and recovered as a whole', async () => {
    await posts('life', { number_of_replicas: 0 });
    const comments = async (author: string): Promise<number> => {
      const aggs = {
        c: { nested: { path: 'comments' }, aggs: { a: { filter: { term: { 'comments.author': author } } } } },
      };
      return (await search('life', { size: 0, aggs })).aggregations.c.a.doc_count;
    };
    expect(await comments('ann')).toBe(2);
    await call('PUT', '/life/_doc/2', { title: 'two', comments: [{ author: 'dan' }, { author: 'dan' }] });
    await call('POST', '/life/_update/4', { doc: { comments: [] } });
    await call('DELETE', '/life/_doc/1');
    await call('POST', '/life/_refresh');
    const left = async () => [
      await comments('ann'),
      await comments('bob'),
      await comments('cid'),
      await comments('dan'),
    ];
    expect(await left()).toEqual([0, 0, 0, 2]);
    expect((await call('GET', '/life/_count')).count).toBe(3);
    expect((await call('GET', '/life/_stats/docs'))._all.primaries.docs.count).toBe(3);
    await call('POST', '/life/_forcemerge?max_num_segments=1');
    await call('POST', '/life/_refresh');
    expect(await left()).toEqual([0, 0, 0, 2]);
    expect((await call('GET', '/life/_stats/docs'))._all.primaries.docs).toMatchObject({ count: 3, deleted: 0 });
    await call('PUT', '/life/_doc/5', { title: 'five', comments: [{ author: 'eve' }, { author: 'dan' }] }, 201);
    await call('POST', '/life/_close');
    await call('POST', '/life/_open');
    await node.until(async () => {
      const health = await call('GET', '/_cluster/health/life');
      return health.status === 'green' ? true : undefined;
    });
    expect(await left()).toEqual([0, 0, 0, 3]);
    expect((await call('GET', '/life/_doc/5'))._source.comments).toHaveLength(2);
  });

  test('may be included in those around them', async () => {
    await call('PUT', '/included', {
      mappings: {
        properties: {
          a: {
            type: 'nested',
            include_in_parent: true,
            properties: {
              x: { type: 'integer' },
              b: { type: 'nested', include_in_root: true, properties: { y: { type: 'keyword' } } },
            },
          },
        },
      },
    });
    const body = {
      a: [
        { x: 1, b: [{ y: 'p' }, { y: 'q' }] },
        { x: 2, b: { y: 'r' } },
      ],
    };
    await call('PUT', '/included/_doc/1?refresh=true', body, 201);
    const count = async (query: object) => (await search('included', { query })).hits.total.value;
    const together = { bool: { must: [{ term: { 'a.x': 1 } }, { term: { 'a.b.y': 'r' } }] } };
    expect(await count(together)).toBe(1);
    expect(await count(nested('a', together))).toBe(0);
    expect(await count(nested('a', { term: { 'a.x': 2 } }))).toBe(1);
    expect(await count(nested('a.b', { term: { 'a.b.y': 'q' } }))).toBe(1);
  });

  test('copy values to what is around them, and to no other', async () => {
    await call('PUT', '/copied', {
      mappings: {
        properties: {
          all: { type: 'keyword' },
          a: {
            type: 'nested',
            properties: { own: { type: 'keyword' }, x: { type: 'keyword', copy_to: ['all', 'a.own'] } },
          },
        },
      },
    });
    await call('PUT', '/copied/_doc/1?refresh=true', { a: [{ x: 'p' }, { x: 'q' }] }, 201);
    const count = async (query: object) => (await search('copied', { query })).hits.total.value;
    expect(await count({ bool: { must: [{ term: { all: 'p' } }, { term: { all: 'q' } }] } })).toBe(1);
    expect(await count(nested('a', { bool: { must: [{ term: { 'a.own': 'p' } }, { term: { 'a.x': 'p' } }] } }))).toBe(
      1,
    );
    expect(await count(nested('a', { bool: { must: [{ term: { 'a.own': 'p' } }, { term: { 'a.x': 'q' } }] } }))).toBe(
      0,
    );
    const mapping = {
      mappings: {
        properties: {
          a: { type: 'nested', properties: { x: { type: 'keyword' } } },
          y: { type: 'keyword', copy_to: 'a.x' },
        },
      },
    };
    expect((await call('PUT', '/refused', mapping, 400)).error.reason).toContain(
      'Illegal combination of [copy_to] and [nested]',
    );
  });

  test('bring new fields, and are limited in number', async () => {
    await call('PUT', '/limited', {
      settings: { 'index.mapping.nested_objects.limit': 2, 'index.mapping.nested_fields.limit': 1 },
      mappings: { properties: { a: { type: 'nested' } } },
    });
    await call('PUT', '/limited/_doc/1?refresh=true', { 'a.x': 'p', n: 1 }, 201);
    await call('PUT', '/limited/_doc/2?refresh=true', { a: [{ x: 'p', y: { z: 1 } }, null, { x: 'q' }] }, 201);
    const query = nested('a', { bool: { must: [{ term: { 'a.x.keyword': 'p' } }] } });
    expect((await search('limited', { query })).hits.total.value).toBe(2);
    const many = await call('PUT', '/limited/_doc/3', { a: [{}, {}, {}] }, 400);
    expect(many.error.reason).toBe(
      'The number of nested documents has exceeded the allowed limit of [2]. This limit can be set by changing the [index.mapping.nested_objects.limit] index level setting.',
    );
    const scalar = await call('PUT', '/limited/_doc/3', { a: 1 }, 400);
    expect(scalar.error.reason).toContain('object mapping for [a] tried to parse field [a] as object');
    const further = await call('PUT', '/limited/_mapping', { properties: { b: { type: 'nested' } } }, 400);
    expect(further.error.reason).toBe('Limit of nested fields [1] has been exceeded');
    const other = await call('PUT', '/limited/_mapping', { properties: { a: { properties: {} } } }, 400);
    expect(other.error.reason).toBe("can't merge a non-nested mapping [a] with a nested mapping");
    expect((await call('GET', '/limited/_mapping')).limited.mappings.properties.a.type).toBe('nested');
  });
});
