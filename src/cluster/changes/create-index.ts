/** `PUT {index}` and automatic index creation. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseMapping } from '../../mapping/parse.js';
import { EMPTY_MAPPING, type Mapping } from '../../mapping/types.js';
import { aliasTable } from '../aliases.js';
import { checkAliasFilter } from '../alias-filter.js';
import { parseAliases } from '../alias-body.js';
import { reroute } from '../allocation/reroute.js';
import { unassignedRouting } from '../shard-copies.js';
import { analysisJson } from '../analysis-settings.js';
import { autoExpandedReplicas } from '../auto-expand.js';
import { resolveDateMathName } from '../date-math-name.js';
import { defaultRoutingShards } from '../document-routing.js';
import { checkAliasName, checkIndexName, invalidIndexName } from '../index-name.js';
import { mappingContext } from '../mapping-context.js';
import {
  flattenSettings,
  withIndexPrefix,
  type FlatSettings,
  type SettingsUpdate,
  type SettingValue,
} from '../settings/flat-settings.js';
import { checkIndexSettingsTogether, INDEX_SETTINGS } from '../settings/index-settings.js';
import { indexSetting, numberSetting } from '../settings/index-values.js';
import { checkSetting, scopeOf } from '../settings/registry.js';
import { checkShardLimit } from '../shard-limit.js';
import type { ClusterState, IndexId, IndexMetadata } from '../state.js';
import { nextState, withIndices, withRouting, type Change, type ChangeEnvironment } from './change.js';

export interface CreateIndexInput {
  /** May be a date math name. */
  readonly name: string;
  /** As the API got them: nested or flat, with or without `index.`. */
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  /** Values for settings that the request leaves out: `index.*` of the node's configuration. */
  readonly defaults?: FlatSettings;
  /** An index that is there already is the result instead of an error: for creation by the first document. */
  readonly ifAbsent?: boolean;
}

export interface CreateIndexResult {
  readonly index: IndexId;
  readonly created: boolean;
}

/** Kept as `index.version.created`; rises when what a new index may hold changes. */
const INDEX_FORMAT_VERSION = '1000099';

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
  checkIndexName(name);
  checkNameIsFree(state, name, existing);
  const index = newIndex(state, name, input, environment);
  checkShardLimit(state, index.numberOfShards * (1 + index.numberOfReplicas));
  const withIndex: ClusterState = { ...state, indices: withIndices(state, [index]) };
  const routing = withRouting(state, [unassignedRouting(index, 'INDEX_CREATED', environment.nowMs)]);
  const allocated = reroute({ ...withIndex, routing }, environment);
  return {
    state: nextState(state, { indices: withIndex.indices, routing: allocated }, environment),
    result: { index: { name, uuid: index.uuid }, created: true },
  };
}

function checkNameIsFree(state: ClusterState, name: string, existing: IndexMetadata | undefined): void {
  if (existing !== undefined) {
    throw new QuarryError('resource_already_exists_exception', `index [${name}/${existing.uuid}] already exists`, {
      details: { index_uuid: existing.uuid, index: name },
    });
  }
  if (aliasTable(state).has(name)) throw invalidIndexName(name, 'already exists as alias');
}

function newIndex(
  state: ClusterState,
  name: string,
  input: CreateIndexInput,
  environment: ChangeEnvironment,
): IndexMetadata {
  const uuid = environment.newUuid();
  const asked = requestedSettings(input);
  environment.analysis.validate(analysisJson(asked));
  const settings = completeSettings(state, asked, input, uuid, environment.nowMs);
  const numberOfShards = numberSetting({ settings }, 'numberOfShards');
  const mapping = parseInitialMapping(input.mappings, settings, environment);
  checkPartitionedRouting(settings, mapping, name);
  const aliases = parseAliases(input.aliases ?? {}, environment.nowMs);
  for (const [alias, metadata] of aliases) {
    checkAliasName(alias, (other) => other === name || state.indices.has(other));
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

function requestedSettings(input: CreateIndexInput): FlatSettings {
  const flat = withIndexPrefix(flattenSettings(input.settings ?? {}));
  checkRequested(flat);
  const settings = new Map<string, SettingValue>();
  for (const [key, value] of flat) if (value !== null) settings.set(key, value);
  for (const [key, value] of input.defaults ?? []) if (!settings.has(key)) settings.set(key, value);
  checkIndexSettingsTogether(settings);
  return settings;
}

function checkRequested(flat: SettingsUpdate): void {
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
  input: CreateIndexInput,
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
  settings.set('index.provided_name', input.name);
  settings.set('index.version.created', INDEX_FORMAT_VERSION);
  return settings;
}

function parseInitialMapping(
  mappings: JsonObject | undefined,
  settings: FlatSettings,
  environment: ChangeEnvironment,
): Mapping {
  if (mappings === undefined || Object.keys(mappings).length === 0) return EMPTY_MAPPING;
  try {
    return parseMapping(mappings, mappingContext(settings, environment.analysis));
  } catch (error) {
    if (!(error instanceof QuarryError) || error.type === 'internal_error') throw error;
    const rootCauses = error.type === 'mapper_parsing_exception' ? { rootCauses: [error] } : {};
    throw new QuarryError('mapper_parsing_exception', `Failed to parse mapping [_doc]: ${error.message}`, {
      cause: error,
      ...rootCauses,
    });
  }
}

/** A partitioned index spreads the documents of one routing: without one there is nothing to spread. */
function checkPartitionedRouting(settings: FlatSettings, mapping: Mapping, name: string): void {
  if (numberSetting({ settings }, 'routingPartitionSize') === 1 || mapping.routingRequired === true) return;
  throw new QuarryError(
    'illegal_argument_exception',
    `mapping type [_doc] must have routing required for partitioned index [${name}]`,
  );
}
