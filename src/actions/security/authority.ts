/** What the subject of a request may do, by the newest state: asked before anything is done, and wherever a request turns out to be several. */
import { createHash } from 'node:crypto';
import { QuarryError } from '../../base/errors.js';
import { PairMemo } from '../../base/pair-memo.js';
import { aliasTable } from '../../cluster/aliases/aliases.js';
import { actionDenied, runAsDenied } from '../../cluster/security/denial.js';
import { requireNames, visibleState, type IndexAccess } from '../../cluster/security/index-access.js';
import type { NameAccess, Permissions } from '../../cluster/security/permissions.js';
import { readableMapping } from '../../cluster/security/readable-mapping.js';
import { isClusterAction } from '../../cluster/security/privileges/cluster-privileges.js';
import { descriptorSets, permissionsOfSubject } from '../../cluster/security/subject-permissions.js';
import type { Subject } from '../../cluster/security/subject.js';
import type { ClusterState, IndexMetadata } from '../../cluster/state.js';
import type { ActionContext } from '../context.js';
import type { Witness } from './audit/witness.js';
import { guardedShards, unguardedShards, type Reader } from './reading/guarded-shards.js';
import { namesOfIndex, readRestriction } from './reading/read-restrictions.js';
import { refusedToReader } from './reading/refusal.js';

export class Authority {
  readonly subject: Subject;
  /** The newest state, with what the subject may not see. */
  readonly wholeState: () => ClusterState;

  /** Undefined: there is no audit log. */
  readonly witness: Witness | undefined;
  /** Views with refusals of this request, by action. */
  #witnessed: Map<string, readonly [ClusterState, ClusterState]> | undefined;

  constructor(subject: Subject, wholeState: () => ClusterState, witness?: Witness) {
    this.subject = subject;
    this.wholeState = wholeState;
    this.witness = witness;
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
    const mayRunAs = permissionsOfSubject(roles, runBy).mayRunAs(subject.username) && subject.lookupRealm !== null;
    this.witness?.ranAs(mayRunAs, action);
    if (!mayRunAs) throw runAsDenied(roles, subject, runBy, action);
  }

  denied(action: string, names: readonly string[] = []): QuarryError {
    this.witness?.denied(action, names);
    return actionDenied(this.wholeState().roles, this.subject, action, names);
  }

  /** What the subject sees when it does this to indices. */
  view(action: string): ClusterState {
    const names = this.permissions.onIndices(action) ?? NOTHING;
    const view = visibleState(this.wholeState(), this.#access(action, names));
    return this.witness === undefined || view.access === undefined ? view : this.#witnessedView(action, view);
  }

  /** What is kept of a subject refuses for none of his requests in particular. */
  #witnessedView(action: string, view: ClusterState): ClusterState {
    this.#witnessed ??= new Map();
    const [known, made] = this.#witnessed.get(action) ?? [];
    if (known === view && made !== undefined) return made;
    const refuse = (refused: readonly string[]): QuarryError => this.denied(action, refused);
    const own = { ...view, ...(view.access === undefined ? {} : { access: { ...view.access, refuse } }) };
    this.#witnessed.set(action, [view, own]);
    return own;
  }

  /** Whether the subject, when it does this, may read everything of the indices that it may read at all. */
  readsWhole(action: string): boolean {
    return this.permissions.onIndices(action)?.isRestricting !== true;
  }

  /** What the subject may read of indices when it does this; undefined: everything of those that it may read at all. */
  reader(action: string, nowMs: () => number): Reader | undefined {
    if (this.readsWhole(action)) return undefined;
    return {
      nowMs,
      wholeState: this.wholeState,
      restrictionOn: (index) => {
        const access = this.permissions.onIndices(action) ?? NOTHING;
        return readRestriction(access, this.subject, namesOfIndex(this.wholeState(), index));
      },
    };
  }

  /** Another text for other restrictions of what the subject finds; undefined: there are none. */
  readingMark(): string | undefined {
    if (this.readsWhole(SEARCH)) return undefined;
    const { roles, metadata, username } = this.subject;
    const entries = descriptorSets(this.wholeState().roles, this.subject).map((set) =>
      set.map(({ indices }) => indices),
    );
    return createHash('sha256')
      .update(JSON.stringify([entries, username, roles, metadata]))
      .digest('base64url');
  }

