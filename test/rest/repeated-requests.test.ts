import { describe, expect, it } from 'vitest';
import { emptyClusterState } from '../../src/cluster/state.js';
import { RepeatedRequests } from '../../src/rest/repeated-requests.js';
import type { BareRequest } from '../../src/rest/wire.js';

const STATE = emptyClusterState('c', 'u');

const request = (over: Partial<BareRequest> = {}): BareRequest => ({
  endpoint: 1,
  method: 'GET',
  rawPath: '/',
  parts: {},
  query: '',
  headers: { contentType: '', contentEncoding: '', accept: '', acceptEncoding: '', opaqueId: '' },
  subject: '',
  audit: '',
  ...over,
});

/** One that was asked for something, so that it knows the state. */
function asked(): RepeatedRequests<string> {
  const requests = new RepeatedRequests<string>();
  expect(requests.find('a', request(), STATE)).toBeUndefined();
  return requests;
}

describe('what is kept for requests', () => {
  it('is found for those that say the same, whatever path leads there', () => {
    const requests = asked();
    requests.keep('a', request(), STATE, 'kept');
    const opaqueId = { ...request().headers, opaqueId: 'other' };
    for (const same of [request(), request({ rawPath: '/other' }), request({ headers: opaqueId })]) {
      expect(requests.find('a', same, STATE)).toBe('kept');
    }
  });

  it('is not found for others', () => {
    const requests = asked();
    requests.keep('a', request(), STATE, 'kept');
    const { headers } = request();
    const others: readonly Partial<BareRequest>[] = [
      { endpoint: 2 },
      { method: 'HEAD' },
      { query: 'pretty' },
      { subject: '{}' },
      ...(['accept', 'acceptEncoding', 'contentType'] as const).map((name) => ({
        headers: { ...headers, [name]: 'x' },
      })),
    ];
    for (const other of others) {
      expect(requests.find('a', request(other), STATE)).toBeUndefined();
      expect(requests.find('a', request(), STATE)).toBe('kept');
    }
    expect(requests.find('b', request(), STATE)).toBeUndefined();
    // The name of an index may hold anything: it is not taken for what comes behind it.
    expect(requests.find('a\n1\nGET', request(), STATE)).toBeUndefined();
  });

  it('is forgotten with the state, and not kept for another one', () => {
    const requests = asked();
    const other = emptyClusterState('c', 'u');
    requests.keep('a', request(), other, 'too late');
    expect(requests.find('a', request(), STATE)).toBeUndefined();
    requests.keep('a', request(), STATE, 'kept');
    expect(requests.find('a', request(), other)).toBeUndefined();
    expect(requests.find('a', request(), STATE)).toBeUndefined();
  });

  it('has a limit, beyond which it begins anew', () => {
    const requests = asked();
    const about = Array.from({ length: 257 }, (_, at) => String(at));
    for (const each of about.slice(0, 256)) requests.keep(each, request(), STATE, each);
    expect(about.filter((each) => requests.find(each, request(), STATE) === each)).toHaveLength(256);
    requests.keep('256', request(), STATE, '256');
    expect(about.filter((each) => requests.find(each, request(), STATE) === each)).toEqual(['256']);
  });

  it('is for requests that do not say much', () => {
    const requests = asked();
    // Of the words 11 are lines between them, the number and the method.
    for (const length of [4_096 - 11, 4_096 - 10]) {
      const long = 'x'.repeat(length);
      requests.keep(long, request(), STATE, 'kept');
      expect(requests.find(long, request(), STATE)).toBe(length === 4_096 - 11 ? 'kept' : undefined);
    }
  });
});
