/** `script`: changes the document as a script says. */
import type { JsonValue } from '../../base/json-value.js';
import { defineProcessor } from '../processor.js';

export const script = defineProcessor('script', (options, { scripts }) => {
  const given: Record<string, JsonValue> = {};
  for (const name of ['lang', 'source', 'inline', 'id', 'params']) {
    const value = options.take(name);
    if (value !== undefined) given[name] = value;
  }
  const run = scripts.compile(given, 'ingest');
  return (document) => {
    run(document);
  };
});
