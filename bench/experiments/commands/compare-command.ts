/** `npm run experiment -- compare-runs A B`: what changed from one run to another. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { compareTwoRuns, type Difference, type RunComparison } from '../compare-runs.js';
import { placeOf } from '../data/files.js';
import { FIGURES } from '../figures.js';
import { formatChange, formatValue } from '../report/format.js';
import { provenanceFacts } from '../report/facts.js';
import type { Bars, Section, Table } from '../report/section.js';
import { writePage } from '../report/write-report.js';
import { readRun, type Run } from '../results.js';
import { median } from 'simple-statistics';

interface Given {
  readonly output?: string;
}

export function addCompareRuns(program: Command): void {
  program
    .command('compare-runs')
    .description('what changed from one run to another, and whether it is noise')
    .argument('<before>', 'folder or results of a run')
    .argument('<after>', 'folder or results of another run')
    .option('--output <folder>', 'writes a report there')
    .action(async (before: string, after: string, { output }: Given) => {
      const [left, right] = [readRun(fileOf(before)), readRun(fileOf(after))];
      const comparison = compareTwoRuns(left, right);
      for (const line of linesOf(comparison)) console.log(line);
      if (output !== undefined) console.log(`report: ${await report(placeOf(output), [left, right], comparison)}`);
    });
}

function fileOf(given: string): string {
  const place = placeOf(given);
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() === true ? path.join(place, 'results.jsonl') : place;
}

/** Changes that are no noise, the largest first; without any that is said. */
function linesOf(comparison: RunComparison): readonly string[] {
  const { warnings, unmatched, differences, overall } = comparison;
  const found = changesOf(differences);
  const count = (judgement: Difference['judgement']): number =>
    differences.filter((difference) => difference.judgement === judgement).length;
  return [
    ...warnings.map((warning) => `note: ${warning}`),
    ...(unmatched > 0 ? [`note: ${unmatched} points are in one of the runs alone`] : []),
    'all points together:',
    ...overall.map((difference) => `  ${lineOf(difference)}`),
    found.length === 0 ? 'of single points no change that is more than noise' : 'single points:',
    ...found.map((difference) => `  ${difference.sweep}: ${difference.label}: ${lineOf(difference)}`),
    `${differences.length} figures compared: ${found.length} changed, ${count('noise')} are noise, ${count('too few runs')} have too few runs to tell`,
  ];
}

function changesOf(differences: readonly Difference[]): readonly Difference[] {
  return differences
    .filter(({ judgement }) => judgement === 'better' || judgement === 'worse' || judgement === 'different')
    .sort((left, right) => Math.abs(Math.log(right.ratio)) - Math.abs(Math.log(left.ratio)));
}

function lineOf({ figure, judgement, ratio, low, high, adjustedP }: Difference): string {
  const interval = `${formatChange(ratio - 1)} (95 %: ${formatChange(low - 1)} to ${formatChange(high - 1)})`;
  const p = adjustedP === undefined ? '' : `, p ${adjustedP < 0.001 ? '< 0.001' : adjustedP.toFixed(3)}`;
  return `${FIGURES[figure].title.padEnd(34)} ${interval}${p}: ${judgement}`;
}

async function report(
  folder: string,
  [before, after]: readonly [Run, Run],
  comparison: RunComparison,
): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const changed = changesOf(comparison.differences);
  const sections: readonly Section[] = [
    {
      title: 'All points together',
      about: 'Each figure over all points, each by its ratio. Coloured bars are more than noise.',
      charts: [],
      bars: [barsOf('Change from the first run to the second', comparison.overall)],
      tables: [tableOf('All points together', comparison.overall)],
    },
    {
      title: 'Single points',
      about: 'What changed by more than noise, then every figure of every point.',
      charts: [],
      bars: changed.length === 0 ? [] : [barsOf('Single points that changed', changed)],
      tables: [tableOf('Every figure of every point', comparison.differences)],
    },
  ];
  const facts = [
    ...provenanceFacts(before.header).map(([name, value]) => [`first: ${name}`, value] as const),
    ...provenanceFacts(after.header).map(([name, value]) => [`second: ${name}`, value] as const),
  ];
  return writePage(folder, {
    title: `${before.header.experiment}: ${before.header.commit} and ${after.header.commit}`,
    about: 'What changed from one run to another, and whether it is noise',
    findings: linesOf(comparison).filter((line) => !line.startsWith('  ') && !line.endsWith(':')),
    facts,
    command: `${before.header.command}\n${after.header.command}`,
    sections,
  });
}

function barsOf(title: string, differences: readonly Difference[]): Bars {
  const verdict = ({ judgement }: Difference): Bars['rows'][number]['verdict'] =>
    judgement === 'better' || judgement === 'worse' ? judgement : 'neither';
  return {
    title,
    rows: differences.map((difference) => {
      const { sweep, label, figure, ratio, adjustedP } = difference;
      const place = sweep === label ? '' : `${label}: `;
      const p = adjustedP === undefined ? difference.judgement : `p ${adjustedP.toFixed(3)}`;
      return { label: `${place}${FIGURES[figure].title}`, change: ratio - 1, value: p, verdict: verdict(difference) };
    }),
  };
}

function tableOf(title: string, differences: readonly Difference[]): Table {
  const middle = (values: readonly number[], { figure, sweep, label }: Difference): string =>
    sweep === label ? '' : formatValue(median([...values]), FIGURES[figure].unit);
  return {
    title,
    head: ['point', 'figure', 'before', 'after', 'change', 'from', 'to', 'p', 'judgement'],
    rows: differences.map((each) => [
      each.sweep === each.label ? each.label : `${each.sweep}: ${each.label}`,
      FIGURES[each.figure].title,
      middle(each.before, each),
      middle(each.after, each),
      formatChange(each.ratio - 1),
      formatChange(each.low - 1),
      formatChange(each.high - 1),
      each.adjustedP?.toFixed(3) ?? '–',
      each.judgement,
    ]),
  };
}
