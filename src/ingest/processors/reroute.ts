/** `reroute`: the document goes to another index or data stream, and through the pipelines of that one. */
import { illegalArgument } from '../../base/errors.js';
import type { Options } from '../compile/options.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { isObject, memberOf, printValue, type IngestValue } from '../document/values.js';
import { defineProcessor } from '../processor.js';

const PARTS = ['type', 'dataset', 'namespace'] as const;
type Part = (typeof PARTS)[number];

const PART_LENGTH_MAX = 100;
/** What stands between the parts of a name can be in none but the last. */
const FORBIDDEN: Readonly<Record<Part, RegExp>> = {
  type: /[\\/*?"<>| ,#:-]/g,
  dataset: /[\\/*?"<>| ,#:-]/g,
  namespace: /[\\/*?"<>| ,#:]/g,
};
const STREAM_NAME = /^([^-]+)-([^-]+)-(.+)$/;
const REFERENCE = /^\{\{\{?\s*([^{}]+?)\s*\}?\}\}$/;

/** A part of the name: from the first of these that has a value. */
type Source = (document: IngestDocument) => string | undefined;

export const reroute = defineProcessor('reroute', (options) => {
  const destination = options.optionalText('destination');
  const sources = PARTS.map((part) => [part, sourcesOf(options, part)] as const);
  if (destination !== undefined) {
    const both = sources.find(([, given]) => given !== undefined)?.[0];
    if (both !== undefined) throw options.error('destination', `can only be set if ${both} is not set`);
    return (document) => {
      document.reroute(destination);
    };
  }
  return (document) => {
    const index = printValue(document.find('_index'));
    const now = STREAM_NAME.exec(index)?.slice(1);
    if (now === undefined) {
      throw illegalArgument(
        `invalid data stream name: [${index}]; must follow naming scheme <type>-<dataset>-<namespace>`,
      );
    }
    const parts = sources.map(([part, given], at) => {
      const asked = given ?? [fieldSource(`data_stream.${part}`, part)];
      return [part, firstOf(asked, document) ?? now[at] ?? ''] as const;
    });
    for (const [part, value] of parts) document.set(`data_stream.${part}`, value);
    const event = document.find('event');
    const dataset = parts.find(([part]) => part === 'dataset')?.[1] ?? '';
    if (isObject(event) && memberOf(event, 'dataset') !== undefined) document.set('event.dataset', dataset);
    document.reroute(parts.map(([, value]) => value).join('-'));
  };
});

function sourcesOf(options: Options, part: Part): readonly Source[] | undefined {
  return options.optionalOneOrMoreTexts(part)?.map((text) => {
    const field = REFERENCE.exec(text)?.[1];
    if (field !== undefined) return fieldSource(field, part);
    if (clean(text, part) === text) return () => text;
    throw options.error(part, `'${text}' contains disallowed characters`);
  });
}

function fieldSource(field: string, part: Part): Source {
  return (document) => {
    const value: IngestValue = document.find(field);
    if (value === null || value === '') return undefined;
    if (typeof value === 'string') return clean(value, part);
    throw illegalArgument(`field [${field}] is no text, and cannot be part of a name`);
  };
}

function firstOf(sources: readonly Source[], document: IngestDocument): string | undefined {
  for (const source of sources) {
    const value = source(document);
    if (value !== undefined) return value;
  }
  return undefined;
}

function clean(value: string, part: Part): string {
  return value.toLowerCase().replaceAll(FORBIDDEN[part], '_').slice(0, PART_LENGTH_MAX);
}
