/** A shrunk index takes the place of the one that it was made of, in one change: nobody sees both, or neither. */
import { illegalArgument } from '../../../base/errors.js';
import { parentStream } from '../../data-streams/data-streams.js';
import { policyOf } from '../../lifecycle/progress.js';
import { resizeSource } from '../../resize.js';
import { hasActivePrimary } from '../../copies/shard-copies.js';
import type { AliasMetadata, ClusterState, DataStream, IndexId, IndexMetadata } from '../../state.js';
import { nextState, withIndices, withoutIndices, type Change, type ChangeEnvironment } from '../change.js';
import { withTombstones } from './delete-indices.js';
import { findIndex } from '../find-index.js';

export interface ReplaceShrunkenInput {
  readonly source: IndexId;
  readonly target: IndexId;
}

export function replaceShrunken(
  state: ClusterState,
  input: ReplaceShrunkenInput,
  environment: ChangeEnvironment,
): Change<null> {
  const [source, target] = [findIndex(state, input.source), findIndex(state, input.target)];
  if (resizeSource(target)?.uuid !== source.uuid || !isWhole(state, target)) {
    throw illegalArgument(`index [${target.name}] cannot take the place of [${source.name}] yet`);
  }
  const stream = parentStream(state, source.name);
  if (stream?.indices.at(-1)?.name === source.name) {
    throw illegalArgument(`index [${source.name}] is the write index for data stream [${stream.name}]`);
  }
  const kept = withoutIndices(state, [source.name]);
  const indices = withIndices({ ...state, ...kept }, [heir(source, target, stream === undefined)]);
  const dataStreams = stream === undefined ? state.dataStreams : withReplaced(state, stream, source, target);
  const tombstones = withTombstones(state.tombstones, [input.source], environment.nowMs);
  return { state: nextState(state, { ...kept, indices, dataStreams, tombstones }, environment), result: null };
}

function isWhole(state: ClusterState, { name }: IndexMetadata): boolean {
  return state.routing.get(name)?.shards.every(hasActivePrimary) === true;
}

/** It answers to the name and the aliases of its source, and goes on where that stood in its policy. */
function heir(source: IndexMetadata, target: IndexMetadata, isNamed: boolean): IndexMetadata {
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
    ...(lifecycle === undefined ? {} : { lifecycle: { ...lifecycle, done: [...lifecycle.done, 'shrink'] } }),
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
