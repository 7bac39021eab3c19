import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Decoder, Encoder } from 'cbor-x';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { TestNode } from './node-harness.js';

let node: TestNode;

beforeAll(async () => {
  node = await TestNode.start({ 'http.max_content_length': '64kb', 'node.name': 'conventions' });
});

afterAll(async () => {
  await node.stop();
});

/** Sends bytes as they are and gives what comes back until the server closes or stays silent. */
function raw(text: string): Promise<string> {
  const { hostname, port } = new URL(node.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      socket.end();
    });
    socket.on('close', () => {
      resolve(answer);
    });
    socket.on('error', reject);
  });
}

interface AgentAnswer {
  readonly status: number | undefined;
  readonly localPort: number | undefined;
  readonly bodyLength: number;
}

function overAgent(agent: Agent, method: string, path: string): Promise<AgentAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${node.url}${path}`, { method, agent }, (response) => {
      const localPort = response.socket.localPort;
      let bodyLength = 0;
      response.on('data', (chunk: Buffer) => (bodyLength += chunk.length));
      response.on('end', () => {
        resolve({ status: response.statusCode, localPort, bodyLength });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('GET /', () => {
  it('tells official clients a version block and people what answers', async () => {
    const answer = await node.get('/');
    expect(answer.headers.get('x-elastic-product')).toBe('Elasticsearch');
    expect(answer.json()).toMatchObject({
      name: 'conventions',
      cluster_name: 'quarry',
      version: { build_flavor: 'default', build_snapshot: false },
      tagline: 'You Know, for Search',
      software: { name: 'Quarry' },
    });
  });

  it('answers HEAD with the length and no body', async () => {
    const answer = await node.request('HEAD', '/');
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
    expect(answer.text).toBe('');
  });
});

describe('HEAD', () => {
  it('keeps the connection open for what comes after', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await node.put('/kept');
    const sockets = new Set<number | undefined>();
    for (const [method, path, status] of [
      ['HEAD', '/', 200],
      ['HEAD', '/kept', 200],
      ['HEAD', '/missing', 404],
      ['GET', '/', 200],
      ['HEAD', '/', 200],
    ] as const) {
      const answer = await overAgent(agent, method, path);
      expect([method, path, answer.status]).toEqual([method, path, status]);
      expect(answer.bodyLength > 0).toBe(method === 'GET');
      sockets.add(answer.localPort);
    }
    agent.destroy();
    expect(sockets.size).toBe(1);
  });
});

describe('routing', () => {
  it('refuses a path without a handler with its uri and method', async () => {
    const answer = await node.get('/a/b/c/d?x=1');
    expect(answer.status).toBe(400);
    expect(answer.json()).toEqual({ error: 'no handler found for uri [/a/b/c/d?x=1] and method [GET]' });
  });

  it('refuses a wrong method with the allowed ones', async () => {
    const answer = await node.delete('/');
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET,HEAD');
    expect(answer.json().error).toBe('Incorrect HTTP method for uri [/] and method [DELETE], allowed: [GET, HEAD]');
  });

  it('answers OPTIONS with the allowed methods', async () => {
    const answer = await node.request('OPTIONS', '/');
    expect([answer.status, answer.headers.get('allow')]).toEqual([200, 'GET,HEAD']);
  });

  it('echoes X-Opaque-Id, on errors too', async () => {
    expect((await node.get('/', { 'x-opaque-id': 'job 7' })).headers.get('x-opaque-id')).toBe('job 7');
    expect((await node.get('/a/b/c/d', { 'x-opaque-id': 'job 8' })).headers.get('x-opaque-id')).toBe('job 8');
  });
});

describe('query parameters', () => {
  it('refuses unknown ones and suggests the nearest', async () => {
    const answer = await node.get('/?prety&zzz=1');
    expect(answer.status).toBe(400);
    const reason = 'request [/] contains unrecognized parameters: [prety] -> did you mean [pretty]?, [zzz]';
    expect(answer.json()).toEqual({
      error: {
        root_cause: [{ type: 'illegal_argument_exception', reason }],
        type: 'illegal_argument_exception',
        reason,
      },
      status: 400,
    });
  });

  it('refuses a boolean that is none', async () => {
    const answer = await node.get('/?pretty=maybe');
    expect(answer.json().error.reason).toBe('Failed to parse value [maybe] as only [true] or [false] are allowed.');
  });

  it('refuses broken percent-encoding', async () => {
    expect(await raw('GET /?pretty=%zz HTTP/1.1\r\nHost: x\r\n\r\n')).toContain('400 Bad Request');
  });

  it('takes the last of a repeated parameter', async () => {
    expect((await node.get('/?filter_path=name&filter_path=tagline')).json()).toEqual({
      tagline: 'You Know, for Search',
    });
  });

  it('adds a stack trace when asked', async () => {
    expect((await node.get('/?x=1&error_trace')).json().error.stack_trace).toContain('unrecognized parameter');
    expect((await node.get('/?x=1')).json().error.stack_trace).toBeUndefined();
  });
});

describe('layout and encoding of answers', () => {
  it('prints pretty JSON with a space before the colon', async () => {
    expect((await node.get('/?pretty&filter_path=name,version.number')).text).toMatch(
      /^\{\n {2}"name" : "conventions",\n {2}"version" : \{\n {4}"number" : "[\d.]+"\n {2}\}\n\}\n$/,
    );
  });

  it('filters with wildcards and exclusions', async () => {
    expect((await node.get('/?filter_path=version.build*,-**.build_hash,-version.build_date')).json()).toEqual({
      version: { build_flavor: 'default', build_type: 'quarry', build_snapshot: false },
    });
    expect((await node.get('/?filter_path=nothing')).json()).toEqual({});
    expect((await node.get('/?filter_path=**.number')).json()).toEqual({ version: { number: '8.19.0' } });
    expect((await node.get('/?filter_path=-version,-cluster*,-software')).json()).toEqual({
      name: 'conventions',
      tagline: 'You Know, for Search',
    });
  });

  it.each([
    ['?format=yaml', {}],
    ['', { accept: 'application/yaml' }],
  ])('answers in YAML for %s %j', async (query, headers) => {
    const answer = await node.get(`/${query}`, headers);
    expect(answer.headers.get('content-type')).toBe('application/yaml');
    expect(parseYaml(answer.text).name).toBe('conventions');
  });

  it('writes whole fractions as fractions', async () => {
    await node.put('/whole', { settings: { number_of_shards: 1, number_of_replicas: 0 } });
    const path = '/_cluster/health/whole?wait_for_status=green&filter_path=active_shards_percent_as_number';
    expect((await node.get(path)).text).toBe('{"active_shards_percent_as_number":100.0}');
    expect((await node.get(`${path}&format=yaml`)).text).toBe('---\nactive_shards_percent_as_number: 100.0\n');
  });

  it('answers in CBOR', async () => {
    const response = await fetch(`${node.url}/`, { headers: { accept: 'application/cbor' } });
    expect(response.headers.get('content-type')).toBe('application/cbor');
    const value = new Decoder({ mapsAsObjects: true }).decode(Buffer.from(await response.arrayBuffer()));
    expect(value.name).toBe('conventions');
  });

  it('echoes a vendor type with its version', async () => {
    const accept = 'application/vnd.elasticsearch+json; compatible-with=9';
    const answer = await node.get('/', { accept });
    expect(answer.headers.get('content-type')).toBe('application/vnd.elasticsearch+json;compatible-with=9');
  });

  it('refuses an Accept that it cannot meet and an unknown format', async () => {
    expect((await node.get('/', { accept: 'image/png' })).status).toBe(406);
    expect((await node.get('/?format=xml')).status).toBe(400);
  });
});

describe('bodies', () => {
  it('come as YAML, CBOR and vendor types, and the answer in the same form', async () => {
    const as = (type: string): Record<string, string> => ({ 'content-type': type });
    const yaml = await node.post('/_search', 'size: 0\n', as('application/yaml'));
    expect([yaml.status, yaml.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    const cbor = await node.post(
      '/_search',
      new Encoder({ useRecords: false }).encode({ size: 0 }),
      as('application/cbor'),
    );
    expect([cbor.status, cbor.headers.get('content-type')]).toEqual([200, 'application/cbor']);
    const vendor = await node.post(
      '/_search',
      { size: 0 },
      as('application/vnd.elasticsearch+json; compatible-with=8'),
    );
    expect([vendor.status, vendor.headers.get('content-type')]).toEqual([
      200,
      'application/vnd.elasticsearch+json;compatible-with=8',
    ]);
  });

  it('are of the version of the API that is accepted', async () => {
    const as = (accepted: number, sent: number): Record<string, string> => ({
      accept: `application/vnd.elasticsearch+json; compatible-with=${accepted}`,
      'content-type': `application/vnd.elasticsearch+json; compatible-with=${sent}`,
    });
    expect((await node.post('/_search', { size: 0 }, as(8, 8))).status).toBe(200);
    const refused = await node.post('/_search', { size: 0 }, as(8, 7));
    const reason = 'Invalid media-type value on headers [Accept, Content-Type]';
    expect([refused.status, refused.json()]).toEqual([
      400,
      {
        error: {
          root_cause: [{ type: 'media_type_header_exception', reason }],
          type: 'media_type_header_exception',
          reason,
          caused_by: {
            type: 'status_exception',
            reason: expect.stringContaining(
              'the compatible versions must match. Accept=application/vnd.elasticsearch+json',
            ),
          },
        },
        status: 400,
      },
    ]);
  });

  it('keep in YAML and CBOR what they hold in JSON', async () => {
    const put = async (type: string, body: string | Uint8Array): Promise<string> => {
      expect((await node.put('/exact/_doc/1', body, { 'content-type': type })).status).toBeLessThan(300);
      return (await node.get('/exact/_source/1')).text;
    };
    const json = '{"large":9007199254740993,"fraction":2.0}';
    expect(await put('application/yaml', 'large: 9007199254740993\nfraction: 2.0\n')).toBe(json);
    const cbor = 'a2656c617267651b00200000000000016866 72616374696f6efa40000000'.replace(' ', '');
    expect(await put('application/cbor', Buffer.from(cbor, 'hex'))).toBe(json);
    const mapping = (await node.get('/exact/_mapping')).json().exact.mappings;
    expect(mapping.properties).toEqual({ large: { type: 'long' }, fraction: { type: 'float' } });
    const circle = await node.put('/exact/_doc/2', 'a: &a [*a]\n', { 'content-type': 'application/yaml' });
    expect([circle.status, circle.json().error.type]).toEqual([400, 'x_content_parse_exception']);
  });

  it('are refused as SMILE', async () => {
    const answer = await node.post('/_search', new Uint8Array([0x3a, 0x29, 0x0a, 0]), {
      'content-type': 'application/smile',
    });
    expect([answer.status, answer.json()]).toEqual([
      406,
      { error: 'Content-Type header [application/smile] is not supported', status: 406 },
    ]);
    expect((await node.get('/', { accept: 'application/smile' })).status).toBe(406);
  });

  it('refuses a body where none belongs', async () => {
    const { hostname, port } = new URL(node.url);
    const text = await raw(
      `GET / HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(text).toContain('request [GET /] does not support having a body');
  });

  it('refuses more than http.max_content_length, declared or not, and packed or not', async () => {
    const large = JSON.stringify({ query: 'x'.repeat(100_000) });
    expect((await node.post('/_search', large)).status).toBe(413);
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(large));
        controller.close();
      },
    });
    const init = { method: 'POST', body: chunked, duplex: 'half', headers: { 'content-type': 'application/json' } };
    expect((await fetch(`${node.url}/_search`, init as RequestInit)).status).toBe(413);
    const packed = await node.post('/_search', gzipSync(large), {
      'content-encoding': 'gzip',
      'content-type': 'application/json',
    });
    expect(packed.status).toBe(413);
  });

  it('refuses a missing or unknown content type with 406 and an unknown encoding with 415', async () => {
    const missing = await fetch(`${node.url}/_search`, { method: 'POST', body: Buffer.from('{}') });
    expect([missing.status, await missing.json()]).toEqual([
      406,
      { error: 'Content-Type header is missing', status: 406 },
    ]);
    const text = await node.post('/_search', '{}', { 'content-type': 'text/plain' });
    expect(text.json()).toEqual({ error: 'Content-Type header [text/plain] is not supported', status: 406 });
    expect(
      (await node.post('/_search', '{}', { 'content-type': 'application/json', 'content-encoding': 'br' })).status,
    ).toBe(415);
  });

  it('names the place of broken JSON, duplicate keys, deep nesting and invalid UTF-8', async () => {
    const reasonOf = async (body: string | Uint8Array): Promise<string> => {
      const answer = await node.post('/_search', body, { 'content-type': 'application/json' });
      expect(answer.status).toBe(400);
      return answer.json().error.reason as string;
    };
    expect(await reasonOf('{"query":\n  {"match_all": }}')).toMatch(
      /^\[2:17\] Unexpected character \('}' \(code 125\)\)/,
    );
    expect(await reasonOf('{"size":1,"size":2}')).toBe("[1:11] Duplicate field 'size'");
    expect(await reasonOf(`${'{"query":'.repeat(1_001)}1${'}'.repeat(1_001)}`)).toContain('nesting depth (1001)');
    expect(await reasonOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).toBe('[1:3] Invalid UTF-8 byte 0xff');
    expect(await reasonOf('{"size":1} x')).toContain('[1:12]');
    expect(await reasonOf('[1]')).toContain('START_OBJECT');
  });
});

describe('compression', () => {
  it('packs long answers for those who take it', async () => {
    const path = '/_cluster/settings?include_defaults';
    const packed = await node.get(path, { 'accept-encoding': 'gzip' });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    const plain = await node.get(path, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(packed.json()).toEqual(plain.json());
    expect((await node.get('/', { 'accept-encoding': 'gzip' })).headers.get('content-encoding')).toBeNull();
  });

  it('unpacks requests', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' };
    const answer = await node.post('/_search', gzipSync('{"size":0}'), headers);
    expect([answer.status, answer.json().hits.hits]).toEqual([200, []]);
    const broken = await node.post('/_search', Buffer.from('{}'), headers);
    expect([broken.status, broken.json().error.type]).toEqual([400, 'illegal_argument_exception']);
  });
});
