import { describe, expect, it } from 'vitest';
import { slowLevel } from '../../../src/cluster/settings/slow-log-settings.js';

const PREFIX = 'index.search.slowlog.threshold';

describe('slow searches', () => {
  it('are told at the most severe level whose time they took', () => {
    const settings = new Map([
      [`${PREFIX}.query.warn`, '10s'],
      [`${PREFIX}.query.debug`, '500ms'],
      [`${PREFIX}.query.trace`, '0'],
      [`${PREFIX}.fetch.info`, '1s'],
    ]);
    const levels = [10_000, 9_999, 500, 499].map((timeMs) => slowLevel(settings, 'query', timeMs));
    expect(levels).toEqual(['warn', 'debug', 'debug', 'trace']);
    expect([slowLevel(settings, 'fetch', 999), slowLevel(settings, 'fetch', 1_000)]).toEqual([undefined, 'info']);
    expect(slowLevel(new Map([[`${PREFIX}.query.warn`, '-1']]), 'query', 1e9)).toBeUndefined();
  });
});
