/** All indices, and one of them. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { CAT_INDICES, type CatIndex } from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { cellNumber, formatBytes, formatCount } from '../../format/numbers.js';
import { linkTo } from '../../routes.js';
import { Filter, passes } from '../../widgets/filter.js';
import { healthTone, Mark } from '../../widgets/marks.js';
import { NoIndex } from '../../widgets/no-index.js';
import { Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';
import { IndexView } from './index-view.js';

const LIST_MS = 5_000;

export function IndicesPage({ parts }: { readonly parts: readonly string[] }): VNode {
  const [name, tab] = parts;
  return name === undefined ? <IndexList /> : <IndexView key={name} name={name} tab={tab ?? 'summary'} />;
}

function IndexList(): VNode {
  const [filter, setFilter] = useState('');
  const [withHidden, setWithHidden] = useState(false);
  const indices = usePolled(CAT_INDICES, LIST_MS);
  const isShown = ({ index }: CatIndex): boolean => (withHidden || !index.startsWith('.')) && passes(filter, index);
  const aside = (
    <>
      <label class="inline">
        <input type="checkbox" checked={withHidden} onChange={() => setWithHidden(!withHidden)} /> with hidden ones
      </label>
      <Filter label="Filter indices" value={filter} onChange={setFilter} />
    </>
  );
  return (
    <>
      <h1>Indices</h1>
      <Panel title="All indices" aside={aside}>
        <Loaded from={indices}>
          {(rows) =>
            rows.length === 0 ? (
              <NoIndex />
            ) : (
              <Table
                label="Indices"
                columns={COLUMNS}
                rows={rows.filter(isShown)}
                rowKey={({ uuid }) => uuid}
                sortedBy={1}
                empty="No index passes the filter."
              />
            )
          }
        </Loaded>
      </Panel>
    </>
  );
}

const HEALTH_ORDER = ['red', 'yellow', 'green'];

const COLUMNS: readonly Column<CatIndex>[] = [
  {
    title: 'Health',
    key: ({ health }) => HEALTH_ORDER.indexOf(health ?? 'green'),
    cell: ({ health, status }) => (
      <Mark tone={healthTone(health)} label={status === 'close' ? 'closed' : (health ?? '–')} />
    ),
  },
  {
    title: 'Index',
    key: ({ index }) => index,
    cell: ({ index }) => <a href={linkTo('indices', index)}>{index}</a>,
    isWide: true,
  },
  { title: 'Primaries', key: ({ pri }) => cellNumber(pri), cell: ({ pri }) => pri, isNumber: true },
  { title: 'Replicas', key: ({ rep }) => cellNumber(rep), cell: ({ rep }) => rep, isNumber: true },
  {
    title: 'Documents',
    key: (row) => cellNumber(row['docs.count']),
    cell: (row) => formatCount(cellNumber(row['docs.count'])),
    isNumber: true,
  },
  {
    title: 'Deleted',
    key: (row) => cellNumber(row['docs.deleted']),
    cell: (row) => formatCount(cellNumber(row['docs.deleted'])),
    isNumber: true,
  },
  {
    title: 'Primary size',
    key: (row) => cellNumber(row['pri.store.size']),
    cell: (row) => formatBytes(cellNumber(row['pri.store.size'])),
    isNumber: true,
  },
  {
    title: 'Size',
    key: (row) => cellNumber(row['store.size']),
    cell: (row) => formatBytes(cellNumber(row['store.size'])),
    isNumber: true,
  },
  {
    title: 'Segments',
    key: (row) => cellNumber(row['segments.count']),
    cell: (row) => formatCount(cellNumber(row['segments.count'])),
    isNumber: true,
  },
  {
    title: 'Merges',
    key: (row) => cellNumber(row['merges.current']),
    cell: (row) => formatCount(cellNumber(row['merges.current'])),
    isNumber: true,
  },
];
