/** Parents and children over HTTP: mappings, routing, queries, inner hits, aggregations, merges and restarts of searches. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

const MAPPING = {
  properties: {
    text: { type: 'text' },
    votes: { type: 'integer' },
    j: { type: 'join', relations: { question: ['answer', 'comment'], answer: 'vote' } },
  },
};

beforeAll(async () => {
  node = await TestNode.start();
  await call('PUT', '/forum', { settings: { number_of_shards: 3 }, mappings: MAPPING });
  for (const [id, document] of Object.entries(DOCUMENTS)) {
    await call('PUT', `/forum/_doc/${id}?routing=${document.routing}`, document.source, 201);
  }
  await call('POST', '/forum/_refresh');
}, 90_000);

afterAll(async () => {
  await node.stop();
});

const DOCUMENTS: Readonly<Record<string, { routing: string; source: object }>> = {
  q1: { routing: 'q1', source: { text: 'how to boil an egg', j: 'question' } },
  q2: { routing: 'q2', source: { text: 'how to fry an egg', j: { name: 'question' } } },
  a1: { routing: 'q1', source: { text: 'in water', votes: 3, j: { name: 'answer', parent: 'q1' } } },
  a2: { routing: 'q1', source: { text: 'in hot water', votes: 5, j: { name: 'answer', parent: 'q1' } } },
  a3: { routing: 'q2', source: { text: 'in oil', votes: 2, j: { name: 'answer', parent: 'q2' } } },
  c1: { routing: 'q2', source: { text: 'water is wrong', j: { name: 'comment', parent: 'q2' } } },
  v1: { routing: 'q1', source: { votes: 1, j: { name: 'vote', parent: 'a2' } } },
};

async function call(method: string, path: string, body?: unknown, status = 200): Promise<Json> {
  const answer = await node.request(method, path, body);
  expect({ status: answer.status, text: answer.status === status ? '' : answer.text }).toEqual({ status, text: '' });
  return answer.text === '' ? undefined : answer.json();
}

async function search(query: object, more: object = {}): Promise<Json> {
  return call('POST', '/forum/_search', { query, ...more });
}

function ids(answer: Json): readonly string[] {
  return answer.hits.hits.map((hit: { _id: string }) => hit._id);
}

const water = { match: { text: 'water' } };

describe('queries', () => {
  test('has_child finds parents, by the number of their children and with their scores', async () => {
    expect(ids(await search({ has_child: { type: 'answer', query: water } }))).toEqual(['q1']);
    expect(ids(await search({ has_child: { type: 'comment', query: water } }))).toEqual(['q2']);
    const all = { has_child: { type: 'answer', query: { match_all: {} }, min_children: 2 } };
    expect(ids(await search(all))).toEqual(['q1']);
    const most = { has_child: { type: 'answer', query: { match_all: {} }, max_children: 1 } };
    expect(ids(await search(most))).toEqual(['q2']);
    const value = { field_value_factor: { field: 'votes' }, boost_mode: 'replace' };
    const scored = { has_child: { type: 'answer', query: { function_score: value }, score_mode: 'sum' } };
    const found = await search(scored, { sort: ['_score'] });
    expect(found.hits.hits.map((hit: { _score: number }) => hit._score)).toEqual([8, 2]);
    const grandchildren = {
      has_child: { type: 'answer', query: { has_child: { type: 'vote', query: { match_all: {} } } } },
    };
    expect(ids(await search(grandchildren))).toEqual(['q1']);
  });

  test('has_parent and parent_id find children', async () => {
    const fried = { has_parent: { parent_type: 'question', query: { match: { text: 'fry' } }, score: true } };
    const children = await search(fried);
    expect([...ids(children)].sort()).toEqual(['a3', 'c1']);
    expect(children.hits.max_score).toBeGreaterThan(0);
    expect(ids(await search({ parent_id: { type: 'vote', id: 'a2' } }))).toEqual(['v1']);
    expect([...ids(await search({ parent_id: { type: 'answer', id: 'q1' } }))].sort()).toEqual(['a1', 'a2']);
  });

  test('hits show what they matched by', async () => {
    const children = await search({
      has_child: {
        type: 'answer',
        query: water,
        inner_hits: { sort: [{ votes: 'desc' }], size: 1, _source: ['votes'] },
      },
    });
    expect(children.hits.hits[0].inner_hits.answer.hits).toMatchObject({
      total: { value: 2, relation: 'eq' },
      hits: [{ _id: 'a2', _routing: 'q1', _source: { votes: 5 }, sort: [5] }],
    });
    const parents = await search({
      has_parent: { parent_type: 'question', query: { match: { text: 'fry' } }, inner_hits: { name: 'of' } },
    });
    expect(ids(parents.hits.hits[0].inner_hits.of)).toEqual(['q2']);
  });

  test.each([
    [{ has_child: { type: 'x', query: water } }, "[has_child] join field [j] doesn't hold [x] as a child"],
    [{ has_parent: { parent_type: 'x', query: water } }, "[has_parent] join field [j] doesn't hold [x] as a parent"],
    [{ parent_id: { type: 'question', id: '1' } }, '[parent_id] no relation found for child [question]'],
    [{ has_child: { type: 'answer' } }, "[has_child] requires 'query' field"],
    [{ has_child: { query: water } }, "[has_child] requires 'type' field"],
    [
      { has_child: { type: 'answer', query: water, min_children: 3, max_children: 2 } },
      "[has_child] 'max_children' is less than 'min_children'",
    ],
    [{ has_child: { type: 'answer', query: water, size: 1 } }, '[has_child] query does not support [size]'],
  ])('%j is refused', async (query, reason) => {
    const answer = await call('POST', '/forum/_search', { query }, 400);
    expect(JSON.stringify(answer.error)).toContain(JSON.stringify(reason).slice(1, -1));
  });
});

test('aggregations go to children and back', async () => {
  const answer = await call('POST', '/forum/_search?typed_keys=true', {
    size: 0,
    aggs: {
      down: { children: { type: 'answer' }, aggs: { votes: { sum: { field: 'votes' } } } },
      by_votes: {
        terms: { field: 'votes', size: 2, order: { _key: 'desc' } },
        aggs: { up: { parent: { type: 'answer' }, aggs: { who: { top_hits: { _source: false } } } } },
      },
      nothing: { children: { type: 'unknown' } },
    },
  });
  const { 'children#down': down, 'lterms#by_votes': votes, 'children#nothing': nothing } = answer.aggregations;
  expect(down).toEqual({ doc_count: 3, 'sum#votes': { value: 10 } });
  expect(nothing).toEqual({ doc_count: 0 });
  const up = votes.buckets.map((bucket: Json) => bucket['parent#up']);
  expect(up.map((bucket: Json) => [bucket.doc_count, ids(bucket['top_hits#who'])])).toEqual([
    [1, ['q1']],
    [1, ['q1']],
  ]);
});

describe('documents', () => {
  test.each([
    [{ j: 'nobody' }, 'unknown join name [nobody] for field [j]'],
    [{ j: { name: 'answer' } }, '[parent] is missing for join field [j]'],
    [{ j: { name: 'answer', parent: 'q1' } }, '[routing] is missing for join field [j]'],
    [{ j: { parent: 'q1' } }, 'null join name in field [j]'],
    [{ j: { name: 'answer', parent: 'q1', x: 1 } }, 'unknown field name [x] in join field [j]'],
    [{ j: 5 }, '[j] expected START_OBJECT or VALUE_STRING but was: VALUE_NUMBER'],
  ])('%j is refused', async (source, reason) => {
    const answer = await call('PUT', '/forum/_doc/bad', source, 400);
    expect(answer.error.type).toBe('mapper_parsing_exception');
    expect(answer.error.caused_by.reason).toBe(reason);
  });

  test('a replaced child counts once, a deleted one not at all, before and after a merge', async () => {
    await call('PUT', '/again', { settings: { number_of_shards: 1 }, mappings: MAPPING });
    await call('PUT', '/again/_doc/1', { j: 'question' }, 201);
    for (const id of ['2', '3']) {
      await call('PUT', `/again/_doc/${id}?routing=1&refresh=true`, { j: { name: 'answer', parent: 1 } }, 201);
    }
    await call('PUT', '/again/_doc/2?routing=1&refresh=true', { j: { name: 'answer', parent: 1 } });
    const two = {
      query: { has_child: { type: 'answer', query: { match_all: {} }, min_children: 2, max_children: 2 } },
    };
    expect(ids(await call('POST', '/again/_search', two))).toEqual(['1']);
    await call('DELETE', '/again/_doc/3?routing=1&refresh=true');
    expect(ids(await call('POST', '/again/_search', two))).toEqual([]);
    await call('POST', '/again/_forcemerge?max_num_segments=1');
    expect(ids(await call('POST', '/again/_search', two))).toEqual([]);
    const one = { query: { has_child: { type: 'answer', query: { match_all: {} } } } };
    expect(ids(await call('POST', '/again/_search', one))).toEqual(['1']);
  });
});

describe('mappings', () => {
  test('a join field is shown with its relations, and takes more', async () => {
    await call('PUT', '/shown', { mappings: MAPPING });
    const shown = { type: 'join', eager_global_ordinals: true };
    const before = await call('GET', '/shown/_mapping');
    expect(before.shown.mappings.properties.j).toEqual({ ...shown, relations: MAPPING.properties.j.relations });
    const relations = { question: ['answer', 'comment', 'tag'], answer: 'vote' };
    await call('PUT', '/shown/_mapping', { properties: { j: { type: 'join', relations } } });
    await call('PUT', '/shown/_doc/1?routing=q&refresh=true', { j: { name: 'tag', parent: 'q' } }, 201);
    const found = await call('POST', '/shown/_search', { query: { parent_id: { type: 'tag', id: 'q' } } });
    expect(ids(found)).toEqual(['1']);
    const caps = await call('GET', '/shown/_field_caps?fields=j*');
    expect(Object.keys(caps.fields.j)).toEqual(['join']);
    expect(Object.keys(caps.fields['j#question'])).toEqual(['parent']);
  });

  test.each([
    [{ j: { type: 'join', relations: { answer: 'vote' } } }, 'cannot remove parent [question] in join field [j]'],
    [
      { j: { type: 'join', relations: { question: 'answer', answer: 'vote' } } },
      'cannot remove child [comment] in join field [j]',
    ],
    [
      { j: { type: 'join', relations: { question: ['answer', 'comment'], answer: 'vote', vote: 'x' } } },
      'cannot create parent [vote] from an existing child',
    ],
    [
      { k: { type: 'join', relations: { a: 'b' } } },
      'Only one [parent-join] field can be defined per index, got [j, k]',
    ],
  ])('%j is no update', async (properties, reason) => {
    const answer = await call('PUT', '/forum/_mapping', { properties }, 400);
    expect(answer.error.reason).toContain(reason);
  });

  test.each([
    [
      { o: { properties: { j: { type: 'join' } } } },
      'join field [o.j] cannot be added inside an object or in a multi-field',
    ],
    [{ j: { type: 'join', relations: { a: 'c', b: 'c' } } }, '[c] cannot have multiple parents'],
    [
      { j: { type: 'join', relations: { a: 'c' }, index: false } },
      'unknown parameter [index] on mapper [j] of type [join]',
    ],
  ])('%j is no mapping', async (properties, reason) => {
    const answer = await call('PUT', '/wrong', { mappings: { properties } }, 400);
    expect(JSON.stringify(answer.error)).toContain(reason);
  });
});
