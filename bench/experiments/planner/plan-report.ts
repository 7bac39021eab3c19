/** A plan in words, and as a report: what it says, how sure it is, and what it was made of. */
import { formatChange, formatCount, formatValue } from '../report/format.js';
import { runFacts } from '../report/facts.js';
import type { Report } from '../report/page.js';
import type { AxisUnit, Chart, Section, Table } from '../report/section.js';
import { pointsOf, tableOf } from '../report/sections.js';
import { FIGURES, type FigureName } from '../figures.js';
import type { MeasuredPoint, Run } from '../results.js';
import type { Estimate, Fit } from './fit.js';
import type { Check } from './growth.js';
import { GROWTH, SHARDS, STREAM } from './points.js';
import type { Growth, Plan, Wanted } from './predict.js';

export interface Planned {
  readonly plan: Plan;
  readonly wanted: Wanted;
  readonly checks: readonly Check[];
  readonly growth: Growth;
}

/** Further than so many times beyond what was measured nothing is certain. */
const FAR = 10;
const DAY_MS = 86_400_000;

export function linesOfPlan(plan: Plan, wanted: Wanted, checks: readonly Check[]): readonly string[] {
  return [...findingsOf(plan, wanted), ...checks.map(lineOfCheck), ...warningsOf(plan)];
}

function findingsOf(plan: Plan, wanted: Wanted): readonly string[] {
  const { shards, nodes, documentsPerShard, shardLimit, nodeLimit } = plan;
  const days = wanted.retentionMs / DAY_MS;
  return [
    `${formatCount(wanted.documents)} documents over ${Number(days.toFixed(2))} days are ${formatValue(plan.documentsPerSecond, 'perSecond')}`,
    `${shards} ${shards === 1 ? 'shard' : 'shards'} of ${formatCount(documentsPerShard)} documents, with ${wanted.replicas} replicas each (limit: ${shardLimit})`,
    `${nodes} ${nodes === 1 ? 'node' : 'nodes'} of ${wanted.nodeProcessors} processors, ${formatValue(wanted.nodeMemoryBytes, 'bytes')} of memory and ${formatValue(wanted.nodeDiskBytes, 'bytes')} of disk (limit: ${nodeLimit})`,
    carefulOf(plan),
    `disk of all copies: ${formatEstimate(plan.diskBytes, 'bytes')}`,
    `memory of the process on each node: ${formatEstimate(plan.memoryBytesPerNode, 'bytes')}, and as much as there is for files`,
    `p99 of a search: ${formatEstimate(plan.p99Ms, 'ms')}`,
    `write amplification: ${formatEstimate(plan.writeAmplification, 'ratio')}, ${plan.segmentsPerShard} segments in a shard`,
    `written by refreshes and merges: ${formatEstimate(plan.writtenBytesPerDay, 'bytes')} a day`,
  ];
}

/** Where every figure is as bad as its interval allows. */
function carefulOf({ careful }: Plan): string {
  if (careful === undefined) return 'with the upper ends of the intervals no number of shards is enough: measure more';
  const { shards, nodes, shardLimit, nodeLimit } = careful;
  return `with the upper ends of the intervals: ${shards} shards (limit: ${shardLimit}), ${nodes} nodes (limit: ${nodeLimit})`;
}

function formatEstimate({ value, low, high }: Estimate, unit: AxisUnit): string {
  return `${formatValue(value, unit)} (${formatValue(low, unit)} to ${formatValue(high, unit)})`;
}

function unitOf({ figure }: Check): AxisUnit {
  return figure === 'documents' ? 'count' : FIGURES[figure].unit;
}

function lineOfCheck(check: Check): string {
  const { name, predicted, measured, error, isWithin } = check;
  const place = isWithin ? 'within' : 'outside of';
  return `check, ${name}: foretold ${formatEstimate(predicted, unitOf(check))}, measured ${formatValue(measured, unitOf(check))}: ${formatChange(error)}, ${place} the interval`;
}

