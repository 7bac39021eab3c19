/** Which parts of analyzers indices define, and which they use without a definition, as `_cluster/stats` counts them. */
import type { JsonObject } from '../../../base/json-value.js';
import type { IndexMetadata } from '../../../cluster/state.js';
import { fieldsOf } from '../../../mapping/walk.js';
import { Uses } from './uses.js';

const KINDS = ['char_filter', 'tokenizer', 'filter', 'analyzer'] as const;
type Kind = (typeof KINDS)[number];

const DEFINITION = /^index\.analysis\.(char_filter|tokenizer|filter|analyzer)\.([^.]+)\.type$/;
/** Of an analyzer or a normalizer: a name, or a list of them. */
const PARTS = /^index\.analysis\.(?:analyzer|normalizer)\.[^.]+\.(char_filter|tokenizer|filter)$/;
const SYNONYM_TYPES: ReadonlySet<string> = new Set(['synonym', 'synonym_graph']);

export function analysisUsage(indices: readonly IndexMetadata[]): JsonObject {
  const defined = usesByKind();
  const builtIn = usesByKind();
  const synonyms = new Uses();
  for (const index of indices) {
    for (const [key, value] of index.settings) {
      const [, kind] = DEFINITION.exec(key) ?? [];
      if (kind !== undefined) defined[kind as Kind].add(String(value), index.name);
      if (kind === 'filter' && SYNONYM_TYPES.has(String(value))) synonyms.add('inline', index.name);
      const [, part] = PARTS.exec(key) ?? [];
      if (part !== undefined) addUndefined(builtIn[part as Kind], part as Kind, [value].flat().map(String), index);
    }
    for (const { field } of fieldsOf(index.mapping)) {
      const analyzer = field.parameters['analyzer'];
      if (typeof analyzer === 'string') addUndefined(builtIn.analyzer, 'analyzer', [analyzer], index);
    }
  }
  return {
    char_filter_types: defined.char_filter.render(),
    tokenizer_types: defined.tokenizer.render(),
    filter_types: defined.filter.render(),
    analyzer_types: defined.analyzer.render(),
    built_in_char_filters: builtIn.char_filter.render(),
    built_in_tokenizers: builtIn.tokenizer.render(),
    built_in_filters: builtIn.filter.render(),
    built_in_analyzers: builtIn.analyzer.render(),
    synonyms: Object.fromEntries(
      synonyms.render().map(({ name, count, index_count }) => [name, { count, index_count }]),
    ),
  };
}

function usesByKind(): Record<Kind, Uses> {
  return Object.fromEntries(KINDS.map((kind) => [kind, new Uses()])) as Record<Kind, Uses>;
}

function addUndefined(uses: Uses, kind: Kind, names: readonly string[], index: IndexMetadata): void {
  for (const name of names) {
    const prefix = `index.analysis.${kind}.${name}.`;
    if (![...index.settings.keys()].some((key) => key.startsWith(prefix))) uses.add(name, index.name);
  }
}
