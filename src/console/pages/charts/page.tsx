/** Load and latency over the last minutes. */
import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { formatBytes, formatDuration, formatPercent } from '../../format/numbers.js';
import { useStore } from '../../store.js';
import { Chart, type Series } from '../../widgets/chart.js';
import { Empty } from '../../widgets/panel.js';
import { beginSampling, isSampling, samples, type NodeStats, type Sample } from './samples.js';
import { average, ofNode, rate, total } from './series.js';

/** More lines than these nobody can tell apart. */
const NODES_MAX = 6;

export function ChartsPage(): VNode {
  useEffect(beginSampling, []);
  const all = useStore(samples);
  const isGood = useStore(isSampling);
  return (
    <>
      <h1>Charts</h1>
      {!isGood && (
        <p class="note bad" role="alert">
          The statistics of the nodes cannot be read now.
        </p>
      )}
      {all.length < 2 ? <Empty>Collecting the first figures …</Empty> : <AllCharts all={all} />}
      <p class="note quiet">The last 15 minutes at most, collected by this page since the charts were first opened.</p>
    </>
  );
}

function AllCharts({ all }: { readonly all: readonly Sample[] }): VNode {
  const times = all.map(({ seconds }) => seconds);
  const nodes = Object.entries(all.at(-1)?.nodes ?? {}).slice(0, NODES_MAX);
  const eachNode = (value: (stats: NodeStats) => number | undefined): readonly Series[] =>
    nodes.map(([id, { name }]) => ({ label: name, values: ofNode(all, id, value) }));
  return (
    <div class="charts">
      <Chart
        title="Documents indexed"
        times={times}
        series={[{ label: 'indexing', values: rate(all, indexed) }]}
        format={perSecond}
      />
      <Chart
        title="Shard searches"
        times={times}
        series={[{ label: 'searches', values: rate(all, searched) }]}
        format={perSecond}
      />
      <Chart
        title="Latency"
        times={times}
        series={[
          { label: 'search', values: average(all, searchTime, searched) },
          { label: 'indexing', values: average(all, indexTime, indexed) },
        ]}
        format={formatDuration}
      />
      <Chart
        title="Processor, by the process"
        times={times}
        series={eachNode((stats) => stats.process?.cpu?.percent)}
        format={formatPercent}
      />
      <Chart
        title="Private memory of the process"
        times={times}
        series={eachNode((stats) => stats.jvm?.mem?.heap_used_in_bytes)}
        format={formatBytes}
      />
      <Chart
        title="JavaScript heap"
        times={times}
        series={eachNode((stats) => stats.jvm?.mem?.javascript_used_in_bytes)}
        format={formatBytes}
      />
      <Chart
        title="Memory of the machine"
        times={times}
        series={eachNode((stats) => stats.os?.mem?.used_percent)}
        format={formatPercent}
      />
      <Chart
        title="Waiting in queues"
        times={times}
        series={QUEUES.map(({ label, waiting }) => ({ label, values: total(all, waiting) }))}
        format={wholeNumber}
      />
      <Chart
        title="Refused requests"
        times={times}
        series={[{ label: 'refused', values: rate(all, refused) }]}
        format={perSecond}
      />
    </div>
  );
}

/** Pools with a queue of requests. Searches that wait for a native thread (`index_searcher`) are in that of `search`. */
const POOLS = [
  ['search', 'search'],
  ['write', 'write'],
  ['management', 'management'],
] as const;

interface Queue {
  readonly label: string;
  readonly waiting: (stats: NodeStats) => number | undefined;
}

/** The last line has what waits in any other pool, so that nothing waits unseen. */
const QUEUES: readonly Queue[] = [
  ...POOLS.map(([pool, label]) => ({
    label,
    waiting: ({ thread_pool: pools }: NodeStats) => pools?.[pool]?.queue,
  })),
  { label: 'others', waiting: waitingElsewhere },
];

function waitingElsewhere({ thread_pool: pools = {} }: NodeStats): number {
  const shown: readonly string[] = ['index_searcher', ...POOLS.map(([pool]) => pool)];
  return Object.entries(pools).reduce((sum, [pool, { queue }]) => sum + (shown.includes(pool) ? 0 : queue), 0);
}

const indexed = ({ indices }: NodeStats): number | undefined => indices?.indexing?.index_total;
const indexTime = ({ indices }: NodeStats): number | undefined => indices?.indexing?.index_time_in_millis;
const searched = ({ indices }: NodeStats): number | undefined => indices?.search?.query_total;
const searchTime = ({ indices }: NodeStats): number | undefined => indices?.search?.query_time_in_millis;

function refused({ thread_pool: pools = {} }: NodeStats): number {
  return Object.values(pools).reduce((sum, { rejected }) => sum + rejected, 0);
}

function perSecond(value: number): string {
  return `${value >= 100 ? Math.round(value).toLocaleString('en') : Number(value.toFixed(2))}/s`;
}

function wholeNumber(value: number): string {
  return Number.isInteger(value) ? String(value) : '';
}
