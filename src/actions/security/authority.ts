/** What the subject of a request may do, by the newest state: asked before anything is done, and wherever a request turns out to be several. */
import type { QuarryError } from '../../base/errors.js';
import { actionDenied, runAsDenied } from '../../cluster/security/denial.js';
import { requireNames, visibleState, type IndexAccess } from '../../cluster/security/index-access.js';
import type { NameAccess, Permissions } from '../../cluster/security/permissions.js';
import { isClusterAction } from '../../cluster/security/privileges/cluster-privileges.js';
import { permissionsOfSubject } from '../../cluster/security/subject-permissions.js';
import type { Subject } from '../../cluster/security/subject.js';
import type { ClusterState } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';

export class Authority {
  readonly subject: Subject;
  /** The newest state, with what the subject may not see. */
  readonly wholeState: () => ClusterState;

  constructor(subject: Subject, wholeState: () => ClusterState) {
    this.subject = subject;
    this.wholeState = wholeState;
  }

  get permissions(): Permissions {
    return permissionsOfSubject(this.wholeState().roles, this.subject);
  }

  /** Throws `security_exception` unless the action is allowed: on the cluster, or on some index. */
  require(action: string): void {
    const { permissions } = this;
    const isAllowed = isClusterAction(action)
      ? permissions.allowsCluster(action)
      : permissions.onIndices(action) !== undefined;
    if (!isAllowed) throw this.denied(action);
  }

  /** Throws `security_exception` unless the action is allowed on all of these indices, aliases or data streams, which need not be there. */
  requireNames(action: string, names: readonly string[]): void {
    requireNames(this.view(action), names);
  }

  /** Throws `security_exception` for a subject that may not act in the place of another. */
  requireRunAs(action: string): void {
    const { subject } = this;
    const { runBy } = subject;
    if (runBy === undefined) return;
    const { roles } = this.wholeState();
    const mayRunAs = permissionsOfSubject(roles, runBy).mayRunAs(subject.username);
    if (!mayRunAs || subject.lookupRealm === null) throw runAsDenied(roles, subject, runBy, action);
  }

  denied(action: string, names: readonly string[] = []): QuarryError {
    return actionDenied(this.wholeState().roles, this.subject, action, names);
  }

  /** What the subject sees when it does this to indices. */
  view(action: string): ClusterState {
    const names = this.permissions.onIndices(action) ?? NOTHING;
    return visibleState(this.wholeState(), this.#access(action, names));
  }

  /** The same object for the same subject, action and permissions: views are kept by it. */
  #access(action: string, names: NameAccess): IndexAccess {
    let bySubject = accesses.get(names);
    if (bySubject === undefined) {
      bySubject = new WeakMap();
      accesses.set(names, bySubject);
    }
    const known = bySubject.get(this.subject)?.get(action);
    if (known !== undefined) return known;
    const access = { names, refuse: (refused: readonly string[]) => this.denied(action, refused) };
    const ofSubject = bySubject.get(this.subject) ?? new Map<string, IndexAccess>();
    bySubject.set(this.subject, ofSubject.set(action, access));
    return access;
  }
}

const NOTHING: NameAccess = { isEverything: false, allows: () => false };
/** Actions are few, so that what is kept of a subject is bounded. */
const accesses = new WeakMap<NameAccess, WeakMap<Subject, Map<string, IndexAccess>>>();

/** For a part of a request that is another action: what the subject sees then. Throws `security_exception` where it may do it nowhere. */
export function asAction(context: ActionContext, action: string): ActionContext {
  const { authority } = context;
  if (authority === undefined) return context;
  authority.require(action);
  return seenAs(context, authority, action);
}

/** Tasks that the request begins see no more than it does. */
function seenAs(context: ActionContext, authority: Authority, action: string): ActionContext {
  const { tasks } = context;
  const seen = (other: ActionContext): ActionContext => seenAs(other, authority, action);
  return {
    ...context,
    authority,
    clusterState: () => authority.view(action),
    tasks: {
      number: tasks.number,
      opaqueId: tasks.opaqueId,
      report: (report) => {
        tasks.report(report);
      },
      begin: async (task) => {
        const begun = await tasks.begin(task);
        return { ...begun, context: seen(begun.context) };
      },
      detached: () => seen(tasks.detached()),
      ask: (...question) => tasks.ask(...question),
    },
  };
}

/** For what the node does on its own account in the course of a request. */
export function asSystem(context: ActionContext): ActionContext {
  const { authority } = context;
  return authority === undefined ? context : { ...context, authority: undefined, clusterState: authority.wholeState };
}
