/** `docvalue_fields`, `fields` and `stored_fields`. */
import { illegalArgument } from '../../base/errors.js';
import type { Place } from '../body/place.js';
import { readStrings, readText } from '../body/read.js';
import type { FieldAndFormatPlan } from '../plan/search-plan.js';
import type { SearchSettings } from '../settings.js';

/** Names, or objects of name and format. */
export function readFieldsAndFormats(place: Place, key: string): readonly FieldAndFormatPlan[] {
  return place.items().map((item) => {
    if (!item.isObject) return { field: readText(item) };
    let field: string | undefined;
    let format: string | undefined;
    for (const [name, value] of item.members()) {
      if (name === 'field') field = readText(value);
      else if (name === 'format') format = value.value === null ? undefined : readText(value);
      else throw value.errorWithPlace(`[${key}] unknown field [${name}]`);
    }
    if (field === undefined) throw item.errorWithPlace('Required [field]', 'illegal_argument_exception');
    // The format of the mapping is what is used without one.
    return format === undefined || format === 'use_field_mapping' ? { field } : { field, format };
  });
}

export function checkDocvalueFields(fields: readonly FieldAndFormatPlan[], settings: SearchSettings): void {
  if (fields.length <= settings.maxDocvalueFields) return;
  throw illegalArgument(
    `Trying to retrieve too many docvalue_fields. Must be less than or equal to: [${settings.maxDocvalueFields}] but ` +
      `was [${fields.length}]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting.`,
  );
}

export interface StoredFields {
  readonly names: readonly string[];
  /** Neither metadata nor source. */
  readonly none: boolean;
  /** `_source` is among them, so it is shown although stored fields are asked for. */
  readonly source: boolean;
}

export function readStoredFields(place: Place): StoredFields {
  if (!place.isArray && typeof place.value !== 'string') {
    throw place.error(`Expected [VALUE_STRING] or [START_ARRAY] in [stored_fields] but found [${place.token}]`);
  }
  return storedFields(readStrings(place));
}

export function storedFields(names: readonly string[]): StoredFields {
  const none = names.includes('_none_');
  if (none && names.length > 1) throw illegalArgument('cannot combine _none_ with other fields');
  return {
    none,
    source: names.includes('_source'),
    names: names.filter((name) => !['_none_', '_source'].includes(name)),
  };
}
