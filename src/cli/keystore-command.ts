/** How `quarry keystore` is called. */
import type { Command } from 'commander';
import type { KeystoreCommands } from './keystore.js';

interface KeystoreOptions {
  readonly config?: string;
}

interface ForceOption {
  readonly force?: boolean;
}

interface AddOptions extends ForceOption {
  readonly stdin?: boolean;
}

export function addKeystoreCommand(root: Command): void {
  const keystore = root
    .command('keystore')
    .description(
      'keep the secure settings of a node, such as passwords, in a file of their own beside the configuration file',
    )
    .option('--config <file>', 'configuration file beside which the keystore lies (default: config/quarry.yml)')
    .exitOverride();
  const open = async (): Promise<KeystoreCommands> => {
    const { KeystoreCommands: Commands } = await import('./keystore.js');
    return new Commands(keystore.opts<KeystoreOptions>().config);
  };
  const force = ['-f, --force', 'overwrite settings that are there; make the keystore if there is none'] as const;
  keystore
    .command('create')
    .description('make an empty keystore')
    .option('-p, --password', 'ask for a password that protects it')
    .action(async ({ password }: { readonly password?: boolean }) => (await open()).create(password === true));
  keystore
    .command('list')
    .description('print the names of its settings')
    .action(async () => (await open()).list());
  keystore
    .command('add <settings...>')
    .description('add settings, whose values are asked for, or read from the standard input, a line each')
    .option('-x, --stdin', 'read the values from the standard input, as is done without a terminal anyway')
    .option(...force)
    .action(async (names: readonly string[], { force: overwrites, stdin }: AddOptions) =>
      (await open()).add(names, overwrites === true, stdin === true),
    );
  keystore
    .command('add-file <pairs...>')
    .description('add settings whose values are files: NAME FILE [NAME FILE ...]')
    .option(...force)
    .action(async (pairs: readonly string[], options: ForceOption) =>
      (await open()).addFiles(pairs, options.force === true),
    );
  keystore
    .command('show <setting>')
    .description('print the value of a setting')
    .action(async (name: string) => (await open()).show(name));
  keystore
    .command('remove <settings...>')
    .description('remove settings')
    .action(async (names: readonly string[]) => (await open()).remove(names));
  keystore
    .command('passwd')
    .description('change the password that protects the keystore')
    .action(async () => (await open()).changePassword());
  keystore
    .command('has-passwd')
    .description('tell whether a password protects the keystore; exit code 1 if none does')
    .action(async () => {
      if (!(await (await open()).hasPassword())) process.exitCode = 1;
    });
  keystore
    .command('upgrade')
    .description('write the keystore in the newest format')
    .action(async () => (await open()).upgrade());
  for (const command of keystore.commands) command.exitOverride();
}
