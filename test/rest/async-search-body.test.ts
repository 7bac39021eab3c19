import { describe, expect, it } from 'vitest';
import { Place } from '../../src/search/body/place.js';
import { owned } from '../../src/rest/search/async-search.js';

describe('the body of a search that outlives its request', () => {
  it('is its own when the memory is used again', () => {
    const bytes = Buffer.from('\n{"n":9007199254740993}');
    const parse = (): { n: number } => JSON.parse(bytes.toString()) as { n: number };
    const body = owned({ bytes, object: parse });
    bytes.fill(0);
    const [member] = Place.ofBody(body).members();
    expect(member?.[1].exactScalar()).toBe('9007199254740993');
    expect(member?.[1].error('no').details).toMatchObject({ line: 2 });
  });
});
