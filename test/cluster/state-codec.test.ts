import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../src/cluster/state-codec.js';
import { clusterWith } from './support.js';

describe('the stored cluster state', () => {
  it('comes back as it was, even where users write what looks like our marks', () => {
    const filter = { term: { $map: 'x' } };
    const state = clusterWith({
      name: 'a',
      mappings: { _meta: { $map: [['a', 1]], $object: { $object: [] } }, properties: { x: { type: 'keyword' } } },
      aliases: { b: { filter } },
    });
    const decoded = decodeState(encodeState(state));
    expect(decoded).toEqual(state);
    expect(decoded.indices.get('a')?.mapping.meta).toEqual({ $map: [['a', 1]], $object: { $object: [] } });
  });

  it.each([
    ['not json', 'is not JSON'],
    ['[]', 'is not an object'],
    ['{"format":99,"state":{}}', 'has the unknown format [99]'],
    ['{"format":1,"state":{"version":1}}', 'lacks some of its members'],
  ])('refuses %s', (text, message) => {
    expect(() => decodeState(text)).toThrow(
      expect.objectContaining({
        type: 'corrupt_index_exception',
        message: `the stored cluster state ${message}`,
      }) as Error,
    );
  });
});
