/** `npm run experiment -- report FOLDER`: the report of a run, made anew from its results. */
import type { Command } from 'commander';
import { placeOf } from '../data/files.js';
import { writeReport } from '../report/write-report.js';

export function addReport(program: Command): void {
  program
    .command('report')
    .description('make the report of a run anew from its results')
    .argument('<folder>', 'of the run')
    .action(async (folder: string) => {
      console.log(`report: ${await writeReport(placeOf(folder))}`);
    });
}
