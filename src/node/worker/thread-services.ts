/** What a thread has once, for all requests that it carries out. */
import { CopyRanks } from '../../actions/copy-ranks.js';
import { AsyncSearches } from '../../actions/searches/async/async-searches.js';
import { ContextCounters } from '../../actions/searches/contexts/context-counters.js';
import { OpenSearchers } from '../../actions/searches/contexts/open-searchers.js';
import { PreparedSearches } from '../../actions/searches/prepared-searches.js';
import type { RepositoryAccess } from '../../actions/snapshots/repository-access.js';
import { systemClock } from '../../base/clock.js';
import { IndexingPressure, pressureLimits } from '../../base/indexing-pressure.js';
import { systemRandom } from '../../base/random.js';
import { TurnOfLoop } from '../../base/turn-of-loop.js';
import { Turns } from '../../base/turns.js';
import type { ClusterState } from '../../cluster/state.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import { IngestService } from '../../ingest/ingest-service.js';
import { nativeScripts } from '../../ingest/scripts.js';
import type { IngestFigures } from '../../ingest/statistics.js';
import type { Line } from '../../workers/mailbox.js';
import { COORDINATOR, FRONT, isWorkerName } from '../../workers/wires.js';
import type { IngestFiguresMessage, WorkerStart } from '../thread-messages.js';
import { Authorities } from './authorities.js';
import { CoordinatorCalls } from './coordinator-calls.js';
import { FrontCalls } from './front-calls.js';
import { lineTo, type Lines } from './lines.js';
import { ScriptServices } from './script-services.js';
import { SecureSettingsCopy } from './secure-settings-copy.js';
import { SecurityCalls } from './security-calls.js';
import { ServedRequests } from './served-requests.js';
import { workerRepositories } from './worker-repositories.js';

/** What others fill in, and this thread reads. */
export interface ThreadParts {
  readonly lines: Lines;
  readonly states: StateHolder;
}

export class ThreadServices {
  readonly start: WorkerStart;
  readonly lines: Lines;
  readonly states: StateHolder;
  readonly front: FrontCalls;
  readonly coordinator: CoordinatorCalls;
  readonly security: SecurityCalls;
  readonly authorities: Authorities;
  readonly searchers: OpenSearchers;
  readonly asyncSearches: AsyncSearches;
  readonly preparedSearches = new PreparedSearches();
  readonly repositories: RepositoryAccess;
  readonly ingest: IngestService;
  readonly ranks = new CopyRanks();
  /** Of work in the background: it waits while clients have some. */
  readonly turns: Turns;
  readonly loop = new TurnOfLoop(systemClock);
  readonly pressure: IndexingPressure;
  readonly clusterState = (): ClusterState => this.states.current;
  private readonly contextCounters: ContextCounters;
  private readonly scripts: ScriptServices;

  constructor(start: WorkerStart, { lines, states }: ThreadParts) {
    const { settings } = start;
    this.start = start;
    this.lines = lines;
    this.states = states;
    this.front = new FrontCalls(lines);
    this.coordinator = new CoordinatorCalls(() => this.line(COORDINATOR));
    this.security = new SecurityCalls(() => this.line(FRONT));
    this.authorities = new Authorities(settings, this.clusterState, () => lines.get(FRONT));
    this.contextCounters = new ContextCounters(start.contextWords, settings.values['http.front_threads']);
    this.searchers = new OpenSearchers(systemClock, systemRandom, this.contextCounters);
    this.asyncSearches = new AsyncSearches(systemClock, systemRandom, this.contextCounters);
    const { 'compatibility.distribution': distribution } = settings.values;
    this.pressure = new IndexingPressure(start.pressureWords, pressureLimits(settings), distribution);
    this.scripts = new ScriptServices(settings.values);
    const secureSettings = new SecureSettingsCopy(start.secureSettingsVersion, () => this.front.secureSettings());
    this.repositories = workerRepositories(start, secureSettings);
    this.ingest = new IngestService(systemClock, distribution, nativeScripts);
    const served = new ServedRequests(() => this.front.figures());
    this.turns = new Turns(systemClock, () => served.hasMore());
  }

  /** See {@link lineTo}. */
  line(peer: string): Line {
    return lineTo(this.lines, peer);
  }

  /** The slot tells this thread from others of its node. */
  takeSlot(slot: number): void {
    this.contextCounters.takeSlot(slot);
    this.pressure.takeSlot(slot);
  }

  /** Of every worker of this node. */
  async ingestFigures(): Promise<readonly IngestFigures[]> {
    const others = [...this.lines].filter(([peer]) => isWorkerName(peer));
    const message: IngestFiguresMessage = { kind: 'ingest-figures' };
    const answers = await Promise.all(others.map(([, line]) => line.call(message)));
    return [this.ingest.statistics.figures(), ...(answers as IngestFigures[])];
  }

  /** The cluster state is another. */
  follow(state: ClusterState): void {
    this.scripts.follow(state);
    this.ingest.follow(state);
    this.ranks.keepOnly((nodeId) => state.nodes.has(nodeId));
    this.searchers.follow(state);
    this.repositories.follow(state);
    this.preparedSearches.clear();
  }
}
