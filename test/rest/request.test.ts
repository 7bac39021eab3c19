/** What a handler gets of a query string. */
import { describe, expect, it } from 'vitest';
import { defineEndpoint, type Endpoint } from '../../src/rest/endpoint.js';
import { answerEmpty } from '../../src/rest/answer.js';
import { integerParameter, listParameter, stringParameter } from '../../src/rest/parameters.js';
import { readPresentation, readQuery, readRequest } from '../../src/rest/request.js';
import type { WireRequest } from '../../src/rest/wire.js';

const endpoint = defineEndpoint({
  name: 'some',
  action: 'cluster:monitor/main',
  methods: ['GET'],
  paths: ['/some'],
  parameters: { size: integerParameter(10), names: listParameter(), text: stringParameter() },
  body: 'none',
  pool: 'search',
  placement: 'any',
  handle: () => answerEmpty(200),
});

async function parametersOf(query: string, of: Endpoint = endpoint): Promise<unknown> {
  const headers = { contentType: '', contentEncoding: '', accept: '', acceptEncoding: '', opaqueId: '' };
  const wire: WireRequest = {
    ...{ endpoint: 0, method: 'GET', rawPath: '/some', parts: {}, query, headers },
    ...{ body: undefined, task: 1, cancellation: new Int32Array(1), subject: '', audit: '' },
  };
  const values = readQuery(wire);
  const { request } = await readRequest(wire, of, values, readPresentation(values, undefined), 100);
  return request.parameters;
}

describe('parameters', () => {
  it('have their defaults where nothing is said of them', async () => {
    const nothing = { size: 10, names: undefined, text: undefined };
    expect(await parametersOf('')).toEqual(nothing);
    expect(await parametersOf('pretty&filter_path=a')).toEqual(nothing);
  });

  it('of one request say nothing of the next', async () => {
    expect(await parametersOf('size=3&names=a,,b')).toEqual({ size: 3, names: ['a', 'b'], text: undefined });
    expect(await parametersOf('text=x')).toEqual({ size: 10, names: undefined, text: 'x' });
  });

  it.each(['__proto__', 'constructor', 'sise'])('%s is not one of them', async (name) => {
    await expect(parametersOf(`size=3&${name}=1`)).rejects.toThrow(
      `request [/some] contains unrecognized parameter: [${name}]`,
    );
  });
});
