/** The `index.analysis.*` settings, and the limits of its components, as the object that the native side reads. */
import { isJsonObject, type JsonObject } from '../../base/json-value.js';
import type { NativeRules } from '../changes/change.js';
import { renderNested, type FlatSettings } from '../settings/flat-settings.js';
import { IndexSettings } from '../settings/index-settings.js';
import { valueOf } from '../settings/registry.js';
import { scriptedSimilarities } from '../settings/similarity-settings.js';

const PREFIX = 'index.analysis.';
const LIMITS = [IndexSettings.maxNgramDiff, IndexSettings.maxShingleDiff];

/**
 * `{"analyzer": {...}, "filter": {...}, "index.max_ngram_diff": 4, ...}`, as JSON; `{}` when nothing is set. A limit has a
 * dotted key, as no group of the settings can have.
 */
export function analysisJson(settings: FlatSettings): string {
  const limits = LIMITS.filter(({ key }) => settings.has(key)).map((limit) => [limit.key, valueOf(limit, settings)]);
  return JSON.stringify({ ...components(settings), ...Object.fromEntries(limits) });
}

/** Throws what is wrong with analysis, and with the scripts of similarities. */
export function checkByNativeRules(settings: FlatSettings, rules: NativeRules): void {
  rules.analysis.validate(analysisJson(settings));
  scriptedSimilarities(settings).forEach((similarity) => {
    rules.scripts.checkSimilarity(similarity);
  });
}

function components(settings: FlatSettings): JsonObject {
  const own = new Map([...settings].filter(([key]) => key.startsWith(PREFIX)));
  if (own.size === 0) return {};
  const index = renderNested(own)['index'];
  const analysis = isJsonObject(index) ? index['analysis'] : undefined;
  return isJsonObject(analysis) ? analysis : {};
}
