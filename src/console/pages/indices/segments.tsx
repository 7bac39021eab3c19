/** The segments of an index, and what is merged now. */
import type { VNode } from 'preact';
import { indexSegments, indexStatistics, type IndexSegments, type Statistics } from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { formatBytes, formatCount, formatDuration, formatPercent, plural } from '../../format/numbers.js';
import { Mark } from '../../widgets/marks.js';
import { Empty, Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';

interface Row {
  readonly key: string;
  readonly shard: number;
  readonly role: string;
  readonly segment: string;
  readonly documents: number;
  readonly deleted: number;
  readonly bytes: number;
  readonly isCommitted: boolean;
  readonly isMerging: boolean;
}

export function Segments({ name }: { readonly name: string }): VNode {
  const segments = usePolled(indexSegments(name));
  const { data: statistics } = usePolled(indexStatistics(name));
  return (
    <>
      <Panel title="Merges">
        <MergeActivity merges={statistics?._all.total['merges']} />
      </Panel>
      <Panel title="Segments">
        <Loaded from={segments}>
          {(answer) => {
            const rows = rowsOf(answer, name);
            const largest = Math.max(1, ...rows.map(({ bytes }) => bytes));
            return (
              <Table
                label="Segments"
                columns={columnsOf(largest)}
                rows={rows}
                rowKey={({ key }) => key}
                sortedBy={6}
                isDescending
                empty="There is no segment: nothing was written, or it is not yet refreshed."
              />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}

function MergeActivity({ merges }: { readonly merges: Statistics | undefined }): VNode {
  const number = (name: string): number => (typeof merges?.[name] === 'number' ? merges[name] : 0);
  if (merges === undefined) return <Empty>Loading …</Empty>;
  const current = number('current');
  const now =
    current === 0
      ? 'No merge is under way.'
      : `${plural(current, 'merge')} of ${plural(number('current_docs'), 'document')}, ${formatBytes(number('current_size_in_bytes'))}, under way.`;
  const past = `${plural(number('total'), 'merge')} since the start: ${formatBytes(number('total_size_in_bytes'))} in ${formatDuration(number('total_time_in_millis'))}.`;
  return (
    <p class="note">
      <Mark tone={current === 0 ? 'quiet' : 'busy'} label={now} /> <span class="quiet">{past}</span>
    </p>
  );
}

function rowsOf({ indices }: IndexSegments, name: string): readonly Row[] {
  return Object.entries(indices[name]?.shards ?? {}).flatMap(([shard, copies]) =>
    copies.flatMap(({ routing, segments }) =>
      Object.entries(segments).map(([segment, each]) => ({
        key: `${shard} ${routing.node} ${segment}`,
        shard: Number(shard),
        role: routing.primary ? 'primary' : 'replica',
        segment,
        documents: each.num_docs,
        deleted: each.deleted_docs,
        bytes: each.size_in_bytes,
        isCommitted: each.committed,
        isMerging: each.merge_id !== undefined,
      })),
    ),
  );
}

function columnsOf(largest: number): readonly Column<Row>[] {
  return [
    { title: 'Shard', key: ({ shard }) => shard, cell: ({ shard }) => shard, isNumber: true },
    { title: 'Copy', key: ({ role }) => role, cell: ({ role }) => role },
    { title: 'Segment', key: ({ segment }) => segment, cell: ({ segment }) => <code>{segment}</code>, isWide: true },
    {
      title: 'State',
      cell: ({ isCommitted, isMerging }) => (
        <Mark
          tone={isMerging ? 'busy' : isCommitted ? 'good' : 'quiet'}
          label={isMerging ? 'merging' : isCommitted ? 'committed' : 'searchable, not committed'}
        />
      ),
    },
    {
      title: 'Documents',
      key: ({ documents }) => documents,
      cell: ({ documents }) => formatCount(documents),
      isNumber: true,
    },
    {
      title: 'Deleted',
      key: ({ deleted }) => deleted,
      cell: ({ deleted, documents }) =>
        deleted === 0 ? '0' : `${formatCount(deleted)} (${formatPercent((100 * deleted) / (deleted + documents))})`,
      isNumber: true,
    },
    {
      title: 'Size',
      key: ({ bytes }) => bytes,
      cell: ({ bytes }) => (
        <span class="meter">
          <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
            <rect class="plain" width={(100 * bytes) / largest} height="6" />
          </svg>
          <span class="number wide-number">{formatBytes(bytes)}</span>
        </span>
      ),
      isNumber: true,
    },
  ];
}
