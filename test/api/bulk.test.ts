import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Json } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start();
});

afterAll(async () => {
  await node.stop();
});

const NDJSON = { 'content-type': 'application/x-ndjson' };

async function total(index: string): Promise<number> {
  await node.post(`/${index}/_refresh`);
  return (await node.get(`/${index}/_count`)).json().count;
}

describe('bulk', () => {
  it('carries out every kind of action and reports them in order', async () => {
    await node.put('/all/_doc/old', { a: 1 });
    await node.put('/all/_doc/gone', { a: 1 });
    const answer = await node.bulk('/all/_bulk?refresh=true', [
      { index: { _id: '1' } },
      { a: 1 },
      { create: { _id: 'old' } },
      { a: 2 },
      { update: { _id: 'old' } },
      { doc: { b: 2 } },
      { delete: { _id: 'gone' } },
      { delete: { _id: 'never' } },
      { update: { _id: 'absent' } },
      { doc: {} },
      { create: {} },
      { a: 3 },
    ]);
    const body = answer.json();
    expect([answer.status, body.errors]).toEqual([200, true]);
    const kinds = body.items.map((item: Json) => Object.entries(item)[0]);
    expect(kinds.map(([kind, item]: [string, Json]) => [kind, item.status])).toEqual([
      ['index', 201],
      ['create', 409],
      ['update', 200],
      ['delete', 200],
      ['delete', 404],
      ['update', 404],
      ['create', 201],
    ]);
    expect(body.items[1].create).toMatchObject({
      _index: 'all',
      _id: 'old',
      error: { type: 'version_conflict_engine_exception', index: 'all', shard: '0' },
    });
    expect(body.items[0].index).toMatchObject({ _version: 1, result: 'created', forced_refresh: true });
    expect((await node.get('/all/_source/old')).json()).toEqual({ a: 1, b: 2 });
    expect((await node.get('/all/_count')).json().count).toBe(3);
  });

  it('counts documents that were not indexed because another version of theirs is there', async () => {
    const conflicts = async (): Promise<number> =>
      (await node.get('/conflicts/_stats/indexing')).json()._all.primaries.indexing
        .index_failed_due_to_version_conflict as number;
    await node.put('/conflicts', { mappings: { properties: { n: { type: 'long' } } } });
    await node.put('/conflicts/_doc/1', { n: 1 });
    expect(await conflicts()).toBe(0);
    const stale = { if_seq_no: 7, if_primary_term: 1 };
    const { items } = (
      await node.bulk('/conflicts/_bulk', [
        ...[{ index: { _id: 'bad' } }, { n: 'no number' }],
        ...[{ create: { _id: '1' } }, { n: 2 }],
        ...[{ index: { _id: '2' } }, { n: 2 }],
        ...[{ index: { _id: '1', ...stale } }, { n: 3 }],
        // Not indexed either way.
        { delete: { _id: '1', ...stale } },
      ])
    ).json();
    expect(items.map((item: Json) => (Object.values(item)[0] as { status: number }).status)).toEqual([
      400, 409, 201, 409, 409,
    ]);
    expect(await conflicts()).toBe(2);
    expect((await node.put('/conflicts/_create/1', { n: 4 })).status).toBe(409);
    expect(await conflicts()).toBe(3);
    await node.delete('/conflicts');
  });

  it('keeps the order of actions on one document', async () => {
    const lines = Array.from({ length: 50 }, (_, n) => [{ index: { _id: '1' } }, { n }]).flat();
    const answer = (await node.bulk('/ordered/_bulk', lines)).json();
    expect(answer.items.map((item: Json) => item.index._version)).toEqual(Array.from({ length: 50 }, (_, n) => n + 1));
    expect((await node.get('/ordered/_source/1')).json()).toEqual({ n: 49 });
  });

  it('spreads over indices, aliases and shards', async () => {
    await node.put('/spread-b', { settings: { number_of_shards: 4 }, aliases: { 'spread-alias': {} } });
    const lines = Array.from({ length: 200 }, (_, n) => [
      { index: { _index: ['spread-a', 'spread-b', 'spread-alias'][n % 3], _id: String(n), routing: String(n % 7) } },
      { n },
    ]).flat();
    const answer = (await node.bulk('/_bulk?refresh', lines)).json();
    expect(answer.errors).toBe(false);
    expect(answer.items[2].index._index).toBe('spread-b');
    expect([await total('spread-a'), await total('spread-b')]).toEqual([67, 133]);
  });

  it('creates the fields that its documents bring, and keeps good items beside bad ones', async () => {
    const answer = (
      await node.bulk('/grown/_bulk?refresh=true', [
        { index: { _id: '1' } },
        { n: 1 },
        { index: { _id: '2' } },
        { n: 'no number' },
        { index: { _id: '3' } },
        { n: 3, text: 'words' },
      ])
    ).json();
    expect(answer.items.map((item: Json) => item.index.status)).toEqual([201, 400, 201]);
    expect(answer.items[1].index.error).toMatchObject({
      type: 'mapper_parsing_exception',
      reason: "failed to parse field [n] of type [long] in document with id '2'. Preview of field's value: 'no number'",
      caused_by: { type: 'illegal_argument_exception', reason: 'For input string: "no number"' },
    });
    expect(await total('grown')).toBe(2);
    expect(Object.keys((await node.get('/grown/_mapping')).json().grown.mappings.properties)).toEqual(['n', 'text']);
  });

  it('takes defaults from the query string', async () => {
    const answer = (
      await node.bulk('/defaulted/_bulk?routing=r&_source=true&require_alias=false', [
        { index: { _id: '1' } },
        { a: 1 },
        { update: { _id: '1', _source: false } },
        { doc: { a: 2 } },
        { update: { _id: '1' } },
        { doc: { a: 3 } },
      ])
    ).json();
    expect(answer.errors).toBe(false);
    expect(answer.items[1].update.get?._source).toBeUndefined();
    expect(answer.items[2].update.get._source).toEqual({ a: 3 });
    expect((await node.get('/defaulted/_doc/1?routing=r')).json()._routing).toBe('r');
  });

  it('checks versions and sequence numbers of items', async () => {
    const answer = (
      await node.bulk('/versions/_bulk', [
        { index: { _id: '1', version: 7, version_type: 'external' } },
        {},
        { index: { _id: '1', version: 7, version_type: 'external' } },
        {},
        { index: { _id: '2' } },
        {},
        { index: { _id: '2', if_seq_no: 99, if_primary_term: 1 } },
        {},
        { delete: { _id: '1', version: 8, version_type: 'external_gte' } },
      ])
    ).json();
    const statuses = answer.items.map((item: Json) => (Object.values(item)[0] as Json).status);
    expect(statuses).toEqual([201, 409, 201, 409, 200]);
  });

  it('shows only failures with filter_path', async () => {
    const answer = await node.bulk('/filtered/_bulk?filter_path=items.*.error.type,errors', [
      { index: { _id: '1' } },
      { n: 1 },
      { index: { _id: '2' } },
      { n: {} },
    ]);
    expect(answer.json()).toEqual({
      errors: true,
      items: [{ index: { error: { type: 'mapper_parsing_exception' } } }],
    });
  });

  it('accepts line ends of every kind of client', async () => {
    const body = '{"index":{"_id":"1"}}\r\n{"a":1}\r\n\r\n{"index":{"_id":"2"}}\n{"a":2}\n';
    expect((await node.post('/ends/_bulk?refresh', body, NDJSON)).json().errors).toBe(false);
    expect(await total('ends')).toBe(2);
  });
});

