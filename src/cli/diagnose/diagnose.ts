/** What `quarry diagnose` does. */
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { softwareVersion } from '../../node/version.js';
import { readAuthorities } from '../ask-node.js';
import { readRawSettings } from '../settings.js';
import { writeArchive } from './archive.js';
import { collect } from './collect.js';
import { PASSWORD_VARIABLE, type DiagnoseOptions } from './options.js';

export async function diagnose(options: DiagnoseOptions): Promise<void> {
  const nowMs = systemClock.nowMs();
  const folder = `quarry-diagnostics-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  const output = resolve(options.output ?? join(process.cwd(), `${folder}.tar.gz`));
  const { files, outcomes } = await collect({
    url: checkedUrl(options.url),
    authorization: authorizationOf(options.user),
    authority: readAuthorities(options.ca),
    configFile: resolve(options.config),
    logsDirectory: resolve(options.logs ?? (await configuredLogs(options.config)) ?? 'logs'),
    version: softwareVersion(),
    nowMs,
  });
  try {
    await writeArchive(output, folder, files, nowMs);
  } catch (error) {
    throw new QuarryError(
      'settings_exception',
      `cannot write [${output}] in [${dirname(output)}]: ${(error as Error).message}`,
    );
  }
  const answers = files.filter(({ name }) => name.startsWith('api/')).length;
  process.stdout.write(`${output}: ${files.length} files, ${answers} answers of the node\n`);
  for (const line of shortcomings(options, answers, Object.values(outcomes))) process.stdout.write(`${line}\n`);
}

/** Why the archive may not be what is wanted. */
function shortcomings(options: DiagnoseOptions, answers: number, outcomes: readonly string[]): readonly string[] {
  if (answers === 0) return [`no node answered at ${new URL(options.url).origin}: ${outcomes[0] ?? ''}`];
  const refused = outcomes.filter((outcome) => outcome === '401' || outcome === '403').length;
  if (refused === 0) return [];
  return [`the node refused ${refused} of the requests: --user names somebody who may ask`];
}

/** Undefined where the file says nothing of it, or is none. */
async function configuredLogs(config: string): Promise<string | undefined> {
  const settings = await readRawSettings({ config, overrides: [] }).catch(() => undefined);
  const path = settings?.get('path.logs');
  return typeof path === 'string' && path !== '' ? path : undefined;
}

function checkedUrl(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).username === '') return text;
  throw new QuarryError(
    'settings_exception',
    '[--url] must be an address such as http://127.0.0.1:9200, without a user in it',
  );
}

function authorizationOf(user: string | undefined): string | undefined {
  if (user === undefined) return undefined;
  const password = process.env[PASSWORD_VARIABLE];
  if (password === undefined) {
    throw new QuarryError(
      'settings_exception',
      `[--user] needs a password in the environment variable ${PASSWORD_VARIABLE}`,
    );
  }
  return `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`;
}
