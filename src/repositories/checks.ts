/** Whether metadata that was read is of its shape: nothing that comes from a repository is trusted. */
import { isJsonObject } from '../base/json-value.js';
import type { RepositoryRoot, ShardGeneration, SnapshotRecord } from './format.js';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value);
/** A part of the name of a blob. */
const isPart: Check = (value) => typeof value === 'string' && /^[\w-]{1,200}$/.test(value);

function isList(value: unknown, isItem: Check): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isRecord(value: unknown, isKey: Check, isValue: Check): boolean {
  return isJsonObject(value) && Object.entries(value).every(([key, each]) => isKey(key) && isValue(each));
}

function hasMembers(value: unknown, members: Readonly<Record<string, Check>>): boolean {
  if (!isJsonObject(value)) return false;
  return Object.entries(members).every(([name, check]) => check(value[name]));
}

const isState: Check = (value) => value === 'SUCCESS' || value === 'PARTIAL' || value === 'FAILED';

const isRootSnapshot: Check = (value) =>
  hasMembers(value, {
    name: isText,
    uuid: isPart,
    state: isState,
    startedAtMs: isTime,
    endedAtMs: isTime,
    indices: isCount,
    successfulShards: isCount,
    totalShards: isCount,
  });

const isRootIndex: Check = (value) =>
  hasMembers(value, {
    id: isPart,
    name: isText,
    snapshots: (each) => isRecord(each, isPart, isPart),
    shards: (each) => isList(each, (generation) => generation === '' || isPart(generation)),
  });

export function isRoot(value: unknown): value is RepositoryRoot {
  return hasMembers(value, {
    generation: isCount,
    uuid: isPart,
    clusterUuid: isText,
    operation: isText,
    snapshots: (each) => isList(each, isRootSnapshot),
    indices: (each) => isList(each, isRootIndex),
  });
}

const isFailure: Check = (value) =>
  hasMembers(value, { index: isText, indexUuid: isText, shard: isCount, reason: isText });

const isDetails: Check = (value) => hasMembers(value, { shards: isCount, bytes: isCount, segmentsMax: isCount });

export function isSnapshotRecord(value: unknown): value is SnapshotRecord {
  const isTexts: Check = (each) => isList(each, isText);
  return hasMembers(value, {
    name: isText,
    uuid: isPart,
    state: isState,
    startedAtMs: isTime,
    endedAtMs: isTime,
    indices: isTexts,
    dataStreams: isTexts,
    featureStates: isTexts,
    includeGlobalState: (each) => typeof each === 'boolean',
    totalShards: isCount,
    successfulShards: isCount,
    failures: (each) => isList(each, isFailure),
    details: (each) => isRecord(each, isText, isDetails),
  });
}

const isFile: Check = (value) =>
  hasMembers(value, {
    // Written into the directory of a shard under this name.
    name: (name) => typeof name === 'string' && /^[\w-][\w.-]{0,200}$/.test(name),
    uuid: isPart,
    length: isCount,
    checksum: isCount,
    chunkBytes: (value) => value === undefined || isCount(value),
    broughtBy: (value) => value === undefined || isPart(value),
    parts: (value) =>
      value === undefined || hasMembers(value, { bytes: (bytes) => isCount(bytes) && bytes !== 0, broughtBy: isPart }),
  });

const isEntry: Check = (value) =>
  hasMembers(value, {
    files: (each) => isList(each, isFile),
    startedAtMs: isTime,
    tookMs: isTime,
    newFiles: isCount,
    newBytes: isCount,
  });

export function isShardGeneration(value: unknown): value is ShardGeneration {
  return isRecord(value, isPart, isEntry);
}
