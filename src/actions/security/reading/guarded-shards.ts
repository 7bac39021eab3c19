/** The way to shards for a subject who may not read everything. Whatever a request asks of a shard comes through here: see `restricted-call.ts`. */
import { QuarryError } from '../../../base/errors.js';
import type { ClusterState } from '../../../cluster/state.js';
import type { CopyPlace, ShardClient, ShardKey } from '../../shard-client.js';
import type { ShardOperationInput, ShardOperationName, ShardOperationOutput } from '../../shard-operations.js';
import type { ReadRestriction } from './read-restrictions.js';

/** Whom a request works for, in what it does. */
export interface Reader {
  readonly nowMs: () => number;
  /** With what the subject may not see. */
  readonly wholeState: () => ClusterState;
  /** Of what the request does now. Undefined: he may read everything of the index. */
  restrictionOn(index: string): ReadRestriction | undefined;
}

const behind = new WeakMap<ShardClient, { readonly shards: ShardClient; readonly reader: Reader }>();

/** The same shards for the reader; what guarded them before does not any more. */
export function guardedShards(given: ShardClient, reader: Reader): ShardClient {
  const shards = unguardedShards(given);
  const guarded: ShardClient = {
    ranks: shards.ranks,
    lastCommit: (key, place) => shards.lastCommit(key, place),
    recovery: (key, place) => shards.recovery(key, place),
    onCopy: async (key, place, name, input) => {
      const { output } = await guardedCall(key, name, input, reader, async (asked, content) => ({
        place,
        output: await shards.onCopy(key, place, asked, content),
      }));
      return output;
    },
    read: (key, place, name, input) =>
      guardedCall(key, name, input, reader, (asked, content) => shards.read(key, place, asked, content)),
  };
  behind.set(guarded, { shards, reader });
  return guarded;
}

/** The way without a guard, for what the node does on its own account. */
export function unguardedShards(shards: ShardClient): ShardClient {
  return behind.get(shards)?.shards ?? shards;
}

/** What the subject of these shards may read of the index; undefined: everything. */
export function restrictionIn(shards: ShardClient, index: string): ReadRestriction | undefined {
  return behind.get(shards)?.reader.restrictionOn(index);
}

interface Answered<Name extends ShardOperationName> {
  readonly place: CopyPlace;
  readonly output: ShardOperationOutput<Name>;
}

/** Asks the copy, without a guard. */
export type AskCopy = <Name extends ShardOperationName>(
  name: Name,
  input: ShardOperationInput<Name>,
) => Promise<Answered<Name>>;

/** Most users may read everything of what they may read at all: the code for others is loaded when the first of them asks. */
async function guardedCall<Name extends ShardOperationName>(
  key: ShardKey,
  name: Name,
  input: ShardOperationInput<Name>,
  reader: Reader,
  ask: AskCopy,
): Promise<Answered<Name>> {
  checkName(key, reader);
  const restriction = reader.restrictionOn(key.index);
  if (restriction === undefined) return ask(name, input);
  const { restrictedCall } = await import('./restricted-call.js');
  return restrictedCall({ index: key.index, reader, restriction, ask }, name, input);
}

/** What may be read goes by the name, and what is read by the UUID: in the id of a scroll that a client has sent, one may be of another index. */
function checkName({ index, indexUuid, shard }: ShardKey, reader: Reader): void {
  if (reader.wholeState().indices.get(index)?.uuid === indexUuid) return;
  throw new QuarryError('shard_not_found_exception', 'no such shard', { details: { index, shard: String(shard) } });
}
