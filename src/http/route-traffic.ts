/** What one front counts of the requests and answers of each route. There are as many rows as routes, at most. */
import { addRow, bucketOf, emptyRow, packRow, RouteFigure, SIZE_BUCKETS, TIME_BUCKETS } from '../rest/route-figures.js';
import type { PackedRow } from '../rest/route-figures.js';
import type { WireRoute } from '../rest/wire.js';

type Counted = Pick<WireRoute, 'name' | 'path'>;

export class RouteTraffic<Route extends Counted> {
  /** Made when the first request comes. */
  private readonly rows = new Map<Route, Float64Array>();

  asked(route: Route, bytes: number): void {
    const row = this.rowOf(route);
    count(row, RouteFigure.requests, bytes);
    add(row, RouteFigure.requestSizes + bucketOf(bytes, SIZE_BUCKETS), 1);
  }

  answered(route: Route, bytes: number, timeMs: number): void {
    const row = this.rowOf(route);
    count(row, RouteFigure.answers, bytes);
    add(row, RouteFigure.answerSizes + bucketOf(bytes, SIZE_BUCKETS), 1);
    add(row, RouteFigure.answerTimes + bucketOf(timeMs, TIME_BUCKETS), 1);
  }

  /** Requests by the names of the operations. */
  requests(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>();
    for (const [{ name }, row] of this.rows) {
      counts.set(name, (counts.get(name) ?? 0) + (row[RouteFigure.requests] ?? 0));
    }
    return Object.fromEntries(counts);
  }

  /** By path: methods are not told apart. */
  figures(): Readonly<Record<string, PackedRow>> {
    const rows = new Map<string, Float64Array>();
    for (const [{ path }, row] of this.rows) rows.set(path, addRow(rows.get(path) ?? emptyRow(), packRow(row)));
    return Object.fromEntries([...rows].map(([path, row]) => [path, packRow(row)]));
  }

  private rowOf(route: Route): Float64Array {
    let row = this.rows.get(route);
    if (row === undefined) {
      row = emptyRow();
      this.rows.set(route, row);
    }
    return row;
  }
}

/** The bytes come behind the number. */
function count(row: Float64Array, place: number, bytes: number): void {
  add(row, place, 1);
  add(row, place + 1, bytes);
}

function add(row: Float64Array, place: number, value: number): void {
  row[place] = (row[place] ?? 0) + value;
}
