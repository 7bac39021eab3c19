/**
 * The ids of scrolls and points in time: opaque to clients, and checked when they come back. They name what workers hold,
 * each by a random token that no worker gave to anybody else; a checksum tells damage from what is merely gone.
 */
import { illegalArgument } from '../../../base/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';
import { crc32c } from '../../../segment/crc32c.js';
import type { CopyPlace, ShardKey } from '../../shard-client.js';
import type { HeldName } from './open-searchers.js';
import { sealOf } from './seal.js';

export interface HeldPart {
  readonly key: ShardKey;
  readonly place: CopyPlace;
  readonly searcher: HeldName;
}

export interface ContextId {
  readonly kind: 'scroll' | 'pit';
  /** In the order of the shards of the search. */
  readonly parts: readonly HeldPart[];
  /** Of a point in time: the alias filters of each index by name, and whether it was opened in the way of Elasticsearch. */
  readonly filters: Readonly<Record<string, readonly JsonObject[]>>;
  readonly hasTiebreaker: boolean;
}

const VERSION = 1;
/** Characters of an id; more shards than that makes cannot be searched at once. */
const ID_LENGTH_MAX = 16 * 1024 * 1024;
const CHECKSUM_BYTES = 4;

/** Indices and nodes once each, as every shard of them names them again. */
interface Wire {
  readonly v: number;
  readonly k: 'scroll' | 'pit';
  readonly t: boolean;
  readonly f: Readonly<Record<string, readonly JsonObject[]>>;
  readonly i: readonly (readonly [string, string])[];
  readonly n: readonly string[];
  readonly p: readonly (readonly [number, number, number, number, number, string])[];
}

export function encodeContextId(id: ContextId): string {
  const indices = [...new Map(id.parts.map(({ key }) => [key.indexUuid, key.index]))];
  const nodes = [...new Set(id.parts.map(({ place }) => place.nodeId))];
  const indexAt = new Map(indices.map(([uuid], at) => [uuid, at]));
  const nodeAt = new Map(nodes.map((node, at) => [node, at]));
  const wire: Wire = {
    v: VERSION,
    k: id.kind,
    t: id.hasTiebreaker,
    f: id.filters,
    i: indices.map(([uuid, name]) => [name, uuid]),
    n: nodes,
    p: id.parts.map(({ key, place, searcher }) => [
      indexAt.get(key.indexUuid) ?? 0,
      key.shard,
      nodeAt.get(place.nodeId) ?? 0,
      place.workerSlot,
      searcher.id,
      searcher.token,
    ]),
  };
  const json = Buffer.from(JSON.stringify(wire), 'utf8');
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32c(json));
  return Buffer.concat([checksum, json]).toString('base64url');
}

/** Throws `illegal_argument_exception` for what is no id of that kind. What it names is held for `owner`, see `ownerOf`, or not at all. */
export function decodeContextId(text: string, kind: 'scroll' | 'pit', owner: string): ContextId {
  const wire = readWire(text);
  if (wire?.k !== kind) {
    throw illegalArgument(kind === 'scroll' ? 'Cannot parse scroll id' : `invalid id: [${shortened(text)}]`);
  }
  const seal = sealOf(owner, wire.f);
  const parts = wire.p.map(([index, shard, node, workerSlot, id, token]): HeldPart => {
    const [name = '', indexUuid = ''] = wire.i[index] ?? [];
    return {
      key: { index: name, indexUuid, shard },
      place: { nodeId: wire.n[node] ?? '', workerSlot },
      searcher: { id, token, seal },
    };
  });
  return { kind, parts, filters: wire.f, hasTiebreaker: wire.t };
}

const SHOWN_MAX = 100;

function shortened(text: string): string {
  return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)}...`;
}

function readWire(text: string): Wire | undefined {
  if (text.length > ID_LENGTH_MAX || !/^[A-Za-z0-9_-]+=*$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= CHECKSUM_BYTES) return undefined;
  const json = bytes.subarray(CHECKSUM_BYTES);
  if (crc32c(json) !== bytes.readUInt32LE(0)) return undefined;
  try {
    const value = JSON.parse(json.toString('utf8')) as JsonValue;
    return isWire(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A checksum is no proof of who made the id: every member is looked at. */
function isWire(value: JsonValue): value is JsonValue & Wire {
  if (!isJsonObject(value)) return false;
  const { v, k, t, f, i, n, p } = value;
  if (v !== VERSION || (k !== 'scroll' && k !== 'pit') || typeof t !== 'boolean') return false;
  if (!isJsonObject(f) || !Object.values(f).every((list) => isListOf(list, isJsonObject))) return false;
  const isPair = (item: JsonValue): boolean => isListOf(item, isText) && (item as readonly string[]).length === 2;
  return isListOf(i, isPair) && isListOf(n, isText) && isListOf(p, isPart);
}

function isListOf(value: JsonValue | undefined, fits: (item: JsonValue) => boolean): boolean {
  return Array.isArray(value) && (value as readonly JsonValue[]).every(fits);
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}

const PART_LENGTH = 6;

function isPart(value: JsonValue): boolean {
  if (!Array.isArray(value) || value.length !== PART_LENGTH) return false;
  const items = value as readonly JsonValue[];
  return items.every((item, at) =>
    at === PART_LENGTH - 1 ? isText(item) : Number.isSafeInteger(item) && Number(item) >= 0,
  );
}
