/** What only a node itself knows: its settings, its process, the machine that it runs on. No other worker is asked: it may be busy for long. */
import { cpus, freemem, loadavg, release } from 'node:os';
import { memoryBytes, processMemory } from '../../base/memory.js';
import type { NodeSettings } from '../../base/node-settings.js';
import { scriptStatistics, type AllScriptStatistics } from '../../native/scripts.js';
import { swapUsage, type SwapUsage } from '../../store/swap.js';
import { controlGroup, type ControlGroup } from '../../store/control-group.js';
import { deviceTraffic, type DeviceTraffic } from '../../store/device-traffic.js';
import { diskUsage, mountOf, type DiskUsage, type Mount } from '../../store/disk.js';
import { openFiles, threadCount, type OpenFiles } from '../../store/open-files.js';
import type { ActionContext } from '../context.js';
import type { KnownNode } from '../copy-ranks.js';
import type { FrontFigures } from '../front-figures.js';
import { searchUsage, type SearchUsage } from '../searches/search-usage.js';
import { heapFacts, type HeapFacts } from './heap-facts.js';
import { defineNodeAction } from './node-action.js';

export interface NodeFacts {
  readonly settings: NodeSettings;
  readonly front: FrontFigures;
  readonly indexingBufferBytes: number;
  readonly startedAtMs: number;
  readonly processId: number;
  readonly platform: string;
  readonly architecture: string;
  /** What a node of an earlier version does not tell. */
  readonly runtime?: RuntimeFacts;
  readonly memory: MemoryFacts;
  readonly cpu: CpuFacts;
  readonly processCpu: ProcessCpuFacts;
  readonly dataPath: string;
  /** Of the file system that holds the data; null when it cannot be asked. */
  readonly disk: (DiskUsage & { readonly mount: Mount | null; readonly traffic?: DeviceTraffic | null }) | null;
  /** Null where the system does not say; a node of an earlier version does not tell. */
  readonly controlGroup?: ControlGroup | null;
  /** By name; a node of an earlier version does not tell. */
  readonly repositories?: Readonly<Record<string, ThrottledMs>>;
  readonly openFiles: OpenFiles | null;
  /** How the thread that answers chooses among copies of shards. */
  readonly ranks: readonly KnownNode[];
  readonly scripts: AllScriptStatistics;
  /** A node of an earlier version does not tell. */
  readonly searchUsage?: SearchUsage;
}

/** How long copies of shards waited for the rates of a repository. */
export interface ThrottledMs {
  readonly read: number;
  readonly write: number;
}

/** What the program runs on. */
export interface RuntimeFacts {
  readonly systemRelease: string;
  readonly nodeVersion: string;
  readonly v8Version: string;
  readonly heap: HeapFacts;
  /** Of the process, those of the kernels too; null where the system does not say, as is `swap`. */
  readonly threads: number | null;
  readonly swap: SwapUsage | null;
}

export interface MemoryFacts {
  /** Of the machine, or of what the process is confined to. */
  readonly totalBytes: number;
  readonly freeBytes: number;
  /** All that has an address in the process. */
  readonly virtualBytes: number;
  /** What all threads hold outside the page cache. */
  readonly heapUsedBytes: number;
  /** The node's memory budget. */
  readonly heapMaxBytes: number;
  /** Pages of mapped files in memory; a node of an earlier version does not tell. */
  readonly mappedBytes?: number;
}

export interface CpuFacts {
  /** Of the machine, all processors together, since they were asked before. */
  readonly percent: number;
  readonly load1m: number;
  readonly load5m: number;
  readonly load15m: number;
}

/** All threads of the process. */
export interface ProcessCpuFacts {
  /** Of all processors of the machine, lately. */
  readonly percent: number;
  readonly totalMs: number;
}

export const nodeFacts = defineNodeAction('node-facts', async (context): Promise<NodeFacts> => {
  const { node, settings } = context;
  const heap = heapFacts();
  const memory = processMemory();
  const [load1m = 0, load5m = 0, load15m = 0] = loadavg();
  const front = await context.frontFigures();
  return {
    settings,
    searchUsage: searchUsage(context.searchUsageWords),
    front: { ...front, breakers: { ...front.breakers, async_search_answers: context.asyncSearches.figures() } },
    indexingBufferBytes: node.indexingBufferBytes,
    startedAtMs: node.startedAtMs,
    processId: process.pid,
    platform: process.platform,
    architecture: process.arch,
    runtime: {
      systemRelease: release(),
      nodeVersion: process.versions.node,
      v8Version: process.versions.v8,
      heap,
      threads: threadCount() ?? null,
      swap: swapUsage() ?? null,
    },
    memory: {
      totalBytes: memoryBytes(),
      freeBytes: Math.min(memoryBytes(), freemem()),
      virtualBytes: memory.virtualBytes,
      heapUsedBytes: memory.privateBytes,
      heapMaxBytes: settings.memory.budgetBytes,
      mappedBytes: memory.mappedBytes,
    },
    cpu: { percent: cpuPercent(), load1m, load5m, load15m },
    processCpu: processCpu(context.clock.monotonicMs()),
    dataPath: node.dataPath,
    disk: await diskOf(node.dataPath).catch(() => null),
    controlGroup: controlGroup() ?? null,
    repositories: throttled(context),
    openFiles: openFiles() ?? null,
    ranks: context.shards.ranks.known(),
    scripts: scriptStatistics(),
  };
});

async function diskOf(path: string): Promise<NodeFacts['disk']> {
  const [usage, mount, traffic] = await Promise.all([diskUsage(path), mountOf(path), deviceTraffic(path)]);
  return { ...usage, mount: mount ?? null, traffic: traffic ?? null };
}

function throttled({ clusterState, repositories }: ActionContext): Readonly<Record<string, ThrottledMs>> {
  const names = [...clusterState().repositories.keys()];
  return Object.fromEntries(names.map((name) => [name, repositories.waitedMs(name)]));
}

let lastTimes = { busy: 0, all: 0 };

let lastProcessTimes = { cpuMs: 0, atMs: 0 };

/** Since the last call in this thread. */
function processCpu(atMs: number): ProcessCpuFacts {
  const { user, system } = process.cpuUsage();
  const totalMs = Math.round((user + system) / 1_000);
  const elapsedMs = (atMs - lastProcessTimes.atMs) * cpus().length;
  const percent = elapsedMs <= 0 ? 0 : Math.round((100 * (totalMs - lastProcessTimes.cpuMs)) / elapsedMs);
  lastProcessTimes = { cpuMs: totalMs, atMs };
  return { percent: Math.min(100, Math.max(0, percent)), totalMs };
}

/** Since the last call; the first one looks at the whole time since the machine started. */
function cpuPercent(): number {
  const times = { busy: 0, all: 0 };
  for (const { times: each } of cpus()) {
    const all = each.user + each.nice + each.sys + each.idle + each.irq;
    times.all += all;
    times.busy += all - each.idle;
  }
  const elapsed = times.all - lastTimes.all;
  const percent = elapsed <= 0 ? 0 : Math.round((100 * (times.busy - lastTimes.busy)) / elapsed);
  lastTimes = times;
  return Math.min(100, Math.max(0, percent));
}
