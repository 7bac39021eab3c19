/** What every reducer of the cluster state takes and gives. A reducer is pure: it either throws or gives a new state. */
import { withEntries } from '../../base/shared-map.js';
import type { ScriptCheck } from '../../mapping/types.js';
import type { ClusterInfo } from '../disks/cluster-info.js';
import type { ClusterState, IndexMetadata, IndexRouting } from '../state.js';

export interface ChangeEnvironment extends NativeRules {
  readonly nowMs: number;
  newUuid(): string;
  /** What the master last heard of disks and stores; nothing is known where absent. */
  readonly clusterInfo?: ClusterInfo;
}

/** What the native side knows of definitions, because it carries them out. */
export interface NativeRules {
  readonly analysis: AnalysisRules;
  readonly scripts: ScriptRules;
}

export interface ScriptRules {
  /** Of scripts that are part of definitions. */
  readonly check: ScriptCheck;
  /** Throws what is wrong with the scripts of a similarity, which is JSON. */
  readonly checkSimilarity: (similarity: string) => void;
}

/** What is known of analysis; `settings` is the `index.analysis` object as JSON. */
export interface AnalysisRules {
  /** Throws `illegal_argument_exception` naming what is wrong. */
  validate(settings: string): void;
  /** Whether the settings or the built-in ones have this name. */
  has(settings: string, name: string, kind: 'analyzer' | 'normalizer'): boolean;
}

export interface Change<Result> {
  /** The same object when nothing changed. */
  readonly state: ClusterState;
  readonly result: Result;
}

/** Parts of a state that a change replaces. */
export type StateParts = Partial<Omit<ClusterState, 'version' | 'stateUuid' | 'clusterName' | 'clusterUuid'>>;

/** The next version of the state. */
export function nextState(state: ClusterState, parts: StateParts, environment: ChangeEnvironment): ClusterState {
  return { ...state, ...parts, version: state.version + 1, stateUuid: environment.newUuid() };
}

/** Indices with some of them replaced or added. */
export function withIndices(state: ClusterState, changed: Iterable<IndexMetadata>): ClusterState['indices'] {
  return withEntries(state.indices, namedIndices(changed));
}

export function withRouting(state: ClusterState, changed: Iterable<IndexRouting>): ClusterState['routing'] {
  return withEntries(
    state.routing,
    Array.from(changed, (table) => [table.index.name, table] as const),
  );
}

/** Without the indices of these names, and without the tables of their shards. */
export function withoutIndices(
  state: ClusterState,
  names: readonly string[],
): Pick<ClusterState, 'indices' | 'routing'> {
  return { indices: withEntries(state.indices, [], names), routing: withEntries(state.routing, [], names) };
}

function namedIndices(indices: Iterable<IndexMetadata>): (readonly [string, IndexMetadata])[] {
  return Array.from(indices, (index) => [index.name, index] as const);
}
