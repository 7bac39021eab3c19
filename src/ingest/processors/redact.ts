/** `redact`: what patterns with names find in a text gives way to the names. */
import type { Region } from '../patterns/grok.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';
import { compileGrok, grokDefinitions } from './grok.js';

export const redact = defineProcessor('redact', (options) => {
  const field = options.text('field');
  const patterns = options.texts('patterns');
  if (patterns.length === 0) throw options.error('patterns', 'List of patterns must not be empty');
  const definitions = grokDefinitions(options);
  const prefix = options.optionalText('prefix', '<');
  const suffix = options.optionalText('suffix', '>');
  const ignoreMissing = options.flag('ignore_missing', true);
  const traces = options.flag('trace_redact');
  // There is no licence that this processor could lack.
  options.flag('skip_if_unlicensed');
  const compiled = patterns.map((pattern) => compileGrok(pattern, definitions, options));
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot process it.');
    if (text === undefined) return;
    const regions = merged(compiled.flatMap((grok) => [...grok.regions(text)]));
    if (regions.length === 0) return;
    document.set(
      field,
      replaced(text, regions, (name) => `${prefix}${name}${suffix}`),
    );
    if (traces) document.ingest['_redact'] = { _is_redacted: true };
  };
});

/** Those that overlap become one, by the name of the longest; in order. */
function merged(regions: readonly Region[]): readonly Region[] {
  const inOrder = [...regions].sort((left, right) => left.start - right.start || right.end - left.end);
  const result: Region[] = [];
  let longest = 0;
  for (const region of inOrder) {
    const last = result.at(-1);
    const length = region.end - region.start;
    if (length === 0) continue;
    if (last === undefined || region.start >= last.end) {
      result.push(region);
      longest = length;
      continue;
    }
    const field = length > longest ? region.field : last.field;
    longest = Math.max(longest, length);
    result[result.length - 1] = { field, start: last.start, end: Math.max(last.end, region.end) };
  }
  return result;
}

function replaced(text: string, regions: readonly Region[], nameOf: (field: string) => string): string {
  let result = '';
  let from = 0;
  for (const { field, start, end } of regions) {
    result += text.slice(from, start) + nameOf(field);
    from = end;
  }
  return result + text.slice(from);
}
