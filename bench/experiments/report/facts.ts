/** Where the figures of a report come from, as pairs. */
import type { MeasuredPoint, Run, RunHeader } from '../results.js';
import { formatLeft } from '../progress.js';
import { formatCount, formatValue } from './format.js';

export type Fact = readonly [string, string];

export function runFacts({ header, points }: Run): readonly Fact[] {
  const repeats = new Set(points.map(({ repeat }) => repeat)).size;
  const tookMs = points.reduce((sum, point: MeasuredPoint) => sum + point.tookMs, 0);
  return [
    ...provenanceFacts(header),
    ['points', `${points.length}, in ${repeats} ${repeats === 1 ? 'run' : 'runs'} of each`],
    ['took', formatLeft(tookMs)],
    ['seed', String(header.seed)],
  ];
}

export function provenanceFacts({ dataset, machine, versions, commit, startedAt }: RunHeader): readonly Fact[] {
  const { documents, bytes, queries, origin } = dataset;
  return [
    ['documents', `${dataset.name} (${origin}): ${formatCount(documents)}, ${formatValue(bytes, 'bytes')} of JSON`],
    ['searches', `${queries} different ones`],
    ['machine', `${machine.processors} × ${machine.processor}, ${formatValue(machine.memoryBytes, 'bytes')} of memory`],
    ['system', `${machine.system}, ${machine.fileSystem}`],
    [
      'versions',
      Object.entries(versions)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
    ['commit', commit],
    ['begun', startedAt.replace('T', ' ').replace(/\.\d+Z$/u, ' UTC')],
  ];
}
