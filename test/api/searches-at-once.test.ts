/**
 * Searches that are understood already are answered at once where nothing has to be waited for, and as they are answered in the usual way. A request that is
 * answered at once is no task, so numbers of tasks tell which way was taken.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestNode, type Answer, type Json } from './node-harness.js';
import { nextTask } from './task-numbers.js';

const PLAIN = { 'accept-encoding': 'identity' };
const JSON_TYPE = { 'content-type': 'application/json' };
/** The first ones are to be understood, and have the front load what it needs. */
const WARM_UP = 6;
const TIMES = 5;
const ROUNDS_MAX = 50;

let node: TestNode;

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string | undefined;
  readonly headers?: Record<string, string>;
}

const BODY = JSON.stringify({ query: { match: { title: 'fox' } } });

async function ask({ method = 'POST', path = '/plain/_search', body, headers = JSON_TYPE }: Asked): Promise<Answer> {
  return node.request(method, path, body, headers);
}

function shown({ status, text, headers }: Answer): Json {
  const [type, encoding] = ['content-type', 'content-encoding'].map((name) => headers.get(name));
  return { status, text: text.replace(/"took":\d+/, ''), type, encoding };
}

/** How many of several equal requests took the usual way, and the one answer to all of them. */
async function askAgain(asked: Asked): Promise<{ readonly usual: number; readonly answer: Json }> {
  for (let time = 0; time < WARM_UP; time++) await ask(asked);
  const before = await nextTask((path) => node.get(path));
  const answers: Json[] = [];
  for (let time = 0; time < TIMES; time++) answers.push(shown(await ask(asked)));
  const usual = (await nextTask((path) => node.get(path))) - before - 1;
  for (const answer of answers) expect(answer).toEqual(answers[0]);
  return { usual, answer: answers[0] };
}

const properties = { title: { type: 'text' }, tag: { type: 'keyword' } };

beforeAll(async () => {
  // Each front learns for itself.
  node = await TestNode.start({ 'http.front_threads': '1' });
  const indices: Readonly<Record<string, Json>> = {
    plain: {},
    'plain-alone': { number_of_replicas: 0 },
    several: { number_of_shards: 2 },
    logged: { 'index.search.slowlog.threshold.query.trace': '0ms' },
  };
  for (const [index, settings] of Object.entries(indices)) {
    await node.put(`/${index}`, { settings, mappings: { properties } });
    for (const [id, title] of ['quick fox', 'lazy dog', 'fox and dog'].entries()) {
      await node.put(`/${index}/_doc/${id}`, { title, tag: `t${id}` });
    }
    await node.post(`/${index}/_refresh`);
  }
  await node.put('/large/_doc/1?refresh=true', { title: 'fox '.repeat(1_000) });
});

afterAll(async () => {
  await node.stop();
});

/** With a preference that has to be thought about. */
function inTheUsualWay({ path = '/plain/_search', ...asked }: Asked): Asked {
  const others = path.replace('preference=_local', '');
  return { ...asked, path: `${others}${path.includes('?') ? '&' : '?'}preference=x` };
}

/** Until none takes the usual way: the front loads what it needs in its own time, and on a busy machine a search takes long at times. */
async function untilAtOnce(asked: Asked): Promise<Json> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const { usual, answer } = await askAgain(asked);
    if (usual === 0) return answer;
  }
  throw new Error(`never answered at once: ${JSON.stringify(asked)}`);
}

describe('is answered at once:', () => {
  const accept = 'application/vnd.elasticsearch+json;compatible-with=8';
  it.each<[string, Asked]>([
    ['a search', { body: BODY }],
    ['one of GET', { method: 'GET', path: '/plain-alone/_search?q=title:fox', headers: {} }],
    ['one that says what it takes', { body: BODY, headers: { ...JSON_TYPE, accept } }],
    [
      'one that takes no compressed answer',
      { path: '/large/_search', body: BODY, headers: { ...JSON_TYPE, ...PLAIN } },
    ],
    ['one with an answer to be compressed', { path: '/large/_search', body: BODY }],
    ['one of which the answer is kept', { body: '{"size":0,"aggs":{"t":{"terms":{"field":"tag"}}}}' }],
    ['one of this node', { path: '/plain/_search?preference=_local&rest_total_hits_as_int=true', body: BODY }],
  ])('%s', async (_what, asked) => {
    const found = await untilAtOnce(asked);
    const other = await askAgain(inTheUsualWay(asked));
    expect(other.usual).toBe(TIMES);
    expect(found).toEqual(other.answer);
    const isToBePacked = asked.path === '/large/_search' && asked.headers === undefined;
    expect(found).toMatchObject({ status: 200, encoding: isToBePacked ? 'gzip' : null });
  });
});

