/** How `quarry users` and `quarry setup-passwords` are called. */
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { configFileOf } from './settings.js';
import type { SetUpOptions, UsersCommands } from './users.js';

interface PasswordOptions {
  readonly password?: string;
  readonly roles?: string;
}

interface SetUpArguments extends Partial<SetUpOptions> {
  readonly config?: string;
}

interface RolesOptions {
  readonly add?: string;
  readonly remove?: string;
}

const CONFIG = [
  '--config <file>',
  'configuration file beside which the files are (default: config/quarry.yml)',
] as const;
const PASSWORD = [
  '-p, --password <password>',
  'the password; without it, it is asked for, or read from the standard input',
] as const;

export function addUsersCommand(root: Command): void {
  const users = root
    .command('users')
    .description('manage the users of a node that are kept in files beside its configuration')
    .option(...CONFIG)
    .exitOverride();
  const open = async (): Promise<UsersCommands> => {
    const { UsersCommands: Commands } = await import('./users.js');
    return new Commands(directoryOf(users.opts<{ config?: string }>().config));
  };
  users
    .command('useradd <name>')
    .description('add a user')
    .option(...PASSWORD)
    .option('-r, --roles <roles>', 'names of roles, with commas')
    .action(async (name: string, { password, roles = '' }: PasswordOptions) =>
      (await open()).add(name, password, roles),
    );
  users
    .command('userdel <name>')
    .description('remove a user')
    .action(async (name: string) => (await open()).remove(name));
  users
    .command('passwd <name>')
    .description("change a user's password")
    .option(...PASSWORD)
    .action(async (name: string, { password }: PasswordOptions) => (await open()).changePassword(name, password));
  users
    .command('roles <name>')
    .description('add and remove roles of a user, and print what is left')
    .option('-a, --add <roles>', 'names of roles, with commas')
    .option('-r, --remove <roles>', 'names of roles, with commas')
    .action(async (name: string, { add = '', remove = '' }: RolesOptions) =>
      (await open()).changeRoles(name, add, remove),
    );
  users
    .command('list')
    .argument('[name]', 'only this user')
    .description('print users and their roles')
    .action(async (name?: string) => (await open()).list(name));
}

export function addSetupPasswordsCommand(root: Command): void {
  root
    .command('setup-passwords')
    .description('give the built-in user [admin] a password, through a node that runs with this configuration')
    .option(...CONFIG)
    .option('--url <url>', 'where the node answers (default: where the configuration file says)')
    .option('--ca <file>', 'the authority that signed its certificate, where it has TLS')
    .option(...PASSWORD)
    .exitOverride()
    .action(async ({ config, url, ...options }: SetUpArguments) => {
      const { setUpPassword } = await import('./users.js');
      const { nodeUrl } = await import('./node-url.js');
      await setUpPassword(directoryOf(config), { ...options, url: url ?? (await nodeUrl(config)) });
    });
}

function directoryOf(config: string | undefined): string {
  return dirname(resolve(configFileOf(config)));
}
