/** What the list of tasks calls the requests of an endpoint, in the words of the API's reference. */
import type { Endpoint } from '../endpoint.js';

export interface TaskKind {
  readonly action: string;
  /** Requests end early when somebody cancels them. */
  readonly isCancellable: boolean;
  /** They go on when the client went away. */
  readonly outlivesClient: boolean;
}

/** Who went away would not learn how far they came: they are done as a whole, or cancelled by somebody. */
const LASTING: ReadonlySet<string> = new Set(['delete_by_query', 'update_by_query', 'reindex']);

const CANCELLABLE: ReadonlySet<string> = new Set([
  ...['search', 'msearch', 'scroll', 'count', 'explain', 'indices.forcemerge'],
  ...LASTING,
]);

export function taskKind({ name, action }: Endpoint): TaskKind {
  return {
    action: typeof action === 'string' ? action : action.name,
    isCancellable: CANCELLABLE.has(name),
    outlivesClient: LASTING.has(name),
  };
}
