/** What an index's documents are sorted by, held against its mapping. */
import { illegalArgument } from '../../base/errors.js';
import { compileMapping } from '../../mapping/compile.js';
import type { FieldSpec, Mapping } from '../../mapping/types.js';
import type { FlatSettings } from '../settings/flat-settings.js';
import { indexSort } from '../settings/index-sort-settings.js';
import { mappingSettings } from '../settings/index-values.js';

/** Types that are sorted by as they are stored. */
const SORTABLE: ReadonlySet<string> = new Set([
  'boolean',
  'byte',
  'date',
  'date_nanos',
  'double',
  'float',
  'integer',
  'ip',
  'keyword',
  'long',
  'short',
  'unsigned_long',
  'version',
]);

/** Special cases of others that are sorted by as those are. */
const SORTABLE_CASES: ReadonlySet<string> = new Set(['murmur3', 'token_count']);

/** Throws for a field that the new index could not be sorted by: segments are sorted from the first one on. */
export function checkIndexSort(settings: FlatSettings, mapping: Mapping): void {
  const sort = indexSort(settings);
  if (sort.length === 0) return;
  const { fields, aliases } = compileMapping(mapping, 0, mappingSettings({ settings }));
  for (const { field } of sort) {
    if (aliases.some(({ name }) => name === field)) {
      throw illegalArgument(`Cannot use alias [${field}] as an index sort field`);
    }
    const found = fields.find(({ name }) => name === field);
    if (found === undefined) throw illegalArgument(`unknown index sort field:[${field}]`);
    if (!found.doc_values) throw illegalArgument(`docvalues not found for index sort field:[${field}]`);
    if (!isSortable(found)) throw illegalArgument(`invalid index sort field:[${field}]`);
  }
}

function isSortable({ type, declared_type }: FieldSpec): boolean {
  return declared_type === null ? SORTABLE.has(type) : SORTABLE_CASES.has(declared_type);
}
