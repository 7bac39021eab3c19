/** The `index.analysis.*` settings as the object that the native side reads. */
import { isJsonObject } from '../base/json-value.js';
import { renderNested, type FlatSettings } from './settings/flat-settings.js';

const PREFIX = 'index.analysis.';

/** `{"analyzer": {...}, "filter": {...}, ...}`, as JSON; `{}` when nothing is set. */
export function analysisJson(settings: FlatSettings): string {
  const own = new Map([...settings].filter(([key]) => key.startsWith(PREFIX)));
  if (own.size === 0) return '{}';
  const index = renderNested(own)['index'];
  return JSON.stringify(isJsonObject(index) ? index['analysis'] : {});
}
