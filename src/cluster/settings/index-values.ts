/** Values of an index's settings, typed, defaults filled in. */
import { must } from '../../base/assert.js';
import type { MappingSettings } from '../../mapping/types.js';
import type { ShardSettings } from '../../native/shard-options.js';
import type { SearchSettings } from '../../search/settings.js';
import type { MergePolicy } from '../merge-policy.js';
import { understood } from './archived-settings.js';
import { ClusterSettingDefinitions } from './cluster-settings.js';
import type { FlatSettings } from './flat-settings.js';
import { INDEX_SETTINGS, IndexSettings } from './index-settings.js';
import { indexSort } from './index-sort-settings.js';
import { valueOf, type SettingDefinition } from './registry.js';
import { similaritiesOf } from './similarity-settings.js';
import { slowFromMs } from './slow-log-settings.js';

type Definitions = typeof IndexSettings;
export type IndexSettingName = keyof Definitions;
type ValueOf<Definition> = Definition extends SettingDefinition<infer T> ? T : never;

interface WithSettings {
  readonly settings: FlatSettings;
}

/** The value that holds; undefined only for settings without a default. */
export function indexSetting<Name extends IndexSettingName>(
  index: WithSettings,
  name: Name,
): ValueOf<Definitions[Name]> | undefined {
  const definition = IndexSettings[name] as SettingDefinition<ValueOf<Definitions[Name]>>;
  return valueOf(definition, effective(index.settings));
}

const knownSettings = new WeakMap<FlatSettings, FlatSettings>();

/** Without what this version does not understand. */
function effective(settings: FlatSettings): FlatSettings {
  let known = knownSettings.get(settings);
  if (known === undefined) {
    known = understood(INDEX_SETTINGS, settings);
    knownSettings.set(settings, known);
  }
  return known;
}

type NamesOf<T> = { [Name in IndexSettingName]: ValueOf<Definitions[Name]> extends T ? Name : never }[IndexSettingName];

/** A setting that has a default. */
export function booleanSetting(index: WithSettings, name: NamesOf<boolean>): boolean {
  return must(indexSetting(index, name), `default of index setting ${name}`);
}

/** Integers, floats, milliseconds and bytes that have a default. */
export function numberSetting(index: WithSettings, name: NamesOf<number>): number {
  return must(indexSetting(index, name), `default of index setting ${name}`);
}

export function mappingSettings(index: WithSettings): MappingSettings {
  return {
    totalFieldsLimit: numberSetting(index, 'totalFieldsLimit'),
    nestedFieldsLimit: numberSetting(index, 'nestedFieldsLimit'),
    nestedObjectsLimit: numberSetting(index, 'nestedObjectsLimit'),
    depthLimit: numberSetting(index, 'depthLimit'),
    fieldNameLengthLimit: numberSetting(index, 'fieldNameLengthLimit'),
    coerce: booleanSetting(index, 'coerce'),
    ignoreMalformed: booleanSetting(index, 'ignoreMalformed'),
    unmappedQueriesAsText: booleanSetting(index, 'unmappedQueriesAsText'),
    isSorted: indexSort(effective(index.settings)).length > 0,
    similarities: similaritiesOf(index.settings),
  };
}

export function shardSettings(index: WithSettings): ShardSettings {
  const slowIndexMs = slowFromMs(index.settings, 'index');
  return {
    durability: indexSetting(index, 'translogDurability') === 'ASYNC' ? 'async' : 'request',
    flushThresholdBytes: numberSetting(index, 'translogFlushThreshold'),
    generationThresholdBytes: numberSetting(index, 'translogGenerationThreshold'),
    gcDeletesMs: numberSetting(index, 'gcDeletes'),
    codec: indexSetting(index, 'codec') ?? 'default',
    replicas: numberSetting(index, 'numberOfReplicas'),
    ...(slowIndexMs === undefined ? {} : { slowIndexMs }),
    sort: indexSort(effective(index.settings)),
  };
}

/** By the settings of the cluster and of the index. */
const knownSearchSettings = new WeakMap<FlatSettings, WeakMap<FlatSettings, SearchSettings>>();

/** `clusterSettings` are the effective ones. The same object for the same settings: each search asks for them. */
export function searchSettings(index: WithSettings, clusterSettings: FlatSettings): SearchSettings {
  let ofIndices = knownSearchSettings.get(clusterSettings);
  if (ofIndices === undefined) {
    ofIndices = new WeakMap();
    knownSearchSettings.set(clusterSettings, ofIndices);
  }
  let known = ofIndices.get(index.settings);
  if (known === undefined) {
    known = readSearchSettings(index, clusterSettings);
    ofIndices.set(index.settings, known);
  }
  return known;
}

function readSearchSettings(index: WithSettings, clusterSettings: FlatSettings): SearchSettings {
  const cluster = ClusterSettingDefinitions;
  return {
    maxResultWindow: numberSetting(index, 'maxResultWindow'),
    maxTermsCount: numberSetting(index, 'maxTermsCount'),
    maxDocvalueFields: numberSetting(index, 'maxDocvalueFields'),
    maxInnerResultWindow: numberSetting(index, 'maxInnerResultWindow'),
    maxScriptFields: numberSetting(index, 'maxScriptFields'),
    maxRegexLength: numberSetting(index, 'maxRegexLength'),
    maxRescoreWindow: numberSetting(index, 'maxRescoreWindow'),
    maxAnalyzedOffset: numberSetting(index, 'maxAnalyzedOffset'),
    maxSlicesPerScroll: numberSetting(index, 'maxSlicesPerScroll'),
    maxSlicesPerPit: numberSetting(index, 'maxSlicesPerPit'),
    defaultFields: indexSetting(index, 'defaultField') ?? ['*'],
    queryStringLenient: booleanSetting(index, 'queryStringLenient'),
    maxClauseCount: must(valueOf(cluster.maxClauseCount, clusterSettings), 'default of the clause limit'),
    maxNestedDepth: must(valueOf(cluster.maxNestedDepth, clusterSettings), 'default of the nesting limit'),
    maxBuckets: must(valueOf(cluster.maxBuckets, clusterSettings), 'default of the bucket limit'),
    requestBreakerLimit: valueOf(cluster.requestBreakerLimit, clusterSettings) ?? '60%',
    allowExpensiveQueries: valueOf(cluster.allowExpensiveQueries, clusterSettings) ?? true,
  };
}

export function mergePolicy(index: WithSettings): MergePolicy {
  return {
    floorSegmentBytes: numberSetting(index, 'mergeFloorSegment'),
    maxMergedSegmentBytes: numberSetting(index, 'mergeMaxMergedSegment'),
    segmentsPerTier: numberSetting(index, 'mergeSegmentsPerTier'),
    maxMergeAtOnce: numberSetting(index, 'mergeMaxMergeAtOnce'),
    deletesPctAllowed: numberSetting(index, 'mergeDeletesPctAllowed'),
    expungeDeletesAllowedPct: numberSetting(index, 'mergeExpungeDeletesAllowed'),
  };
}
