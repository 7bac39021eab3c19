/** `grok`: fields from a text, by patterns with names. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { IngestDocument } from '../document/ingest-document.js';
import type { Options } from '../compile/options.js';
import { Grok, type Captured } from '../patterns/grok.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

export const grok = defineProcessor('grok', (options) => {
  const field = options.text('field');
  const patterns = options.texts('patterns');
  if (patterns.length === 0) throw options.error('patterns', 'List of patterns must not be empty');
  const definitions = grokDefinitions(options);
  const traces = options.flag('trace_match');
  const ignoreMissing = options.flag('ignore_missing');
  const capturesAll = options.flag('capture_all_matches');
  const compatibility = options.optionalText('ecs_compatibility', 'disabled');
  if (compatibility !== 'disabled') {
    throw options.error('ecs_compatibility', `unsupported mode '${compatibility}', [disabled] is supported`);
  }
  const compiled = patterns.map((pattern) => compileGrok(pattern, definitions, options));
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot process it.');
    if (text === undefined) return;
    for (const [place, each] of compiled.entries()) {
      const captured = each.captures(text);
      if (captured === undefined) continue;
      putCaptured(document, captured, capturesAll);
      if (traces) document.ingest['_grok_match_index'] = String(place);
      return;
    }
    throw illegalArgument(`Provided Grok expressions do not match field value: [${text}]`);
  };
});

export function grokDefinitions(options: Options): Readonly<Record<string, string>> {
  const given = Object.entries(options.optionalObject('pattern_definitions') ?? {});
  const definitions = given.map(([name, pattern]) => {
    if (typeof pattern === 'string') return [name, pattern] as const;
    throw options.error('pattern_definitions', `definition of [${name}] isn't a string`);
  });
  return Object.fromEntries(definitions);
}

export function compileGrok(pattern: string, definitions: Readonly<Record<string, string>>, options: Options): Grok {
  try {
    return new Grok(pattern, definitions);
  } catch (error) {
    if (!(error instanceof QuarryError)) throw error;
    throw options.error('patterns', `Invalid regex pattern found in: [${pattern}]. ${error.message}`);
  }
}

/** A field that took part more than once has its first value, or all of them. */
function putCaptured(document: IngestDocument, captured: readonly Captured[], capturesAll: boolean): void {
  const seen = new Set<string>();
  for (const { field, value } of captured) {
    if (!seen.has(field)) document.set(field, value);
    else if (capturesAll) document.append(field, value);
    seen.add(field);
  }
}
