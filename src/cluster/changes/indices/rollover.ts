/** A new index takes the writes of an alias or a data stream from the one before it. */
import { illegalArgument, QuarryError } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { parseAliases } from '../../aliases/alias-body.js';
import { aliasTable, writeTarget, type AliasTarget } from '../../aliases/aliases.js';
import {
  backingIndexName,
  checkTimestampMapping,
  writeIndexOf,
  type BackingNames,
} from '../../data-streams/data-streams.js';
import { composeBackingIndex, streamTemplate } from '../../data-streams/stream-templates.js';
import { resolveDateMathName } from '../../names/date-math-name.js';
import { flattenSettings, withIndexPrefix, type FlatSettings } from '../../settings/flat-settings.js';
import type { AliasMetadata, ClusterState, DataStream, IndexId, IndexMetadata } from '../../state.js';
import { composeFor } from '../../templates/compose.js';
import { nextState, withIndices, type Change, type ChangeEnvironment } from '../change.js';
import { checkNameIsFree, newIndex, withNewIndex } from './new-index.js';

export interface RolloverInput {
  /** Alias or data stream. */
  readonly target: string;
  /** Of the new index; made from the old one's where absent. May be a date math name. */
  readonly newIndex?: string;
  readonly settings?: JsonObject;
  readonly mappings?: JsonObject;
  readonly aliases?: JsonObject;
  readonly defaults?: FlatSettings;
  readonly backingNames: BackingNames;
  /** The index whose figures met the conditions: when another one takes writes meanwhile, nothing is done. */
  readonly source?: IndexId;
  /** Names are found and checked, and nothing changes. */
  readonly dryRun: boolean;
  /** Done only where a write was to do it. */
  readonly ifMarked?: boolean;
}

export interface RolloverResult {
  readonly oldIndex: string;
  readonly newIndex: string;
  /** Undefined where nothing was done. */
  readonly created?: IndexId;
}

export function rollover(
  state: ClusterState,
  input: RolloverInput,
  environment: ChangeEnvironment,
): Change<RolloverResult> {
  const stream = state.dataStreams.get(input.target);
  if (stream !== undefined) return rolloverStream(state, stream, input, environment);
  const targets = aliasTable(state).get(input.target);
  if (targets !== undefined) return rolloverAlias(state, targets, input, environment);
  if (state.indices.has(input.target)) {
    throw illegalArgument('rollover target is a [concrete index] but one of [alias,data_stream] was expected');
  }
  throw illegalArgument(`rollover target [${input.target}] does not exist`);
}

function rolloverAlias(
  state: ClusterState,
  targets: readonly AliasTarget[],
  input: RolloverInput,
  environment: ChangeEnvironment,
): Change<RolloverResult> {
  if (targets.some(({ stream }) => stream !== undefined)) {
    throw new QuarryError(
      'illegal_state_exception',
      'Aliases to data streams cannot be rolled over. Please rollover the data stream itself.',
    );
  }
  const source = writeTarget(targets);
  if (source === undefined) {
    throw illegalArgument(`rollover target [${input.target}] does not point to a write index`);
  }
  const providedName = input.newIndex ?? nextName(source.index);
  const name = resolveDateMathName(providedName, environment.nowMs);
  const result = { oldIndex: source.index.name, newIndex: name };
  const request = {
    settings: withIndexPrefix(flattenSettings(input.settings ?? {})),
    ...(input.mappings === undefined ? {} : { mappings: input.mappings }),
    aliases: parseAliases(input.aliases ?? {}, environment.nowMs),
  };
  const composed = composeFor(state, name, request);
  if (composed.aliases.has(input.target)) {
    throw illegalArgument(
      `Rollover alias [${input.target}] can point to multiple indices, found duplicated alias [[${input.target}]] in index template`,
    );
  }
  const defaults = input.defaults === undefined ? {} : { defaults: input.defaults };
  const made = newIndex(state, { ...composed, name, providedName, ...defaults }, environment);
  if (input.dryRun || isOvertaken(source.index, input.source)) return { state, result };
  const marked = withRolledOver(source.index, input.target, environment.nowMs);
  const [before, after] = withAliasMoved(input.target, source.metadata, marked, made);
  const base = { ...state, indices: withIndices(state, [before]) };
  const parts = withNewIndex(base, after, environment);
  const created = { name, uuid: after.uuid };
  return { state: nextState(state, parts, environment), result: { ...result, created } };
}

