import { describe, expect, it } from 'vitest';
import { analysisJson } from '../../src/cluster/mapping/analysis-settings.js';

describe('analysisJson', () => {
  it('holds the components, and the limits that are set', () => {
    expect(analysisJson(new Map([['index.number_of_shards', '1']]))).toBe('{}');
    const settings = new Map([
      ['index.analysis.tokenizer.grams.type', 'ngram'],
      ['index.analysis.tokenizer.grams.max_gram', '4'],
      ['index.max_ngram_diff', '3'],
    ]);
    expect(JSON.parse(analysisJson(settings))).toEqual({
      tokenizer: { grams: { type: 'ngram', max_gram: '4' } },
      'index.max_ngram_diff': 3,
    });
  });
});
