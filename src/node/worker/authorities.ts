/** What subjects of requests may do; where the node has an audit log, it is told of what becomes of them. */
import type { Auditor } from '../../actions/security/audit/auditor.js';
import { Authority } from '../../actions/security/authority.js';
import { systemClock } from '../../base/clock.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { Subject } from '../../cluster/security/subject.js';
import type { ClusterState } from '../../cluster/state.js';
import type { Line } from '../../workers/mailbox.js';

export class Authorities {
  private readonly isAudited: boolean;
  private readonly state: () => ClusterState;
  private readonly front: () => Line | undefined;
  private auditor: Auditor | undefined;

  constructor({ values }: NodeSettings, state: () => ClusterState, front: () => Line | undefined) {
    this.isAudited = values['security.audit.enabled'];
    this.state = state;
    this.front = front;
  }

  /** To be waited for before any request comes. */
  async load(): Promise<void> {
    if (!this.isAudited) return;
    const { Auditor: Maker } = await import('../../actions/security/audit/auditor.js');
    this.auditor ??= new Maker({
      state: this.state,
      nowMs: () => systemClock.nowMs(),
      write: (entry) => this.front()?.note({ kind: 'audit', entry }),
    });
  }

  /** `audit`: see `Auditor.witness`; empty: nobody is told. */
  of(subject: Subject, audit: string): Authority {
    return new Authority(subject, this.state, audit === '' ? undefined : this.auditor?.witness(audit, subject));
  }
}
