/** What one index has that will not be there for ever. */
import { INDEX_FORMAT_VERSION } from '../changes/indices/new-index.js';
import { policyOf } from '../lifecycle/progress.js';
import { INDEX_SETTINGS } from '../settings/index-settings.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import { listed, warning, type Deprecation } from './entry.js';
import { settingsDeprecations } from './settings-checks.js';

/** The references have removed them: levels are those of the thresholds. */
const SLOW_LOG_LEVELS = ['index.search.slowlog.level', 'index.indexing.slowlog.level'];
const PIPELINES = ['index.default_pipeline', 'index.final_pipeline'];
const NO_PIPELINE = '_none';

export function indexDeprecations(state: ClusterState, index: IndexMetadata): readonly Deprecation[] {
  const url = `/${index.name}/_settings`;
  return [
    ...settingsDeprecations(INDEX_SETTINGS, index.settings, url),
    ...formatVersion(index),
    ...slowLogLevels(index, url),
    ...absentPolicy(state, index, url),
    ...absentPipelines(state, index, url),
  ];
}

function formatVersion({ name, settings }: IndexMetadata): readonly Deprecation[] {
  const created = Number(settings.get('index.version.created') ?? NaN);
  if (!(created < Number(INDEX_FORMAT_VERSION))) return [];
  const message = 'Index was created by an earlier version of the index format';
  const details = `It has version [${created}], new indices have [${INDEX_FORMAT_VERSION}]: reindex [${name}] before a next major version`;
  return [warning(message, `/${name}`, details)];
}

function slowLogLevels({ settings }: IndexMetadata, url: string): readonly Deprecation[] {
  const set = SLOW_LOG_LEVELS.filter((key) => settings.has(key));
  if (set.length === 0) return [];
  const details = `Remove ${listed(set)}: thresholds have levels of their own, and those that are not set log nothing`;
  return [warning('Levels of slow logs are deprecated', url, details)];
}

function absentPolicy(state: ClusterState, index: IndexMetadata, url: string): readonly Deprecation[] {
  const policy = policyOf(index);
  if (policy === undefined || state.lifecyclePolicies.has(policy)) return [];
  const details = `[index.lifecycle.name] is [${policy}], which does not exist: the index stays as it is for ever`;
  return [warning('Index names a lifecycle policy that does not exist', url, details)];
}

function absentPipelines(state: ClusterState, { settings }: IndexMetadata, url: string): readonly Deprecation[] {
  const absent = PIPELINES.filter((key) => {
    const name = settings.get(key);
    return typeof name === 'string' && name !== NO_PIPELINE && !state.pipelines.has(name);
  });
  if (absent.length === 0) return [];
  const details = `Put the pipelines of ${listed(absent)}, or remove these settings: writes to the index fail`;
  return [warning('Index names an ingest pipeline that does not exist', url, details)];
}
