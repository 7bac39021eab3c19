/** Aliases of data streams come and go. */
import { checkAliasFilter } from '../../aliases/alias-filter.js';
import { checkStreamAlias } from '../../data-streams/data-streams.js';
import { checkAliasName } from '../../names/index-name.js';
import type { AliasMetadata, ClusterState, DataStream } from '../../state.js';
import { findStream } from '../find-index.js';

type Named = Pick<ClusterState, 'indices' | 'dataStreams'>;
type Aliases = NonNullable<DataStream['aliases']>;

/** What many actions make of the aliases of streams: each stream is put together once, when all are done. */
export class StreamAliases {
  private readonly state: Named;
  /** All aliases of the streams that change, by name of the stream. */
  private readonly changed = new Map<string, Map<string, AliasMetadata>>();

  constructor(state: Named) {
    this.state = state;
  }

  /** What is not said of an alias that is there already stays; a stream that takes its writes takes them from another one. */
  add(streamName: string, alias: string, metadata: AliasMetadata): void {
    const { indices, dataStreams } = this.state;
    checkStreamAlias(metadata);
    checkAliasName(alias, (name) => indices.has(name) || dataStreams.has(name));
    checkAliasFilter(alias, metadata);
    const stream = findStream(this.state, streamName);
    const present = this.aliasesOf(stream).get(alias);
    const { filter, isWriteIndex } = { ...present, ...metadata };
    const next: AliasMetadata = {
      ...(filter === undefined ? {} : { filter }),
      ...(isWriteIndex === true ? { isWriteIndex } : {}),
    };
    if (present !== undefined && JSON.stringify(present) === JSON.stringify(next)) return;
    if (metadata.isWriteIndex === true) this.takeWriteFlag(alias, streamName);
    this.change(stream).set(alias, next);
  }

  /** Removing what is not there changes nothing. */
  remove(streamName: string, alias: string): void {
    const stream = findStream(this.state, streamName);
    if (this.aliasesOf(stream).has(alias)) this.change(stream).delete(alias);
  }

  /** The same table where nothing changed. */
  get dataStreams(): ClusterState['dataStreams'] {
    const { dataStreams } = this.state;
    if (this.changed.size === 0) return dataStreams;
    const entries = [...this.changed].map(([name, aliases]): [string, DataStream] => {
      const { aliases: _former, ...rest } = findStream(this.state, name);
      return [name, aliases.size === 0 ? rest : { ...rest, aliases }];
    });
    return new Map([...dataStreams, ...entries]);
  }

  private takeWriteFlag(alias: string, except: string): void {
    for (const stream of this.state.dataStreams.values()) {
      const present = this.aliasesOf(stream).get(alias);
      if (present?.isWriteIndex !== true || stream.name === except) continue;
      const { isWriteIndex: _flag, ...rest } = present;
      this.change(stream).set(alias, rest);
    }
  }

  private aliasesOf({ name, aliases }: DataStream): Aliases {
    return this.changed.get(name) ?? aliases ?? NONE;
  }

  private change(stream: DataStream): Map<string, AliasMetadata> {
    const aliases = this.changed.get(stream.name) ?? new Map(stream.aliases);
    this.changed.set(stream.name, aliases);
    return aliases;
  }
}

const NONE: Aliases = new Map();
