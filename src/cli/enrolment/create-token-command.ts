/** How `quarry create-enrollment-token` is called; see `create-token.ts`. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { systemClock } from '../../base/clock.js';
import { systemRandom } from '../../base/random.js';
import { DAYS, dayCount } from '../certs/certs-command.js';

interface TokenArguments {
  readonly scope: string;
  readonly url: string;
  readonly ca: string;
  readonly host: readonly string[];
  readonly days: number;
  readonly secretFile?: string;
  readonly user: string;
  readonly password?: string;
}

export function addCreateTokenCommand(root: Command): void {
  const collect = (value: string, former: readonly string[]): readonly string[] => [...former, value];
  root
    .command('create-enrollment-token')
    .description(
      'print a token with which one node joins the cluster, within 30 minutes: quarry start --enrollment-token',
    )
    .addOption(new Option('-s, --scope <scope>', 'what is enrolled').argParser(scope).default('node'))
    .option('--url <url>', 'where a node of the cluster answers', 'https://localhost:9200')
    .option('--ca <directory>', 'where ca.crt and ca.key of the authority are', 'config/certs')
    .addOption(
      new Option('--host <name>', 'name or IP address by which others reach the new node; repeatable')
        .argParser(collect)
        .default([], 'those of the machine itself'),
    )
    .addOption(
      new Option('--days <count>', 'how long the certificate of the node is valid').argParser(dayCount).default(DAYS),
    )
    .option('--secret-file <file>', 'the secret of the cluster, where its nodes prove one')
    .option('-u, --user <name>', 'who makes the token: may make API keys and enrol nodes', 'admin')
    .option('-p, --password <password>', 'the password; without it, it is asked for, or read from the standard input')
    .exitOverride()
    .action(createToken);
}

async function createToken({ password: given, ...options }: TokenArguments): Promise<void> {
  const { createEnrolmentToken } = await import('./create-token.js');
  const { SecretInput } = await import('../secret-input.js');
  const password = given ?? (await new SecretInput().line(`Password of ${options.user}`));
  const { url, ca, host: hosts, days, secretFile, user: username } = options;
  const asked = { url, ca, hosts, days, secretFile, username, password };
  process.stdout.write(`${await createEnrolmentToken(asked, systemRandom, systemClock.nowMs())}\n`);
}

function scope(text: string): string {
  if (text === 'node') return text;
  throw new InvalidArgumentError('only [node] is expected: there is nothing else to enrol.');
}
