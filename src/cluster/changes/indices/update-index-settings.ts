/** `PUT {index}/_settings`: which settings may change when, and what follows from a change. */
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { reroute } from '../../allocation/reroute.js';
import { similarityNamed, similarityNameOf } from '../../../mapping/similarity.js';
import type { Mapping } from '../../../mapping/types.js';
import { mapperParsing } from '../../../mapping/values.js';
import { fieldsOf } from '../../../mapping/walk.js';
import { analysisJson, checkByNativeRules } from '../../mapping/analysis-settings.js';
import { autoExpandedReplicas } from '../../copies/auto-expand.js';
import { checkBlocks, isBlockSetting } from '../../blocks/blocks.js';
import { ARCHIVED, keysNamed } from '../../settings/archived-settings.js';
import {
  flattenSettings,
  withIndexPrefix,
  type FlatSettings,
  type SettingsUpdate,
  type SettingValue,
} from '../../settings/flat-settings.js';
import { checkIndexSettingsTogether, INDEX_SETTINGS } from '../../settings/index-settings.js';
import { numberSetting } from '../../settings/index-values.js';
import { checkSetting, scopeOf } from '../../settings/registry.js';
import { checkMountedUpdate } from '../../snapshots/mounts.js';
import { similaritiesOf } from '../../settings/similarity-settings.js';
import { checkShardLimit } from '../../shard-limit.js';
import type { ClusterState, IndexId, IndexMetadata } from '../../state.js';
import { StateDraft } from '../../state-draft.js';
import { isPattern, patternMatcher } from '../../names/wildcard.js';
import { nextState, type Change, type ChangeEnvironment } from '../change.js';
import { findIndex } from '../find-index.js';
import { putReplicas } from './replica-count.js';

export interface UpdateIndexSettingsInput {
  readonly indices: readonly IndexId[];
  /** As the API got them; `null` removes a setting, also by pattern. */
  readonly settings: JsonObject;
  /** Settings that are set already keep their values. */
  readonly preserveExisting?: boolean;
}

export function updateIndexSettings(
  state: ClusterState,
  input: UpdateIndexSettingsInput,
  environment: ChangeEnvironment,
): Change<null> {
  const { update, archived } = withoutArchived(withIndexPrefix(flattenSettings(input.settings)));
  const targets = input.indices.map((id) => findIndex(state, id));
  checkUpdate(update, targets);
  const preserve = input.preserveExisting === true;
  const changed: IndexMetadata[] = [];
  for (const index of targets) {
    if (archived.length > 0 || ![...update.keys()].every(isBlockSetting)) checkBlocks(index, 'metadata_write');
    const kept = withoutNamed(index, archived);
    const settings = settingsAfter(state, kept, update, preserve);
    checkMountedUpdate(index, settings);
    if (!sameSettings(settings, index.settings)) changed.push(withSettings(index, settings, environment));
  }
  if (changed.length === 0) return { state, result: null };
  return { state: applied(state, changed, environment), result: null };
}

interface SplitUpdate {
  readonly update: SettingsUpdate;
  /** Names and patterns of settings that nobody understands any more; they can only be removed. */
  readonly archived: readonly string[];
}

function withoutArchived(update: SettingsUpdate): SplitUpdate {
  const archived = [...update].filter(([key, value]) => key.startsWith(ARCHIVED) && value === null);
  return {
    update: new Map([...update].filter(([key, value]) => !key.startsWith(ARCHIVED) || value !== null)),
    archived: archived.map(([key]) => key),
  };
}

function withoutNamed(index: IndexMetadata, names: readonly string[]): IndexMetadata {
  if (names.length === 0) return index;
  const settings = new Map(index.settings);
  for (const name of names) {
    const matches = patternMatcher(name);
    const isNamed = (shown: string): boolean => shown.startsWith(ARCHIVED) && matches(shown);
    for (const key of keysNamed(INDEX_SETTINGS, index.settings, isNamed)) settings.delete(key);
  }
  return { ...index, settings };
}

