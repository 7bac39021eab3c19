/** `dot_expander`: a field with dots in its name becomes objects within objects. */
import { illegalArgument } from '../../base/errors.js';
import type { IngestDocument } from '../document/ingest-document.js';
import { isObject, memberOf, type IngestObject } from '../document/values.js';
import { defineProcessor } from '../processor.js';

export const dotExpander = defineProcessor('dot_expander', (options) => {
  const field = options.text('field');
  const path = options.optionalText('path');
  const override = options.flag('override');
  if (field !== '*') {
    if (!field.includes('.')) throw options.error('field', 'field does not contain a dot and is not a wildcard');
    if (field.startsWith('.') || field.endsWith('.') || field.includes('..')) {
      throw options.error('field', 'No space between dots, nor a dot at the start or the end, is allowed');
    }
  }
  return (document) => {
    const holder = holderOf(document, path);
    const names = field === '*' ? Object.keys(holder).filter((name) => name.includes('.')) : [field];
    for (const name of names) expand(document, holder, name, path, override);
  };
});

function holderOf(document: IngestDocument, path: string | undefined): IngestObject {
  const holder = path === undefined ? document.root : document.get(path);
  if (isObject(holder)) return holder;
  throw illegalArgument(`path [${path}] does not lead to an object`);
}

function expand(
  document: IngestDocument,
  holder: IngestObject,
  name: string,
  path: string | undefined,
  override: boolean,
): void {
  const value = memberOf(holder, name);
  if (value === undefined) return;
  const place = path === undefined ? name : `${path}.${name}`;
  Reflect.deleteProperty(holder, name);
  if (!document.has(place)) {
    checkParents(document, place, override);
    document.set(place, value);
  } else if (override) document.set(place, value);
  else document.append(place, value);
}

/** A value that is no object gives way, where that is allowed. */
function checkParents(document: IngestDocument, place: string, override: boolean): void {
  const parent = document.obstacleOf(place);
  if (parent === undefined) return;
  if (!override) {
    throw illegalArgument(`cannot expand [${place}], because [${parent}] is not an object field, but a value field`);
  }
  document.remove(parent);
}
