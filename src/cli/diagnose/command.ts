/** `quarry diagnose`: one archive that an operator can attach to a question. */
import type { Command } from 'commander';
import { PASSWORD_VARIABLE, type DiagnoseOptions } from './options.js';

export function addDiagnoseCommand(root: Command): void {
  root
    .command('diagnose')
    .description(
      'write an archive (tar.gz) to attach to a question: answers, settings, logs, machine; no secrets, no documents',
    )
    .option('--url <address>', 'where a node answers', 'http://127.0.0.1:9200')
    .option('--user <name>', `who asks; the password is read from the environment variable ${PASSWORD_VARIABLE}`)
    .option('--config <file>', 'configuration file of the node', 'config/quarry.yml')
    .option('--logs <directory>', 'logs of the node (path.logs)', 'logs')
    .option('--output <file>', 'where to write (default: quarry-diagnostics-<time>.tar.gz here)')
    .exitOverride()
    .action(async (options: DiagnoseOptions) => {
      const { diagnose } = await import('./diagnose.js');
      await diagnose(options);
    });
}
