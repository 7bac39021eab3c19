/** A new index as a record and a table of shards without places: whatever makes one makes it here. */
import { QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { joinFieldsOf } from '../../../mapping/join.js';
import { checkMapping } from '../../../mapping/limits.js';
import { parseMapping } from '../../../mapping/parse.js';
import { EMPTY_MAPPING, type Mapping } from '../../../mapping/types.js';
import { checkAliasFilter } from '../../aliases/alias-filter.js';
import { aliasTable, checkAliases } from '../../aliases/aliases.js';
import { reroute } from '../../allocation/reroute.js';
import { checkByNativeRules } from '../../mapping/analysis-settings.js';
import { autoExpandedReplicas } from '../../copies/auto-expand.js';
import { defaultRoutingShards } from '../../document-routing.js';
import { checkAliasName, checkIndexName, invalidIndexName } from '../../names/index-name.js';
import { checkIndexSort } from '../../mapping/index-sort.js';
import { mappingContext } from '../../mapping/mapping-context.js';
import type { FlatSettings, SettingsUpdate, SettingValue } from '../../settings/flat-settings.js';
import { checkIndexSettingsTogether, INDEX_SETTINGS } from '../../settings/index-settings.js';
import { indexSetting, mappingSettings, numberSetting } from '../../settings/index-values.js';
import { checkSetting, scopeOf } from '../../settings/registry.js';
import { unassignedRouting } from '../../copies/shard-copies.js';
import { checkShardLimit } from '../../shard-limit.js';
import type { ClusterState, IndexMetadata } from '../../state.js';
import type { Composition } from '../../templates/compose.js';
import { withIndices, withRouting, type ChangeEnvironment } from '../change.js';

export interface NewIndexRequest extends Composition {
  readonly name: string;
  /** As the request spelled it: perhaps with date math. */
  readonly providedName: string;
  /** One that is parsed already, in the place of `mappings`. */
  readonly mapping?: Mapping;
  /** Values for settings that nothing else sets: `index.*` of the node's configuration. */
  readonly defaults?: FlatSettings;
}

/** Kept as `index.version.created`; rises when what a new index may hold changes. */
export const INDEX_FORMAT_VERSION = '1000099';

/** Throws what is wrong with the request; the name is free. */
export function newIndex(state: ClusterState, request: NewIndexRequest, environment: ChangeEnvironment): IndexMetadata {
  const { name, aliases } = request;
  checkIndexName(name);
  checkNameIsFree(state, name);
  const uuid = environment.newUuid();
  const asked = requestedSettings(request);
  checkByNativeRules(asked, environment);
  const settings = completeSettings(state, asked, request, uuid, environment.nowMs);
  const numberOfShards = numberSetting({ settings }, 'numberOfShards');
  const mapping = request.mapping ?? parseInitialMapping(request.mappings, settings, environment);
  checkWholeMapping(mapping, settings, name);
  checkIndexSort(settings, mapping);
  for (const [alias, metadata] of aliases) {
    checkAliasName(alias, (other) => other === name || state.indices.has(other) || state.dataStreams.has(other));
    checkAliasFilter(alias, metadata);
  }
  return {
    name,
    uuid,
    creationDateMs: environment.nowMs,
    state: 'open',
    version: 1,
    mappingVersion: 1,
    settingsVersion: 1,
    aliasesVersion: 1,
    settings,
    mapping,
    aliases,
    numberOfShards,
    numberOfReplicas: numberSetting({ settings }, 'numberOfReplicas'),
    routingNumShards: indexSetting({ settings }, 'numberOfRoutingShards') ?? defaultRoutingShards(numberOfShards),
    primaryTerms: Array.from({ length: numberOfShards }, () => 1),
    inSyncAllocationIds: Array.from({ length: numberOfShards }, () => []),
  };
}

/** The parts of the state with the index among them and places for its shards. */
export function withNewIndex(
  state: ClusterState,
  index: IndexMetadata,
  environment: ChangeEnvironment,
): Pick<ClusterState, 'indices' | 'routing'> {
  checkShardLimit(state, index.numberOfShards * (1 + index.numberOfReplicas));
  const indices = withIndices(state, [index]);
  checkAliases(state, { ...state, indices });
  const routing = withRouting(state, [unassignedRouting(index, 'INDEX_CREATED', environment.nowMs)]);
  return { indices, routing: reroute({ ...state, indices, routing }, environment) };
}

export function checkNameIsFree(state: ClusterState, name: string): void {
  const existing = state.indices.get(name);
  if (existing !== undefined) {
    throw new QuarryError('resource_already_exists_exception', `index [${name}/${existing.uuid}] already exists`, {
      details: { index_uuid: existing.uuid, index: name },
    });
  }
  if (aliasTable(state).has(name)) throw invalidIndexName(name, 'already exists as alias');
  if (state.dataStreams.has(name)) throw invalidIndexName(name, 'already exists as data stream');
}

function requestedSettings(request: NewIndexRequest): FlatSettings {
  checkRequested(request.settings);
  const settings = new Map<string, SettingValue>();
  for (const [key, value] of request.settings) if (value !== null) settings.set(key, value);
  for (const [key, value] of request.defaults ?? []) if (!settings.has(key)) settings.set(key, value);
  checkIndexSettingsTogether(settings);
  return settings;
}

/** Refuses settings that nobody may give to an index. */
export function checkRequested(flat: SettingsUpdate): void {
  for (const [key, value] of flat) checkSetting(INDEX_SETTINGS, key, value);
  const refused = [...flat.keys()].filter((key) => scopeOf(INDEX_SETTINGS, key) === 'private');
  if (refused.length === 0) return;
  const faults = refused.map((key, at) => `${at + 1}: private index setting [${key}] can not be set explicitly;`);
  throw new QuarryError('validation_exception', `Validation Failed: ${faults.join('')}`);
}

/** Adds what every index says of itself. */
function completeSettings(
  state: ClusterState,
  asked: FlatSettings,
  request: NewIndexRequest,
  uuid: string,
  nowMs: number,
): FlatSettings {
  const settings = new Map(asked);
  if (!settings.has('index.number_of_shards')) settings.set('index.number_of_shards', '1');
  if (!settings.has('index.number_of_replicas')) settings.set('index.number_of_replicas', '1');
  const expanded = autoExpandedReplicas(state, settings);
  if (expanded !== undefined) settings.set('index.number_of_replicas', String(expanded));
  settings.set('index.uuid', uuid);
  settings.set('index.creation_date', String(nowMs));
  settings.set('index.provided_name', request.providedName);
  settings.set('index.version.created', INDEX_FORMAT_VERSION);
  return settings;
}

/** Throws `mapper_parsing_exception` with the place of what is wrong. */
export function parseInitialMapping(
  mappings: JsonObject,
  settings: FlatSettings,
  environment: ChangeEnvironment,
): Mapping {
  if (Object.keys(mappings).length === 0) return EMPTY_MAPPING;
  try {
    return parseMapping(mappings, mappingContext(settings, environment));
  } catch (error) {
    if (!(error instanceof QuarryError) || error.type === 'internal_error') throw error;
    const rootCauses = error.type === 'mapper_parsing_exception' ? { rootCauses: [error] } : {};
    throw new QuarryError('mapper_parsing_exception', `Failed to parse mapping [_doc]: ${error.message}`, {
      cause: error,
      ...rootCauses,
    });
  }
}

/** What only a mapping with all its parts can be asked for. */
export function checkWholeMapping(mapping: Mapping, settings: FlatSettings, name: string): void {
  checkMapping(mapping, mappingSettings({ settings }));
  checkPartitionedRouting(settings, mapping, name);
}

/** A partitioned index spreads the documents of one routing: without one there is nothing to spread. */
function checkPartitionedRouting(settings: FlatSettings, mapping: Mapping, name: string): void {
  if (numberSetting({ settings }, 'routingPartitionSize') === 1) return;
  const [join] = joinFieldsOf(mapping);
  if (join !== undefined) {
    const reason = `cannot create join field [${join}] for the partitioned index [${name}]`;
    throw new QuarryError('illegal_argument_exception', reason);
  }
  if (mapping.routingRequired === true) return;
  throw new QuarryError(
    'illegal_argument_exception',
    `mapping type [_doc] must have routing required for partitioned index [${name}]`,
  );
}
