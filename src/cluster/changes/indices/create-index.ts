/** `PUT {index}` and automatic index creation. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { parseAliases } from '../../aliases/alias-body.js';
import { resolveDateMathName } from '../../names/date-math-name.js';
import { flattenSettings, withIndexPrefix, type FlatSettings } from '../../settings/flat-settings.js';
import type { ClusterState, IndexId } from '../../state.js';
import { composeFor, matchingIndexTemplate } from '../../templates/compose.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { newIndex, withNewIndex } from './new-index.js';

export interface CreateIndexInput {
  /** May be a date math name. */
  readonly name: string;
  /** As the API got them: nested or flat, with or without `index.`. Templates add to all three. */
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  /** Values for settings that the request and templates leave out: `index.*` of the node's configuration. */
  readonly defaults?: FlatSettings;
  /** An index that is there already is the result instead of an error: for creation by the first document. */
  readonly ifAbsent?: boolean;
}

export interface CreateIndexResult {
  readonly index: IndexId;
  readonly created: boolean;
}

export function createIndex(
  state: ClusterState,
  input: CreateIndexInput,
  environment: ChangeEnvironment,
): Change<CreateIndexResult> {
  const name = resolveDateMathName(input.name, environment.nowMs);
  const existing = state.indices.get(name);
  if (existing !== undefined && input.ifAbsent === true) {
    return { state, result: { index: { name, uuid: existing.uuid }, created: false } };
  }
  const request = {
    settings: withIndexPrefix(flattenSettings(input.settings ?? {})),
    ...(input.mappings === undefined ? {} : { mappings: input.mappings }),
    aliases: parseAliases(input.aliases ?? {}, environment.nowMs),
  };
  refuseDataStreamName(state, name, request.settings.get('index.hidden') === 'true');
  const composed = composeFor(state, name, request);
  const defaults = input.defaults === undefined ? {} : { defaults: input.defaults };
  const index = newIndex(state, { ...composed, name, providedName: input.name, ...defaults }, environment);
  return {
    state: nextState(state, withNewIndex(state, index, environment), environment),
    result: { index: { name, uuid: index.uuid }, created: true },
  };
}

function refuseDataStreamName(state: ClusterState, name: string, isHidden: boolean): void {
  const matching = matchingIndexTemplate(state, name, isHidden);
  if (matching?.template.dataStream === undefined) return;
  throw illegalArgument(
    `cannot create index with name [${name}], because it matches with template [${matching.name}] that creates data ` +
      'streams only, use create data stream api instead',
  );
}
