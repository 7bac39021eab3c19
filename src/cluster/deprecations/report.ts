/** Everything that is checked before an upgrade, in the form of the API. */
import type { ClusterState, IndexMetadata } from '../state.js';
import { clusterDeprecations } from './cluster-checks.js';
import { listed, warning, type Deprecation } from './entry.js';
import { indexDeprecations } from './index-checks.js';
import { nodeDeprecations, type CheckedNode } from './node-checks.js';
import { policyDeprecations } from './policy-checks.js';
import { streamDeprecations } from './stream-checks.js';
import { templateDeprecations } from './template-checks.js';

export interface CheckedNodes {
  readonly nodes: readonly CheckedNode[];
  /** Names of those that did not tell. */
  readonly silent: readonly string[];
}

type Entries = Readonly<Record<string, readonly Deprecation[]>>;

export interface DeprecationReport {
  readonly cluster_settings: readonly Deprecation[];
  readonly node_settings: readonly Deprecation[];
  /** These by name; only those with something to tell. */
  readonly index_settings: Entries;
  readonly data_streams: Entries;
  readonly templates: Entries;
  readonly ilm_policies: Entries;
  /** There is no machine learning. */
  readonly ml_settings: readonly Deprecation[];
}

export function deprecationReport(
  state: ClusterState,
  indices: readonly IndexMetadata[],
  { nodes, silent }: CheckedNodes,
): DeprecationReport {
  const ofIndices = new Map(indices.map((index) => [index.name, indexDeprecations(state, index)]));
  return {
    cluster_settings: clusterDeprecations(state),
    node_settings: [...nodeDeprecations(nodes), ...(silent.length === 0 ? [] : [unchecked(silent)])],
    index_settings: withEntries(ofIndices),
    data_streams: withEntries(streamDeprecations(state)),
    templates: withEntries(templateDeprecations(state)),
    ilm_policies: withEntries(policyDeprecations(state)),
    ml_settings: [],
  };
}

function withEntries(found: ReadonlyMap<string, readonly Deprecation[]>): Entries {
  return Object.fromEntries([...found].filter(([, entries]) => entries.length > 0));
}

function unchecked(names: readonly string[]): Deprecation {
  const message = 'Nodes did not tell what they are configured with';
  return warning(message, '/_cat/nodes?h=name,version', `Ask again when they answer: ${listed(names)}`);
}
