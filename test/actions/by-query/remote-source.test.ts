/** What comes of a cluster that answers in parts, or not at all. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ActionContext } from '../../../src/actions/context.js';
import { RemoteSource } from '../../../src/actions/by-query/remote-source.js';
import { Cancellation } from '../../../src/base/cancellation.js';
import { systemClock } from '../../../src/base/clock.js';

let server: Server;
let asked: { url: string; body: string }[];
/** Undefined: it never answers. */
let answer: string | undefined;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      asked.push({ url: request.url ?? '', body });
      if (answer !== undefined) response.end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function source(timeoutMs = 10_000): RemoteSource {
  const { port } = server.address() as AddressInfo;
  const cluster = { url: `http://127.0.0.1:${port}`, username: undefined, password: undefined, headers: {}, timeoutMs };
  const body = { query: { term: { id: 9007199254740993n } } };
  return new RemoteSource(cluster, { indices: ['a'], body, pageSize: 10, keepAliveMs: 1_000 });
}

function contextOf(cancellation = new Cancellation()): ActionContext {
  return { cancellation, clock: systemClock } as unknown as ActionContext;
}

const HITS = '"hits" : {"total":1,"hits":[ {"_index":"a","_id":"1","_source":{}\n} ] }';

describe('the search of another cluster', () => {
  it('asks for whole answers, with numbers as they were written', async () => {
    answer = ` { "_scroll_id" : "s" , "timed_out" : false , "_shards":{"failed":0,"failures":[]}, ${HITS} }\n`;
    const page = await source().next(0, contextOf());
    expect(page).toMatchObject({ failures: [], isTimedOut: false, page: { total: 1, hits: [{ id: '1' }] } });
    expect(asked[0]?.url).toContain('allow_partial_search_results=false');
    expect(asked[0]?.body).toBe('{"query":{"term":{"id":9007199254740993}}}');
  });

  it('tells of shards that did not answer, on every page', async () => {
    const failure = '{"shard":3,"index":"a","node":"n","reason":{"type":"io","reason":"disk"}}';
    const remote = source();
    answer = `{"_scroll_id":"s","_shards":{"failed":1,"failures":[${failure}]},${HITS}}`;
    const first = await remote.next(0, contextOf());
    expect(first?.failures).toMatchObject([{ key: { index: 'a', shard: 3 }, nodeId: 'n' }]);
    expect(first?.failures[0]?.error.message).toContain('[io] disk');
    answer = `{"_scroll_id":"s","_shards":{"failed":2},${HITS}}`;
    expect((await remote.next(0, contextOf()))?.failures).toHaveLength(1);
    expect(asked[1]?.url).toBe('/_search/scroll');
  });

  it('is given up when the job is cancelled, however long it may take', async () => {
    answer = undefined;
    const cancellation = new Cancellation();
    const page = source(2 ** 40).next(0, contextOf(cancellation));
    const outcome = page.then(
      () => 'a page',
      () => 'given up',
    );
    const early = new Promise((resolve) => setTimeout(resolve, 300, 'still waiting'));
    expect(await Promise.race([outcome, early])).toBe('still waiting');
    cancellation.cancelByRequest();
    expect(await outcome).toBe('given up');
  });
});
