import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json-value.js';
import { flattenSettings, type FlatSettings } from '../../../src/cluster/settings/flat-settings.js';
import { scriptedSimilarities, similaritiesOf } from '../../../src/cluster/settings/similarity-settings.js';

function settingsOf(similarity: JsonObject): FlatSettings {
  return flattenSettings({ index: { similarity } }) as FlatSettings;
}

const own = (definition: JsonObject): unknown => similaritiesOf(settingsOf({ own: definition })).get('own');

describe('similarities of settings', () => {
  it('have the values of the API where nothing is said', () => {
    expect(own({ type: 'BM25' })).toEqual({ spec: { type: 'BM25', k1: 1.2, b: 0.75 }, discountOverlaps: true });
    expect(own({ type: 'LMDirichlet' })).toMatchObject({ spec: { mu: 2000 } });
    expect(own({ type: 'LMJelinekMercer' })).toMatchObject({ spec: { lambda: 0.1 } });
    const dfr = { type: 'DFR', basic_model: 'g', after_effect: 'l' };
    const normalization = (name: string): unknown => own({ ...dfr, normalization: name });
    expect(normalization('h1')).toMatchObject({ spec: { normalization: { type: 'h1', c: 1 } } });
    expect(normalization('h3')).toMatchObject({ spec: { normalization: { type: 'h3', c: 800 } } });
    expect(normalization('z')).toMatchObject({ spec: { normalization: { type: 'z', z: 0.3 } } });
    expect(normalization('no')).toMatchObject({ spec: { normalization: { type: 'no' } } });
  });

  it('are read from texts and numbers, nested or dotted', () => {
    expect(own({ type: 'BM25', k1: '2', b: 0.5, discount_overlaps: false })).toEqual({
      spec: { type: 'BM25', k1: 2, b: 0.5 },
      discountOverlaps: false,
    });
    const ib = { type: 'IB', distribution: 'spl', lambda: 'ttf', normalization: 'h2', 'normalization.h2.c': '3e0' };
    expect(own(ib)).toMatchObject({ spec: { lambda: 'ttf', normalization: { type: 'h2', c: 3 } } });
  });

  it('keep scripts for whoever compiles them', () => {
    const script = { source: 'return doc.freq', params: { a: '1' } };
    const settings = settingsOf({
      own: { type: 'scripted', script, weight_script: { id: 'stored' } },
      b: { type: 'boolean' },
    });
    expect(scriptedSimilarities(settings).map((text) => JSON.parse(text) as unknown)).toEqual([
      { type: 'scripted', script, weight_script: { id: 'stored' } },
    ]);
  });

  it.each<[JsonObject, string]>([
    [{ own: { k1: 1 } }, 'Similarity [own] must have an associated type'],
    [{ own: 'BM25' }, "setting [index.similarity.own] because of a missing '.'"],
    [{ own: { type: 'nope' } }, 'Unknown Similarity type [nope] for [own]'],
    [{ own: { type: 'toString' } }, 'Unknown Similarity type [toString] for [own]'],
    [{ own: { type: 'classic' } }, 'The [classic] similarity may not be used anymore.'],
    [{ BM25: { type: 'BM25' } }, 'illegal value for [index.similarity.BM25] cannot redefine built-in similarity'],
    [{ own: { type: 'BM25', k2: 1 } }, 'Unknown settings for similarity of type [BM25]: [k2] of [own]'],
    [{ own: { type: 'boolean', k1: 1 } }, 'Unknown settings for similarity of type [boolean]: [k1] of [own]'],
    [{ own: { type: 'BM25', k1: 'abc' } }, 'Failed to parse value [abc] for setting [index.similarity.own.k1]'],
    [
      { own: { type: 'BM25', k1: -1 } },
      'illegal value [-1] for setting [index.similarity.own.k1], must be a non-negative finite value',
    ],
    [{ own: { type: 'BM25', k1: '1e60' } }, 'illegal value [1e60] for setting [index.similarity.own.k1]'],
    [
      { own: { type: 'BM25', b: 3 } },
      'illegal value [3] for setting [index.similarity.own.b], must be between 0 and 1',
    ],
    [{ own: { type: 'BM25', b: [1, 2] } }, 'setting [index.similarity.own.b] must be one value, not a list'],
    [{ own: { type: 'BM25', discount_overlaps: 'x' } }, 'for setting [index.similarity.own.discount_overlaps]'],
    [{ own: { type: 'DFR' } }, 'Unsupported BasicModel [null] for setting [index.similarity.own.basic_model]'],
    [{ own: { type: 'DFR', basic_model: 'be' } }, "BasicModel [be] isn't supported anymore"],
    [{ own: { type: 'DFR', basic_model: 'g', after_effect: 'no' } }, "AfterEffect [no] isn't supported anymore"],
    [
      { own: { type: 'DFR', basic_model: 'g', after_effect: 'b', normalization: 'h9' } },
      'Unsupported Normalization [h9] for setting [index.similarity.own.normalization]',
    ],
    [
      { own: { type: 'IB', distribution: 'll', lambda: 'df', normalization: 'z', 'normalization.z.z': 0.5 } },
      'illegal value [0.5] for setting [index.similarity.own.normalization.z.z], must be in the range (0 .. 0.5)',
    ],
    [{ own: { type: 'DFI', independence_measure: 'q' } }, 'Unsupported IndependenceMeasure [q]'],
    [{ own: { type: 'IB', distribution: 'q' } }, 'Unsupported Distribution [q]'],
    [{ own: { type: 'IB', distribution: 'll', lambda: 'q' } }, 'Unsupported Lambda [q]'],
    [{ own: { type: 'LMDirichlet', mu: -1 } }, 'illegal value [-1] for setting [index.similarity.own.mu]'],
    [{ own: { type: 'LMJelinekMercer', lambda: 0 } }, 'must be in the range (0 .. 1]'],
    [{ own: { type: 'LMJelinekMercer', lambda: 1e-50 } }, 'must be in the range (0 .. 1]'],
    [{ own: { type: 'scripted' } }, 'must specify either [source] for an inline script or [id] for a stored script'],
    [{ own: { type: 'scripted', script: { source: '1', from: 'x' } } }, 'unknown field [from]'],
    [{ own: { type: 'scripted', script: { source: '1' }, k1: 3 } }, 'similarity of type [scripted]: [k1] of [own]'],
  ])('refuses %j', (similarity, reason) => {
    expect(() => similaritiesOf(settingsOf(similarity))).toThrow(reason);
  });
});
