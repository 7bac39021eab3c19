/** An index that a lifecycle policy made takes the place of the one that it was made of, in one change: nobody sees both, or neither. */
import { illegalArgument } from '../../../base/errors.js';
import { isWhole } from '../../copies/shard-copies.js';
import { parentStream } from '../../data-streams/data-streams.js';
import { isMountOf } from '../../lifecycle/mount-names.js';
import type { ActionName } from '../../lifecycle/policy.js';
import { policyOf } from '../../lifecycle/progress.js';
import { resizeSource } from '../../resize.js';
import type { AliasMetadata, ClusterState, DataStream, IndexId, IndexMetadata } from '../../state.js';
import { nextState, withIndices, withoutIndices, type Change, type ChangeEnvironment } from '../change.js';
import { findIndex } from '../find-index.js';
import { withTombstones } from './delete-indices.js';

export interface ReplaceInput {
  readonly source: IndexId;
  readonly target: IndexId;
}

export function replaceShrunken(
  state: ClusterState,
  input: ReplaceInput,
  environment: ChangeEnvironment,
): Change<null> {
  const isHeir = (source: IndexMetadata, target: IndexMetadata): boolean => resizeSource(target)?.uuid === source.uuid;
  return replace(state, input, 'shrink', isHeir, environment);
}

export function replaceMounted(state: ClusterState, input: ReplaceInput, environment: ChangeEnvironment): Change<null> {
  return replace(state, input, 'searchable_snapshot', (source, target) => isMountOf(target, source), environment);
}

/** `action`: the one of the policy that has made the target, and is done with this. */
function replace(
  state: ClusterState,
  input: ReplaceInput,
  action: ActionName,
  isHeir: (source: IndexMetadata, target: IndexMetadata) => boolean,
  environment: ChangeEnvironment,
): Change<null> {
  const [source, target] = [findIndex(state, input.source), findIndex(state, input.target)];
  if (!isHeir(source, target) || !isWhole(state, target)) {
    throw illegalArgument(`index [${target.name}] cannot take the place of [${source.name}] yet`);
  }
  const stream = parentStream(state, source.name);
  if (stream?.indices.at(-1)?.name === source.name) {
    throw illegalArgument(`index [${source.name}] is the write index for data stream [${stream.name}]`);
  }
  const kept = withoutIndices(state, [source.name]);
  const indices = withIndices({ ...state, ...kept }, [heir(source, target, action, stream === undefined)]);
  const dataStreams = stream === undefined ? state.dataStreams : withReplaced(state, stream, source, target);
  const tombstones = withTombstones(state.tombstones, [input.source], environment.nowMs);
  return { state: nextState(state, { ...kept, indices, dataStreams, tombstones }, environment), result: null };
}

/** It answers to the name and the aliases of its source, and goes on where that stood in its policy. */
function heir(source: IndexMetadata, target: IndexMetadata, action: ActionName, isNamed: boolean): IndexMetadata {
  const name: readonly (readonly [string, AliasMetadata])[] = isNamed ? [[source.name, {}]] : [];
  const { lifecycle, rolledOver } = source;
  const policy = policyOf(source);
  const settings = new Map([
    ...target.settings,
    ...(policy === undefined ? [] : [['index.lifecycle.name', policy] as const]),
  ]);
  return {
    ...target,
    settings,
    version: target.version + 1,
    settingsVersion: target.settingsVersion + 1,
    aliasesVersion: target.aliasesVersion + 1,
    aliases: new Map([...target.aliases, ...source.aliases, ...name]),
    ...(lifecycle === undefined ? {} : { lifecycle: { ...lifecycle, done: [...lifecycle.done, action] } }),
    ...(rolledOver === undefined ? {} : { rolledOver }),
  };
}

function withReplaced(
  state: ClusterState,
  stream: DataStream,
  source: IndexMetadata,
  { name, uuid }: IndexMetadata,
): ClusterState['dataStreams'] {
  const indices = stream.indices.map((each) => (each.name === source.name ? { name, uuid } : each));
  return new Map([...state.dataStreams, [stream.name, { ...stream, indices }]]);
}
