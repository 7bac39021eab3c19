/** The same documents and searches on more processors, shards and nodes. */
import { AS_IS } from './data/variants.js';
import type { Experiment, SweepOptions } from './experiment.js';
import type { PointSpec } from './point.js';
import { curveOf, pointsOf, tableOf } from './report/sections.js';
import type { Section } from './report/section.js';

const SWEEPS = {
  processors: 'one node with more and more processors, as many shards as the largest has',
  shards: 'one node with all processors, more and more shards',
  nodes: 'more and more nodes on this machine, which share its processors; a shard for each node',
};

function points(options: SweepOptions): readonly PointSpec[] {
  const most = options.processors.at(-1) ?? 1;
  const base = { documents: options.documents, nodes: 1, nodeSettings: {}, indexSettings: {}, variant: AS_IS };
  const rated: Pick<PointSpec, 'measures'> = { measures: ['rate'] };
  const named = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;
  const ofProcessors = options.processors.map((processors): PointSpec => {
    const label = named(processors, 'processor', 'processors');
    return { ...base, ...rated, sweep: 'processors', label, x: processors, processors, shards: most };
  });
  const ofShards = options.shards.map((shards): PointSpec => {
    return {
      ...base,
      ...rated,
      sweep: 'shards',
      label: named(shards, 'shard', 'shards'),
      x: shards,
      processors: most,
      shards,
    };
  });
  const ofNodes = options.nodes.map((nodes): PointSpec => {
    const processors = Math.max(1, Math.floor(most / nodes));
    return {
      ...base,
      ...rated,
      sweep: 'nodes',
      label: named(nodes, 'node', 'nodes'),
      x: nodes,
      nodes,
      processors,
      shards: nodes,
    };
  });
  return [...ofProcessors, ...ofShards, ...ofNodes];
}

const scaling: Experiment = {
  sweeps: SWEEPS,
  points,
  sections: (measured) =>
    Object.entries(SWEEPS).map(([sweep, about]): Section => {
      const points = pointsOf(measured, sweep);
      return {
        title: `More ${sweep}`,
        about: `${about.slice(0, 1).toUpperCase()}${about.slice(1)}.`,
        charts: [
          curveOf(points, sweep, 'highest rate of searches', ['searchesPerSecond']),
          curveOf(points, sweep, 'search', ['searchMedianMs', 'searchP99Ms', 'loadedP99Ms']),
          curveOf(points, sweep, 'processor time a search', ['processorMsPerSearch']),
          curveOf(points, sweep, 'indexing', ['documentsPerSecond']),
          curveOf(points, sweep, 'memory of all nodes', ['memoryBytes']),
        ],
        bars: [],
        tables: [tableOf(points, sweep)],
      };
    }),
};

export default scaling;
