/** The plain-text tables of `_cat`, and their JSON form: columns, selection, sorting, units, help. */
import { illegalArgument } from '../../base/errors.js';
import { formatBytes, formatTime } from '../../base/units.js';
import { isPattern, patternMatcher } from '../../cluster/names/wildcard.js';
import { answerText, answerValue, type RestAnswer } from '../answer.js';
import type { Presentation } from '../endpoint.js';
import { booleanParameter, enumParameter, listParameter, timeParameter } from '../parameters.js';

/** A value with its unit, so that it can be sorted and printed. Null and undefined print nothing. */
export type CellValue =
  string | number | boolean | null | undefined | { readonly bytes: number } | { readonly millis: number };

export interface Column<Row> {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly align: 'left' | 'right';
  /** Printed without being asked for. */
  readonly isDefault: boolean;
  readonly value: (row: Row) => CellValue;
  /** Has a column `pri.<name>` beside it when the parameter `pri` is set. */
  readonly hasTwin: boolean;
}

export interface ColumnOptions {
  readonly aliases?: string;
  readonly align?: 'left' | 'right';
  readonly isDefault?: boolean;
  readonly hasTwin?: boolean;
}

/** `aliases` are joined with commas. */
export function column<Row>(
  name: string,
  description: string,
  value: (row: Row) => CellValue,
  options: ColumnOptions = {},
): Column<Row> {
  const { aliases = '', align = 'left', isDefault = true, hasTwin = false } = options;
  return { name, description, value, align, isDefault, hasTwin, aliases: aliases === '' ? [] : aliases.split(',') };
}

const BYTE_UNITS = { b: 1, k: 1024, kb: 1024, m: 1024 ** 2, mb: 1024 ** 2, g: 1024 ** 3, gb: 1024 ** 3 } as const;
const LARGE_BYTE_UNITS = { t: 1024 ** 4, tb: 1024 ** 4, p: 1024 ** 5, pb: 1024 ** 5 } as const;
const BYTES = { ...BYTE_UNITS, ...LARGE_BYTE_UNITS } as const;
const TIMES = { nanos: 1e-6, micros: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parameters of every table. `pretty`, `format` and the like are common to all endpoints. */
export const catParameters = {
  v: booleanParameter(false),
  help: booleanParameter(false),
  h: listParameter(),
  s: listParameter(),
  bytes: enumParameter(Object.keys(BYTES) as (keyof typeof BYTES)[]),
  time: enumParameter(Object.keys(TIMES) as (keyof typeof TIMES)[]),
  local: booleanParameter(),
  master_timeout: timeParameter(),
  cluster_manager_timeout: timeParameter(),
} as const;

export interface TableOptions {
  readonly v: boolean;
  readonly help: boolean;
  readonly h: readonly string[] | undefined;
  readonly s: readonly string[] | undefined;
  readonly bytes: keyof typeof BYTES | undefined;
  readonly time: keyof typeof TIMES | undefined;
  readonly pri?: boolean;
}

/** A column under the name that the caller used for it. */
interface Shown<Row> {
  readonly heading: string;
  readonly column: Column<Row>;
}

/** The answer of a `_cat` endpoint. `rows` is not called for help. */
export async function answerTable<Row>(
  columns: readonly Column<Row>[],
  options: TableOptions,
  presentation: Presentation,
  rows: () => Promise<readonly Row[]> | readonly Row[],
): Promise<RestAnswer> {
  if (options.help) return answerText(helpText(columns));
  const shown = withTwins(columns, shownColumns(columns, options.h), options);
  const sorted = sortRows(await rows(), columns, options.s ?? []);
  const asText = presentation.format === undefined || presentation.format === 'text';
  if (!asText) {
    return answerValue(
      sorted.map((row) =>
        Object.fromEntries(shown.map(({ heading, column: { value } }) => [heading, cellJson(value(row), options)])),
      ),
    );
  }
  return answerText(plainText(shown, sorted, options));
}

function shownColumns<Row>(
  columns: readonly Column<Row>[],
  names: readonly string[] | undefined,
): readonly Shown<Row>[] {
  if (names === undefined) {
    return columns.filter(({ isDefault }) => isDefault).map((each) => ({ heading: each.name, column: each }));
  }
  return expandPatterns(columns, names).flatMap((name): readonly Shown<Row>[] => {
    const found = findColumn(columns, name);
    return found === undefined ? [] : [{ heading: name, column: found }];
  });
}

/** A pattern stands for the columns whose name or alias it matches; each name is taken once. */
function expandPatterns<Row>(columns: readonly Column<Row>[], names: readonly string[]): readonly string[] {
  const expanded = names.flatMap((name) => {
    if (!isPattern(name)) return [name];
    const matches = patternMatcher(name);
    return columns.filter((each) => matches(each.name) || each.aliases.some(matches)).map((each) => each.name);
  });
  return [...new Set(expanded)];
}

/** Of several columns with one alias, scripts know the last as its owner. */
function findColumn<Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined {
  return columns.find((each) => each.name === name) ?? columns.findLast(({ aliases }) => aliases.includes(name));
}

const TWIN_PREFIX = 'pri.';

function withTwins<Row>(
  columns: readonly Column<Row>[],
  shown: readonly Shown<Row>[],
  { h, pri = false }: TableOptions,
): readonly Shown<Row>[] {
  if (!pri || h === undefined) return shown;
  return shown.flatMap((each) => {
    const twin = each.column.hasTwin ? findColumn(columns, `${TWIN_PREFIX}${each.column.name}`) : undefined;
    return twin === undefined ? [each] : [each, { heading: `${TWIN_PREFIX}${each.heading}`, column: twin }];
  });
}

function sortRows<Row>(rows: readonly Row[], columns: readonly Column<Row>[], keys: readonly string[]): readonly Row[] {
  if (keys.length === 0) return rows;
  const orders = keys.map((key) => {
    const descending = key.endsWith(':desc');
    const name = key.replace(/:(asc|desc)$/, '');
    const found = findColumn(columns, name);
    if (found === undefined) throw illegalArgument(`Unable to sort by unknown sort key \`${name}\``);
    return { value: found.value, sign: descending ? -1 : 1 };
  });
  return [...rows].sort((left, right) => {
    for (const { value, sign } of orders) {
      const order = compareCells(value(left), value(right));
      if (order !== 0) return sign * order;
    }
    return 0;
  });
}

/** Missing values come first. */
function compareCells(left: CellValue, right: CellValue): number {
  const [a, b] = [sortKey(left), sortKey(right)];
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortKey(value: CellValue): string | number | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'object') return 'bytes' in value ? value.bytes : value.millis;
  return typeof value === 'boolean' ? String(value) : value;
}