describe('a broken bulk body', () => {
  const good = '{"index":{"_index":"whole","_id":"1"}}\n{"a":1}\n';

  it.each<[string, string, string]>([
    ['is empty', '', 'request body is required'],
    ['does not end with a line end', good.slice(0, -1), 'The bulk request must be terminated by a newline [\\n]'],
    [
      'has no action',
      `${good}{}\n{}\n`,
      'Malformed action/metadata line [3], expected FIELD_NAME but found [END_OBJECT]',
    ],
    ['has an action that is no object', `${good}[]\n{}\n`, 'Malformed action/metadata line [3], expected START_OBJECT'],
    [
      'has an unknown action',
      `${good}{"upsert":{}}\n{}\n`,
      'Malformed action/metadata line [3], expected field [create], [delete], [index] or [update] but found [upsert]',
    ],
    [
      'has an unknown member',
      `${good}{"index":{"_idd":"2"}}\n{}\n`,
      'Action/metadata line [3] contains an unknown parameter [_idd]',
    ],
    ['has a value of a wrong kind', `${good}{"index":{"_id":["2"]}}\n{}\n`, 'Malformed action/metadata line [3]'],
    ['has two actions in a line', `${good}{"index":{},"delete":{}}\n{}\n`, 'Malformed action/metadata line [3]'],
    ['lacks an index', `{"index":{"_id":"1"}}\n{}\n`, 'index is missing'],
    [
      'lacks the document of the last action',
      `${good}{"index":{"_index":"whole"}}\n`,
      'Malformed action/metadata line [3], the document after it is missing',
    ],
    ['has a delete without an id', `${good}{"delete":{"_index":"whole"}}\n`, 'id is missing'],
    ['is no JSON', `${good}hello\nthere\n`, 'line [3]'],
  ])('that %s is refused whole, naming the line', async (_why, body, reason) => {
    const refused = await node.post('/_bulk', body, NDJSON);
    expect([refused.status, refused.json().error.reason]).toEqual([400, expect.stringContaining(reason)]);
    expect((await node.request('HEAD', '/whole')).status).toBe(404);
  });

  it('reports a malformed document as its item, and goes on', async () => {
    const body = '{"index":{"_id":"1"}}\n{"a":\n{"index":{"_id":"2"}}\n{"a":2}\n';
    const answer = (await node.post('/partial/_bulk?refresh', body, NDJSON)).json();
    expect(answer.items.map((item: Json) => item.index.status)).toEqual([400, 201]);
    expect(answer.items[0].index.error.type).toBe('mapper_parsing_exception');
    expect(await total('partial')).toBe(1);
  });

  it('needs a content type', async () => {
    const refused = await node.post('/_bulk', good, { 'content-type': 'text/plain' });
    expect(refused.status).toBe(406);
  });
});
