/** The indicator `disk`: nodes above watermarks, and indices that take no writes because of them. */
import { diskLevels, type DiskLevel } from '../../../cluster/disks/disk-levels.js';
import { dataNodes } from '../../../cluster/nodes/data-nodes.js';
import type { NodeRecord } from '../../../cluster/state.js';
import type { Diagnosis, Finding, HealthView, Impact } from '../finding.js';

const READ_ONLY_BLOCK = 'index.blocks.read_only_allow_delete';
const HELP = 'docs/allocation.md';

export function diskHealth(view: HealthView): Finding {
  const { state, disks, namesMax } = view;
  const blocked = [...state.indices.values()]
    .filter(({ settings }) => settings.get(READ_ONLY_BLOCK) === 'true')
    .map(({ name }) => name);
  const levels = diskLevels(state, disks);
  const at = (...wanted: readonly DiskLevel[]): readonly NodeRecord[] =>
    dataNodes(state).filter(({ id }) => wanted.includes(levels.get(id) ?? 'below') && levels.has(id));
  const [flooded, high] = [at('flood_stage'), at('high')];
  const details = {
    indices_with_readonly_block: blocked.length,
    nodes_with_enough_disk_space: at('below', 'low').length,
    nodes_over_high_watermark: high.length,
    nodes_over_flood_stage_watermark: flooded.length,
    nodes_with_unknown_disk_status: dataNodes(state).length - levels.size,
  };
  if (blocked.length + flooded.length + high.length === 0) {
    return { status: 'green', symptom: 'The cluster has enough available disk space.', details };
  }
  return {
    status: blocked.length + flooded.length > 0 ? 'red' : 'yellow',
    symptom: symptomOf(blocked.length, flooded.length, high.length),
    details,
    impacts: impactsOf(blocked.slice(0, namesMax), blocked.length),
    diagnoses: [
      ...fullNodes(flooded, high),
      ...(blocked.length > 0 ? [blockedIndices(blocked.slice(0, namesMax))] : []),
    ],
  };
}

function symptomOf(blocked: number, flooded: number, high: number): string {
  const nodes = [
    flooded === 0 ? '' : `${nodesText(flooded)} above the flood stage watermark`,
    high === 0 ? '' : `${nodesText(high)} above the high watermark`,
  ].filter((text) => text !== '');
  const where = nodes.length === 0 ? '' : `${nodes.join(', ')}.`;
  if (blocked === 0) return where;
  const indices = `${blocked} ${blocked === 1 ? 'index takes' : 'indices take'} no writes, for want of disk space.`;
  return where === '' ? indices : `${indices} ${where}`;
}

function nodesText(count: number): string {
  return count === 1 ? '1 node is' : `${count} nodes are`;
}

function impactsOf(names: readonly string[], count: number): readonly Impact[] {
  if (count > 0) {
    const on = `${count} ${count === 1 ? 'index' : 'indices'} [${names.join(', ')}]`;
    const id = 'elasticsearch:health:disk:impact:ingest_capability_unavailable';
    return [{ id, severity: 1, description: `Cannot add or change documents of ${on}.`, areas: ['ingest'] }];
  }
  const description =
    'The cluster is at risk of not being able to insert or update documents; copies of shards move away from these nodes.';
  const id = 'elasticsearch:health:disk:impact:ingest_capability_at_risk';
  return [{ id, severity: 2, description, areas: ['ingest'] }];
}

function fullNodes(flooded: readonly NodeRecord[], high: readonly NodeRecord[]): readonly Diagnosis[] {
  const nodes = [...flooded, ...high];
  if (nodes.length === 0) return [];
  return [
    {
      id: 'add_disk_capacity_data_nodes',
      cause: 'The disks of these nodes are nearly full, as the watermarks of [cluster.routing.allocation.disk] say.',
      action:
        'Add data nodes or larger disks, or delete indices and snapshots that nobody needs: GET /_cat/allocation?v shows ' +
        'what takes the space, and GET /_cluster/settings?include_defaults the watermarks.',
      helpUrl: HELP,
      nodes: nodes.map(({ id, name }) => ({ node_id: id, name })),
    },
  ];
}

function blockedIndices(indices: readonly string[]): Diagnosis {
  return {
    id: 'free_disk_space_or_remove_block',
    cause: `[${READ_ONLY_BLOCK}] is set: a node that holds a copy of these indices was above the flood stage.`,
    action:
      'Free space on the disks of their nodes; the block goes by itself then. One that somebody set by hand is removed by ' +
      `PUT /<index>/_settings with [${READ_ONLY_BLOCK}] null.`,
    helpUrl: HELP,
    indices,
  };
}
