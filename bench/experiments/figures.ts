/** What is measured at a point: names, units, and which direction is better. */

export interface Figure {
  readonly title: string;
  readonly unit: Unit;
  readonly better: 'lower' | 'higher' | 'neither';
  /** One sentence for those who read the report. */
  readonly about: string;
}

export type Unit = 'ms' | 's' | 'bytes' | 'count' | 'perSecond' | 'bytesPerSecond' | 'ratio';

function figure(title: string, unit: Unit, better: Figure['better'], about: string): Figure {
  return { title, unit, better, about };
}

export const FIGURES = {
  documentsPerSecond: figure(
    'documents indexed',
    'perSecond',
    'higher',
    'documents that bulk requests brought, a second',
  ),
  bytesPerSecond: figure(
    'JSON indexed',
    'bytesPerSecond',
    'higher',
    'bytes of JSON that bulk requests brought, a second',
  ),
  processorMsPerDocument: figure(
    'processor time a document',
    'ms',
    'lower',
    'of all threads of all nodes while documents were loaded and merged',
  ),
  jsonBytes: figure('JSON', 'bytes', 'neither', 'of the documents as they were sent'),
  storeBytes: figure('disk', 'bytes', 'lower', 'files of the shards, after all merges that were due'),
  storeBytesPerDocument: figure('disk a document', 'bytes', 'lower', 'disk by documents'),
  segments: figure('segments', 'count', 'neither', 'after all merges that were due'),
  memoryBytes: figure(
    'memory, after loading',
    'bytes',
    'lower',
    'memory of all nodes that is no page of a file, idle after the load and the searches',
  ),
  servingBytes: figure(
    'memory, after a restart',
    'bytes',
    'lower',
    'memory of the node that is no page of a file, idle after a restart and the same searches',
  ),
  searchMedianMs: figure(
    'search, median',
    'ms',
    'lower',
    'one connection, one search after the other, all kinds in turn',
  ),
  searchP99Ms: figure('search, p99', 'ms', 'lower', 'one connection, one search after the other, all kinds in turn'),
  processorMsPerSearch: figure('processor time a search', 'ms', 'lower', 'of all threads of all nodes'),
  searchesPerSecond: figure(
    'searches',
    'perSecond',
    'higher',
    'answers a second over many connections, each asking at once again',
  ),
  loadedP99Ms: figure(
    'search at half of the highest rate, p99',
    'ms',
    'lower',
    'searches due at fixed times, at half of the highest rate; a search that waits is counted from when it was due',
  ),
  readyMs: figure(
    'restart until requests are taken',
    'ms',
    'lower',
    'from the start of the process until GET / is answered',
  ),
  greenMs: figure('restart until green', 'ms', 'lower', 'from the start of the process until every shard serves'),
  firstSearchMs: figure(
    'restart until the first search',
    'ms',
    'lower',
    'from the start of the process to the first answer',
  ),
  flushedBytes: figure('written by refreshes', 'bytes', 'neither', 'segments written from the indexing buffer'),
  mergedBytes: figure('written by merges', 'bytes', 'lower', 'segments written by merges'),
  mergeBytesPerSecond: figure(
    'pace of merges',
    'bytesPerSecond',
    'higher',
    'bytes that a merge wrote, a second of its time',
  ),
  merges: figure('merges', 'count', 'neither', 'merges that ended'),
  writeAmplification: figure(
    'write amplification',
    'ratio',
    'lower',
    'bytes of segments written, by refreshes and merges, for each byte that refreshes wrote',
  ),
  besideMedianMs: figure('search beside the load, median', 'ms', 'lower', 'one connection, while documents came'),
  besideP99Ms: figure('search beside the load, p99', 'ms', 'lower', 'one connection, while documents came'),
  mergingP99Ms: figure(
    'search during merges, p99',
    'ms',
    'lower',
    'as before, in the slices of time in which a merge ran',
  ),
  quietP99Ms: figure('search between merges, p99', 'ms', 'lower', 'as before, in the slices of time without a merge'),
  mergingShare: figure('time with a merge', 'ratio', 'lower', 'share of the load during which a merge ran'),
} as const satisfies Readonly<Record<string, Figure>>;

export type FigureName = keyof typeof FIGURES;

/** A record of figures is plain data of a file: names that this version does not know are left out where they are told. */
export function figureOf(name: string): Figure | undefined {
  return (FIGURES as Readonly<Record<string, Figure>>)[name];
}
