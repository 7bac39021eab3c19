/** Fields of documents as processors take them: of one type, or missing where that is allowed. */
import { illegalArgument } from '../../base/errors.js';
import { castError, type IngestDocument } from '../document/ingest-document.js';
import { typeName, type IngestValue } from '../document/values.js';

/** Null for a field that is missing or null and may be; throws where it may not. */
export function valueAt(document: IngestDocument, field: string, ignoreMissing: boolean): IngestValue {
  if (ignoreMissing) return document.find(field);
  return document.get(field);
}

/** `what` ends the sentence `field [x] is null, ..` */
export function textField(
  document: IngestDocument,
  field: string,
  ignoreMissing: boolean,
  what: string,
): string | undefined {
  const value = valueAt(document, field, ignoreMissing);
  if (value === null) {
    if (ignoreMissing) return undefined;
    throw illegalArgument(`field [${field}] is null, ${what}`);
  }
  if (typeof value === 'string') return value;
  throw castError(field, value, 'java.lang.String');
}

export function listField(document: IngestDocument, field: string, what: string): IngestValue[] {
  const value = document.get(field);
  if (value === null) throw illegalArgument(`field [${field}] is null, ${what}`);
  if (Array.isArray(value)) return value;
  throw castError(field, value, 'java.util.List');
}

/** A text, or each one of a list. */
export function changeTexts(field: string, value: IngestValue, change: (text: string) => IngestValue): IngestValue {
  if (typeof value === 'string') return change(value);
  if (!Array.isArray(value)) throw castError(field, value, 'java.lang.String');
  return value.map((item) => {
    if (typeof item === 'string') return change(item);
    const found = `value [${JSON.stringify(item)}] of type [${typeName(item)}]`;
    throw illegalArgument(`${found} in list field [${field}] cannot be cast to [java.lang.String]`);
  });
}
