/** Nodes, where the copies of all shards are, and what is on its way. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { ACTIVE_RECOVERIES, CAT_NODES, ROUTING_STATE, type ActiveRecovery, type CatNode } from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { cellNumber, formatBytes } from '../../format/numbers.js';
import { Filter, passes } from '../../widgets/filter.js';
import { Meter } from '../../widgets/marks.js';
import { NoIndex } from '../../widgets/no-index.js';
import { Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';
import { Explain } from './explain.js';
import { ShardGrid } from './grid.js';

export function ShardsPage({ parts }: { readonly parts: readonly string[] }): VNode {
  const [what, index, shard, kind] = parts;
  if (what === 'explain' && index !== undefined && shard !== undefined && kind !== undefined) {
    return <Explain index={index} shard={shard} kind={kind} />;
  }
  return <NodesAndShards />;
}

const SIGNS = 'p primary, r replica; … initialising, → moving, ! unassigned';

function NodesAndShards(): VNode {
  const [filter, setFilter] = useState('');
  const nodes = usePolled(CAT_NODES);
  const state = usePolled(ROUTING_STATE);
  const recoveries = usePolled(ACTIVE_RECOVERIES);
  return (
    <>
      <h1>Nodes and shards</h1>
      <Panel title="Nodes">
        <Loaded from={nodes}>
          {(rows) => (
            <Table
              label="Nodes"
              columns={NODE_COLUMNS}
              rows={rows}
              rowKey={({ id }) => id}
              sortedBy={0}
              empty="No node answers."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Shards" aside={<Filter label="Filter indices" value={filter} onChange={setFilter} />}>
        <Loaded from={state}>
          {(routing) => {
            const names = Object.keys(routing.routing_table?.indices ?? {}).sort();
            if (names.length === 0) return <NoIndex />;
            return <ShardGrid state={routing} names={names.filter((name) => passes(filter, name))} />;
          }}
        </Loaded>
        <p class="note quiet">{SIGNS}. A click explains a copy.</p>
      </Panel>
      <Panel title="Moves and recoveries">
        <Loaded from={recoveries}>
          {(rows) => (
            <Table
              label="Moves and recoveries"
              columns={RECOVERY_COLUMNS}
              rows={rows}
              rowKey={({ index: name, shard: number, target_node: target }) => `${name} ${number} ${target}`}
              empty="Nothing is being moved or recovered."
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

const NODE_COLUMNS: readonly Column<CatNode>[] = [
  {
    title: 'Node',
    key: ({ name }) => name,
    cell: ({ name, master }) => (
      <>
        {name}
        {master === '*' && <span class="tag">master</span>}
      </>
    ),
    isWide: true,
  },
  { title: 'Address', key: ({ ip }) => ip, cell: ({ ip }) => <code>{ip}</code> },
  { title: 'Roles', cell: (node) => <code>{node['node.role']}</code> },
  {
    title: 'Processor',
    key: ({ cpu }) => cellNumber(cpu),
    cell: ({ cpu }) => <Meter percent={cellNumber(cpu)} label="processor" />,
    isNumber: true,
  },
  { title: 'Load', key: (node) => cellNumber(node.load_1m), cell: (node) => node.load_1m ?? '–', isNumber: true },
  {
    title: 'Heap',
    key: (node) => cellNumber(node['heap.percent']),
    cell: (node) => <Meter percent={cellNumber(node['heap.percent'])} label="heap" />,
    isNumber: true,
  },
  {
    title: 'Disk',
    key: (node) => cellNumber(node['disk.used_percent']),
    cell: (node) => <Meter percent={cellNumber(node['disk.used_percent'])} label="disk" />,
    isNumber: true,
  },
  { title: 'Disk free', cell: (node) => node['disk.avail'] ?? '–', isNumber: true },
  { title: 'Up', cell: ({ uptime }) => uptime ?? '–', isNumber: true },
];

const RECOVERY_COLUMNS: readonly Column<ActiveRecovery>[] = [
  { title: 'Index', key: ({ index }) => index, cell: ({ index }) => index, isWide: true },
  { title: 'Shard', key: ({ shard }) => cellNumber(shard), cell: ({ shard }) => shard, isNumber: true },
  { title: 'Kind', key: ({ type }) => type, cell: ({ type }) => type },
  { title: 'From', cell: ({ source_node: from }) => (from === 'n/a' ? '–' : from) },
  { title: 'To', cell: ({ target_node: to }) => to },
  { title: 'Stage', key: ({ stage }) => stage, cell: ({ stage }) => stage },
  {
    title: 'Progress',
    cell: (row) => <Meter percent={Number.parseFloat(row.bytes_percent)} label="progress" isProgress />,
    isNumber: true,
  },
  {
    title: 'Bytes',
    cell: (row) => `${formatBytes(cellNumber(row.bytes_recovered))} of ${formatBytes(cellNumber(row.bytes_total))}`,
    isNumber: true,
  },
  { title: 'For', cell: ({ time }) => time, isNumber: true },
];
