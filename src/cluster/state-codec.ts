/**
 * The cluster state as JSON text and back, for the disk. Maps become `{"$map": [[key, value], ...]}`, and an object that
 * has a member of such a name itself becomes `{"$object": [[key, value], ...]}`.
 */
import { QuarryError } from '../base/errors.js';
import { isJsonObject } from '../base/json-value.js';
import { isAnyMap } from '../base/shared-map.js';
import { INITIAL_SECURITY } from './security/security-state.js';
import { INITIAL_SLM } from './slm/types.js';
import type { ClusterState, IndexMetadata, IndexRouting, UnassignedInfo } from './state.js';

/** Rises when what is written can no longer be read by older versions. */
const FORMAT_VERSION = 2;
/** Before there were several nodes. */
const FORMAT_OF_ONE_NODE = 1;
const MAP_KEY = '$map';
const OBJECT_KEY = '$object';

export function encodeState(state: ClusterState): string {
  return encodeText({ format: FORMAT_VERSION, state });
}

/** Plain data of objects, arrays and maps. */
export function encodeText(plain: unknown): string {
  return JSON.stringify(tagged(plain));
}

/** Throws `corrupt_index_exception` for text that is not of {@link encodeText}. */
export function decodeText(text: string): unknown {
  try {
    return untag(JSON.parse(text));
  } catch (cause) {
    throw corrupt('is not JSON', cause);
  }
}

/** Throws `corrupt_index_exception` for anything that {@link encodeState} did not write. */
export function decodeState(text: string): ClusterState {
  const decoded = decodeText(text);
  if (!isJsonObject(decoded)) throw corrupt('is not an object');
  const format: unknown = decoded['format'];
  if (format !== FORMAT_VERSION && format !== FORMAT_OF_ONE_NODE)
    throw corrupt(`has the unknown format [${JSON.stringify(format)}]`);
  const state: unknown = format === FORMAT_VERSION ? decoded['state'] : upgraded(decoded['state']);
  if (!isClusterState(state)) throw corrupt('lacks some of its members');
  return completeState(state);
}

/** One index alone, for those who have files of it. */
export function encodeIndex(index: IndexMetadata): string {
  return encodeText({ format: FORMAT_VERSION, index });
}

/** Throws `corrupt_index_exception` for anything that {@link encodeIndex} did not write. */
export function decodeIndex(text: string): IndexMetadata {
  const decoded = decodeText(text);
  const { format, index } = isJsonObject(decoded) ? (decoded as Record<string, unknown>) : {};
  if (format !== FORMAT_VERSION) throw corruptIndex(`has the unknown format [${JSON.stringify(format)}]`);
  if (!isIndex(index)) throw corruptIndex('lacks some of its members');
  return completeIndex(index);
}

function isIndex(value: unknown): value is IndexMetadata {
  if (typeof value !== 'object' || value === null) return false;
  const index = value as Record<keyof IndexMetadata, unknown>;
  const { numberOfShards: shards, primaryTerms: terms, inSyncAllocationIds: inSync } = index;
  const numbers = [
    index.creationDateMs,
    index.version,
    index.mappingVersion,
    index.settingsVersion,
    index.aliasesVersion,
    shards,
    index.numberOfReplicas,
    index.routingNumShards,
  ];
  const isList = (list: unknown, isItem: (item: unknown) => boolean): boolean =>
    Array.isArray(list) && list.every(isItem);
  return (
    typeof index.name === 'string' &&
    typeof index.uuid === 'string' &&
    (index.state === 'open' || index.state === 'close') &&
    numbers.every((number) => Number.isSafeInteger(number) && (number as number) >= 0) &&
    index.settings instanceof Map &&
    index.aliases instanceof Map &&
    isJsonObject(index.mapping) &&
    isList(terms, Number.isSafeInteger) &&
    isList(inSync, (ids) => isList(ids, (id) => typeof id === 'string')) &&
    (terms as unknown[]).length === shards &&
    (inSync as unknown[]).length === shards
  );
}

function corruptIndex(what: string): QuarryError {
  return new QuarryError('corrupt_index_exception', `what is written down of an index ${what}`);
}

/** With what earlier versions did not keep. */
export function completeState(state: ClusterState): ClusterState {
  const { tombstones, storedScripts, pipelines, clusterSettings, ...rest } = state as Partial<ClusterState>;
  const settings: Partial<ClusterState['clusterSettings']> = clusterSettings ?? {};
  return {
    ...INITIAL_SECURITY,
    ...state,
    metadataVersion: rest.metadataVersion ?? state.version,
    indices: new Map([...state.indices].map(([name, index]) => [name, completeIndex(index)])),
    tombstones: tombstones ?? new Map(),
    storedScripts: storedScripts ?? new Map(),
    legacyTemplates: rest.legacyTemplates ?? new Map(),
    indexTemplates: rest.indexTemplates ?? new Map(),
    componentTemplates: rest.componentTemplates ?? new Map(),
    dataStreams: rest.dataStreams ?? new Map(),
    lifecyclePolicies: rest.lifecyclePolicies ?? new Map(),
    lifecyclesStopped: rest.lifecyclesStopped ?? false,
    slm: rest.slm ?? INITIAL_SLM,
    slmPolicies: rest.slmPolicies ?? new Map(),
    smPolicies: rest.smPolicies ?? new Map(),
    pipelines: pipelines ?? new Map(),
    repositories: rest.repositories ?? new Map(),
    snapshotOperations: rest.snapshotOperations ?? new Map(),
    clusterSettings: {
      configured: settings.configured ?? new Map(),
      persistent: settings.persistent ?? new Map(),
      transient: settings.transient ?? new Map(),
    },
  };
}

