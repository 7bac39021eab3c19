/** `PUT {index}/_mapping`, and fields that documents brought. */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { applyDynamicUpdates } from '../../../mapping/dynamic.js';
import { mergeMapping } from '../../../mapping/merge.js';
import { parseMapping } from '../../../mapping/parse.js';
import type { Mapping, MappingContext, ReportedField } from '../../../mapping/types.js';
import { checkBlocks } from '../../blocks/blocks.js';
import { mappingContext } from '../../mapping/mapping-context.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../state.js';
import { nextState, withIndices, type Change, type ChangeEnvironment } from '../change.js';
import { findIndex } from '../find-index.js';

export interface PutMappingInput {
  readonly indices: readonly IndexId[];
  readonly mapping: JsonObject;
}

export interface AddDynamicFieldsInput {
  readonly index: IndexId;
  readonly fields: readonly ReportedField[];
}

export interface AddDynamicFieldsResult {
  readonly mappingVersion: number;
}

/** Every index takes the update, or none does. */
export function putMapping(state: ClusterState, input: PutMappingInput, environment: ChangeEnvironment): Change<null> {
  const changed = input.indices.flatMap((id) => {
    const index = findIndex(state, id);
    checkBlocks(index, 'metadata_write');
    const context = mappingContext(index.settings, environment);
    return replaced(index, mergeMapping(index.mapping, parseUpdate(input.mapping, context), context));
  });
  if (changed.length === 0) return { state, result: null };
  return { state: nextState(state, { indices: withIndices(state, changed) }, environment), result: null };
}

/** Throws what `parseMapping` does; a script that does not compile is the cause of a `mapper_parsing_exception`. */
function parseUpdate(mapping: JsonObject, context: MappingContext): Mapping {
  try {
    return parseMapping(mapping, context);
  } catch (error) {
    if (!(error instanceof QuarryError) || error.type !== 'script_exception') throw error;
    throw new QuarryError('mapper_parsing_exception', `Failed to parse mapping: ${error.message}`, { cause: error });
  }
}

export function addDynamicFields(
  state: ClusterState,
  input: AddDynamicFieldsInput,
  environment: ChangeEnvironment,
): Change<AddDynamicFieldsResult> {
  const index = findIndex(state, input.index);
  const context = mappingContext(index.settings, environment);
  const [changed] = replaced(index, applyDynamicUpdates(index.mapping, input.fields, context));
  if (changed === undefined) return { state, result: { mappingVersion: index.mappingVersion } };
  return {
    state: nextState(state, { indices: withIndices(state, [changed]) }, environment),
    result: { mappingVersion: changed.mappingVersion },
  };
}

function replaced(index: IndexMetadata, mapping: Mapping): readonly IndexMetadata[] {
  if (mapping === index.mapping) return [];
  return [{ ...index, mapping, mappingVersion: index.mappingVersion + 1, version: index.version + 1 }];
}
