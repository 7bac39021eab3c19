import { describe, expect, it } from 'vitest';
import { compileMapping } from '../../src/mapping/compile.js';
import type { Similarity } from '../../src/mapping/similarity.js';
import type { FieldSpec, MappingSpec } from '../../src/mapping/types.js';
import { contextWith, fieldOf, mappingOf, refusalOf, updated } from './support.js';

const OWN: Similarity = { spec: { type: 'LMDirichlet', mu: 3 }, discountOverlaps: true };
const OVERLAPS: Similarity = { spec: { type: 'BM25', k1: 1, b: 0 }, discountOverlaps: false };

function compiled(
  properties: Parameters<typeof mappingOf>[0],
  similarities: ReadonlyMap<string, Similarity>,
): MappingSpec {
  const context = contextWith({ similarities });
  return compileMapping(mappingOf({ properties }, context), 1, context.settings);
}

const fieldNamed = (spec: MappingSpec, name: string): FieldSpec | undefined =>
  spec.fields.find((field) => field.name === name);

describe('the similarity of a field', () => {
  it('goes to the kernels with what its name stands for', () => {
    const properties = {
      own: { type: 'text', similarity: 'own', fields: { raw: { type: 'keyword', similarity: 'boolean' } } },
      usual: { type: 'text', similarity: 'BM25' },
      none: { type: 'text' },
      typed: { type: 'search_as_you_type', similarity: 'own' },
      flat: { type: 'flattened', similarity: 'boolean' },
      vector: { type: 'dense_vector', dims: 2, similarity: 'cosine' },
    };
    const spec = compiled(properties, new Map([['own', OWN]]));
    expect(spec).not.toHaveProperty('default_similarity');
    expect(fieldNamed(spec, 'own')).toMatchObject({ similarity: OWN.spec });
    expect(fieldNamed(spec, 'own.raw')).toMatchObject({ similarity: { type: 'boolean' } });
    expect(fieldNamed(spec, 'usual')).toMatchObject({ similarity: { type: 'BM25', k1: 1.2, b: 0.75 } });
    expect(fieldNamed(spec, 'none')).not.toHaveProperty('similarity');
    expect(fieldNamed(spec, 'typed._2gram')).toMatchObject({ similarity: OWN.spec });
    expect(fieldNamed(spec, 'flat\0keyed')).toMatchObject({ similarity: { type: 'boolean' } });
    expect(fieldNamed(spec, 'vector')).not.toHaveProperty('similarity');
  });

  it('is that of the index where there is none, lengths included', () => {
    const similarities = new Map([
      ['default', OVERLAPS],
      ['own', OWN],
    ]);
    const properties = {
      none: { type: 'text' },
      own: { type: 'text', similarity: 'own' },
      n: { type: 'text', similarity: null },
    };
    const spec = compiled(properties, similarities);
    expect(spec.default_similarity).toEqual(OVERLAPS.spec);
    expect(fieldNamed(spec, 'none')).toMatchObject({ text_length: 'tokens' });
    expect(fieldNamed(spec, 'n')).toMatchObject({ text_length: 'tokens' });
    expect(fieldNamed(spec, 'own')).not.toHaveProperty('text_length');
  });

  it('is not the classic one', () => {
    const refusal = refusalOf(() => fieldOf({ type: 'keyword', similarity: 'classic' }));
    expect(refusal).toContain('The [classic] similarity may not be used anymore.');
  });

  it('stays what it was made with', () => {
    const refusal = (from: object, to: object): string =>
      refusalOf(() => updated(fieldOf({ type: 'text', ...from }), { properties: { f: { type: 'text', ...to } } }));
    const similarity = 'boolean';
    expect(refusal({ similarity }, {})).toContain('Cannot update parameter [similarity] from [boolean] to [null]');
    expect(refusal({}, { similarity: 'BM25' })).toContain('Cannot update parameter [similarity] from [null] to [BM25]');
    updated(fieldOf({ type: 'text', similarity }), { properties: { f: { type: 'text', similarity } } });
  });
});
