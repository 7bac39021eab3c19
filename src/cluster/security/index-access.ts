/**
 * What of the cluster a request sees: the indices that its subject may reach with its action, and no others. Where index expressions are resolved,
 * names that are not allowed are refused, and wildcards do not reach them.
 */
import type { QuarryError } from '../../base/errors.js';
import { aliasTable } from '../aliases/aliases.js';
import { parentStream } from '../data-streams/data-streams.js';
import type { ClusterState } from '../state.js';
import type { NameAccess } from './permissions.js';

export interface IndexAccess {
  readonly names: NameAccess;
  /** The error for names that are not allowed. */
  refuse(names: readonly string[]): QuarryError;
}

/** Views that are kept. */
const VIEWS_MAX = 256;
const views = new Map<IndexAccess, { readonly state: ClusterState; readonly view: ClusterState }>();

/**
 * The state without the indices and data streams that are not allowed: neither by their own name, nor by that of a data stream or an alias of theirs.
 * What is reached by an alias alone is there, but not under its own name: see {@link mayUseName}.
 */
export function visibleState(state: ClusterState, access: IndexAccess): ClusterState {
  if (access.names.isEverything) return state;
  const known = views.get(access);
  if (known?.state === state) return known.view;
  const view = makeView(state, access);
  if (views.size >= VIEWS_MAX) views.clear();
  views.set(access, { state, view });
  return view;
}

function makeView(state: ClusterState, access: IndexAccess): ClusterState {
  const reached = new Set<string>();
  for (const [alias, targets] of aliasTable(state)) {
    if (access.names.allows(alias))
      for (const { index, stream } of targets) reached.add(index.name).add(stream?.name ?? '');
  }
  const dataStreams = kept(state.dataStreams, (name) => access.names.allows(name) || reached.has(name));
  const indices = kept(state.indices, (name) => {
    if (access.names.allows(name) || reached.has(name)) return true;
    const stream = parentStream(state, name);
    return stream !== undefined && dataStreams.has(stream.name);
  });
  return { ...state, indices, dataStreams, access };
}

/** The same map where nothing is left out: what was computed from it serves on. */
function kept<Value>(all: ReadonlyMap<string, Value>, isKept: (name: string) => boolean): ReadonlyMap<string, Value> {
  const entries = [...all].filter(([name]) => isKept(name));
  return entries.length === all.size ? all : new Map(entries);
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
  if (refused.length > 0) throw access.refuse(refused);
}
