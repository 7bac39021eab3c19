/** The master keeps what comes with the cluster in its place: at its election, and when somebody took a part of it away. */
import type { Logger } from '../base/logger.js';
import { lacksStack, type InstallStackResult } from '../cluster/changes/install-stack.js';
import type { ClusterState } from '../cluster/state.js';
import type { Coordinator } from './coordinator.js';

export interface StackKeeperOptions {
  /** Whether the cluster answers as the product that has such things. */
  readonly isWanted: boolean;
  readonly coordinator: Pick<Coordinator, 'submitHere'>;
  readonly logger: Logger;
}

type Looked = Pick<
  ClusterState,
  'indexTemplates' | 'componentTemplates' | 'legacyTemplates' | 'lifecyclePolicies' | 'pipelines' | 'clusterSettings'
>;

export class StackKeeper {
  private readonly options: StackKeeperOptions;
  private looked: Looked | undefined;
  private told = '';

  constructor(options: StackKeeperOptions) {
    this.options = options;
  }

  /** Puts what is missing. Resolves when it is there; does nothing in a cluster of the other product. */
  async install(): Promise<void> {
    const { isWanted, coordinator } = this.options;
    if (!isWanted) return;
    const { leftOut } = (await coordinator.submitHere('install-stack', null)) as InstallStackResult;
    this.tell(leftOut);
  }

  /** Looks again where a state differs in what matters from the one that was looked at last. */
  async follow(state: ClusterState): Promise<void> {
    const before = this.looked;
    this.looked = state;
    if (!this.options.isWanted || before === undefined) return;
    if (LOOKED_AT.every((name) => before[name] === state[name]) || !lacksStack(state)) return;
    await this.install();
  }

  private tell(leftOut: InstallStackResult['leftOut']): void {
    const text = JSON.stringify(leftOut);
    if (text === this.told) return;
    this.told = text;
    for (const { name, reason } of leftOut) {
      this.options.logger.log('warn', 'a template that comes with the cluster is left out', { name, reason });
    }
  }
}

const LOOKED_AT = [
  ...(['indexTemplates', 'componentTemplates', 'legacyTemplates'] as const),
  ...(['lifecyclePolicies', 'pipelines', 'clusterSettings'] as const),
] satisfies readonly (keyof Looked)[];
