/** Data streams come, change and go. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { aliasTable, checkAliases, writeTarget } from '../../aliases/aliases.js';
import {
  backingIndexName,
  checkDataStreamName,
  checkTimestampMapping,
  parentStream,
  writeIndexOf,
  type BackingNames,
} from '../../data-streams/data-streams.js';
import { composeBackingIndex, streamAliases, streamTemplate } from '../../data-streams/stream-templates.js';
import type { FlatSettings, SettingsUpdate, SettingValue } from '../../settings/flat-settings.js';
import type { ClusterState, DataStream, DataStreamLifecycle, IndexId, IndexMetadata } from '../../state.js';
import { mergeMappings } from '../../templates/merge-mappings.js';
import { checkWhole } from '../../templates/check-template.js';
import { nextState, withIndices, type Change, type ChangeEnvironment } from '../change.js';
import { deleteIndices } from './delete-indices.js';
import { findStream } from '../find-index.js';
import { newIndex, withNewIndex } from './new-index.js';
import { StreamAliases } from './stream-aliases.js';

export interface CreateDataStreamInput {
  readonly name: string;
  readonly defaults?: FlatSettings;
  readonly backingNames: BackingNames;
  /** One that is there already is the result: for creation by the first document. */
  readonly ifAbsent?: boolean;
}

export interface CreateDataStreamResult {
  readonly index: IndexId;
}

export function createDataStream(
  state: ClusterState,
  input: CreateDataStreamInput,
  environment: ChangeEnvironment,
): Change<CreateDataStreamResult> {
  const { name } = input;
  const existing = state.dataStreams.get(name);
  if (existing !== undefined) {
    if (input.ifAbsent === true) return { state, result: { index: writeIndexOf(state, existing) } };
    throw new QuarryError('resource_already_exists_exception', `data_stream [${name}] already exists`);
  }
  checkDataStreamName(name);
  refuseTakenName(state, name);
  const { template } = streamTemplate(state, name);
  const indexName = backingIndexName(name, 1, input.backingNames, environment.nowMs);
  const composed = composeBackingIndex(state, template, {});
  const defaults = input.defaults === undefined ? {} : { defaults: input.defaults };
  const made = newIndex(state, { ...composed, name: indexName, providedName: indexName, ...defaults }, environment);
  checkTimestampMapping(made);
  const index = { name: indexName, uuid: made.uuid };
  const aliases = streamAliases(state, template, name);
  const stream: DataStream = {
    name,
    generation: 1,
    indices: [index],
    hidden: template.dataStream?.hidden ?? false,
    allowCustomRouting: template.dataStream?.allowCustomRouting ?? false,
    ...(composed.lifecycle === undefined ? {} : { lifecycle: composed.lifecycle }),
  };
  const base = { ...state, ...withNewIndex(state, made, environment) };
  const named = { ...base, dataStreams: new Map([...state.dataStreams, [name, stream]]) };
  const ofStreams = new StreamAliases(named);
  for (const [alias, metadata] of aliases) ofStreams.add(stream.name, alias, metadata);
  const { dataStreams } = ofStreams;
  checkAliases(state, { ...base, dataStreams });
  return { state: nextState(base, { dataStreams }, environment), result: { index } };
}

function refuseTakenName(state: ClusterState, name: string): void {
  const what = state.indices.has(name) ? 'index' : aliasTable(state).has(name) ? 'alias' : undefined;
  if (what !== undefined)
    throw new QuarryError('illegal_state_exception', `data stream [${name}] conflicts with ${what}`);
}

export interface DataStreamsInput {
  readonly names: readonly string[];
}

/** With all their indices. */
export function deleteDataStreams(
  state: ClusterState,
  input: DataStreamsInput,
  environment: ChangeEnvironment,
): Change<null> {
  if (input.names.length === 0) return { state, result: null };
  const streams = input.names.map((name) => findStream(state, name));
  const dataStreams = new Map([...state.dataStreams].filter(([name]) => !input.names.includes(name)));
  const indices = streams.flatMap((stream) => stream.indices).filter(({ name }) => state.indices.has(name));
  const change = deleteIndices({ ...state, dataStreams }, { indices }, environment);
  return { state: nextState(state, { ...change.state }, environment), result: null };
}

