/** `quarry check` and `quarry diagnose`: what somebody runs who wants to know what is wrong. */
import type { Command } from 'commander';

export function addCheckCommand(root: Command): void {
  root
    .command('check')
    .argument('<data>', 'data directory (path.data) of a node that is not running')
    .description('verify every file of a data directory and say what is wrong where; exit code 1 when anything is')
    .exitOverride()
    .action(check);
}

async function check(dataPath: string): Promise<void> {
  const { checkData } = await import('./check.js');
  const { shardCount, findings } = await checkData(dataPath);
  for (const { file, place, problem } of findings) process.stdout.write(`${file}: ${place}: ${problem}\n`);
  process.stdout.write(`${shardCount} shards checked, ${findings.length} problems found\n`);
  if (findings.length > 0) process.exitCode = 1;
}

export function addDiagnoseCommand(root: Command): void {
  const diagnosis = 'write an archive (tar.gz) to attach to a question; no secrets, no documents';
  root
    .command('diagnose')
    .description(diagnosis)
    // Its options are read by what is loaded then.
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options: unknown, { args }: Command) => {
      const { diagnoseCommand } = await import('./diagnose/command.js');
      await diagnoseCommand(diagnosis).parseAsync([...args], { from: 'user' });
    });
}
