/** Runtime fields of mappings by their types, with the sizes of their scripts, as `_cluster/stats` tells of them. */
import type { JsonObject } from '../../../base/json-value.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import type { RuntimeField } from '../../../mapping/types.js';
import { fieldsOf } from '../../../mapping/walk.js';

interface Used {
  readonly index: IndexMetadata;
  readonly name: string;
  readonly field: RuntimeField;
}

export function runtimeFieldUsage(indices: readonly IndexMetadata[]): readonly JsonObject[] {
  const byType = new Map<string, Used[]>();
  for (const index of indices) {
    for (const [name, field] of index.mapping.runtime) {
      const type = field.type ?? (field.lookup === undefined ? 'composite' : 'lookup');
      const used = byType.get(type) ?? [];
      used.push({ index, name, field });
      byType.set(type, used);
    }
  }
  return [...byType].sort(([left], [right]) => (left < right ? -1 : 1)).map(([type, used]) => renderType(type, used));
}

function renderType(type: string, used: readonly Used[]): JsonObject {
  const sources = used.flatMap(({ field: { script } }) => (script === undefined ? [] : [script.source]));
  return {
    name: type,
    count: used.length,
    index_count: new Set(used.map(({ index }) => index.name)).size,
    scriptless_count: used.length - sources.length,
    shadowed_count: used.filter(isShadowed).length,
    lang: sources.length === 0 ? [] : ['painless'],
    ...spread(
      'lines',
      sources.map((source) => source.split('\n').length),
    ),
    ...spread(
      'chars',
      sources.map((source) => source.length),
    ),
    ...spread(
      'source',
      sources.map((source) => occurrences(source, /\b_source\b/g)),
    ),
    ...spread(
      'doc',
      sources.map((source) => occurrences(source, /\bdoc\[/g)),
    ),
  };
}

/** Whether it hides an indexed field of the same name. */
function isShadowed({ index, name }: Used): boolean {
  return [...fieldsOf(index.mapping)].some(({ path }) => path === name);
}

function spread(what: string, values: readonly number[]): JsonObject {
  return {
    [`${what}_max`]: Math.max(0, ...values),
    [`${what}_total`]: values.reduce((sum, value) => sum + value, 0),
  };
}

function occurrences(source: string, pattern: RegExp): number {
  return source.match(pattern)?.length ?? 0;
}
