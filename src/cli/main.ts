/** The command line. */
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { QuarryError } from '../base/errors.js';
import { softwareVersion } from '../node/version.js';
import { withSourcePlaces } from '../store/source-places.js';
import { isEntryModule } from './entry.js';
import { LOCAL_NODES_MAX } from './local-cluster.js';

interface StartOptions {
  readonly setting: readonly string[];
  readonly config?: string;
  readonly nodes?: number;
  readonly enrollmentToken?: string;
  readonly enrollmentTokenFile?: string;
}

/** Runs the command that `args` (without node and script) names. Sets the exit code; a started node keeps running. */
export async function main(args: readonly string[]): Promise<void> {
  try {
    const root = program();
    if (!isStart(args)) {
      const { addCheckCommand, addDiagnoseCommand } = await import('./inspection-commands.js');
      const { addSetupPasswordsCommand, addUsersCommand } = await import('./users-command.js');
      const { addKeystoreCommand } = await import('./keystore-command.js');
      const { addCertsCommand } = await import('./certs/certs-command.js');
      const { addCreateTokenCommand } = await import('./enrolment/create-token-command.js');
      addCheckCommand(root);
      addDiagnoseCommand(root);
      addKeystoreCommand(root);
      addCertsCommand(root);
      addCreateTokenCommand(root);
      addUsersCommand(root);
      addSetupPasswordsCommand(root);
    }
    await root.parseAsync([...args], { from: 'user' });
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** A node that starts does not load what only other commands need. */
function isStart([first = 'start']: readonly string[]): boolean {
  return first === 'start' || (first.startsWith('-') && first !== '-h' && first !== '--help');
}

function program(): Command {
  const collect = (value: string, former: readonly string[]): readonly string[] => [...former, value];
  const root = new Command('quarry')
    .description('A search and analytics engine behind an Elasticsearch-shaped REST API.')
    .version(softwareVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .showHelpAfterError('(quarry --help lists the commands)');
  const start = root
    .command('start', { isDefault: true })
    .description('run a node in the foreground; SIGTERM or SIGINT drains, flushes and stops it')
    .addOption(
      new Option('-E, --setting <key=value>', 'set one setting, wins over the configuration file; repeatable')
        .argParser(collect)
        .default([], 'none'),
    )
    .option('--config <file>', 'configuration file (default: config/quarry.yml if there is one)')
    .addOption(
      new Option(
        '--nodes <count>',
        'run a cluster of so many nodes on this machine, each a process of its own',
      ).argParser(nodeCount),
    )
    .addOption(
      new Option(
        '--enrollment-token-file <file>',
        'first join a cluster with the token of [quarry create-enrollment-token] in this file; - is the standard input',
      ).conflicts('enrollmentToken'),
    )
    .option('--enrollment-token <token>', 'the same with the token itself, which lists of processes show meanwhile')
    .exitOverride()
    .action(async (options: StartOptions) => {
      const sources = { config: options.config, overrides: options.setting };
      const { enrollmentToken: token, enrollmentTokenFile: tokenFile } = options;
      if (token !== undefined || tokenFile !== undefined) {
        const { enrol } = await import('./enrolment/enrol.js');
        process.stdout.write(`${await enrol({ token, tokenFile }, sources)}\n`);
      }
      if (options.nodes !== undefined) {
        const { startLocalCluster } = await import('./start-local-cluster.js');
        await startLocalCluster(options.nodes, sources);
        return;
      }
      const { start: startNode } = await import('./start.js');
      await startNode(sources);
    });
  root.addHelpText('after', () => `\nOptions of start, which is what runs without a command:\n${optionsOf(start)}`);
  return root;
}

/** A line for each option of a command, as its own help has it. */
function optionsOf(command: Command): string {
  const help = command.createHelp();
  const width = help.padWidth(command, help);
  const line = (option: Option): string =>
    `  ${help.optionTerm(option).padEnd(width)}  ${help.optionDescription(option)}`;
  return help.visibleOptions(command).map(line).join('\n');
}

function nodeCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (count >= 1 && count <= LOCAL_NODES_MAX) return count;
  throw new InvalidArgumentError(`1 to ${LOCAL_NODES_MAX} are expected.`);
}

/** Commander has already printed what it refuses, and its help and version. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode;
  const sentence =
    error instanceof QuarryError
      ? error.message
      : error instanceof Error
        ? withSourcePlaces(error.stack ?? error.message)
        : String(error);
  process.stderr.write(`quarry: ${sentence}\n`);
  return 1;
}

/** Who read what is printed may be gone: a node does not end by that, and other commands have nobody left to tell. */
function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

if (isEntryModule(new URL('main.js', import.meta.url))) {
  outliveReaders();
  void main(process.argv.slice(2));
}
