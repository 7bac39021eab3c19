/** What changes by query take from their bodies. */
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/base/json.js';
import type { JsonObject } from '../../../src/base/json-value.js';
import { Place, type RequestBody } from '../../../src/search/body/place.js';
import { readReindex } from '../../../src/rest/by-query/reindex-body.js';
import { splitBody } from '../../../src/rest/by-query/query-work.js';

const BIG = '9007199254740993';
const QUERY = `{ "term": { "id": ${BIG} } }`;

function bodyOf(text: string): RequestBody {
  const object = parseJson(text) as JsonObject;
  return { bytes: Buffer.from(text), object: () => object };
}

function at(search: RequestBody, ...path: readonly string[]): Place {
  let place = Place.ofBody(search);
  for (const step of path) {
    const found = place.members().find(([name]) => name === step);
    if (found === undefined) throw new Error(`no [${step}]`);
    place = found[1];
  }
  return place;
}

describe('the search of a change by query', () => {
  it('has the digits and places of the whole body, without what is no part of it', () => {
    const body = bodyOf(`{"conflicts":"proceed","script":{},\n"max_docs":1,"query":${QUERY}}`);
    const { search } = splitBody(body, ['script']);
    // The memory is used for another request meanwhile.
    body.bytes.fill(0);
    expect(Object.keys(search.object() ?? {})).toEqual(['query']);
    expect(at(search, 'query', 'term', 'id').exactScalar()).toBe(BIG);
    expect(at(search, 'query').error('no').details).toMatchObject({ line: 2, col: 22 });
  });

  it('has them when documents are copied too', () => {
    const body = bodyOf(`{"source":{"index":"a","size":5,"remote":{},"query":${QUERY}},"dest":{"index":"b"}}`);
    const { search } = readReindex(body, undefined);
    body.bytes.fill(0);
    expect(Object.keys(search.object() ?? {})).toEqual(['query']);
    expect(at(search, 'query', 'term', 'id').exactScalar()).toBe(BIG);
    expect(Place.ofBody(search).exactValue()).toEqual({ query: { term: { id: BigInt(BIG) } } });
  });
});
