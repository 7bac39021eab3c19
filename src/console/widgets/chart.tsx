/** A chart of the last minutes, drawn by uPlot in the colours of the page. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatBytes, formatTime } from '../format/numbers.js';
import { useStore } from '../store.js';
import { theme } from '../theme.js';
import uPlot from './plot.js';

export interface Series {
  readonly label: string;
  /** Null: not known at that time. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** Seconds since the epoch. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** Bytes are counted in powers of two. */
const BYTE_STEPS = Array.from({ length: 50 }, (_, exponent) => 2 ** exponent);

const HEIGHT = 168;
const COLOURS = ['--line-1', '--line-2', '--line-3', '--line-4', '--line-5', '--line-6'];

export function Chart({ title, times, series, format }: ChartProps): VNode {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const shade = useStore(theme);
  const labels = series.map(({ label }) => label).join('\n');
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const made = new uPlot(optionsOf(element, labels.split('\n'), format), [[]], element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [labels, shade, format]);
  useEffect(() => {
    plot.current?.setData([[...times], ...series.map(({ values }) => [...values])]);
  });
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="legend">
          {series.map(({ label, values }, at) => (
            <span key={label} class="number">
              <i class={`key line-${(at % COLOURS.length) + 1}`} aria-hidden="true" />
              {label} <b>{lastOf(values, format)}</b>
            </span>
          ))}
        </span>
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
    </figure>
  );
}

function lastOf(values: readonly (number | null)[], format: (value: number) => string): string {
  const last = values.at(-1);
  return last === null || last === undefined ? '–' : format(last);
}

function optionsOf(element: HTMLElement, labels: readonly string[], format: (value: number) => string): uPlot.Options {
  const axis = { stroke: colour(element, '--ink-2'), font: '11px system-ui, sans-serif' };
  const grid = { stroke: colour(element, '--line'), width: 1 };
  return {
    width: Math.max(1, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        size: 28,
        values: (_plot: uPlot, ticks: number[]) => ticks.map((tick) => formatTime(tick * 1_000).slice(11)),
      },
      {
        ...axis,
        grid,
        ticks: { show: false },
        size: 64,
        ...(format === formatBytes ? { incrs: BYTE_STEPS } : {}),
        values: (_plot: uPlot, ticks: number[]) => ticks.map((tick) => format(tick)),
      },
    ],
    series: [
      {},
      ...labels.map((label, at) => ({
        label,
        width: 1.5,
        points: { show: false },
        stroke: colour(element, COLOURS[at % COLOURS.length] ?? '--line-1'),
      })),
    ],
  };
}

/** The browser works out which of the two shades holds. */
function colour(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}
