/** How much one shard and one node take: documents, shards, kinds of fields and settings against latency, memory, disk and restarts. */
import type { JsonObject } from '../json.js';
import { AS_IS, variantsOf } from './data/variants.js';
import type { Experiment, SweepOptions } from './experiment.js';
import type { PointSpec } from './point.js';
import { geometricSizes } from './quantities.js';
import { barsOf, curveOf, kindsOf, pointsOf, tableOf } from './report/sections.js';

const SWEEPS = {
  documents: 'one shard, more and more documents',
  shards: 'the same documents in more and more shards of one node',
  fields: 'the same documents with one field, kind of field or setting changed',
};

/** Of the largest point: enough for differences to show, and there are many changes to try. */
const FIELDS_SHARE = 4;

function points(options: SweepOptions, mappings: JsonObject): readonly PointSpec[] {
  const processors = options.processors.at(-1) ?? 1;
  const base = { nodes: 1, shards: 1, processors, nodeSettings: {}, indexSettings: {}, variant: AS_IS };
  const ofDocuments = geometricSizes(options.documents, options.steps).map((documents): PointSpec => {
    const measures = ['kinds', 'restart', 'rate'] as const;
    return { ...base, sweep: 'documents', label: `${documents} documents`, x: documents, documents, measures };
  });
  const { documents } = options;
  const ofShards = options.shards.map((shards): PointSpec => {
    const label = shards === 1 ? '1 shard' : `${shards} shards`;
    return { ...base, sweep: 'shards', label, x: shards, documents, shards, measures: ['restart', 'rate'] };
  });
  const some = Math.ceil(documents / FIELDS_SHARE);
  const ofFields = variantsOf(mappings).map((variant, x): PointSpec => {
    return { ...base, sweep: 'fields', label: variant, x, documents: some, variant, measures: ['kinds'] };
  });
  return [...ofDocuments, ...ofShards, ...ofFields];
}

const capacity: Experiment = {
  sweeps: SWEEPS,
  points,
  sections: (measured) => {
    const documents = pointsOf(measured, 'documents');
    const shards = pointsOf(measured, 'shards');
    const fields = pointsOf(measured, 'fields');
    return [
      {
        title: 'Documents in one shard',
        about: 'One node, one shard, more and more documents. Where latency bends upward, a shard is full.',
        charts: [
          curveOf(documents, 'documents', 'search', ['searchMedianMs', 'searchP99Ms']),
          kindsOf(documents, 'documents'),
          curveOf(documents, 'documents', 'disk', ['storeBytes', 'jsonBytes']),
          curveOf(documents, 'documents', 'memory', ['memoryBytes', 'servingBytes']),
          curveOf(documents, 'documents', 'restart', ['readyMs', 'greenMs', 'firstSearchMs']),
          curveOf(documents, 'documents', 'highest rate of searches', ['searchesPerSecond']),
          curveOf(documents, 'documents', 'indexing', ['documentsPerSecond']),
        ],
        bars: [],
        tables: [tableOf(documents, 'documents')],
      },
      {
        title: 'Shards of one node',
        about: 'The same documents in more shards: what a shard costs by being there.',
        charts: [
          curveOf(shards, 'shards', 'search', ['searchMedianMs', 'searchP99Ms']),
          curveOf(shards, 'shards', 'highest rate of searches', ['searchesPerSecond']),
          curveOf(shards, 'shards', 'memory', ['memoryBytes', 'servingBytes']),
          curveOf(shards, 'shards', 'disk', ['storeBytes']),
          curveOf(shards, 'shards', 'restart', ['greenMs', 'firstSearchMs']),
          curveOf(shards, 'shards', 'indexing', ['documentsPerSecond']),
        ],
        bars: [],
        tables: [tableOf(shards, 'shards')],
      },
      {
        title: 'Fields and settings',
        about:
          'The same documents with one thing changed. Bars are differences to the data as they are: what a field costs is how much is saved without it.',
        charts: [],
        bars: [
          barsOf(fields, AS_IS, 'storeBytes', 'Disk'),
          barsOf(fields, AS_IS, 'processorMsPerDocument', 'Processor time of indexing'),
          barsOf(fields, AS_IS, 'searchMedianMs', 'Search, median (of queries that the change leaves as they are)'),
        ],
        tables: [tableOf(fields, 'change')],
      },
    ];
  },
};

export default capacity;
