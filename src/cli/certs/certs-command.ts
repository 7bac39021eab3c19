/** `quarry certs` on the command line; see `certs.ts`. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import { systemClock } from '../../base/clock.js';

/** Policies ask for less; an authority of one's own ends after so many. */
const DAYS_MAX = 3_650;
export const DAYS = 730;

interface CertsArguments {
  readonly out: string;
  readonly ca?: string;
  readonly host: readonly string[];
  readonly days: number;
  readonly renew: boolean;
}

export function addCertsCommand(root: Command): void {
  const collect = (value: string, former: readonly string[]): readonly string[] => [...former, value];
  root
    .command('certs')
    .description("make certificates for TLS: the cluster's own authority, unless there is one, and one of a node")
    .option('--out <directory>', 'where the files go', 'config/certs')
    .option('--ca <directory>', 'where ca.crt and ca.key of the authority are (default: made in --out if absent)')
    .addOption(
      new Option('--host <name>', 'name or IP address by which others reach the node; repeatable')
        .argParser(collect)
        .default([], 'those of the machine itself'),
    )
    .addOption(
      new Option('--days <count>', 'how long the certificate of the node is valid').argParser(dayCount).default(DAYS),
    )
    .option('--renew', 'replace the certificate of the node that is in --out', false)
    .exitOverride()
    .action(certs);
}

async function certs({ out, ca, host: hosts, days, renew: renews }: CertsArguments): Promise<void> {
  const { makeCertificates } = await import('./certs.js');
  process.stdout.write(`${await makeCertificates({ out, ca, hosts, days, renews }, systemClock.nowMs())}\n`);
}

export function dayCount(text: string): number {
  const count = /^\d{1,4}$/.test(text) ? Number(text) : NaN;
  if (count >= 1 && count <= DAYS_MAX) return count;
  throw new InvalidArgumentError(`1 to ${DAYS_MAX} are expected.`);
}
