/** `set`: puts a value into a field, one that is written down or that of another field. */
import type { IngestDocument } from '../document/ingest-document.js';
import type { IngestValue } from '../document/values.js';
import { defineProcessor } from '../processor.js';
import { templateOption, valueTemplate } from '../templates.js';

export const set = defineProcessor('set', (options) => {
  const field = templateOption(options, 'field');
  const copyFrom = options.optionalText('copy_from');
  const given = copyFrom === undefined ? options.required('value') : undefined;
  if (copyFrom !== undefined && options.has('value')) {
    throw options.error('copy_from', 'cannot set both `copy_from` and `value` in the same processor');
  }
  const override = options.flag('override', true);
  const ignoreEmpty = options.flag('ignore_empty_value');
  checkMediaType(options.optionalText('media_type', 'application/json'), (reason) =>
    options.error('media_type', reason),
  );
  const value = given === undefined ? undefined : valueTemplate(given);
  const canBeEmpty = copyFrom !== undefined || typeof given === 'string';
  return (document) => {
    const path = field(document);
    if (!override && document.has(path) && document.find(path) !== null) return;
    const found = value === undefined ? copied(document, copyFrom ?? '', ignoreEmpty) : value(document);
    if (ignoreEmpty && canBeEmpty && (found === null || found === '')) return;
    document.set(path, found);
  };
});

const MEDIA_TYPES = ['application/json', 'text/plain', 'application/x-www-form-urlencoded'];

function checkMediaType(type: string, refuse: (reason: string) => Error): void {
  if (!MEDIA_TYPES.includes(type)) throw refuse(`property does not contain a supported media type [${type}]`);
}

function copied(document: IngestDocument, field: string, ignoreMissing: boolean): IngestValue {
  return document.copyOf(ignoreMissing ? document.find(field) : document.get(field));
}
