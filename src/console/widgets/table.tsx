/** Tables that can be sorted and that show a bounded number of rows. */
import type { ComponentChildren, VNode } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount } from '../format/numbers.js';
import { Empty } from './panel.js';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** What rows are sorted by; absent: they cannot be. */
  readonly key?: (row: Row) => string | number | undefined;
  /** Numbers stand right. */
  readonly isNumber?: boolean;
  /** Takes what is left of the width. */
  readonly isWide?: boolean;
}

interface TableProps<Row> {
  /** For those who do not see it. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Position of the column that rows are sorted by at first. */
  readonly sortedBy?: number;
  readonly isDescending?: boolean;
  readonly empty: string;
  /** Does not take the whole width: few columns would stand too far apart to be read together. */
  readonly isNarrow?: boolean;
}

/** More rows make the page slow, and nobody reads them. */
export const ROWS_MAX = 500;

export function Table<Row>(props: TableProps<Row>): VNode {
  const { label, columns, rows, rowKey, sortedBy, isDescending, empty, isNarrow } = props;
  const [order, setOrder] = useState({ at: sortedBy, down: isDescending === true });
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  const shown = sorted(rows, order.at === undefined ? undefined : columns[order.at]?.key, order.down).slice(
    0,
    ROWS_MAX,
  );
  const sortBy = (at: number): void => {
    setOrder((last) => ({ at, down: last.at === at ? !last.down : columns[at]?.isNumber === true }));
  };
  return (
    <>
      <div class="scroll">
        <table aria-label={label} class={isNarrow === true ? 'narrow' : ''}>
          <thead>
            <tr>
              {columns.map((column, at) => (
                <Heading
                  key={column.title}
                  column={column}
                  direction={order.at !== at ? undefined : order.down ? 'descending' : 'ascending'}
                  onSort={() => sortBy(at)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map((column) => (
                  <td key={column.title} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown.length && (
        <Empty>
          The first {formatCount(shown.length)} of {formatCount(rows.length)} rows: filter to see others.
        </Empty>
      )}
    </>
  );
}

interface HeadingProps<Row> {
  readonly column: Column<Row>;
  readonly direction: 'ascending' | 'descending' | undefined;
  readonly onSort: () => void;
}

function Heading<Row>({ column, direction, onSort }: HeadingProps<Row>): VNode {
  if (column.key === undefined) {
    return (
      <th scope="col" class={classOf(column)}>
        {column.title}
      </th>
    );
  }
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction ?? 'none'}>
      <button type="button" class="sort" onClick={onSort}>
        {column.title}
        {direction !== undefined && (
          <span aria-hidden="true" class="arrow">
            {direction === 'ascending' ? '▲' : '▼'}
          </span>
        )}
      </button>
    </th>
  );
}

function classOf<Row>({ isNumber, isWide }: Column<Row>): string {
  return [isNumber === true ? 'number' : '', isWide === true ? 'wide' : ''].filter(Boolean).join(' ');
}

type Key<Row> = Column<Row>['key'];

function sorted<Row>(rows: readonly Row[], key: Key<Row>, isDown: boolean): readonly Row[] {
  if (key === undefined) return rows;
  const sign = isDown ? -1 : 1;
  return [...rows].sort((a, b) => sign * compare(key(a), key(b)));
}

const TEXT_ORDER = new Intl.Collator('en', { numeric: true });

/** What is missing comes first. */
function compare(a: string | number | undefined, b: string | number | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return typeof a === 'number' && typeof b === 'number' ? a - b : TEXT_ORDER.compare(String(a), String(b));
}
