/** Aliases of data streams come and go. */
import { checkAliasFilter } from '../alias-filter.js';
import { checkStreamAlias } from '../data-streams.js';
import { checkAliasName } from '../index-name.js';
import type { AliasMetadata, ClusterState, DataStream } from '../state.js';
import { findStream } from './find-index.js';

type Named = Pick<ClusterState, 'indices' | 'dataStreams'>;

/** What is not said of an alias that is there already stays; a stream that takes its writes takes them from another one. */
export function withStreamAlias<State extends Named>(
  state: State,
  streamName: string,
  alias: string,
  metadata: AliasMetadata,
): State {
  checkStreamAlias(metadata);
  checkAliasName(alias, (name) => state.indices.has(name) || state.dataStreams.has(name));
  checkAliasFilter(alias, metadata);
  const stream = findStream(state, streamName);
  const present = stream.aliases?.get(alias);
  const { filter, isWriteIndex } = { ...present, ...metadata };
  const next: AliasMetadata = {
    ...(filter === undefined ? {} : { filter }),
    ...(isWriteIndex === true ? { isWriteIndex } : {}),
  };
  if (present !== undefined && JSON.stringify(present) === JSON.stringify(next)) return state;
  const changed = metadata.isWriteIndex === true ? withoutWriteFlag(state, alias, streamName) : [];
  return withStreams(state, [...changed, withAlias(stream, alias, next)]);
}

/** Removing what is not there changes nothing. */
export function withoutStreamAlias<State extends Named>(state: State, streamName: string, alias: string): State {
  const { aliases, ...rest } = findStream(state, streamName);
  if (aliases?.has(alias) !== true) return state;
  const kept = new Map([...aliases].filter(([name]) => name !== alias));
  return withStreams(state, [kept.size === 0 ? rest : { ...rest, aliases: kept }]);
}

function withoutWriteFlag({ dataStreams }: Named, alias: string, except: string): readonly DataStream[] {
  return [...dataStreams.values()].flatMap((stream) => {
    const present = stream.aliases?.get(alias);
    if (present?.isWriteIndex !== true || stream.name === except) return [];
    const { isWriteIndex: _flag, ...rest } = present;
    return [withAlias(stream, alias, rest)];
  });
}

function withAlias(stream: DataStream, alias: string, metadata: AliasMetadata): DataStream {
  return { ...stream, aliases: new Map([...(stream.aliases ?? []), [alias, metadata]]) };
}

function withStreams<State extends Named>(state: State, changed: readonly DataStream[]): State {
  const entries = changed.map((stream) => [stream.name, stream] as const);
  return { ...state, dataStreams: new Map([...state.dataStreams, ...entries]) };
}