/** Earlier versions kept one rollover alone. */
function completeIndex(index: IndexMetadata): IndexMetadata {
  const { rolledOver: kept } = index as { readonly rolledOver?: unknown };
  if (!isJsonObject(kept) || kept instanceof Map) return index;
  const { target, atMs } = kept;
  const isWhole = typeof target === 'string' && typeof atMs === 'number';
  return { ...index, rolledOver: new Map(isWhole ? [[target, atMs]] : []) };
}

/** With tags in the place of what JSON does not have. Nothing is copied that has none: a replacer would be several times slower. */
function tagged(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return taggedItems(value);
  if (isAnyMap(value)) return { [MAP_KEY]: Array.from(value, ([key, member]) => [key, tagged(member)]) };
  const object = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const name of Object.keys(object)) {
    const member = object[name];
    const written = tagged(member);
    if (written !== member) (copy ??= { ...object })[name] = written;
  }
  const members = copy ?? object;
  const isAmbiguous = Object.hasOwn(object, MAP_KEY) || Object.hasOwn(object, OBJECT_KEY);
  return isAmbiguous ? { [OBJECT_KEY]: Object.entries(members) } : members;
}

function taggedItems(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [at, item] of items.entries()) {
    const written = tagged(item);
    if (written !== item) (copy ??= [...items])[at] = written;
  }
  return copy ?? items;
}

/** Changes what was parsed in its place: a reviver would be several times slower. */
function untag(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value as unknown[];
    for (let at = 0; at < items.length; at++) items[at] = untag(items[at]);
    return items;
  }
  const object = value as Record<string, unknown>;
  const names = Object.keys(object);
  for (const name of names) object[name] = untag(object[name]);
  if (names.length !== 1) return object;
  const { [MAP_KEY]: map, [OBJECT_KEY]: members } = object;
  if (Array.isArray(map)) return new Map(map as [unknown, unknown][]);
  return Array.isArray(members) ? Object.fromEntries(members as [string, unknown][]) : object;
}

/** What the first format did not know, as it was then. Places of shards go with the node: it joins anew. */
function upgraded(state: unknown): unknown {
  if (!isJsonObject(state)) return state;
  const { nodes, routing, indices } = state as unknown as ClusterState;
  if (![nodes, routing, indices].every((map: unknown) => map instanceof Map)) return state;
  const [lastNodeId = null] = nodes.keys();
  return {
    ...state,
    term: 0,
    voting: { voters: [], exclusions: [] },
    shutdowns: new Map(),
    nodes: new Map([...nodes].map(([id, node]) => [id, { ...node, ephemeralId: '', raftId: '0' }])),
    routing: new Map([...routing].map(([name, table]) => [name, upgradedTable(table, indices.get(name), lastNodeId)])),
  };
}

function upgradedTable(table: IndexRouting, index: IndexMetadata | undefined, lastNodeId: string | null): IndexRouting {
  const known = (
    shard: number,
  ): Pick<UnassignedInfo, 'delayed' | 'lastNodeId' | 'lastAllocationId' | 'failedNodeIds'> => ({
    delayed: false,
    lastNodeId,
    lastAllocationId: index?.inSyncAllocationIds[shard]?.[0] ?? null,
    failedNodeIds: [],
  });
  return {
    ...table,
    shards: table.shards.map((copies) =>
      copies.map((copy) => ({
        ...copy,
        relocatingNodeId: null,
        unassigned: copy.unassigned === null ? null : { ...known(copy.shard), ...copy.unassigned },
      })),
    ),
  };
}

function isClusterState(state: unknown): state is ClusterState {
  if (typeof state !== 'object' || state === null) return false;
  const { version, clusterName, clusterUuid, nodes, indices, routing, clusterSettings, term, voting, shutdowns } =
    state as Record<keyof ClusterState, unknown>;
  const settings = clusterSettings as Record<string, unknown> | undefined;
  return (
    Number.isSafeInteger(version) &&
    Number.isSafeInteger(term) &&
    isJsonObject(voting) &&
    typeof clusterName === 'string' &&
    typeof clusterUuid === 'string' &&
    [nodes, indices, routing, shutdowns, settings?.['persistent'], settings?.['transient']].every(
      (map) => map instanceof Map,
    )
  );
}

function corrupt(what: string, cause?: unknown): QuarryError {
  return new QuarryError('corrupt_index_exception', `the stored cluster state ${what}`, { cause });
}
