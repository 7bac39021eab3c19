/** What an index has done and holds, of its primaries and of all copies. */
import type { VNode } from 'preact';
import { indexStatistics, type IndexStatistics, type Statistics } from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { formatBytes, formatCount, formatDuration } from '../../format/numbers.js';
import { Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';

interface Line {
  readonly what: string;
  readonly group: string;
  readonly name: string;
  readonly format: (value: number | undefined) => string;
}

const LINES: readonly Line[] = [
  { what: 'Documents', group: 'docs', name: 'count', format: formatCount },
  { what: 'Deleted documents', group: 'docs', name: 'deleted', format: formatCount },
  { what: 'Size', group: 'store', name: 'size_in_bytes', format: formatBytes },
  { what: 'Segments', group: 'segments', name: 'count', format: formatCount },
  { what: 'Documents indexed', group: 'indexing', name: 'index_total', format: formatCount },
  { what: 'Time of indexing', group: 'indexing', name: 'index_time_in_millis', format: formatDuration },
  { what: 'Failed operations', group: 'indexing', name: 'index_failed', format: formatCount },
  { what: 'Searches', group: 'search', name: 'query_total', format: formatCount },
  { what: 'Time of searches', group: 'search', name: 'query_time_in_millis', format: formatDuration },
  { what: 'Fetches', group: 'search', name: 'fetch_total', format: formatCount },
  { what: 'Gets', group: 'get', name: 'total', format: formatCount },
  { what: 'Merges under way', group: 'merges', name: 'current', format: formatCount },
  { what: 'Merges', group: 'merges', name: 'total', format: formatCount },
  { what: 'Time of merges', group: 'merges', name: 'total_time_in_millis', format: formatDuration },
  { what: 'Merged bytes', group: 'merges', name: 'total_size_in_bytes', format: formatBytes },
  { what: 'Refreshes', group: 'refresh', name: 'total', format: formatCount },
  { what: 'Flushes', group: 'flush', name: 'total', format: formatCount },
  { what: 'Translog', group: 'translog', name: 'size_in_bytes', format: formatBytes },
  { what: 'Request cache', group: 'request_cache', name: 'memory_size_in_bytes', format: formatBytes },
];

export function IndexFigures({ name }: { readonly name: string }): VNode {
  const statistics = usePolled(indexStatistics(name));
  return (
    <Panel title="Statistics">
      <Loaded from={statistics}>
        {({ _all: all }) => (
          <Table
            label="Statistics of the index"
            columns={columnsOf(all)}
            rows={LINES}
            rowKey={({ what }) => what}
            empty="The index has no statistics."
            isNarrow
          />
        )}
      </Loaded>
    </Panel>
  );
}

function columnsOf({ primaries, total }: IndexStatistics['_all']): readonly Column<Line>[] {
  const value = (groups: Readonly<Record<string, Statistics>>, line: Line): string => {
    const found = groups[line.group]?.[line.name];
    return line.format(typeof found === 'number' ? found : undefined);
  };
  return [
    { title: 'What', cell: ({ what }) => what, isWide: true },
    { title: 'Primaries', cell: (line) => value(primaries, line), isNumber: true },
    { title: 'All copies', cell: (line) => value(total, line), isNumber: true },
  ];
}
