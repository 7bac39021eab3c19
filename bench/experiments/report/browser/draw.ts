/** Draws the charts of a report with uPlot, in the colours of the page, anew when the shade or the width changes. */
import uPlot from '../../../../src/console/widgets/plot.js';
import { formatValue } from '../format.js';
import type { Chart } from '../section.js';

const HEIGHT = 232;
const COLOURS = 6;
/** Between two values of an axis, in pixels: words need more room than numbers. */
const NAME_SPACE = 60;
/** Of a name on an axis, in pixels. */
const LETTER = 8;
const BAND_OPACITY = 0.16;
/** The library's number for it. */
const LOGARITHMIC = { distr: 3, log: 2 } as const;

const charts = JSON.parse(document.getElementById('charts')?.textContent ?? '[]') as readonly Chart[];
const plots = new Map<Element, uPlot>();

function drawAll(): void {
  for (const plot of plots.values()) plot.destroy();
  plots.clear();
  for (const element of document.querySelectorAll<HTMLElement>('[data-chart]')) {
    const chart = charts[Number(element.dataset['chart'])];
    if (chart !== undefined) plots.set(element, draw(element, chart));
  }
}

function draw(element: HTMLElement, chart: Chart): uPlot {
  const data: (number | null)[][] = [[...chart.x.values]];
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  chart.lines.forEach(({ label, values, lows, highs }, at) => {
    const stroke = colour(element, `--line-${(at % COLOURS) + 1}`);
    data.push([...values]);
    series.push({
      label,
      stroke,
      // Colours begin again.
      ...(at >= COLOURS ? { dash: [6, 5] } : {}),
      width: 2,
      spanGaps: true,
      points: { show: values.length < 40, size: 6, fill: stroke },
    });
    if (lows === undefined || highs === undefined) return;
    data.push([...highs], [...lows]);
    const edge = { stroke: 'transparent', width: 0, points: { show: false }, spanGaps: true };
    series.push(edge, edge);
    bands.push({ series: [data.length - 2, data.length - 1], fill: withOpacity(stroke) });
  });
  const plot = new uPlot(optionsOf(element, chart, series, bands), data as uPlot.AlignedData, element);
  return plot;
}

function optionsOf(element: HTMLElement, chart: Chart, series: uPlot.Series[], bands: uPlot.Band[]): uPlot.Options {
  const { x, unit } = chart;
  const axis = { stroke: colour(element, '--ink-2'), font: '12px system-ui, sans-serif' };
  const grid = { stroke: colour(element, '--line'), width: 1 };
  const name = (value: number): string => x.names?.[value] ?? formatValue(value, x.unit);
  const places = [...x.values];
  const space = Math.max(NAME_SPACE, LETTER * Math.max(...places.map((place) => name(place).length)));
  return {
    width: Math.max(1, element.clientWidth),
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: {
      x: Object.assign(
        { time: false, range: (_plot: uPlot, low: number, high: number) => widened(low, high, x.isLogarithmic) },
        x.isLogarithmic ? LOGARITHMIC : {},
      ),
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { ...grid, size: 4 },
        size: 48,
        label: x.label,
        labelFont: '12px system-ui, sans-serif',
        labelSize: 18,
        space,
        // Few places are told one by one; on a logarithmic axis powers of ten would be few and far between.
        ...(places.length <= 12 ? { splits: () => places } : {}),
        values: (plot: uPlot, ticks: number[]) =>
          thinned(plot, ticks, space).map((tick) => (tick === null ? '' : name(tick))),
      },
      {
        ...axis,
        grid,
        ticks: { show: false },
        size: 72,
        values: (_plot: uPlot, ticks: number[]) => ticks.map((tick) => formatValue(tick, unit)),
      },
    ],
    series,
    bands,
    hooks: { setCursor: [(plot: uPlot) => tell(element, plot, chart, name)] },
  };
}

/** Those that would stand in each other's way are left out. */
function thinned(plot: uPlot, ticks: readonly number[], space: number): readonly (number | null)[] {
  let last = -Infinity;
  return ticks.map((tick) => {
    const at = plot.valToPos(tick, 'x');
    if (at - last < space) return null;
    last = at;
    return tick;
  });
}

/** Room on both sides, so that the first and the last point are seen whole. */
function widened(low: number, high: number, isLogarithmic: boolean): uPlot.Range.MinMax {
  if (isLogarithmic) {
    const factor = (high / low) ** 0.04;
    return [low / factor, high * factor];
  }
  const room = (high - low || 1) * 0.04;
  return [low - room, high + room];
}

/** What is below the pointer, in words. */
function tell(element: HTMLElement, plot: uPlot, chart: Chart, name: (value: number) => string): void {
  const readout = element.parentElement?.querySelector('[data-readout]');
  if (readout === null || readout === undefined) return;
  const { idx: at } = plot.cursor;
  const place = at === null || at === undefined ? undefined : chart.x.values[at];
  readout.textContent =
    at === null || at === undefined || place === undefined
      ? '\u00a0'
      : `${name(place)} ${chart.x.names === undefined ? chart.x.label : ''}: ${chart.lines
          .map(({ label, values }) => `${label} ${formatValue(values[at], chart.unit)}`)
          .join(', ')}`;
}

/** The browser works out which of the two shades holds. */
function colour(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

function withOpacity(rgb: string): string {
  const [red = '0', green = '0', blue = '0'] = rgb.match(/[\d.]+/gu) ?? [];
  return `rgba(${red}, ${green}, ${blue}, ${BAND_OPACITY})`;
}

drawAll();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
matchMedia('print').addEventListener('change', drawAll);
const observer = new ResizeObserver(() => {
  for (const [element, plot] of plots) {
    if (element.clientWidth > 0 && plot.width !== element.clientWidth) {
      plot.setSize({ width: element.clientWidth, height: HEIGHT });
    }
  }
});
observer.observe(document.body);
