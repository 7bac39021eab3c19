/** `cluster.routing.allocation.enable`, `cluster.routing.rebalance.enable`, and the same of an index, which win. */
import type { Question } from '../allocation/allocation-round.js';
import { isActive, neverStarted } from '../copies/shard-copies.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'enable';

export const enable: Decider = {
  name: NAME,
  looksAtCopyAlone: true,
  canAllocate,
  canRebalance,
  canRebalanceCluster(round) {
    if (round.options.ignoresDisable === true) {
      return decision(round, NAME, 'YES', () => 'allocation is explicitly ignoring any disabling of rebalancing');
    }
    if (round.facts.rebalanceEnable !== 'none') {
      return decision(round, NAME, 'YES', () => 'rebalancing is not globally disabled');
    }
    const isOverridden = [...round.state.indices.values()].some((index) =>
      index.settings.has('index.routing.rebalance.enable'),
    );
    return isOverridden
      ? decision(round, NAME, 'YES', () => 'rebalancing is overridden on one or more indices')
      : decision(
          round,
          NAME,
          'NO',
          () => 'no rebalancing is allowed due to cluster setting [cluster.routing.rebalance.enable=none]',
        );
  },
};

function canAllocate({ round, index, facts, copy }: Question): Decision {
  if (round.options.ignoresDisable === true) {
    return decision(
      round,
      NAME,
      'YES',
      () => 'explicitly ignoring any disabling of allocation due to manual allocation commands via the reroute API',
    );
  }
  const value = facts.allocationEnable ?? round.facts.allocationEnable;
  const refuse = (what: string): Decision =>
    decision(round, NAME, 'NO', () => `${what} due to ${settingText('allocation', facts.allocationEnable, value)}`);
  switch (value) {
    case 'all':
      return decision(round, NAME, 'YES', () => 'all allocations are allowed');
    case 'none':
      return refuse('no allocations are allowed');
    case 'new_primaries':
      return copy.primary && !isActive(copy) && neverStarted(index, copy.shard)
        ? decision(round, NAME, 'YES', () => 'new primary allocations are allowed')
        : refuse('non-new primary allocations are forbidden');
    case 'primaries':
      return copy.primary
        ? decision(round, NAME, 'YES', () => 'primary allocations are allowed')
        : refuse('replica allocations are forbidden');
  }
}

function canRebalance({ round, facts, copy }: Question): Decision {
  if (round.options.ignoresDisable === true) {
    return decision(round, NAME, 'YES', () => 'allocation is explicitly ignoring any disabling of rebalancing');
  }
  const value = facts.rebalanceEnable ?? round.facts.rebalanceEnable;
  const refuse = (what: string): Decision =>
    decision(round, NAME, 'NO', () => `${what} due to ${settingText('rebalance', facts.rebalanceEnable, value)}`);
  switch (value) {
    case 'all':
      return decision(round, NAME, 'YES', () => 'all rebalancing is allowed');
    case 'none':
      return refuse('no rebalancing is allowed');
    case 'primaries':
      return copy.primary
        ? decision(round, NAME, 'YES', () => 'primary rebalancing is allowed')
        : refuse('replica rebalancing is forbidden');
    case 'replicas':
      return copy.primary
        ? refuse('primary rebalancing is forbidden')
        : decision(round, NAME, 'YES', () => 'replica rebalancing is allowed');
  }
}

function settingText(what: 'allocation' | 'rebalance', ofIndex: string | undefined, value: string): string {
  return ofIndex === undefined
    ? `cluster setting [cluster.routing.${what}.enable=${value}]`
    : `index setting [index.routing.${what}.enable=${value}]`;
}
