/**
 * What of the cluster a request sees: the indices that its subject may reach with its action, and no others. Where index expressions are resolved,
 * names that are not allowed are refused, and wildcards do not reach them.
 */
import { CacheCounter } from '../../base/cache-counters.js';
import type { QuarryError } from '../../base/errors.js';
import { differenceOf, withEntries } from '../../base/shared-map.js';
import { parentStream } from '../data-streams/data-streams.js';
import type { ClusterState, IndexMetadata } from '../state.js';
import type { NameAccess } from './permissions.js';

export interface IndexAccess {
  readonly names: NameAccess;
  /** The index as it is seen, without fields that may not be read. Undefined: as it is. */
  readonly seen?: (index: IndexMetadata, state: ClusterState) => IndexMetadata;
  /** The error for names that are not allowed, by the roles of the state. */
  refuse(names: readonly string[], state: ClusterState): QuarryError;
}

/** Views that are kept, of each version of the roles. */
const VIEWS_MAX = 256;
const counter = new CacheCounter('visible_states');
/** What was made for former roles goes with them: each view holds a whole state. */
const viewsByRoles = new WeakMap<ClusterState['roles'], Map<IndexAccess, View>>();

interface View {
  readonly state: ClusterState;
  readonly visible: ClusterState;
}

/**
 * The state without the indices and data streams that are not allowed: neither by their own name, nor by that of a data stream or an alias of theirs.
 * What is reached by an alias alone is there, but not under its own name: see {@link mayUseName}.
 */
export function visibleState(state: ClusterState, access: IndexAccess): ClusterState {
  if (access.names.isEverything && access.seen === undefined) return state;
  const views = viewsOf(state.roles);
  const known = views.get(access);
  if (known?.state === state) {
    counter.hit();
    return known.visible;
  }
  counter.miss();
  const visible = makeView(state, access, known);
  if (known === undefined && views.size >= VIEWS_MAX) {
    counter.evicted(views.size);
    views.clear();
  }
  views.set(access, { state, visible });
  return visible;
}

function viewsOf(roles: ClusterState['roles']): Map<IndexAccess, View> {
  const known = viewsByRoles.get(roles);
  if (known !== undefined) return known;
  const views = new Map<IndexAccess, View>();
  viewsByRoles.set(roles, views);
  return views;
}

/** Of most states little differs from the one before: only that is looked at. */
function makeView(state: ClusterState, access: IndexAccess, before: View | undefined): ClusterState {
  const { names } = access;
  const isNamed = (name: string, aliases: ReadonlyMap<string, unknown> | undefined): boolean =>
    names.allows(name) || [...(aliases?.keys() ?? [])].some((alias) => names.allows(alias));
  const sameStreams = before?.state.dataStreams === state.dataStreams;
  const dataStreams = sameStreams
    ? before.visible.dataStreams
    : kept(state.dataStreams, ({ name, aliases }) => isNamed(name, aliases));
  const isVisible = ({ name, aliases }: IndexMetadata): boolean =>
    isNamed(name, aliases) || dataStreams.has(parentStream(state, name)?.name ?? '');
  const { seen } = access;
  const indices =
    seen === undefined
      ? sameStreams
        ? followed(before, state.indices, isVisible)
        : kept(state.indices, isVisible)
      : new Map([...kept(state.indices, isVisible)].map(([name, index]) => [name, seen(index, state)]));
  return { ...state, indices, dataStreams, access };
}

/** The same map where nothing is left out: what was computed from it serves on. */
function kept<Value>(all: ReadonlyMap<string, Value>, isKept: (value: Value) => boolean): ReadonlyMap<string, Value> {
  const entries = [...all].filter(([, value]) => isKept(value));
  return entries.length === all.size ? all : new Map(entries);
}

function followed(
  { state, visible }: View,
  indices: ClusterState['indices'],
  isVisible: (index: IndexMetadata) => boolean,
): ClusterState['indices'] {
  const { put, removed } = differenceOf(state.indices, indices);
  const shown = put.filter(([, index]) => isVisible(index));
  if (visible.indices === state.indices && shown.length === put.length) return indices;
  const hidden = put.filter(([, index]) => !isVisible(index)).map(([name]) => name);
  const gone = [...removed, ...hidden].filter((name) => visible.indices.has(name));
  return withEntries(visible.indices, shown, gone);
}

/** Whether the name itself may be used, whatever it stands for, and also if it stands for nothing. */
export function mayUseName(state: ClusterState, name: string): boolean {
  if (state.access === undefined) return true;
  const { names } = state.access;
  if (names.allows(name)) return true;
  const stream = parentStream(state, name);
  return stream !== undefined && names.allows(stream.name);
}

/** Throws `security_exception` for names that may not be used. */
export function requireNames(state: ClusterState, names: readonly string[]): void {
  const { access } = state;
  if (access === undefined) return;
  const refused = names.filter((name) => !mayUseName(state, name));
  if (refused.length > 0) throw access.refuse(refused, state);
}
