/** May this copy be on that node? Each decider answers with a sentence that names the setting responsible. */
import { effectiveClusterSettings } from './effective-cluster-settings.js';
import { ClusterSettingDefinitions } from './settings/cluster-settings.js';
import type { FlatSettings } from './settings/flat-settings.js';
import { indexSetting, numberSetting } from './settings/index-values.js';
import { valueOf } from './settings/registry.js';
import type { ClusterState, IndexMetadata, NodeRecord, ShardCopy } from './state.js';
import { matchesAny } from './wildcard.js';
import { holdsData } from './data-nodes.js';

export interface Decision {
  readonly decider: string;
  readonly allowed: boolean;
  readonly explanation: string;
}

/** What each decider says about putting the copy on the node. */
export function decide(
  state: ClusterState,
  index: IndexMetadata,
  copy: ShardCopy,
  copies: readonly ShardCopy[],
  node: NodeRecord,
): readonly Decision[] {
  const settings = effectiveClusterSettings(state);
  return [
    maxRetry(index, copy),
    replicaAfterPrimary(copy, copies),
    enabled(index, copy, settings),
    sameShard(copies, node),
    dataRole(node),
    dataTier(state, index, node),
    filters('cluster', 'cluster.routing.allocation.', settings, node),
    filters('index', 'index.routing.allocation.', index.settings, node),
  ];
}

function maxRetry(index: IndexMetadata, copy: ShardCopy): Decision {
  const retries = numberSetting(index, 'allocationMaxRetries');
  const failed = copy.unassigned?.failedAllocations ?? 0;
  if (failed === 0) return yes('max_retry', 'shard has no previous failures');
  return {
    decider: 'max_retry',
    allowed: failed < retries,
    explanation:
      failed < retries
        ? `shard has failed allocating [${failed}] times but [${retries}] retries are allowed`
        : `shard has exceeded the maximum number of retries [${retries}] on failed allocation attempts - manually call ` +
          '[/_cluster/reroute?retry_failed=true] to retry',
  };
}

function replicaAfterPrimary(copy: ShardCopy, copies: readonly ShardCopy[]): Decision {
  const decider = 'replica_after_primary_active';
  if (copy.primary) return yes(decider, 'shard is primary and can be allocated');
  const active = copies.some(({ primary, state }) => primary && state === 'STARTED');
  return {
    decider,
    allowed: active,
    explanation: `primary shard for this replica is ${active ? 'already' : 'not yet'} active`,
  };
}

function enabled(index: IndexMetadata, copy: ShardCopy, settings: FlatSettings): Decision {
  const ofIndex = index.settings.has('index.routing.allocation.enable');
  const scope = ofIndex ? 'index.routing.allocation.enable' : 'cluster.routing.allocation.enable';
  const value =
    (ofIndex
      ? indexSetting(index, 'allocationEnable')
      : valueOf(ClusterSettingDefinitions.allocationEnable, settings)) ?? 'all';
  const isNewPrimary = copy.primary && copy.unassigned?.reason === 'INDEX_CREATED';
  const allowed =
    value === 'all' || (value === 'primaries' && copy.primary) || (value === 'new_primaries' && isNewPrimary);
  if (value === 'all') return yes('enable', 'all allocations are allowed');
  if (allowed) return yes('enable', `${value.replaceAll('_', ' ')} allocations are allowed`);
  const kind = ofIndex ? 'index setting' : 'cluster setting';
  const only =
    value === 'none'
      ? 'no allocations are allowed'
      : `${copy.primary ? 'non-new primary' : 'replica'} allocations are forbidden`;
  return { decider: 'enable', allowed: false, explanation: `${only} due to ${kind} [${scope}=${value}]` };
}

function sameShard(copies: readonly ShardCopy[], node: NodeRecord): Decision {
  const other = copies.find(({ nodeId }) => nodeId === node.id);
  if (other === undefined) return yes('same_shard', 'none of the nodes that hold a copy of this shard is this node');
  return {
    decider: 'same_shard',
    allowed: false,
    explanation: `a copy of this shard is already allocated to this node [[${other.shard}], node[${node.id}], [${other.primary ? 'P' : 'R'}], s[${other.state}], a[id=${other.allocationId ?? ''}]]`,
  };
}

