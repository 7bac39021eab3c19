/** `PUT` and `DELETE _ingest/pipeline/{id}`. Whether a definition is right is checked before. */
import { illegalArgument, QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { effectiveClusterSettings } from '../settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../settings/cluster-settings.js';
import { indexSetting } from '../settings/index-values.js';
import { valueOf } from '../settings/registry.js';
import type { ClusterState } from '../state.js';
import { patternMatcher } from '../names/wildcard.js';
import { nextState, type Change, type ChangeEnvironment } from './change.js';

export interface PutPipelineInput {
  readonly id: string;
  readonly definition: JsonObject;
  /** Of the pipeline that is there. */
  readonly ifVersion?: number;
}

export function putPipeline(
  state: ClusterState,
  { id, definition, ifVersion }: PutPipelineInput,
  environment: ChangeEnvironment,
): Change<null> {
  const before = state.pipelines.get(id);
  if (ifVersion !== undefined) checkVersion(id, before?.definition, ifVersion, definition);
  if (before !== undefined && JSON.stringify(before.definition) === JSON.stringify(definition)) {
    return { state, result: null };
  }
  checkLimits(state, id, definition);
  const pipelines = new Map(state.pipelines).set(id, { definition: withVersion(definition, ifVersion) });
  return { state: nextState(state, { pipelines }, environment), result: null };
}

/** `id` may be a pattern; one that matches nothing is refused, but for that of all. */
export function deletePipelines(
  state: ClusterState,
  { id }: { readonly id: string },
  environment: ChangeEnvironment,
): Change<null> {
  const matches = patternMatcher(id);
  const gone = [...state.pipelines.keys()].filter(matches);
  if (gone.length === 0) {
    if (id === '*') return { state, result: null };
    throw new QuarryError('resource_not_found_exception', `pipeline [${id}] is missing`);
  }
  for (const each of gone) refuseUsed(state, each);
  const pipelines = new Map([...state.pipelines].filter(([each]) => !gone.includes(each)));
  return { state: nextState(state, { pipelines }, environment), result: null };
}

/** No document could be written to an index whose pipeline is gone. */
function refuseUsed(state: ClusterState, id: string): void {
  if (id === NO_PIPELINE) return;
  const indices = [...state.indices.values()];
  const uses = (['default', 'final'] as const).flatMap((kind) => {
    const users = indices.filter((index) => indexSetting(index, `${kind}Pipeline`) === id).map(({ name }) => name);
    const shown = users.sort().slice(0, SHOWN_INDICES).join(',');
    return users.length === 0 ? [] : [`the ${kind} pipeline for ${users.length} index(es) including [${shown}]`];
  });
  if (uses.length === 0) return;
  throw illegalArgument(`pipeline [${id}] cannot be deleted because it is ${uses.join(', and ')}`);
}

/** Indices that name it have none. */
const NO_PIPELINE = '_none';
const SHOWN_INDICES = 3;

function versionOf(definition: JsonObject | undefined): number | undefined {
  const version = definition?.['version'];
  return typeof version === 'number' ? version : undefined;
}

function checkVersion(id: string, before: JsonObject | undefined, ifVersion: number, definition: JsonObject): void {
  if (before === undefined) {
    throw illegalArgument(
      `version conflict, required version [${ifVersion}] for pipeline [${id}] but no pipeline was found`,
    );
  }
  const current = versionOf(before);
  if (current !== ifVersion) {
    throw illegalArgument(
      `version conflict, required version [${ifVersion}] for pipeline [${id}] but current version is [${current ?? 'null'}]`,
    );
  }
  const specified = versionOf(definition);
  if (specified === ifVersion) {
    throw illegalArgument(`cannot update pipeline [${id}] with the same version [${ifVersion}]`);
  }
}

/** One that is changed on condition gets the next version, unless it names its own. */
function withVersion(definition: JsonObject, ifVersion: number | undefined): JsonObject {
  if (ifVersion === undefined || versionOf(definition) !== undefined) return definition;
  return { ...definition, version: ifVersion + 1 };
}

function checkLimits(state: ClusterState, id: string, definition: JsonObject): void {
  const settings = effectiveClusterSettings(state);
  const sizeMax = valueOf(ClusterSettingDefinitions.maxPipelineSize, settings) ?? Infinity;
  const countMax = valueOf(ClusterSettingDefinitions.maxPipelines, settings) ?? Infinity;
  const totalMax = valueOf(ClusterSettingDefinitions.maxPipelineMetadata, settings) ?? Infinity;
  const size = sizeOf(definition);
  if (size > sizeMax) {
    throw illegalArgument(
      `pipeline [${id}] has [${size}] bytes, which exceeds [ingest.pipeline.max_pipeline_size] of [${sizeMax}]`,
    );
  }
  if (!state.pipelines.has(id) && state.pipelines.size >= countMax) {
    throw illegalArgument(
      `pipeline [${id}] would exceed the maximum number of pipelines, [ingest.pipeline.max_pipelines] of [${countMax}]`,
    );
  }
  let total = size;
  for (const [other, stored] of state.pipelines) if (other !== id) total += sizeOf(stored.definition);
  if (total > totalMax) {
    throw illegalArgument(
      `all pipelines together would have [${total}] bytes, which exceeds [ingest.pipeline.max_total_metadata_size] of [${totalMax}]`,
    );
  }
}

function sizeOf(definition: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(definition));
}
