/** Where the native add-on is: built for this machine, or, in a package, one of several for kinds of processors. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';

/** One add-on of a package, as `levels.json` beside them lists it (`src/setup/package/levels.mjs`). */
interface Level {
  /** Name of the file. */
  readonly file: string;
  /** What the processor must be able to do, by the names of `/proc/cpuinfo`. */
  readonly flags: readonly string[];
}

/**
 * The add-on to load from `folder`: `quarry.node`, which a build makes, or the first of `levels.json` whose flags this
 * processor has. Throws where none fits.
 */
export function addonFile(folder: string, flags: () => ReadonlySet<string> = processorFlags): string {
  const built = join(folder, 'quarry.node');
  const list = join(folder, 'levels.json');
  if (existsSync(built) || !existsSync(list)) return built;
  const levels = JSON.parse(readFileSync(list, 'utf8')) as readonly Level[];
  const present = flags();
  const level = levels.find(({ flags: needed }) => needed.every((flag) => present.has(flag)));
  if (level !== undefined) return join(folder, level.file);
  const [least] = levels.slice(-1);
  throw new QuarryError(
    'internal_error',
    `this processor is not one with all of [${String(least?.flags)}]: build Quarry here`,
  );
}

/** What the first processor of `/proc/cpuinfo` can do: all have the same flags. */
function processorFlags(): ReadonlySet<string> {
  const text = readFileSync('/proc/cpuinfo', 'latin1');
  return new Set(/^flags\s*:\s*(.*)$/m.exec(text)?.[1]?.split(' '));
}