function dataRole(node: NodeRecord): Decision {
  const allowed = holdsData(node) && node.workerSlots > 0;
  return {
    decider: 'data_role',
    allowed,
    explanation: `the node ${allowed ? 'holds' : 'does not hold'} data`,
  };
}

/** `_tier_preference`: the first of the tiers that any node belongs to; the role `data` belongs to each. */
function dataTier(state: ClusterState, index: IndexMetadata, node: NodeRecord): Decision {
  const decider = 'data_tier';
  const value = index.settings.get('index.routing.allocation.include._tier_preference');
  const tiers = (typeof value === 'string' ? value.split(',') : (value ?? [])).flatMap((tier) => tier.trim() || []);
  if (tiers.length === 0) return yes(decider, 'node passes tier preference filters');
  const belongs = (each: NodeRecord, tier: string): boolean => each.roles.includes(tier) || each.roles.includes('data');
  const preference = `index has a preference for tiers [${tiers.join(',')}]`;
  const tier = tiers.find((each) => [...state.nodes.values()].some((other) => belongs(other, each)));
  if (tier === undefined) {
    const explanation = `${preference}, but no nodes for any of those tiers are available in the cluster`;
    return { decider, allowed: false, explanation };
  }
  if (belongs(node, tier)) return yes(decider, `${preference} and node has tier [${tier}]`);
  return { decider, allowed: false, explanation: `${preference} and node does not meet the required [${tier}] tier` };
}

/** `include`: one attribute must match; `require`: all must; `exclude`: none may. Values are lists of patterns. */
function filters(scope: 'cluster' | 'index', prefix: string, settings: FlatSettings, node: NodeRecord): Decision {
  const rules = { include: [] as string[], require: [] as string[], exclude: [] as string[] };
  const matched = { include: 0, require: 0, exclude: 0 };
  for (const [key, value] of settings) {
    const kind = (['include', 'require', 'exclude'] as const).find((each) => key.startsWith(`${prefix}${each}.`));
    const patterns = (typeof value === 'string' ? value.split(',') : value)
      .map((item) => item.trim())
      .filter((item) => item !== '');
    if (kind === undefined || patterns.length === 0 || key.endsWith('._tier_preference')) continue;
    rules[kind].push(`${key.slice(prefix.length + kind.length + 1)}:"${patterns.join(',')}"`);
    const attribute = key.slice(prefix.length + kind.length + 1);
    if (attributeValues(node, attribute).some((actual) => matchesAny(patterns, actual))) matched[kind]++;
  }
  const refuse = (kind: keyof typeof rules, verb: string, operator: string): Decision => ({
    decider: 'filter',
    allowed: false,
    explanation: `node ${verb} ${scope} setting [${prefix}${kind}] filters [${rules[kind].join(operator)}]`,
  });
  if (matched.require < rules.require.length) return refuse('require', 'does not match', ' AND ');
  if (rules.include.length > 0 && matched.include === 0) return refuse('include', 'does not match', ' OR ');
  if (matched.exclude > 0) return refuse('exclude', 'matches', ' OR ');
  return yes('filter', 'node passes include/exclude/require filters');
}

function attributeValues(node: NodeRecord, attribute: string): readonly string[] {
  switch (attribute) {
    case '_id':
      return [node.id];
    case '_name':
      return [node.name];
    case '_host':
      return [node.host, node.ip];
    case '_ip':
    case '_host_ip':
    case '_publish_ip':
      return [node.ip];
    default: {
      const value = Object.hasOwn(node.attributes, attribute) ? node.attributes[attribute] : undefined;
      return value === undefined ? [] : [value];
    }
  }
}

function yes(decider: string, explanation: string): Decision {
  return { decider, allowed: true, explanation };
}
