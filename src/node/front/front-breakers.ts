/** The circuit breakers of a node as its front sees them: it asks them before requests are taken in, and has all figures. */
import {
  printedBreakerName,
  sizeForPeople,
  tooMuchData,
  type BreakerFigures,
  type BreakerWords,
} from '../../base/breakers.js';
import { systemClock, type Clock } from '../../base/clock.js';
import { processMemory, type ProcessMemory } from '../../base/memory.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { breakerLimits, type BreakerLimits } from '../../cluster/settings/breaker-settings.js';
import type { ClusterState } from '../../cluster/state.js';
import type { FrontBreakers as AskedBreakers } from '../../http/held-bytes.js';
import { setMemoryLimits, type MemoryLimits } from '../../native/search-threads.js';
import { scriptStatistics } from '../../native/scripts.js';

/** The system is asked what the process holds so often at most; what was taken since then is added. */
const LOOK_MS = 50;

/** What a front knows beside the settings of its node. */
interface FrontBreakerParts extends Pick<FrontBreakerOptions, 'words' | 'clusterState' | 'inflight'> {
  readonly settings: NodeSettings;
}

export interface FrontBreakerOptions {
  readonly words: BreakerWords;
  readonly clock: Clock;
  readonly isElasticsearch: boolean;
  /** Whether the parent breaker looks at what the process holds, or at what the other breakers count. */
  readonly usesRealMemory: boolean;
  readonly clusterState: () => ClusterState;
  /** Of bodies of requests. */
  readonly inflight: () => BreakerFigures | undefined;
  /** For tests. */
  readonly resident?: () => Resident;
  readonly setMemoryLimits?: (limits: MemoryLimits) => void;
}

type Resident = Pick<ProcessMemory, 'privateBytes' | 'mappedBytes'>;

export class FrontBreakers implements AskedBreakers {
  readonly inflightName: string;
  private readonly options: FrontBreakerOptions;
  private readonly resident: () => Resident;
  private lookedAtMs = -Infinity;
  private privateBytes = 0;
  private takenSince = 0;
  /** As the kernels were told. */
  private told: BreakerLimits | undefined;
  private known: { readonly settings: ClusterState['clusterSettings']; readonly limits: BreakerLimits } | undefined;

  constructor(options: FrontBreakerOptions) {
    this.options = options;
    this.resident = options.resident ?? processMemory;
    this.inflightName = printedBreakerName('inflight_requests', options.isElasticsearch);
  }

  static of({ settings: { values }, ...parts }: FrontBreakerParts): FrontBreakers {
    return new FrontBreakers({
      ...parts,
      clock: systemClock,
      isElasticsearch: values['compatibility.distribution'] === 'elasticsearch',
      usesRealMemory: values['indices.breaker.total.use_real_memory'],
    });
  }

  /** To be called with each cluster state: the kernels keep to what its settings say. */
  follow(): void {
    const limits = this.limits();
    if (limits === this.told) return;
    this.told = limits;
    const { fielddata, parent } = limits;
    const parentIsReal = this.options.usesRealMemory;
    (this.options.setMemoryLimits ?? setMemoryLimits)({ fielddata, parent, parentIsReal });
  }

  inflightLimitBytes(): number {
    return this.limits().inflight_requests;
  }

  checkParent(bytes: number, what: string): void {
    const limitBytes = this.limits().parent;
    const { usesRealMemory, words } = this.options;
    const heldBytes = usesRealMemory ? this.heldBytes() : this.countedBytes();
    const wantedBytes = heldBytes + bytes;
    if (wantedBytes <= limitBytes) {
      this.takenSince += bytes;
      return;
    }
    words.trip('parent');
    const counted = this.counted();
    const passing = counted.request + counted.inflight_requests;
    const durability = passing >= counted.fielddata + counted.accounting ? 'TRANSIENT' : 'PERMANENT';
    const usages = Object.entries(counted).map(([name, used]) => `${this.printed(name)}=${sizeForPeople(used)}`);
    const real = usesRealMemory
      ? `, real usage: [${sizeForPeople(heldBytes)}], new bytes reserved: [${sizeForPeople(bytes)}]`
      : '';
    const more = `${real}, usages [${usages.join(', ')}]`;
    throw tooMuchData('parent', what, { wantedBytes, limitBytes, durability, more });
  }

  /** By the names that are printed. `inflight` are those of all fronts. */
  figures(inflight = this.options.inflight()): Readonly<Record<string, BreakerFigures>> {
    const { words, usesRealMemory } = this.options;
    const limits = this.limits();
    const counted = this.counted();
    const figures: Record<string, BreakerFigures> = {};
    for (const name of ['request', 'fielddata', 'accounting'] as const) {
      figures[name] = { limitBytes: limits[name], usedBytes: counted[name], refused: words.trips(name) };
    }
    if (inflight !== undefined) figures[this.inflightName] = inflight;
    const usedBytes = usesRealMemory ? this.resident().privateBytes : this.countedBytes();
    figures.parent = { limitBytes: limits.parent, usedBytes, refused: words.trips('parent') };
    return figures;
  }

  /** Each request asks, of settings that are hardly ever others. */
  private limits(): BreakerLimits {
    const state = this.options.clusterState();
    if (this.known?.settings !== state.clusterSettings) {
      const limits = breakerLimits(effectiveClusterSettings(state), this.options.usesRealMemory);
      this.known = { settings: state.clusterSettings, limits };
    }
    return this.known.limits;
  }

  /** Of all threads: heaps, bodies, what the kernels allocated. */
  private heldBytes(): number {
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.lookedAtMs >= LOOK_MS) {
      this.lookedAtMs = nowMs;
      this.privateBytes = this.resident().privateBytes;
      this.takenSince = 0;
    }
    return this.privateBytes + this.takenSince;
  }

  /** What the kernels keep of searches for later ones counts as theirs. */
  private counted(): Record<Exclude<keyof BreakerLimits, 'parent'>, number> {
    const { request_breaker: request, computed_fields: columns, term_ordinals: ordinals } = scriptStatistics();
    return {
      request: request.reserved_bytes + request.kept_bytes,
      fielddata: columns.memory_size_in_bytes + ordinals.memory_size_in_bytes,
      inflight_requests: this.options.inflight()?.usedBytes ?? 0,
      accounting: this.options.words.accountedBytes(),
    };
  }

  private countedBytes(): number {
    return Object.values(this.counted()).reduce((sum, bytes) => sum + bytes, 0);
  }

  private printed(name: string): string {
    return printedBreakerName(name, this.options.isElasticsearch);
  }
}
