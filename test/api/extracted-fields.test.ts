/** Runtime fields whose scripts take them out of lines of logs: `grok` and `dissect`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestNode } from './node-harness.js';

let node: TestNode;

const LINES = [
  '30.87.8.1 - - [27/Apr/1998:21:30:17 +0000] "GET /images/hm_bg.jpg HTTP/1.0" 200 24736',
  '40.135.0.0 - - [30/Apr/1998:14:30:17 -0500] "GET /english/index.html HTTP/1.0" 304 0',
  'not a valid apache log',
];

beforeAll(async () => {
  node = await TestNode.start();
  await node.put('/lines', { mappings: { properties: { message: { type: 'keyword' } } } });
  for (const [id, message] of LINES.entries()) await node.put(`/lines/_doc/${id}`, { message });
  await node.post('/lines/_refresh');
});

afterAll(async () => {
  await node.stop();
});

const IP_OF_GROK = `
  String clientip = grok('%{COMMONAPACHELOG}').extract(doc["message"].value)?.clientip;
  if (clientip != null) emit(clientip);`;
const STATUS_OF_DISSECT = `
  String response = dissect('%{clientip} %{ident} %{auth} [%{@timestamp}] "%{verb} %{request} HTTP/%{httpversion}" %{response} %{size}')
    .extract(doc["message"].value)?.response;
  if (response != null) emit(Integer.parseInt(response));`;

it('fields of a mapping are searched, counted and shown', async () => {
  const runtime = {
    clientip: { type: 'ip', script: IP_OF_GROK },
    status: { type: 'long', script: { source: STATUS_OF_DISSECT } },
  };
  expect((await node.put('/lines/_mapping', { runtime })).status).toBe(200);
  const query = { range: { clientip: { gte: '40.0.0.0' } } };
  const body = { query, fields: ['clientip', 'status'], _source: false, aggs: { all: { sum: { field: 'status' } } } };
  const { hits, aggregations } = (await node.post('/lines/_search', body)).json();
  expect(hits.hits[0].fields).toEqual({ clientip: ['40.135.0.0'], status: [304] });
  expect([hits.total.value, aggregations.all.value]).toEqual([1, 304]);
});

it('composite fields take all that a pattern extracts', async () => {
  const script = `
    def found = grok('%{COMMONAPACHELOG}').extract(doc["message"].value);
    if (found != null) emit(found);`;
  const http = { type: 'composite', script, fields: { verb: { type: 'keyword' }, response: { type: 'long' } } };
  const body = {
    runtime_mappings: { http },
    query: { term: { 'http.response': 200 } },
    fields: ['http.*'],
    _source: false,
  };
  const { hits } = (await node.post('/lines/_search', body)).json();
  expect(hits.hits).toHaveLength(1);
  expect(hits.hits[0].fields).toEqual({ 'http.verb': ['GET'], 'http.response': [200] });
});

it.each([
  [`emit(grok('%{NOTHING:x}').extract('a').x)`, "Unable to find pattern [NOTHING] in Grok's pattern dictionary"],
  [`emit(dissect('%{a}%{b}').extract('a').a)`, 'a key must be separated from the next one by a delimiter'],
  [`emit(grok(params.p).extract('a').x)`, 'all arguments to [grok] must be constant but the [1] argument is not'],
])('%s is refused', async (script, reason) => {
  const answer = await node.post('/lines/_search', { runtime_mappings: { x: { type: 'keyword', script } } });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(reason);
});

it('are functions of runtime fields alone', async () => {
  const script_fields = { x: { script: `grok('%{WORD:x}').extract('a').x` } };
  const answer = await node.post('/lines/_search', { script_fields });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('Unknown call [grok]');
});
