/** What `_cluster/allocation/explain` answers. */
export interface DeciderAnswer {
  readonly decider: string;
  readonly decision: 'YES' | 'NO' | 'THROTTLE' | 'ALWAYS';
  readonly explanation: string;
}

export interface NodeDecision {
  readonly node_name: string;
  readonly node_decision: string;
  readonly deciders?: readonly DeciderAnswer[];
  readonly store?: Readonly<Record<string, unknown>>;
}

export interface Explanation {
  readonly index: string;
  readonly shard: number;
  readonly primary: boolean;
  readonly current_state: string;
  readonly current_node?: { readonly name: string };
  readonly unassigned_info?: {
    readonly reason: string;
    readonly at: string;
    readonly failed_allocation_attempts?: number;
    readonly details?: string;
  };
  readonly can_allocate?: string;
  readonly can_remain_on_current_node?: string;
  readonly allocate_explanation?: string;
  readonly rebalance_explanation?: string;
  readonly explanation?: string;
  readonly remaining_delay?: string;
  readonly node_allocation_decisions?: readonly NodeDecision[];
  readonly can_remain_decisions?: readonly DeciderAnswer[];
}
