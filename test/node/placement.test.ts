import { describe, expect, it } from 'vitest';
import { cancellationWords } from '../../src/base/cancellation.js';
import type { ClusterState } from '../../src/cluster/state.js';
import { isNear } from '../../src/node/front/placement.js';
import type { WireRequest, WireRoute } from '../../src/rest/wire.js';
import { clusterWith, NODE } from '../cluster/support.js';

const input = (name: string, shards: number, aliases: Record<string, object> = {}): Parameters<typeof clusterWith>[0] =>
  ({ name, settings: { number_of_shards: shards, number_of_replicas: 0 }, mappings: {}, aliases }) as never;

const route = (over: Partial<WireRoute> = {}): WireRoute => ({
  endpoint: 0,
  name: 'search',
  method: 'POST',
  path: '/{index}/_search',
  parameters: '',
  pool: 'search',
  placement: 'near',
  action: 'indices:data/read/search',
  isCancellable: true,
  outlivesClient: false,
  ...over,
});

const request = (index: string | undefined, over: Partial<WireRequest> = {}): WireRequest => ({
  endpoint: 0,
  method: 'POST',
  rawPath: '/',
  parts: index === undefined ? {} : { index },
  query: '',
  headers: { contentType: '', contentEncoding: '', accept: '', acceptEncoding: '', opaqueId: '' },
  body: undefined,
  task: 1,
  cancellation: cancellationWords(),
  subject: '',
  audit: '',
  ...over,
});

describe('what the front carries out itself', () => {
  const state = clusterWith(input('four', 4, { one: {}, both: {} }), input('five', 5, { both: {} }));
  const near = (wire: WireRequest, of = route(), from: ClusterState = state, nodeId = NODE.id): boolean =>
    isNear(from, nodeId, wire, of);

  it('is of one index with few shards, by its name or by an alias of it alone', () => {
    expect(['four', 'one'].map((name) => near(request(name)))).toEqual([true, true]);
    expect(['five', 'both', 'none', 'fo*', 'four,five', undefined].some((name) => near(request(name)))).toBe(false);
  });

  it('has a body up to a size', () => {
    const sized = (bytes: number): boolean => near(request('four', { body: new Uint8Array(bytes) }));
    expect([sized(16 * 1024), sized(16 * 1024 + 1)]).toEqual([true, false]);
  });

  it('leaves nothing behind, and has copies here', () => {
    expect(near(request('four', { query: 'scroll=1m' }))).toBe(false);
    expect(near(request('four'), route(), state, 'another node')).toBe(false);
    expect(near(request('four'), route({ placement: 'any' }))).toBe(false);
  });

  it('may be about no index, but about the node', () => {
    expect(near(request(undefined), route({ pool: 'management' }))).toBe(true);
  });
});