/** An alias with a write index keeps both, else it goes from one to the other. */
function withAliasMoved(
  alias: string,
  metadata: AliasMetadata,
  before: IndexMetadata,
  after: IndexMetadata,
): readonly [IndexMetadata, IndexMetadata] {
  const hidden = metadata.isHidden === undefined ? {} : { isHidden: metadata.isHidden };
  const isExplicit = metadata.isWriteIndex === true;
  const former = new Map(before.aliases);
  if (isExplicit) former.set(alias, { ...metadata, isWriteIndex: false });
  else former.delete(alias);
  const next: AliasMetadata = isExplicit ? { isWriteIndex: true, ...hidden } : hidden;
  return [
    { ...before, aliases: former, aliasesVersion: before.aliasesVersion + 1 },
    { ...after, aliases: new Map([...after.aliases, [alias, next]]) },
  ];
}

/** `logs-9` is followed by `logs-000010`; date math of the name that was asked for is kept, and computed anew. */
function nextName(index: IndexMetadata): string {
  const provided = index.settings.get('index.provided_name');
  const name = typeof provided === 'string' ? provided : index.name;
  const isDateMath = name.startsWith('<') && name.endsWith('>');
  const inner = isDateMath ? name.slice(1, -1) : name;
  const match = /^(.*-)(\d+)$/s.exec(inner);
  if (match === null) throw illegalArgument(`index name [${index.name}] does not match pattern '^.*-\\d+$'`);
  const [, start = '', digits = ''] = match;
  const next = `${start}${String(BigInt(digits) + 1n).padStart(6, '0')}`;
  return isDateMath ? `<${next}>` : next;
}

function rolloverStream(
  state: ClusterState,
  stream: DataStream,
  input: RolloverInput,
  environment: ChangeEnvironment,
): Change<RolloverResult> {
  refuseBody(input);
  const old = writeIndexOf(state, stream);
  const generation = stream.generation + 1;
  const name = backingIndexName(stream.name, generation, input.backingNames, environment.nowMs);
  const result = { oldIndex: old.name, newIndex: name };
  if (isOvertaken(old, input.source) || (input.ifMarked === true && stream.rolloverOnWrite !== true)) {
    return { state, result };
  }
  const { template } = streamTemplate(state, stream.name);
  const composed = composeBackingIndex(state, template, stream);
  const defaults = input.defaults === undefined ? {} : { defaults: input.defaults };
  checkNameIsFree(state, name);
  const made = newIndex(state, { ...composed, name, providedName: name, ...defaults }, environment);
  checkTimestampMapping(made);
  if (input.dryRun) return { state, result };
  const marked = withRolledOver(old, stream.name, environment.nowMs);
  const base = { ...state, indices: withIndices(state, [marked]) };
  const created = { name, uuid: made.uuid };
  const { rolloverOnWrite: _done, ...rest } = stream;
  const next: DataStream = { ...rest, generation, indices: [...stream.indices, created] };
  const dataStreams = new Map([...state.dataStreams, [stream.name, next]]);
  const parts = { ...withNewIndex(base, made, environment), dataStreams };
  return { state: nextState(state, parts, environment), result: { ...result, created } };
}

function refuseBody(input: RolloverInput): void {
  if (input.newIndex !== undefined) {
    throw illegalArgument('new index name may not be specified when rolling over a data stream');
  }
  if (input.settings === undefined && input.mappings === undefined && input.aliases === undefined) return;
  throw illegalArgument('aliases, mappings, and index settings may not be specified when rolling over a data stream');
}

function isOvertaken(index: IndexMetadata, expected: IndexId | undefined): boolean {
  return expected !== undefined && expected.uuid !== index.uuid;
}

function withRolledOver(index: IndexMetadata, target: string, atMs: number): IndexMetadata {
  return { ...index, rolledOver: new Map([...(index.rolledOver ?? []), [target, atMs]]), version: index.version + 1 };
}

export interface MarkRolloverInput {
  readonly stream: string;
}

/** The next write to the stream does it. */
export function markRollover(
  state: ClusterState,
  input: MarkRolloverInput,
  environment: ChangeEnvironment,
): Change<RolloverResult> {
  const stream = state.dataStreams.get(input.stream);
  if (stream === undefined) {
    throw new QuarryError('illegal_argument_exception', 'lazy rollover can be applied only on a data stream');
  }
  const oldIndex = writeIndexOf(state, stream).name;
  const result = {
    oldIndex,
    newIndex: backingIndexName(stream.name, stream.generation + 1, 'plain', environment.nowMs),
  };
  if (stream.rolloverOnWrite === true) return { state, result };
  const dataStreams = new Map([...state.dataStreams, [stream.name, { ...stream, rolloverOnWrite: true }]]);
  return { state: nextState(state, { dataStreams }, environment), result };
}