function warningsOf({ beyond }: Plan): readonly string[] {
  return beyond <= FAR
    ? []
    : [
        `a shard of the plan is ${formatCount(Math.round(beyond))} times what was measured: a larger --count makes it surer`,
      ];
}

export function planReport(run: Run, planned: Planned): Report {
  const { plan, wanted, checks, growth } = planned;
  return {
    title: `Plan for ${formatCount(wanted.documents)} documents like ${run.header.dataset.name}`,
    about:
      'Shards, nodes, disk, memory and writes, from how a sample grows, checked against a size that the fits did not see',
    findings: [...findingsOf(plan, wanted), ...warningsOf(plan)],
    facts: runFacts(run),
    command: run.header.command,
    sections: [checkSection(checks), growthSection(run.points, growth), ...measuredSections(run.points)],
  };
}

function checkSection(checks: readonly Check[]): Section {
  const table: Table = {
    title: 'Foretold from the smaller sizes, and measured',
    head: ['figure', 'foretold', 'from', 'to', 'measured', 'error', 'in the interval'],
    rows: checks.map((check) => {
      const format = (value: number): string => formatValue(value, unitOf(check));
      const { value, low, high } = check.predicted;
      const told = [value, low, high, check.measured].map(format);
      return [check.name, ...told, formatChange(check.error), check.isWithin ? 'yes' : 'no'];
    }),
  };
  return {
    title: 'How sure it is',
    about:
      'The largest size was held out: the fits saw the smaller ones alone, and said what it would be. The plan is made with all sizes.',
    charts: [],
    bars: [],
    tables: [table],
  };
}

function growthSection(points: readonly MeasuredPoint[], growth: Growth): Section {
  const chart = (title: string, figure: FigureName, fit: Fit): Chart => fitChart(title, figure, fit, points);
  return {
    title: 'Growth of one shard',
    about: 'What was measured, and the fit with its interval, up to four times the largest size.',
    charts: [
      chart('disk', 'storeBytes', growth.storeBytes),
      chart('search, p99', 'searchP99Ms', growth.p99Ms),
      chart('processor time a search', 'processorMsPerSearch', growth.processorMsPerSearch),
      chart('memory of a node that serves', 'servingBytes', growth.memoryBytes),
    ],
    bars: [],
    tables: [],
  };
}

const SHOWN_BEYOND = 4;

function fitChart(title: string, figure: FigureName, fit: Fit, points: readonly MeasuredPoint[]): Chart {
  const measured = pointsOf(points, GROWTH);
  const largest = measured.at(-1)?.spec.documents ?? 1;
  const sizes = [...measured.map(({ spec }) => spec.documents), ...[2, SHOWN_BEYOND].map((factor) => factor * largest)];
  const estimates = sizes.map((size) => fit.at(size));
  const values = sizes.map((size) => {
    const found = measured
      .find(({ spec }) => spec.documents === size)
      ?.points.map(({ figures }) => figures[figure] ?? NaN);
    return found === undefined ? null : (found.sort((left, right) => left - right)[found.length >> 1] ?? null);
  });
  return {
    title,
    x: { label: 'documents', unit: 'count', isLogarithmic: true, values: sizes },
    unit: FIGURES[figure].unit,
    band: 'The shade is the interval of 95 %.',
    lines: [
      { label: 'measured', values },
      {
        label: fit.law === 'line' ? 'fitted line' : 'fitted power',
        values: estimates.map(({ value }) => value),
        lows: estimates.map(({ low }) => low),
        highs: estimates.map(({ high }) => high),
      },
    ],
  };
}

function measuredSections(points: readonly MeasuredPoint[]): readonly Section[] {
  return [GROWTH, SHARDS, STREAM].map((sweep): Section => {
    const table = tableOf(pointsOf(points, sweep), sweep);
    return { title: `Measured: ${sweep}`, about: '', charts: [], bars: [], tables: [table] };
  });
}
