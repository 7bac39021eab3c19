/** What `quarry diagnose` does. */
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { QuarryError } from '../../base/errors.js';
import { softwareVersion } from '../../node/version.js';
import { writeArchive } from './archive.js';
import { collect } from './collect.js';
import { PASSWORD_VARIABLE, type DiagnoseOptions } from './options.js';

export async function diagnose(options: DiagnoseOptions): Promise<void> {
  const nowMs = systemClock.nowMs();
  const folder = `quarry-diagnostics-${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}`;
  const output = resolve(options.output ?? join(process.cwd(), `${folder}.tar.gz`));
  const files = await collect({
    url: checkedUrl(options.url),
    authorization: authorizationOf(options.user),
    configFile: resolve(options.config),
    logsDirectory: resolve(options.logs),
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
  if (answers === 0) process.stdout.write(`no node answered at ${new URL(options.url).origin}\n`);
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