function cellJson(value: CellValue, options: TableOptions): string | null {
  return value === null || value === undefined ? null : cellText(value, options);
}

function cellText(value: CellValue, options: TableOptions): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'object') return String(value);
  if ('bytes' in value) {
    return options.bytes === undefined
      ? formatBytes(value.bytes)
      : String(Math.trunc(value.bytes / BYTES[options.bytes]));
  }
  return options.time === undefined ? formatTime(value.millis) : String(Math.trunc(value.millis / TIMES[options.time]));
}

function plainText<Row>(shown: readonly Shown<Row>[], rows: readonly Row[], options: TableOptions): string {
  const cells = rows.map((row) => shown.map(({ column: { value } }) => cellText(value(row), options)));
  const headings = shown.map(({ heading }) => heading);
  const lines = options.v ? [headings, ...cells] : cells;
  const widths = shown.map((_, at) => Math.max(0, ...lines.map((line) => (line[at] ?? '').length)));
  const padded = lines.map((line) =>
    line
      .map((cell, at) => {
        if (shown[at]?.column.align === 'right') return cell.padStart(widths[at] ?? 0);
        return at === line.length - 1 ? cell : cell.padEnd(widths[at] ?? 0);
      })
      .join(' '),
  );
  return padded.map((line) => `${line}\n`).join('');
}

function helpText<Row>(columns: readonly Column<Row>[]): string {
  const width = (cells: readonly string[]): number => Math.max(0, ...cells.map((cell) => cell.length));
  const names = width(columns.map(({ name }) => name));
  const aliases = width(columns.map((each) => each.aliases.join(',')));
  return columns
    .map((each) => `${each.name.padEnd(names)} | ${each.aliases.join(',').padEnd(aliases)} | ${each.description}\n`)
    .join('');
}
