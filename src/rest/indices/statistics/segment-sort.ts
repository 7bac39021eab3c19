/** `sort` of the segments of a sorted index, in the words of the reference. */
import type { JsonObject } from '../../../base/json-value.js';
import { indexSort } from '../../../cluster/settings/index-sort-settings.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { findMapper } from '../../../mapping/walk.js';
import type { SortField } from '../../../native/shard-options.js';

/** Undefined where documents stay as they came. */
export function segmentSort(index: IndexMetadata): readonly JsonObject[] | undefined {
  const fields = indexSort(index.settings);
  if (fields.length === 0) return undefined;
  return fields.map((field) => {
    const mapper = findMapper(index.mapping, field.field);
    const type = mapper?.kind === 'field' ? mapper.type : 'long';
    return {
      field: field.field,
      mode: field.byGreatest ? 'max' : 'min',
      missing: missingText(type, field),
      reverse: field.descending,
    };
  });
}

/** What stands for a missing value before the direction is taken into account. */
function missingText(type: string, { descending, missingFirst }: SortField): string {
  const isGreatest = missingFirst === descending;
  switch (type) {
    case 'keyword':
    case 'ip':
    case 'version':
      return isGreatest ? 'SortField.STRING_LAST' : 'SortField.STRING_FIRST';
    case 'double':
    case 'float':
      return isGreatest ? 'Infinity' : '-Infinity';
    case 'unsigned_long':
      return isGreatest ? '18446744073709551615' : '0';
    default:
      return isGreatest ? '9223372036854775807' : '-9223372036854775808';
  }
}
