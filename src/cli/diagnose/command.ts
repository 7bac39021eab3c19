/** How `quarry diagnose` is called. */
import { Command } from 'commander';
import { diagnose } from './diagnose.js';
import { PASSWORD_VARIABLE } from './options.js';

export function diagnoseCommand(description: string): Command {
  return new Command('quarry diagnose')
    .description(description)
    .option('--url <address>', 'where a node answers (default: where the configuration file says)')
    .option('--ca <file>', 'the authority that signed its certificate, where it has TLS')
    .option('--user <name>', `who asks; the password is read from the environment variable ${PASSWORD_VARIABLE}`)
    .option('--config <file>', 'configuration file of the node', 'config/quarry.yml')
    .option('--logs <directory>', 'logs of the node (default: path.logs of the configuration file, or logs)')
    .option('--output <file>', 'where to write (default: quarry-diagnostics-<time>.tar.gz here)')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .action(diagnose);
}
