/** `fields`: names or patterns, each perhaps with a weight, as in `title^2`. */
import { illegalArgument } from '../../../base/errors.js';
import type { Place } from '../../body/place.js';
import { readText } from '../../body/read.js';
import type { WeightedField } from '../../plan/query-plan.js';

export function readWeightedFields(place: Place, query: string): readonly WeightedField[] {
  return place.items().map((item) => {
    if (item.value === null) throw item.error(`[${query}] field name in [fields] cannot be null`);
    return parseWeightedField(readText(item));
  });
}

export function parseWeightedField(text: string): WeightedField {
  const caret = text.indexOf('^');
  if (caret === -1) return { field: text };
  const weight = text.slice(caret + 1);
  const boost = weight.trim() === '' ? NaN : Number(weight);
  if (Number.isNaN(boost)) throw illegalArgument(`For input string: "${weight}"`);
  if (boost < 0) throw illegalArgument(`negative [boost] are not allowed in [${text}], use a value between 0 and 1`);
  return { field: text.slice(0, caret), boost };
}

/** The fields of a query that names none: those of the index's settings. All fields can only be searched leniently. */
export function defaultFields(settings: { readonly defaultFields: readonly string[] }): {
  readonly fields: readonly WeightedField[];
  readonly isAll: boolean;
} {
  return { fields: settings.defaultFields.map(parseWeightedField), isAll: settings.defaultFields.includes('*') };
}
