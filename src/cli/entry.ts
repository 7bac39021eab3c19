/** Is a file the program that was started, and not imported by another? */
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export function isEntryModule({ href }: URL): boolean {
  const script = process.argv[1];
  if (script === undefined) return false;
  try {
    return pathToFileURL(realpathSync(script)).href === href;
  } catch {
    return false;
  }
}
