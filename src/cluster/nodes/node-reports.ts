/** What nodes tell of their disks. It comes from other nodes, and is checked here. */
import { QuarryError } from '../../base/errors.js';
import type { ShardStore } from '../disks/cluster-info.js';

export interface DiskReport {
  /** Directory of the node's data. */
  readonly path: string;
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** Of every shard directory, whether a copy is assigned to the node or not. */
  readonly shards: readonly ShardBytes[];
}

export interface ShardBytes {
  readonly indexUuid: string;
  readonly shard: number;
  readonly bytes: number;
}

/** How long writes have kept a processor busy since the shard was opened on the node. */
export interface ShardWriteTime {
  readonly indexUuid: string;
  readonly shard: number;
  readonly busyMs: number;
}

/** What lies in a directory of a shard. */
export interface FoundStore {
  /** Null where an earlier version left the files, which did not keep it. */
  readonly allocationId: string | null;
  /** See {@link ShardStore}. */
  readonly formerAllocationId?: string;
  readonly totalBytes: number;
  /** Of the newest commit point. */
  readonly segments: readonly { readonly uuid: string; readonly bytes: number }[];
  /** Empty where the commit point cannot be read. */
  readonly historyUuid: string;
  /** Operations up to here are in the segments. */
  readonly maxSeqNo: number;
  /** Of an open primary the first operation that it can still send; else null. */
  readonly historyStart: number | null;
  /** Why the copy cannot be opened, as far as a look at it tells. */
  readonly error?: string;
}

/** What the store is worth, compared with what the primary's node found in its own directory. */
export function storeBeside(found: FoundStore, primary: FoundStore | null | undefined): ShardStore {
  const { allocationId, formerAllocationId, totalBytes, error } = found;
  const own = new Map(found.segments.map(({ uuid, bytes }) => [uuid, bytes]));
  const matchingBytes = (primary?.segments ?? []).reduce((sum, { uuid }) => sum + (own.get(uuid) ?? 0), 0);
  const isSameHistory = found.historyUuid !== '' && primary?.historyUuid === found.historyUuid;
  const start = primary?.historyStart ?? Infinity;
  return {
    allocationId,
    ...(formerAllocationId === undefined ? {} : { formerAllocationId }),
    totalBytes,
    matchingBytes,
    hasAllHistory: isSameHistory && start <= found.maxSeqNo + 1,
    ...(error === undefined ? {} : { error }),
  };
}

export function readDiskReport(value: unknown): DiskReport {
  const { path, totalBytes, freeBytes, shards } = members(value);
  if (typeof path === 'string' && isCount(totalBytes) && isCount(freeBytes) && areAll(shards, isShardBytes)) {
    return value as DiskReport;
  }
  throw unreadable('disk-usage');
}

export function readWriteTimes(value: unknown): readonly ShardWriteTime[] {
  if (areAll(value, isWriteTime)) return value as ShardWriteTime[];
  throw unreadable('write-times');
}

/** `count`: of the shards that were asked about. */
export function readFoundStores(value: unknown, count: number): readonly (FoundStore | null)[] {
  const isFound = (each: unknown): boolean => each === null || isFoundStore(each);
  if (Array.isArray(value) && value.length === count && areAll(value, isFound)) return value as (FoundStore | null)[];
  throw unreadable('shard-stores');
}

/** For each copy that was asked about, whether it serves. */
export function readActiveCopies(value: unknown, count: number): readonly boolean[] {
  const isFlag = (each: unknown): boolean => typeof each === 'boolean';
  if (Array.isArray(value) && value.length === count && areAll(value, isFlag)) return value as boolean[];
  throw unreadable('active-copies');
}

function isShardBytes(value: unknown): boolean {
  const { indexUuid, shard, bytes } = members(value);
  return typeof indexUuid === 'string' && isCount(shard) && isCount(bytes);
}

function isWriteTime(value: unknown): boolean {
  const { indexUuid, shard, busyMs } = members(value);
  return typeof indexUuid === 'string' && isCount(shard) && isCount(busyMs);
}

function isFoundStore(value: unknown): boolean {
  const { allocationId, formerAllocationId, totalBytes, segments, historyUuid, maxSeqNo, historyStart, error } =
    members(value);
  return (
    (allocationId === null || typeof allocationId === 'string') &&
    (formerAllocationId === undefined || typeof formerAllocationId === 'string') &&
    isCount(totalBytes) &&
    areAll(segments, (segment) => typeof members(segment)['uuid'] === 'string' && isCount(members(segment)['bytes'])) &&
    typeof historyUuid === 'string' &&
    Number.isSafeInteger(maxSeqNo) &&
    (historyStart === null || Number.isSafeInteger(historyStart)) &&
    (error === undefined || typeof error === 'string')
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function areAll(value: unknown, holds: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(holds);
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function unreadable(question: string): QuarryError {
  const reason = `the answer of another node to [${question}] cannot be read`;
  return new QuarryError('transport_serialization_exception', reason);
}