export interface ModifyDataStreamsInput {
  /** All are carried out, or none. */
  readonly actions: readonly {
    readonly kind: 'add_backing_index' | 'remove_backing_index';
    readonly stream: string;
    readonly index: string;
  }[];
}

export function modifyDataStreams(
  state: ClusterState,
  input: ModifyDataStreamsInput,
  environment: ChangeEnvironment,
): Change<null> {
  let parts: Pick<ClusterState, 'indices' | 'dataStreams'> = state;
  for (const { kind, stream: name, index: indexName } of input.actions) {
    const current = { ...state, ...parts };
    const stream = current.dataStreams.get(name);
    if (stream === undefined) throw illegalArgument(`data stream [${name}] not found`);
    const index = current.indices.get(indexName);
    if (index === undefined) throw illegalArgument(`index [${indexName}] not found`);
    parts = kind === 'add_backing_index' ? withAdded(current, stream, index) : withRemoved(current, stream, index);
  }
  return {
    state: nextState(state, { indices: parts.indices, dataStreams: parts.dataStreams }, environment),
    result: null,
  };
}

function withAdded(
  state: ClusterState,
  stream: DataStream,
  index: IndexMetadata,
): Pick<ClusterState, 'indices' | 'dataStreams'> {
  const parent = parentStream(state, index.name);
  if (parent !== undefined) {
    if (parent.name === stream.name) return state;
    throw illegalArgument(
      `cannot add index [${index.name}] to data stream [${stream.name}] because it is already a backing index on data stream [${parent.name}]`,
    );
  }
  if (index.aliases.size > 0) {
    throw illegalArgument(
      `cannot add index [${index.name}] to data stream [${stream.name}] until its aliases ` +
        `[${[...index.aliases.keys()].join(', ')}] are removed`,
    );
  }
  checkTimestampMapping(index);
  const next = { ...stream, indices: [{ name: index.name, uuid: index.uuid }, ...stream.indices] };
  return withStream(state, next, [hiddenIndex(index)]);
}

function withRemoved(
  state: ClusterState,
  stream: DataStream,
  index: IndexMetadata,
): Pick<ClusterState, 'indices' | 'dataStreams'> {
  const at = stream.indices.findIndex(({ name }) => name === index.name);
  if (at === -1) throw illegalArgument(`index [${index.name}] is not part of data stream [${stream.name}]`);
  if (at === stream.indices.length - 1) {
    throw illegalArgument(
      `cannot remove backing index [${index.name}] of data stream [${stream.name}] because it is the write index`,
    );
  }
  const next = { ...stream, indices: stream.indices.filter(({ name }) => name !== index.name) };
  const settings = new Map(index.settings);
  settings.delete('index.hidden');
  const settingsVersion = index.settingsVersion + 1;
  return withStream(state, next, [{ ...index, settings, settingsVersion, version: index.version + 1 }]);
}

function hiddenIndex(index: IndexMetadata): IndexMetadata {
  const settings = new Map([...index.settings, ['index.hidden', 'true'] as const]);
  return { ...index, settings, settingsVersion: index.settingsVersion + 1, version: index.version + 1 };
}

function withStream(
  state: ClusterState,
  stream: DataStream,
  indices: readonly IndexMetadata[],
): Pick<ClusterState, 'indices' | 'dataStreams'> {
  return {
    indices: withIndices(state, indices),
    dataStreams: new Map([...state.dataStreams, [stream.name, stream]]),
  };
}

export interface MigrateAliasInput {
  readonly alias: string;
}