describe('takes the usual way:', () => {
  it.each<[string, Asked, number]>([
    ['what is laid out', { path: '/plain/_search?pretty', body: BODY }, 200],
    ['what is filtered', { path: '/plain/_search?filter_path=hits.total', body: BODY }, 200],
    ['another encoding', { path: '/plain/_search?format=yaml', body: BODY }, 200],
    ['a body without a type', { body: BODY, headers: { 'content-type': '' } }, 406],
    ['a body of an unknown type', { body: BODY, headers: { 'content-type': 'text/strange' } }, 406],
    ['a body that claims to be packed', { body: BODY, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' } }, 400],
    ['an answer of an unknown type', { body: BODY, headers: { ...JSON_TYPE, accept: 'text/strange' } }, 406],
    [
      'versions that differ',
      {
        body: BODY,
        headers: {
          'content-type': 'application/vnd.elasticsearch+json;compatible-with=8',
          accept: 'application/vnd.elasticsearch+json;compatible-with=7',
        },
      },
      400,
    ],
    ['several shards', { path: '/several/_search', body: BODY }, 200],
    ['an index with a slow log', { path: '/logged/_search', body: BODY }, 200],
    ['a scroll', { path: '/plain/_search?scroll=1s&size=1', body: BODY }, 200],
    ['statistics of all shards', { path: '/plain/_search?search_type=dfs_query_then_fetch', body: BODY }, 200],
    ['a query that cannot be read', { body: '{"query":{"match":{"title":{}}}}' }, 400],
    ['a moment', { body: '{"query":{"range":{"at":{"gte":"now"}}}}' }, 200],
  ])('%s', async (_what, asked, status) => {
    // In the same words it is answered at once.
    await untilAtOnce({ body: BODY });
    for (let time = 0; time < WARM_UP; time++) await ask(asked);
    const before = await nextTask((path) => node.get(path));
    for (let time = 0; time < TIMES; time++) expect((await ask(asked)).status).toBe(status);
    expect((await nextTask((path) => node.get(path))) - before - 1).toBe(TIMES);
  });

  it('and HEAD, which no search has, is refused', async () => {
    await untilAtOnce({ body: BODY });
    expect((await ask({ method: 'HEAD', body: undefined })).status).toBe(405);
  });
});

describe('what happened meanwhile is seen:', () => {
  const count = async (path = '/moved/_search'): Promise<Json> => (await ask({ path, body: BODY })).json();

  it('writes, another mapping, another index of the name, and none', async () => {
    await node.put('/moved', { settings: { number_of_replicas: 0 }, mappings: { properties } });
    for (let round = 1; round < 8; round++) {
      await node.put(`/moved/_doc/${round}?refresh=true`, { title: 'fox' });
      expect((await count()).hits.total.value).toBe(round);
    }
    const fields = { type: 'keyword', fields: { words: { type: 'text' } } };
    await node.delete('/moved');
    expect((await count()).error.type).toBe('index_not_found_exception');
    await node.put('/moved', { settings: { number_of_replicas: 0 }, mappings: { properties: { title: fields } } });
    await node.put('/moved/_doc/1?refresh=true', { title: 'quick fox' });
    for (let time = 0; time < WARM_UP; time++) expect((await count()).hits.total.value).toBe(0);
    await node.post('/moved/_close');
    expect((await count()).error.type).toBe('index_closed_exception');
  });

  it('statistics count each search, what it consists of, and its groups', async () => {
    const body = JSON.stringify({ query: { match: { title: 'fox' } }, stats: ['group'] });
    const figures = async (): Promise<Json> => {
      const { search } = (await node.get('/plain/_stats/search?groups=group')).json()._all.primaries;
      const { indices } = (await node.get('/_cluster/stats')).json();
      return [search.query_total, search.groups?.group.query_total ?? 0, indices.search.queries.match];
    };
    await untilAtOnce({ body });
    const before = await figures();
    await askAgain({ body });
    expect(await figures()).toEqual(before.map((count: number) => count + WARM_UP + TIMES));
  });

  it('statistics count once what looks something up', async () => {
    const author = { target_index: 'authors', input_field: 'tag', target_field: 'key', fetch_fields: ['name'] };
    await node.put('/authors', { mappings: { properties: { key: { type: 'keyword' }, name: { type: 'keyword' } } } });
    await node.put('/authors/_doc/1?refresh=true', { key: 'a', name: 'Ann' });
    await node.put('/books', { mappings: { properties, runtime: { author: { type: 'lookup', ...author } } } });
    await node.put('/books/_doc/1?refresh=true', { title: 'fox', tag: 'a' });
    const body = JSON.stringify({ query: { match: { title: 'fox' } }, fields: ['author'] });
    const searched = async (): Promise<number> =>
      (await node.get('/books/_stats/search')).json()._all.primaries.search.query_total;
    // The front has what it needs.
    await untilAtOnce({ path: '/books/_search', body: BODY });
    const before = await searched();
    const { usual, answer } = await askAgain({ path: '/books/_search', body });
    expect(answer.text).toContain('"author":[{"name":["Ann"]}]');
    expect(usual).toBe(TIMES);
    expect((await searched()) - before).toBe(WARM_UP + TIMES);
  });
});
