/** `terms`: any of several exact values. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonScalar } from '../../../base/json-value.js';
import type { Place } from '../../body/place.js';
import { readBoolean, readScalar, readText } from '../../body/read.js';
import type { SearchSettings } from '../../settings.js';
import type { TermsLookupPlan, TermsPlan } from '../../plan/query-plan.js';
import { CommonOptions, type Draft, type QueryParser } from '../query-parser.js';

const NAME = 'terms';

/** Also one of `terms_set`. */
export function readTerm(place: Place): JsonScalar {
  if (place.value === null) throw place.error('No value specified for terms query');
  return readScalar(place);
}

function readValues(place: Place, settings: SearchSettings): readonly JsonScalar[] {
  const values = place.items().map(readTerm);
  checkTermsCount(values.length, settings);
  return values;
}

/** Also of terms that were fetched from a document. */
export function checkTermsCount(count: number, { maxTermsCount }: SearchSettings): void {
  if (count <= maxTermsCount) return;
  throw illegalArgument(
    `The number of terms [${count}] used in the Terms Query request has exceeded the allowed maximum of ` +
      `[${maxTermsCount}]. This maximum can be set by changing the [index.max_terms_count] index level setting.`,
  );
}

/** The document whose field holds the terms. */
function readLookup(place: Place): TermsLookupPlan {
  const draft: Draft<TermsLookupPlan> = {};
  for (const [name, value] of place.members()) {
    if (name === 'index') draft.index = readText(value);
    else if (name === 'id') draft.id = readText(value);
    else if (name === 'path') draft.path = readText(value);
    else if (name === 'routing') draft.routing = readText(value);
    // Stored fields are read from the source all the same.
    else if (name === 'store') void readBoolean(value);
    else throw value.errorWithPlace(`[terms_lookup] unknown field [${name}]`);
  }
  const { index, id, path } = draft;
  if (index === undefined || id === undefined || path === undefined) {
    const missing = Object.entries({ index, id, path }).flatMap(([name, value]) => (value === undefined ? [name] : []));
    throw place.error(`Required [${missing.join(', ')}]`, 'illegal_argument_exception');
  }
  return { ...draft, index, id, path };
}

/** What a list of terms, or the field of a document, holds: the terms themselves, or a bitmap of numbers. */
type ValueType = 'default' | 'bitmap';

function readValueType(place: Place): ValueType {
  const text = readText(place);
  const type = text.toLowerCase();
  if (type === 'default' || type === 'bitmap') return type;
  throw illegalArgument(`${text} is not valid value_type`);
}

/** The one value is the bitmap. A lookup finds out about its own when it is carried out. */
function withBitmap(plan: TermsPlan): TermsPlan {
  if (plan.lookup !== undefined) return { ...plan, lookup: { ...plan.lookup, is_bitmap: true } };
  return { ...plan, ...bitmapOf(plan.values) };
}

/** Also of what was fetched from a document. */
export function bitmapOf(found: readonly JsonScalar[]): { readonly values: readonly []; readonly bitmap: string } {
  const [bitmap] = found;
  if (found.length === 1 && typeof bitmap === 'string') return { values: [], bitmap };
  throw illegalArgument(
    'Invalid value for bitmap type: Expected a single-element array with a base64 encoded serialized bitmap.',
  );
}

export const termsQuery: QueryParser = {
  name: NAME,
  parse(place, context) {
    const common = new CommonOptions(NAME);
    const commonReaders = common.readers;
    let found: TermsPlan | undefined;
    let valueType: ValueType = 'default';
    for (const [name, value] of place.members()) {
      if (Object.hasOwn(commonReaders, name)) commonReaders[name]?.(value);
      else if (name === 'value_type' && !value.isArray && !value.isObject) valueType = readValueType(value);
      else if (found !== undefined) throw value.error(`[${NAME}] query does not support multiple fields`);
      else if (value.isArray) found = { field: name, values: readValues(value, context.settings) };
      else if (value.isObject) found = { field: name, values: [], lookup: readLookup(value) };
      else throw value.error(`[${NAME}] query does not support [${name}]`);
    }
    if (found === undefined) {
      throw place.error(
        `[${NAME}] query requires a field name, followed by array of terms or a document lookup specification`,
      );
    }
    const plan = valueType === 'bitmap' ? withBitmap(found) : found;
    return common.named({ terms: { ...plan, ...common.boosted } });
  },
};
