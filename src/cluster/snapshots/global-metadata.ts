/** What a snapshot keeps of the cluster itself. */
import { isAnyMap } from '../../base/shared-map.js';
import { isJsonObject } from '../../base/json-value.js';
import { decodeText, encodeText } from '../state-codec.js';
import type { ClusterState, DataStream } from '../state.js';
import { areFeatureStates, featureStatesOf, type FeatureStates } from './feature-states.js';

type Kept = Pick<
  ClusterState,
  'storedScripts' | 'legacyTemplates' | 'indexTemplates' | 'componentTemplates' | 'pipelines' | 'lifecyclePolicies'
>;

export interface GlobalMetadata extends Kept {
  readonly persistent: ClusterState['clusterSettings']['persistent'];
  /** Without what is under way for them; absent of snapshots that were made before these were kept. */
  readonly slmPolicies?: ClusterState['slmPolicies'];
}

export interface SnapshotMetadata {
  /** Absent where the cluster's state was not asked for. */
  readonly global?: GlobalMetadata;
  /** Of the features that the snapshot names; absent of snapshots that were made before any kept something. */
  readonly features?: FeatureStates;
  /** Of the snapshot, by name. */
  readonly dataStreams: ReadonlyMap<string, DataStream>;
}

export function metadataOf(
  state: ClusterState,
  dataStreams: readonly string[],
  includesGlobal: boolean,
  features: readonly string[] = [],
): SnapshotMetadata {
  const streams = dataStreams.flatMap((name) => {
    const stream = state.dataStreams.get(name);
    return stream === undefined ? [] : [[name, stream] as const];
  });
  const metadata = { dataStreams: new Map(streams), features: featureStatesOf(state, features) };
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
    slmPolicies: new Map([...state.slmPolicies].map(([id, policy]) => [id, { ...policy, runs: new Map() }])),
  };
}

export function encodeMetadata(metadata: SnapshotMetadata): string {
  return encodeText(metadata);
}

/** Undefined for anything that {@link encodeMetadata} did not write. */
export function decodeMetadata(text: string): SnapshotMetadata | undefined {
  const decoded = decodeText(text);
  if (!isJsonObject(decoded)) return undefined;
  const { global, features = {}, dataStreams } = decoded as Record<string, unknown>;
  if (!isAnyMap(dataStreams) || !areFeatureStates(features)) return undefined;
  if (global !== undefined && !isGlobal(global)) return undefined;
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
  const { slmPolicies } = members;
  return MEMBERS.every((name) => isAnyMap(members[name])) && (slmPolicies === undefined || isAnyMap(slmPolicies));
}
