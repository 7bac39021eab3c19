/** What the template of a data stream gives its backing indices, and the stream itself. */
import { illegalArgument } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import type { AliasMetadata, ClusterState, DataStream } from '../state.js';
import {
  compose,
  contentsOf,
  matchingIndexTemplate,
  withNames,
  type Composition,
  type Named,
  type Templates,
} from '../templates/compose.js';
import type { IndexTemplate } from '../templates/types.js';
import { checkStreamAlias, TIMESTAMP_FIELD } from './data-streams.js';

/** The template that makes data streams of this name. */
export function streamTemplate(state: ClusterState, name: string): Named<IndexTemplate> {
  const matching = matchingIndexTemplate(state, name, false);
  if (matching === undefined) throw illegalArgument(`no matching index template found for data stream [${name}]`);
  if (matching.template.dataStream !== undefined) return matching;
  throw illegalArgument(
    `matching index template [${matching.name}] for data stream [${name}] has no data stream template`,
  );
}

const DEFAULT_MAPPING: JsonObject = { properties: { [TIMESTAMP_FIELD]: { type: 'date' } } };

/** What the next backing index gets: from the template, then from what was said of the stream itself. */
export function composeBackingIndex(
  templates: Templates,
  template: IndexTemplate,
  stream: Pick<DataStream, 'settings' | 'mappings'>,
): Composition {
  const own = {
    ...(stream.settings === undefined ? {} : { settings: stream.settings }),
    ...(stream.mappings === undefined ? {} : { mappings: stream.mappings }),
  };
  const hidden = { settings: new Map([['index.hidden', 'true']]) };
  const contents = [{ mappings: DEFAULT_MAPPING }, ...contentsOf(templates, template), own, hidden];
  return { ...compose(contents, 'replace'), aliases: new Map() };
}

/** What the template says of aliases is of the stream, not of its indices. */
export function streamAliases(
  templates: Templates,
  template: IndexTemplate,
  name: string,
): ReadonlyMap<string, AliasMetadata> {
  const { aliases } = withNames(compose(contentsOf(templates, template), 'replace'), name, undefined);
  for (const metadata of aliases.values()) checkStreamAlias(metadata);
  return aliases;
}
