/** `_shrink`, `_split` and `_clone`: a new index whose shards will be made of the files of another one's. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { parseAliases } from '../../aliases/alias-body.js';
import { activeBlocks, isBlocked } from '../../blocks/blocks.js';
import { resolveDateMathName } from '../../names/date-math-name.js';
import { defaultRoutingShards } from '../../document-routing.js';
import { checkIndexName } from '../../names/index-name.js';
import { checkShardNumbers, type ResizeKind } from '../../resize.js';
import { understood } from '../../settings/archived-settings.js';
import {
  flattenSettings,
  withIndexPrefix,
  type FlatSettings,
  type SettingValue,
} from '../../settings/flat-settings.js';
import { INDEX_SETTINGS } from '../../settings/index-settings.js';
import { indexSetting, numberSetting } from '../../settings/index-values.js';
import { scopeOf } from '../../settings/registry.js';
import { isActive } from '../../copies/shard-copies.js';
import { isMounted } from '../../snapshots/mounted.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../state.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { findIndex } from '../find-index.js';
import { checkNameIsFree, checkRequested, newIndex, withNewIndex } from './new-index.js';

export interface ResizeIndexInput {
  readonly kind: ResizeKind;
  readonly source: IndexId;
  /** May be a date math name. */
  readonly target: string;
  /** As the API got them; the number of shards is among them unless it is to be the usual one. */
  readonly settings: JsonObject;
  readonly aliases: JsonObject;
}

export interface ResizeIndexResult {
  readonly index: IndexId;
}

export function resizeIndex(
  state: ClusterState,
  input: ResizeIndexInput,
  environment: ChangeEnvironment,
): Change<ResizeIndexResult> {
  const name = resolveDateMathName(input.target, environment.nowMs);
  const source = findIndex(state, input.source);
  const asked = withIndexPrefix(flattenSettings(input.settings));
  checkRequested(asked);
  const numberOfShards = shardsAsked(input.kind, source, asked);
  checkShardNumbers(input.kind, source, numberOfShards);
  refuseSettings(input.kind, source, asked);
  checkIndexName(name);
  checkNameIsFree(state, name);
  checkSource(state, source);
  const nodeIds = input.kind === 'shrink' ? nodesToShrinkOn(state, source) : [];
  const settings = settingsOfTarget(source, asked, numberOfShards);
  const index = newIndex(
    state,
    {
      name,
      providedName: input.target,
      settings,
      mappings: {},
      mapping: source.mapping,
      aliases: parseAliases(input.aliases, environment.nowMs),
    },
    environment,
  );
  checkTargetBlocks(index);
  const resized = asResized(index, source, nodeIds);
  return {
    state: nextState(state, withNewIndex(state, resized, environment), environment),
    result: { index: { name, uuid: resized.uuid } },
  };
}

function shardsAsked(kind: ResizeKind, source: IndexMetadata, asked: ReadonlyMap<string, SettingValue | null>): number {
  const value = asked.get('index.number_of_shards') ?? undefined;
  if (value !== undefined)
    return numberSetting({ settings: new Map([['index.number_of_shards', value]]) }, 'numberOfShards');
  return kind === 'shrink' ? 1 : source.numberOfShards;
}

/** What follows from the source and is not for the request to say. */
function refuseSettings(
  kind: ResizeKind,
  source: IndexMetadata,
  asked: ReadonlyMap<string, SettingValue | null>,
): void {
  if (asked.has('index.routing_partition_size')) {
    throw illegalArgument('cannot provide a routing partition size value when resizing an index');
  }
  const isFreeSplit = kind === 'split' && source.numberOfShards === 1;
  if (asked.has('index.number_of_routing_shards') && !isFreeSplit) {
    throw illegalArgument('cannot provide index.number_of_routing_shards on resize');
  }
}

function checkSource(state: ClusterState, source: IndexMetadata): void {
  const stream = [...state.dataStreams.values()].find(({ indices }) => indices.at(-1)?.name === source.name);
  if (stream !== undefined) {
    throw illegalArgument(`cannot resize the write index [${source.name}] for data stream [${stream.name}]`);
  }
  if (source.state === 'close') {
    throw new QuarryError('index_closed_exception', 'closed', {
      details: { index_uuid: source.uuid, index: source.name },
    });
  }
  if (isMounted(source)) throw illegalArgument(`cannot resize the searchable snapshot index [${source.name}]`);
  if (isBlocked(source, 'write')) return;
  throw new QuarryError(
    'illegal_state_exception',
    `index ${source.name} must be read-only to resize index. use "index.blocks.write=true"`,
  );
}

/** Shards of a target that is blocked for metadata could not be allocated, and nobody could delete it. */
function checkTargetBlocks(target: IndexMetadata): void {
  const block = activeBlocks(target).find(({ setting }) => setting === 'readOnly' || setting === 'blockMetadata');
  if (block === undefined) return;
  throw illegalArgument(
    `target index [${target.name}] will be blocked by [index.blocks.${block.key}=true]: set it to null or false`,
  );
}

/** Those with a copy of each shard: segments of several shards become one only where all of them are. */
function nodesToShrinkOn(state: ClusterState, source: IndexMetadata): readonly string[] {
  if (source.numberOfShards === 1) throw illegalArgument("can't shrink an index with only one shard");
  const shards = state.routing.get(source.name)?.shards ?? [];
  const nodeIds = [...state.nodes.keys()].filter((nodeId) =>
    shards.every((copies) => copies.some((copy) => copy.nodeId === nodeId && isActive(copy))),
  );
  if (nodeIds.length > 0) return nodeIds;
  throw new QuarryError(
    'illegal_state_exception',
    `index ${source.name} must have all shards allocated on the same node to shrink index`,
  );
}

/** Those of the source hold on, unless the request says otherwise; null takes one away. */
function settingsOfTarget(
  source: IndexMetadata,
  asked: ReadonlyMap<string, SettingValue | null>,
  numberOfShards: number,
): FlatSettings {
  const settings = new Map<string, SettingValue>();
  for (const [key, value] of understood(INDEX_SETTINGS, source.settings)) {
    const scope = scopeOf(INDEX_SETTINGS, key);
    if (scope !== undefined && scope !== 'private' && !asked.has(key)) settings.set(key, value);
  }
  for (const [key, value] of asked) if (value !== null) settings.set(key, value);
  settings.set('index.number_of_shards', String(numberOfShards));
  return settings;
}

function asResized(index: IndexMetadata, source: IndexMetadata, nodeIds: readonly string[]): IndexMetadata {
  const settings = new Map(index.settings);
  settings.set('index.resize.source.name', source.name);
  settings.set('index.resize.source.uuid', source.uuid);
  // What older documents may be is what it was.
  const created = source.settings.get('index.version.created');
  if (created !== undefined) settings.set('index.version.created', created);
  if (nodeIds.length > 0) settings.set('index.routing.allocation.initial_recovery._id', nodeIds.join(','));
  const { numberOfShards } = index;
  const newestTerm = Math.max(...source.primaryTerms);
  return {
    ...index,
    settings,
    routingNumShards:
      source.numberOfShards === 1
        ? (indexSetting(index, 'numberOfRoutingShards') ?? defaultRoutingShards(numberOfShards))
        : source.routingNumShards,
    // Documents keep the terms in which they were written.
    primaryTerms: index.primaryTerms.map(() => newestTerm),
  };
}