function checkUpdate(update: SettingsUpdate, targets: readonly IndexMetadata[]): void {
  for (const [key, value] of update) {
    if (!isPattern(key)) checkSetting(INDEX_SETTINGS, key, value);
  }
  const fixed = [...update.keys()]
    .filter((key) => !isPattern(key) && scopeOf(INDEX_SETTINGS, key) !== 'dynamic')
    .sort();
  const open = targets.filter((index) => index.state === 'open');
  if (fixed.length > 0 && open.length > 0) {
    const names = open.map(({ name, uuid }) => `[${name}/${uuid}]`).join(', ');
    throw illegalArgument(`Can't update non dynamic settings [[${fixed.join(', ')}]] for open indices [${names}]`);
  }
  const [closed] = targets.filter((index) => index.state === 'close');
  const unchangeable = fixed.find((key) => scopeOf(INDEX_SETTINGS, key) !== 'static');
  if (closed === undefined || unchangeable === undefined) return;
  if (scopeOf(INDEX_SETTINGS, unchangeable) === 'private') {
    throw illegalArgument(
      `can not update private setting [${unchangeable}]; this setting is managed by the index itself`,
    );
  }
  throw illegalArgument(`final ${closed.name} setting [${unchangeable}], not updateable`);
}

function settingsAfter(
  state: ClusterState,
  index: IndexMetadata,
  update: SettingsUpdate,
  preserveExisting: boolean,
): FlatSettings {
  const settings = new Map<string, SettingValue>(index.settings);
  for (const [key, value] of update) {
    if (value === null) removeMatching(settings, key, index.state);
    else if (isPattern(key)) throw illegalArgument(`${index.name} setting [${key}], not recognized`);
    else if (!preserveExisting || !settings.has(key)) settings.set(key, value);
  }
  if (!settings.has('index.number_of_replicas')) settings.set('index.number_of_replicas', '1');
  const expanded = autoExpandedReplicas(state, settings);
  if (expanded !== undefined) settings.set('index.number_of_replicas', String(expanded));
  checkIndexSettingsTogether(settings);
  return settings;
}

/** A pattern takes away what may be changed now and nothing else. */
function removeMatching(settings: Map<string, SettingValue>, key: string, indexState: IndexMetadata['state']): void {
  if (!isPattern(key)) {
    settings.delete(key);
    return;
  }
  const matches = patternMatcher(key);
  for (const name of [...settings.keys()]) {
    const scope = scopeOf(INDEX_SETTINGS, name);
    const changeable = scope === 'dynamic' || (scope === 'static' && indexState === 'close');
    if (matches(name) && changeable) settings.delete(name);
  }
}

function withSettings(index: IndexMetadata, settings: FlatSettings, environment: ChangeEnvironment): IndexMetadata {
  if (nativePart(settings) !== nativePart(index.settings)) {
    checkByNativeRules(settings, environment);
    checkNamedSimilarities(index.mapping, settings);
  }
  return {
    ...index,
    settings,
    numberOfReplicas: numberSetting({ settings }, 'numberOfReplicas'),
    settingsVersion: index.settingsVersion + 1,
    version: index.version + 1,
  };
}

/** What the native side is asked about. */
function nativePart(settings: FlatSettings): string {
  return JSON.stringify([analysisJson(settings), [...similaritiesOf(settings)]]);
}

/** Throws when a field of the mapping names a similarity that is gone. */
function checkNamedSimilarities(mapping: Mapping, settings: FlatSettings): void {
  for (const { path, field } of fieldsOf(mapping)) {
    const name = similarityNameOf(field);
    if (name !== undefined && similarityNamed(name, { similarities: similaritiesOf(settings) }) === undefined) {
      throw mapperParsing(`Unknown Similarity type [${name}] for field [${path}]`);
    }
  }
}

/** Replicas come and go, and allocation rules may allow what they did not. */
function applied(state: ClusterState, changed: readonly IndexMetadata[], environment: ChangeEnvironment): ClusterState {
  const added = changed.map((index) => {
    const before = state.indices.get(index.name)?.numberOfReplicas ?? 0;
    return index.state === 'open' ? index.numberOfShards * (index.numberOfReplicas - before) : 0;
  });
  checkShardLimit(
    state,
    added.reduce((sum, each) => sum + each, 0),
  );
  const draft = new StateDraft(state);
  for (const index of changed) {
    draft.putIndex(index);
    putReplicas(draft, index.name, index.numberOfReplicas, environment.nowMs);
  }
  const indices = draft.indices();
  const routing = reroute({ ...state, indices, routing: draft.routing() }, environment);
  return nextState(state, { indices, routing }, environment);
}

function sameSettings(left: FlatSettings, right: FlatSettings): boolean {
  if (left.size !== right.size) return false;
  return [...left].every(([key, value]) => JSON.stringify(right.get(key)) === JSON.stringify(value));
}