  /** Throws `security_exception` where the subject may not read everything of an index that the name stands for, as far as he may read it at all. */
  requireWholeReading(action: string, name: string, refusal: string): void {
    const state = this.wholeState();
    for (const each of [action, SEARCH, 'indices:data/read/get']) {
      const access = this.permissions.onIndices(each);
      if (access?.isRestricting !== true) continue;
      const isRestricted = indicesNamed(state, name).some((index) => {
        const names = namesOfIndex(state, index);
        const isReached = [...names.own, ...names.aliases].some((own) => access.allows(own));
        return isReached && readRestriction(access, this.subject, names) !== undefined;
      });
      if (isRestricted) throw refusedToReader(refusal);
    }
  }

  /**
   * The same object for the same subject, action and permissions: views are kept by it. It outlives the request, so that it holds neither this authority nor
   * the state that the request began with.
   */
  #access(action: string, names: NameAccess): IndexAccess {
    const { subject } = this;
    const byAction = accesses.get(names, subject, () => new Map());
    const known = byAction.get(action);
    if (known !== undefined) return known;
    const access = {
      names,
      refuse: refusalOf(subject, action),
      ...(names.isRestricting && isShowing(action) ? { seen: seenThrough(names) } : {}),
    };
    byAction.set(action, access);
    return access;
  }
}

function refusalOf(subject: Subject, action: string): IndexAccess['refuse'] {
  return (refused, { roles }) => actionDenied(roles, subject, action, refused);
}

/** What shows documents or mappings, and changes none. */
const SHOWING = [
  'indices:data/read/',
  'indices:monitor/',
  'indices:admin/analyze',
  'indices:admin/data_stream/get',
  'indices:admin/data_stream/mappings/get',
  'indices:admin/get',
  'indices:admin/ilm/explain',
  'indices:admin/mappings/',
  'indices:admin/resolve/',
  'indices:admin/shards/',
  'indices:admin/validate/',
];

function isShowing(action: string): boolean {
  return SHOWING.some((prefix) => action.startsWith(prefix));
}

/** Indices with the fields that may be read. */
function seenThrough(names: NameAccess): NonNullable<IndexAccess['seen']> {
  const known = new WeakMap<
    IndexMetadata,
    { readonly streams: ClusterState['dataStreams']; readonly seen: IndexMetadata }
  >();
  return (index, state) => {
    const found = known.get(index);
    if (found?.streams === state.dataStreams) return found.seen;
    const rules = names.restrictionOn(namesOfIndex(state, index.name))?.fields ?? [];
    const seen = rules.length === 0 ? index : { ...index, mapping: readableMapping(index.mapping, rules) };
    known.set(index, { streams: state.dataStreams, seen });
    return seen;
  };
}

const SEARCH = 'indices:data/read/search';

/** The name itself where there is nothing of that name yet. */
function indicesNamed(state: ClusterState, name: string): readonly string[] {
  if (state.indices.has(name)) return [name];
  const stream = state.dataStreams.get(name);
  if (stream !== undefined) return stream.indices.map((index) => index.name);
  const targets = aliasTable(state).get(name) ?? [];
  return targets.length === 0 ? [name] : targets.map(({ index }) => index.name);
}

const NOTHING: NameAccess = {
  isEverything: false,
  allows: () => false,
  isRestricting: true,
  restrictionOn: () => ({ queries: [[]], fields: [[]] }),
};
/** Actions are few, so that what is kept of a subject is bounded. */
const accesses = new PairMemo<NameAccess, Subject, Map<string, IndexAccess>>();

/** For a part of a request that is another action: what the subject sees then. Throws `security_exception` where it may do it nowhere. */
export function asAction(context: ActionContext, action: string): ActionContext {
  const { authority } = context;
  if (authority === undefined) return context;
  authority.require(action);
  authority.witness?.granted(action, []);
  return seenAs(context, authority, action);
}

/** As {@link asAction}, where the parts tell the audit log themselves which indices each is about. */
export function asParts(context: ActionContext, action: string): ActionContext {
  const { authority } = context;
  if (authority === undefined) return context;
  authority.require(action);
  return seenAs(context, authority, action);
}

/** Tasks that the request begins see no more than it does. */
function seenAs(context: ActionContext, authority: Authority, action: string): ActionContext {
  const { tasks } = context;
  const reader = authority.reader(action, () => context.clock.nowMs());
  const seen = (other: ActionContext): ActionContext => seenAs(other, authority, action);
  return {
    ...context,
    authority,
    clusterState: () => authority.view(action),
    shards: reader === undefined ? unguardedShards(context.shards) : guardedShards(context.shards, reader),
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
  if (authority === undefined) return context;
  const shards = unguardedShards(context.shards);
  return { ...context, authority: undefined, clusterState: authority.wholeState, shards };
}
