/**
 * `cluster.routing.allocation.disk.watermark.*`: above the low watermark a node gets no more copies, except new primaries;
 * above the high one it gives copies away.
 */
import { formatBytes } from '../../base/units.js';
import type { AllocationRound, Question } from '../allocation/allocation-round.js';
import type { NodeLoad } from '../allocation/node-load.js';
import { describeWatermark, freeBytesRequired, type Watermark } from '../settings/disk-settings.js';
import { neverStarted } from '../copies/shard-copies.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'disk_threshold';

export const diskThreshold: Decider = {
  name: NAME,
  canAllocate,
  canRemain,
  allowsStay: {
    inRound: (round) =>
      withoutLimits(round) !== undefined ||
      round.nodes.every((node) => !isAbove(round.facts.high, roomOn(round, node, node.leavingBytes))),
    ofIndex: () => true,
  },
};

/** Room on a node's disk when what is on its way has arrived. */
interface Room {
  readonly totalBytes: number;
  readonly freeBytes: number;
}

function canAllocate({ round, index, facts, copy }: Question, node: NodeLoad): Decision {
  const open = facts.isPartial ? ignored(round) : withoutLimits(round);
  if (open !== undefined) return open;
  const { low, high } = round.facts;
  const room = roomOn(round, node, 0);
  if (room.freeBytes < 0) {
    return decision(
      round,
      NAME,
      'NO',
      () =>
        'the node has fewer free bytes remaining than the total size of all incoming shards: free space ' +
        `[${room.freeBytes + node.incomingBytes}B], relocating shards [${node.incomingBytes}B]`,
    );
  }
  const isNew = copy.primary && copy.state === 'UNASSIGNED' && neverStarted(index, copy.shard);
  if (isAbove(low, room) && !isNew) return refused(round, low, 'low', room);
  if (isAbove(high, room)) return refused(round, high, 'high', room);
  if (isAbove(low, room)) {
    return decision(
      round,
      NAME,
      'YES',
      () =>
        'the node is above the low watermark, but less than the high watermark, and this primary shard has never been ' +
        'allocated before',
    );
  }
  const bytes = round.bytesOf(index, copy.shard);
  const after: Room = { ...room, freeBytes: room.freeBytes - bytes };
  if (isAbove(high, after)) {
    return decision(
      round,
      NAME,
      'NO',
      () =>
        'allocating the shard to this node will bring the node above the high watermark cluster setting ' +
        `[${describeWatermark(high, room.totalBytes)}] and cause it to have less than the minimum required ` +
        `[${formatBytes(freeBytesRequired(high, room.totalBytes))}] of free space (free: [${formatBytes(room.freeBytes)}], ` +
        `used: [${usedPercent(room)}], estimated shard size: [${formatBytes(bytes)}])`,
    );
  }
  return decision(
    round,
    NAME,
    'YES',
    () =>
      `enough disk for shard on node, free: [${formatBytes(room.freeBytes)}], used: [${usedPercent(room)}], shard size: ` +
      `[${formatBytes(bytes)}], free after allocating shard: [${formatBytes(after.freeBytes)}]`,
  );
}

function canRemain({ round, facts }: Question, node: NodeLoad): Decision {
  const open = facts.isPartial ? ignored(round) : withoutLimits(round);
  if (open !== undefined) return open;
  const { high } = round.facts;
  // What moves away makes room before long: no more than needed is sent away.
  const room = roomOn(round, node, node.leavingBytes);
  if (!isAbove(high, room)) {
    return decision(
      round,
      NAME,
      'YES',
      () => `there is enough disk on this node for the shard to remain, free: [${formatBytes(room.freeBytes)}]`,
    );
  }
  return decision(
    round,
    NAME,
    'NO',
    () =>
      `the shard cannot remain on this node because it is above the high watermark cluster setting [${describeWatermark(high, room.totalBytes)}] ` +
      `and there is less than the required [${formatBytes(freeBytesRequired(high, room.totalBytes))}] free space on node, ` +
      `actual free: [${formatBytes(room.freeBytes)}], actual used: [${usedPercent(room)}]`,
  );
}

/** What such an index takes is the node's cache, whose size is fixed. */
function ignored(round: AllocationRound): Decision {
  return decision(round, NAME, 'YES', () => 'disk watermarks are ignored on this index');
}

function withoutLimits(round: AllocationRound): Decision | undefined {
  if (!round.facts.diskThresholdEnabled) {
    return decision(round, NAME, 'YES', () => 'the disk threshold decider is disabled');
  }
  if (!round.facts.diskThresholdForSingleDataNode && round.nodes.length <= 1) {
    return decision(round, NAME, 'YES', () => 'there is only a single data node present');
  }
  return round.info.disks.size === 0 ? decision(round, NAME, 'YES', () => 'disk usages are unavailable') : undefined;
}

/** A node that did not tell yet is taken for an average one. */
function roomOn(round: AllocationRound, node: NodeLoad, leavingBytes: number): Room {
  const disk = round.info.disks.get(node.id) ?? averageDisk(round);
  return { totalBytes: disk.totalBytes, freeBytes: disk.freeBytes - node.incomingBytes + leavingBytes };
}

function averageDisk(round: AllocationRound): Room {
  const disks = [...round.info.disks.values()];
  const mean = (of: (disk: Room) => number): number => disks.reduce((sum, disk) => sum + of(disk), 0) / disks.length;
  return { totalBytes: mean((disk) => disk.totalBytes), freeBytes: mean((disk) => disk.freeBytes) };
}

function isAbove(mark: Watermark, room: Room): boolean {
  return room.freeBytes < freeBytesRequired(mark, room.totalBytes);
}

function refused(round: AllocationRound, mark: Watermark, name: string, room: Room): Decision {
  return decision(
    round,
    NAME,
    'NO',
    () =>
      `the node is above the ${name} watermark cluster setting [${describeWatermark(mark, room.totalBytes)}], having less than the minimum ` +
      `required [${formatBytes(freeBytesRequired(mark, room.totalBytes))}] free space, actual free: ` +
      `[${formatBytes(room.freeBytes)}, ${percent(freeShare(room))}], actual used: [${usedPercent(room)}]`,
  );
}

function freeShare({ freeBytes, totalBytes }: Room): number {
  return totalBytes === 0 ? 1 : freeBytes / totalBytes;
}

function usedPercent(room: Room): string {
  return percent(1 - freeShare(room));
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)}%`;
}
