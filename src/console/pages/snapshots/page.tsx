/** Repositories, what is in them, who fills them, and what is running. */
import type { VNode } from 'preact';
import { usePolled } from '../../api/polling.js';
import { formatCount, formatDuration, formatTime } from '../../format/numbers.js';
import { Mark, Meter, type Tone } from '../../widgets/marks.js';
import { Empty, Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';
import {
  newestSnapshots,
  POLICIES,
  REPOSITORIES,
  RUNNING_SNAPSHOTS,
  SNAPSHOTS_MAX,
  type Policy,
  type Repository,
  type RunningSnapshot,
  type Snapshot,
} from './answers.js';

const SLOW_MS = 15_000;

export function SnapshotsPage(): VNode {
  const repositories = usePolled(REPOSITORIES, SLOW_MS);
  const running = usePolled(RUNNING_SNAPSHOTS);
  const policies = usePolled(POLICIES, SLOW_MS);
  return (
    <>
      <h1>Snapshots</h1>
      <Panel title="Running">
        <Loaded from={running}>
          {({ snapshots }) => (
            <Table
              label="Running snapshots"
              columns={RUNNING_COLUMNS}
              rows={snapshots}
              rowKey={({ repository, snapshot }) => `${repository}/${snapshot}`}
              empty="No snapshot is being made."
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Policies">
        <Loaded from={policies}>
          {(found) => (
            <Table
              label="Policies"
              columns={POLICY_COLUMNS}
              rows={Object.entries(found)}
              rowKey={([name]) => name}
              sortedBy={0}
              empty="No policy makes snapshots by itself."
            />
          )}
        </Loaded>
      </Panel>
      <Loaded from={repositories}>
        {(found) =>
          Object.keys(found).length === 0 ? (
            <Panel title="Repositories">
              <Empty>There is no repository yet: snapshots have no place to go.</Empty>
            </Panel>
          ) : (
            Object.entries(found).map(([name, repository]) => (
              <RepositoryPanel key={name} name={name} repository={repository} />
            ))
          )
        }
      </Loaded>
    </>
  );
}

function RepositoryPanel({ name, repository }: { readonly name: string; readonly repository: Repository }): VNode {
  const snapshots = usePolled(newestSnapshots(name), SLOW_MS);
  const place = repository.settings?.['location'] ?? repository.settings?.['bucket'];
  const aside = (
    <span class="quiet">
      {repository.type}
      {typeof place === 'string' && ` · ${place}`}
    </span>
  );
  return (
    <Panel title={`Repository ${name}`} aside={aside}>
      <Loaded from={snapshots}>
        {({ snapshots: rows, total }) => (
          <>
            <Table
              label={`Snapshots in ${name}`}
              columns={SNAPSHOT_COLUMNS}
              rows={rows}
              rowKey={({ uuid, snapshot }) => `${uuid} ${snapshot}`}
              empty="The repository has no snapshots."
            />
            {total > rows.length && (
              <Empty>
                The newest {SNAPSHOTS_MAX} of {formatCount(total)}.
              </Empty>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  SUCCESS: 'good',
  PARTIAL: 'warn',
  FAILED: 'bad',
  INCOMPATIBLE: 'bad',
  IN_PROGRESS: 'busy',
  STARTED: 'busy',
};

function StateMark({ state }: { readonly state: string }): VNode {
  return <Mark tone={STATE_TONES[state] ?? 'quiet'} label={state.toLowerCase().replaceAll('_', ' ')} />;
}

const RUNNING_COLUMNS: readonly Column<RunningSnapshot>[] = [
  { title: 'Snapshot', cell: ({ snapshot }) => snapshot, isWide: true },
  { title: 'Repository', cell: ({ repository }) => repository },
  { title: 'State', cell: ({ state }) => <StateMark state={state} /> },
  {
    title: 'Shards done',
    cell: ({ shards_stats: { done, total } }) => (
      <Meter percent={total === 0 ? undefined : (100 * done) / total} label="shards done" isProgress />
    ),
    isNumber: true,
  },
  { title: 'Failed', cell: ({ shards_stats: { failed } }) => formatCount(failed), isNumber: true },
  { title: 'For', cell: ({ stats }) => formatDuration(stats?.time_in_millis), isNumber: true },
];

const POLICY_COLUMNS: readonly Column<readonly [string, Policy]>[] = [
  { title: 'Policy', key: ([name]) => name, cell: ([name]) => name, isWide: true },
  { title: 'Schedule', cell: ([, { policy }]) => <code>{policy.schedule ?? '–'}</code> },
  { title: 'Repository', cell: ([, { policy }]) => policy.repository ?? '–' },
  {
    title: 'State',
    cell: ([, { last_success: success, last_failure: failure, in_progress: running }]) => {
      if (running !== undefined) return <Mark tone="busy" label={`making ${running.name}`} />;
      if (failure !== undefined && failure.time > (success?.time ?? 0)) {
        return <Mark tone="bad" label={`failed: ${failure.details ?? failure.snapshot_name}`} />;
      }
      return success === undefined ? <Mark tone="quiet" label="has not run" /> : <Mark tone="good" label="good" />;
    },
  },
  { title: 'Last success', cell: ([, { last_success: success }]) => formatTime(success?.time), isNumber: true },
  { title: 'Next', cell: ([, { next_execution_millis: next }]) => formatTime(next), isNumber: true },
];

const SNAPSHOT_COLUMNS: readonly Column<Snapshot>[] = [
  {
    title: 'Snapshot',
    key: ({ snapshot }) => snapshot,
    cell: ({ snapshot, failures = [] }) => (
      <>
        {snapshot}
        {failures.slice(0, 3).map(({ index, shard_id: shard, reason }, at) => (
          <span key={at} class="quiet below">
            {index ?? 'global state'} {shard === undefined ? '' : `shard ${shard}`}: {reason ?? 'failed'}
          </span>
        ))}
        {failures.length > 3 && <span class="quiet below">and {formatCount(failures.length - 3)} more failures</span>}
      </>
    ),
    isWide: true,
  },
  { title: 'State', key: ({ state }) => state, cell: ({ state }) => <StateMark state={state} /> },
  {
    title: 'Began',
    key: ({ start_time_in_millis: start }) => start,
    cell: ({ start_time_in_millis: start }) => formatTime(start),
    isNumber: true,
  },
  {
    title: 'Took',
    key: ({ duration_in_millis: took }) => took,
    cell: ({ duration_in_millis: took }) => formatDuration(took),
    isNumber: true,
  },
  {
    title: 'Indices',
    key: ({ indices }) => indices.length,
    cell: ({ indices }) => formatCount(indices.length),
    isNumber: true,
  },
  {
    title: 'Shards',
    cell: ({ shards }) =>
      shards === undefined ? '–' : `${formatCount(shards.successful)} of ${formatCount(shards.total)}`,
    isNumber: true,
  },
];
