/** What the first front knows of its node in numbers, as threads ask for them. */
import type { FrontFigures } from '../../actions/front-figures.js';
import { pressureFigures, pressureLimits } from '../../base/indexing-pressure.js';
import { threadFigures } from '../../base/thread-figures.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import { reliefCount } from '../../shard/indexing-memory.js';
import { ClientTraffic } from '../../transport/client-traffic.js';
import type { TransportFigures } from '../../transport/server.js';
import { WorkerSlots } from '../../workers/worker-slots.js';
import { searchThreadFigures } from '../search-threads.js';
import type { WorkerStart } from '../thread-messages.js';
import { workPools } from '../work-pools.js';
import { transportTraffic, type HttpFigures } from './figures.js';
import type { FrontBreakers } from './front-breakers.js';

export interface CountedNode {
  /** With the memory in which all threads count. */
  readonly start: WorkerStart;
  readonly breakers: FrontBreakers;
  readonly states: StateHolder;
}

/** `http` are those of all fronts. `transport`: undefined while the nodes' port is not open. */
export function nodeFigures(
  { start, breakers, states }: CountedNode,
  http: HttpFigures,
  transport: TransportFigures | undefined,
): FrontFigures {
  const { pools, breakers: held, security, ...others } = http;
  const { work, ...ofThreads } = threadFigures(start.threadWords);
  const { count: workerCount } = new WorkerSlots(start.slotWords);
  return {
    ...others,
    pools: {
      ...pools,
      ...searchesOf(pools),
      index_searcher: searchThreadFigures(),
      ...workPools(work, start.settings, workerCount),
    },
    breakers: {
      ...breakers.figures(held.inflight_requests),
      in_flight_answers: held.in_flight_answers,
      ...(transport === undefined
        ? {}
        : { transport_requests: transport.requestBytes, transport_answers: transport.answerBytes }),
    },
    transport: transportTraffic(transport, new ClientTraffic(start.trafficWords).figures()),
    indexingPressure: pressureFigures(start.pressureWords, pressureLimits(start.settings)),
    buffersRelieved: reliefCount(start.indexingWords),
    ...ofThreads,
    publications: states.figures(),
    ...(security === undefined ? {} : { security }),
  };
}

/**
 * A search that takes long gives its place to the next one, and is still under way: more may be than there are places. They take turns with
 * the native threads, so whoever watches the queue grow counts all but as many as there are places as waiting.
 */
function searchesOf({ search }: HttpFigures['pools']): HttpFigures['pools'] {
  if (search === undefined || search.active <= search.size) return {};
  const { size, active, queue, largest } = search;
  return { search: { ...search, active: size, queue: queue + active - size, largest: Math.min(largest, size) } };
}
