/** Whose writes the policy of an index hands on, and whether it did. */
import { illegalArgument } from '../../base/errors.js';
import { aliasTable, writeTarget } from '../aliases/aliases.js';
import { parentStream } from '../data-streams/data-streams.js';
import type { ClusterState, IndexMetadata } from '../state.js';

/** Its data stream, or the alias that its settings name. */
export function rolloverTargetOf(state: ClusterState, index: IndexMetadata): string | undefined {
  const alias = index.settings.get('index.lifecycle.rollover_alias');
  return parentStream(state, index.name)?.name ?? (typeof alias === 'string' && alias !== '' ? alias : undefined);
}

/**
 * When the index handed on the writes of that target: those of another one may still come. Without a target any rollover
 * counts.
 */
export function rolledOverAtMs({ rolledOver }: IndexMetadata, target: string | undefined): number | undefined {
  if (rolledOver === undefined || rolledOver.size === 0) return undefined;
  return target === undefined ? Math.max(...rolledOver.values()) : rolledOver.get(target);
}

/** Refuses to hand on, on behalf of the index, what another one takes. */
export function checkWritesAlias(state: ClusterState, index: IndexMetadata, alias: string): void {
  if (alias === '') {
    throw illegalArgument(`setting [index.lifecycle.rollover_alias] for index [${index.name}] is empty or not defined`);
  }
  if (!index.aliases.has(alias)) {
    throw illegalArgument(`index.lifecycle.rollover_alias [${alias}] does not point to index [${index.name}]`);
  }
  if (writeTarget(aliasTable(state).get(alias) ?? [])?.index.name === index.name) return;
  throw illegalArgument(`index [${index.name}] is not the write index for alias [${alias}]`);
}
