/** The command line of experiments: `npm run experiment -- NAME [options]`, and what is done with their results. */
import { Command, CommanderError } from 'commander';
import { experiments } from '../../bench.config.js';
import { addCompareRuns } from './commands/compare-command.js';
import { addExperiment } from './commands/experiment-command.js';
import { addPlan } from './commands/plan-command.js';
import { addReport } from './commands/report-command.js';

/** With the codes by which a shell knows them. Nodes of a point end with the process. */
const STOPS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

/** Thrown errors are of people's input or of a run: a sentence, and no stack. */
export default async function main(args: readonly string[]): Promise<void> {
  const program = new Command('npm run experiment --')
    .description(
      'Experiments on capacity, merging and scaling, on documents of ours or of yours; see docs/experiments.md.',
    )
    .exitOverride()
    .showHelpAfterError('(--help lists the commands and options)');
  for (const [name, definition] of Object.entries(experiments)) addExperiment(program, name, definition);
  addReport(program);
  addCompareRuns(program);
  addPlan(program);
  for (const [signal, code] of STOPS) {
    process.once(signal, () => {
      console.error('quarry: stopped; the same command goes on where it was');
      process.exit(code);
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    if (process.env['QUARRY_EXPERIMENT_STACKS'] !== undefined) throw error;
    console.error(`quarry: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  }
}
