/** What a snapshot keeps of the cluster itself. */
import { isAnyMap } from '../../base/shared-map.js';
import { isJsonObject } from '../../base/json-value.js';
import { decodeText, encodeText } from '../state-codec.js';
import type { ClusterState, DataStream } from '../state.js';

type Kept = Pick<
  ClusterState,
  'storedScripts' | 'legacyTemplates' | 'indexTemplates' | 'componentTemplates' | 'pipelines' | 'lifecyclePolicies'
>;

export interface GlobalMetadata extends Kept {
  readonly persistent: ClusterState['clusterSettings']['persistent'];
}

export interface SnapshotMetadata {
  /** Absent where the cluster's state was not asked for. */
  readonly global?: GlobalMetadata;
  /** Of the snapshot, by name. */
  readonly dataStreams: ReadonlyMap<string, DataStream>;
}

export function metadataOf(
  state: ClusterState,
  dataStreams: readonly string[],
  includesGlobal: boolean,
): SnapshotMetadata {
  const streams = dataStreams.flatMap((name) => {
    const stream = state.dataStreams.get(name);
    return stream === undefined ? [] : [[name, stream] as const];
  });
  const metadata = { dataStreams: new Map(streams) };
  return includesGlobal ? { ...metadata, global: globalOf(state) } : metadata;
}

function globalOf(state: ClusterState): GlobalMetadata {
  return {
    persistent: state.clusterSettings.persistent,
    storedScripts: state.storedScripts,
    legacyTemplates: state.legacyTemplates,
    indexTemplates: state.indexTemplates,
    componentTemplates: state.componentTemplates,
    pipelines: state.pipelines,
    lifecyclePolicies: state.lifecyclePolicies,
  };
}

export function encodeMetadata(metadata: SnapshotMetadata): string {
  return encodeText(metadata);
}

/** Undefined for anything that {@link encodeMetadata} did not write. */
export function decodeMetadata(text: string): SnapshotMetadata | undefined {
  const decoded = decodeText(text);
  if (!isJsonObject(decoded)) return undefined;
  const { global, dataStreams } = decoded as Record<string, unknown>;
  if (!isAnyMap(dataStreams) || (global !== undefined && !isGlobal(global))) return undefined;
  return decoded as unknown as SnapshotMetadata;
}

const MEMBERS: readonly (keyof GlobalMetadata)[] = [
  'persistent',
  'storedScripts',
  'legacyTemplates',
  'indexTemplates',
  'componentTemplates',
  'pipelines',
  'lifecyclePolicies',
];

function isGlobal(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = value as Record<string, unknown>;
  return MEMBERS.every((name) => isAnyMap(members[name]));
}