/** An alias becomes a data stream of its name, its indices the backing ones. */
export function migrateAlias(
  state: ClusterState,
  { alias }: MigrateAliasInput,
  environment: ChangeEnvironment,
): Change<null> {
  const targets = aliasTable(state).get(alias);
  if (targets === undefined) throw illegalArgument(`alias [${alias}] does not exist`);
  if (targets.some(({ stream }) => stream !== undefined)) {
    throw illegalArgument(`alias [${alias}] is one of data streams already`);
  }
  const write = writeTarget(targets);
  if (write === undefined) throw illegalArgument(`alias [${alias}] must specify a write index`);
  checkDataStreamName(alias);
  const { template } = streamTemplate(state, alias);
  for (const { index, metadata } of targets) {
    if (metadata.filter !== undefined || metadata.indexRouting !== undefined || metadata.searchRouting !== undefined) {
      throw illegalArgument(`alias [${alias}] may not have custom filtering or routing`);
    }
    if (index.aliases.size > 1) {
      const names = [...index.aliases.keys()].join(', ');
      throw illegalArgument(`index [${index.name}] may have the alias [${alias}] alone, but has [${names}]`);
    }
    if (parentStream(state, index.name) !== undefined) {
      throw illegalArgument(`index [${index.name}] is a backing index of a data stream already`);
    }
    checkTimestampMapping(index);
  }
  const { lifecycle } = composeBackingIndex(state, template, {});
  const ordered = [...targets.filter((each) => each !== write), write].map(({ index }) => index);
  const stream: DataStream = {
    name: alias,
    generation: ordered.length,
    indices: ordered.map(({ name, uuid }) => ({ name, uuid })),
    hidden: template.dataStream?.hidden ?? false,
    allowCustomRouting: template.dataStream?.allowCustomRouting ?? false,
    ...(lifecycle === undefined ? {} : { lifecycle }),
  };
  const changed = ordered.map((index) => ({
    ...hiddenIndex(index),
    aliases: new Map(),
    aliasesVersion: index.aliasesVersion + 1,
  }));
  return { state: nextState(state, withStream(state, stream, changed), environment), result: null };
}

export interface UpdateDataStreamsInput extends DataStreamsInput {
  /** Null takes it away. */
  readonly lifecycle?: DataStreamLifecycle | null;
  /** Added to what was said before; null takes a setting away. */
  readonly settings?: SettingsUpdate;
  /** In place of what was said before. */
  readonly mappings?: JsonObject;
  /** Checked, and not kept. */
  readonly dryRun?: boolean;
}

/** What is said of the streams themselves: the next backing index gets it. */
export function updateDataStreams(
  state: ClusterState,
  input: UpdateDataStreamsInput,
  environment: ChangeEnvironment,
): Change<readonly DataStream[]> {
  const updated = input.names.map((name) => withUpdate(findStream(state, name), input));
  for (const stream of updated) {
    const { template } = streamTemplate(state, stream.name);
    const mapping = checkWhole(composeBackingIndex(state, template, stream), stream.name, environment);
    checkTimestampMapping({ name: stream.name, mapping });
  }
  if (input.dryRun === true || updated.length === 0) return { state, result: updated };
  const dataStreams = new Map([...state.dataStreams, ...updated.map((stream) => [stream.name, stream] as const)]);
  return { state: nextState(state, { dataStreams }, environment), result: updated };
}

function withUpdate(stream: DataStream, update: UpdateDataStreamsInput): DataStream {
  const { lifecycle, ...rest } = stream;
  const nextLifecycle = update.lifecycle === undefined ? lifecycle : update.lifecycle;
  return {
    ...rest,
    ...(nextLifecycle === undefined || nextLifecycle === null ? {} : { lifecycle: nextLifecycle }),
    ...(update.settings === undefined ? {} : { settings: mergedSettings(stream.settings, update.settings) }),
    ...(update.mappings === undefined
      ? {}
      : { mappings: mergeMappings([stream.mappings ?? {}, update.mappings], 'replace') }),
  };
}

function mergedSettings(before: FlatSettings | undefined, update: SettingsUpdate): FlatSettings {
  const settings = new Map<string, SettingValue>(before);
  for (const [key, value] of update) {
    if (value === null) settings.delete(key);
    else settings.set(key, value);
  }
  return settings;
}
