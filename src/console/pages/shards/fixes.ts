/** Requests that could give an unassigned copy its place, made from what the deciders say. Nothing is sent by itself. */
import type { Explanation } from './explanation.js';

export interface Fix {
  readonly title: string;
  /** What it costs. */
  readonly caution: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** `replicas`: how many the index asks for. The best fix comes first. */
export function fixesOf(explanation: Explanation, replicas: number): readonly Fix[] {
  const refusals = refusalsOf(explanation);
  const fixes = [...refusals].flatMap(([decider, texts]) => fixesOfDecider(decider, texts, explanation, replicas));
  if (explanation.can_allocate === 'allocation_delayed') fixes.unshift(endDelay(explanation.index));
  if (explanation.can_allocate === 'no_valid_shard_copy') fixes.push(...fixesOfLostPrimary(explanation));
  return fixes;
}

/** What the deciders that say no say, by their names. */
function refusalsOf({ node_allocation_decisions: nodes = [] }: Explanation): ReadonlyMap<string, readonly string[]> {
  const refusals = new Map<string, string[]>();
  for (const { decider, decision, explanation } of nodes.flatMap(({ deciders = [] }) => deciders)) {
    if (decision === 'NO') refusals.set(decider, [...(refusals.get(decider) ?? []), explanation]);
  }
  return refusals;
}

function fixesOfDecider(
  decider: string,
  texts: readonly string[],
  { index, primary }: Explanation,
  replicas: number,
): readonly Fix[] {
  switch (decider) {
    case 'max_retry':
      return [retry()];
    case 'same_shard':
    case 'awareness':
      return primary || replicas === 0 ? [] : [fewerReplicas(index, replicas)];
    case 'disk_threshold':
      return [higherWatermark()];
    case 'enable':
    case 'filter':
    case 'data_tier':
    case 'shards_limit':
      return settingsIn(decider, texts).map((key) => resetSetting(key, index));
    default:
      return [];
  }
}

function retry(): Fix {
  return {
    title: 'Try again',
    caution: 'Mend first what made it fail: the reason is above.',
    method: 'POST',
    path: '_cluster/reroute?retry_failed=true',
  };
}

function fewerReplicas(index: string, replicas: number): Fix {
  return {
    title: `Lower the number of replicas from ${replicas} to ${replicas - 1}`,
    caution: 'The index survives the loss of one node less. Adding a node keeps the copies instead.',
    method: 'PUT',
    path: `${encodeURIComponent(index)}/_settings`,
    body: { index: { number_of_replicas: replicas - 1 } },
  };
}

function higherWatermark(): Fix {
  return {
    title: 'Raise the watermarks of disks',
    caution: 'Only for a while: free or add disk space. A full disk stops all writing.',
    method: 'PUT',
    path: '_cluster/settings',
    body: {
      persistent: {
        'cluster.routing.allocation.disk.watermark.low': '92%',
        'cluster.routing.allocation.disk.watermark.high': '95%',
        'cluster.routing.allocation.disk.watermark.flood_stage': '97%',
      },
    },
  };
}

function endDelay(index: string): Fix {
  return {
    title: 'Wait no longer for the node',
    caution: 'All data of the copy is sent to another node, also if the first one comes back.',
    method: 'PUT',
    path: `${encodeURIComponent(index)}/_settings`,
    body: { index: { 'unassigned.node_left.delayed_timeout': '0s' } },
  };
}

function resetSetting(key: string, index: string): Fix {
  const isOfCluster = key.startsWith('cluster.');
  return {
    title: `Reset ${key}`,
    caution: isOfCluster ? 'It holds for the whole cluster.' : `It holds for the index ${index}.`,
    method: 'PUT',
    path: isOfCluster ? '_cluster/settings' : `${encodeURIComponent(index)}/_settings`,
    body: isOfCluster ? { persistent: { [key]: null }, transient: { [key]: null } } : { [key]: null },
  };
}

/** Settings are named in brackets: `[cluster.routing.allocation.enable=none]`. Filters add the attribute: `filters [rack:"a"]`. */
function settingsIn(decider: string, texts: readonly string[]): readonly string[] {
  if (decider === 'data_tier') return ['index.routing.allocation.include._tier_preference'];
  const keys = texts.flatMap((text) => {
    const key = /\[((?:cluster|index)\.[\w.]+)/.exec(text)?.[1];
    if (key === undefined) return [];
    if (decider !== 'filter') return [key];
    return [...text.matchAll(/[[ ]([\w.-]+):"/g)].map(([, attribute = '']) => `${key}.${attribute}`);
  });
  return [...new Set(keys)];
}

function fixesOfLostPrimary({
  index,
  shard,
  primary,
  node_allocation_decisions: nodes = [],
}: Explanation): readonly Fix[] {
  const stale = nodes.find(({ store }) => store?.['allocation_id'] !== undefined && store['in_sync'] === false);
  if (!primary) return [];
  const command =
    stale === undefined
      ? { allocate_empty_primary: { index, shard, node: '<node>', accept_data_loss: false } }
      : { allocate_stale_primary: { index, shard, node: stale.node_name, accept_data_loss: false } };
  return [
    {
      title:
        stale === undefined
          ? 'Last resort: begin with an empty shard'
          : `Last resort: use the old copy on ${stale.node_name}`,
      caution: `${
        stale === undefined
          ? 'All documents of the shard are lost for good.'
          : 'What was written since is lost for good.'
      } Set accept_data_loss to true only if no copy and no snapshot can be found.`,
      method: 'POST',
      path: '_cluster/reroute',
      body: { commands: [command] },
    },
  ];
}
