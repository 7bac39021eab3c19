/** The version of this software, as its package says. */
import { must } from '../base/assert.js';
import { readTextIfPresent } from '../store/files.js';
import { fileURLToPath } from 'node:url';

export function softwareVersion(): string {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url));
  const { version } = JSON.parse(must(readTextIfPresent(path), `file [${path}]`)) as { version: string };
  return version;
}
