/** The report of a run: one file that needs nothing else. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { experiments } from '../../../bench.config.js';
import type { Experiment } from '../experiment.js';
import { readRun, type Run } from '../results.js';
import { assets } from './assets.js';
import { page, type Report } from './page.js';
import { runFacts } from './facts.js';

/** Writes `report.html` beside the results of a folder, and returns where it is. */
export async function writeReport(folder: string): Promise<string> {
  const run = readRun(path.join(folder, 'results.jsonl'));
  const experiment = await experimentOf(run);
  const sections = experiment
    .sections(run.points)
    .map((section) => ({
      ...section,
      charts: section.charts.filter(({ x, lines }) => x.values.length > 1 && lines.some(hasValues)),
      bars: section.bars.filter(({ rows }) => rows.length > 0),
      tables: section.tables.filter(({ rows }) => rows.length > 0),
    }))
    .filter(({ charts, bars, tables }) => charts.length + bars.length + tables.length > 0);
  const { header } = run;
  return writePage(folder, {
    title: `${header.experiment}: ${header.dataset.name}`,
    about: experiments[header.experiment]?.about ?? '',
    findings: experiment.findings?.(run.points) ?? [],
    facts: runFacts(run),
    command: header.command,
    sections,
  });
}

export async function writePage(folder: string, report: Report): Promise<string> {
  const file = path.join(folder, 'report.html');
  writeFileSync(file, page(report, await assets()));
  return file;
}

function hasValues({ values }: { readonly values: readonly (number | null)[] }): boolean {
  return values.some((value) => value !== null);
}

async function experimentOf({ header }: Run): Promise<Experiment> {
  const suite = experiments[header.experiment];
  if (suite === undefined) throw new Error(`there is no experiment [${header.experiment}]`);
  const { default: experiment } = (await import(`../${suite.file.replace(/\.ts$/u, '.js')}`)) as {
    default: Experiment;
  };
  return experiment;
}
