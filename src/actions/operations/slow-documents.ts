/** Documents whose indexing took long, in the log. */
import { named } from '../../base/logger.js';
import { formatTime } from '../../base/units.js';
import { slowLevel, slowSource } from '../../cluster/settings/slow-log-settings.js';
import { idOfItem, routingOfItem, sourceOfItem, type ItemsInBody } from '../../native/descriptor.js';
import type { SlowItem } from '../../native/bulk-call.js';
import type { ManagedShard } from '../../shard/managed-shard.js';
import type { ShardOperationContext } from '../shard-operation.js';
import { slowFields } from './search-times.js';
import type { WriteItemsInput } from './write-items.js';

/** Longer lines serve nobody, whatever the setting says. */
const SOURCE_LENGTH_MAX = 100_000;

export function logSlowDocuments(
  { key }: ManagedShard,
  request: ItemsInBody & Pick<WriteItemsInput, 'user'>,
  slow: readonly SlowItem[],
  context: ShardOperationContext,
): void {
  const settings = context.clusterState().indices.get(key.index)?.settings;
  if (settings === undefined) return;
  for (const { item, tookMs } of slow) {
    const level = slowLevel(settings, 'index', tookMs);
    if (level === undefined) continue;
    const { lengthMax, reformat } = slowSource(settings);
    const routing = routingOfItem(request.items, item);
    const fields = {
      message: `[${key.index}/${key.indexUuid}]`,
      took: formatTime(tookMs),
      took_millis: Math.trunc(tookMs),
      id: idOfItem(request.items, item),
      ...(routing === undefined ? {} : { routing }),
      ...(lengthMax === 0 ? {} : { source: shown(sourceOfItem(request, item), lengthMax, reformat) }),
    };
    named(context.logger, 'index.indexing.slowlog').log(level, 'slow index', {
      index: key.index,
      shard: key.shard,
      ...slowFields(fields, context),
      ...request.user,
    });
  }
}

/** Without line breaks where it is written anew; else as it came. */
function shown(source: Uint8Array, lengthMax: number, reformat: boolean): string {
  const length = Math.min(lengthMax, SOURCE_LENGTH_MAX);
  // A character takes four bytes at most.
  const text = Buffer.from(reformat ? source : source.subarray(0, 4 * length)).toString('utf8');
  return (reformat ? JSON.stringify(JSON.parse(text)) : text).slice(0, length);
}
