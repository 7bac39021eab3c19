/**
 * The files `jvm.options.d/*.options` beside the configuration file. Operators have them from clusters that ran on a Java machine: the size
 * of its heap is taken as the memory budget of the node, everything else means nothing here and is named in a warning.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { defaultMemoryBudget, MEMORY_BUDGET_BYTES_MAX, MEMORY_BUDGET_BYTES_MIN, memoryBytes } from '../base/memory.js';
import type { MemoryBudget } from '../base/node-settings.js';
import { formatBytes } from '../base/units.js';
import { readTextIfPresent } from '../store/files.js';

const SUFFIX = '.options';
/** Of `-Xms` and `-Xmx`: a number of bytes, or of a unit. */
const HEAP_OPTION = /^-(Xms|Xmx)(.*)$/;
const HEAP_SIZE = /^(\d{1,15})([kKmMgGtT]?)$/;
const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };

type Bound = 'Xms' | 'Xmx';

interface Given {
  readonly bytes: number;
  readonly text: string;
  readonly place: string;
}

/** Files in the order of their names; of an option that is given twice the last counts. */
export function readMemoryBudget(directory: string, machineBytes = memoryBytes()): MemoryBudget {
  const given: Partial<Record<Bound, Given>> = {};
  const ignoredOptions: string[] = [];
  for (const file of optionFiles(directory)) {
    const lines = (readTextIfPresent(file) ?? '').split(/\r?\n/);
    for (const [at, line] of lines.entries()) {
      const option = line.trim();
      if (option === '' || option.startsWith('#')) continue;
      const [, bound, size = ''] = HEAP_OPTION.exec(option) ?? [];
      if (bound === undefined) ignoredOptions.push(option);
      else given[bound as Bound] = readSize(option, size, `${file}:${at + 1}`);
    }
  }
  const { Xms: least, Xmx: most } = given;
  if (least === undefined && most === undefined) {
    return { budgetBytes: defaultMemoryBudget(machineBytes), ignoredOptions };
  }
  return { budgetBytes: checkTogether(least, most, machineBytes), ignoredOptions };
}

function optionFiles(directory: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    throw refusal(`the directory [${directory}] cannot be read: ${(error as Error).message}`);
  }
  const files = names.filter((name) => name.endsWith(SUFFIX) && !name.startsWith('.'));
  return files.sort().map((name) => join(directory, name));
}

function readSize(option: string, size: string, place: string): Given {
  const [, digits, unit] = HEAP_SIZE.exec(size) ?? [];
  if (digits === undefined || unit === undefined) {
    throw refusal(`[${option}] in [${place}] is not a size of memory, such as [-Xmx4g]`);
  }
  return { bytes: Number(digits) * (UNITS[unit.toLowerCase()] ?? 1), text: option, place };
}

/** The memory of a node neither grows nor shrinks: both bounds say the same. */
function checkTogether(least: Given | undefined, most: Given | undefined, machineBytes: number): number {
  if (least === undefined || most === undefined) {
    const one = least ?? most;
    const other = least === undefined ? '-Xms' : '-Xmx';
    throw refusal(`[${one?.text}] in [${one?.place}] needs [${other}] of the same size beside it`);
  }
  if (least.bytes !== most.bytes) {
    const places = least.place === most.place ? least.place : `${least.place}] and [${most.place}`;
    throw refusal(`[${least.text}] and [${most.text}] in [${places}] must be equal`);
  }
  const { bytes, text, place } = most;
  const ceiling = Math.min(MEMORY_BUDGET_BYTES_MAX, machineBytes);
  if (bytes >= MEMORY_BUDGET_BYTES_MIN && bytes <= ceiling) return bytes;
  const range = `[${formatBytes(MEMORY_BUDGET_BYTES_MIN)}] to [${formatBytes(ceiling)}]`;
  const why = ceiling < MEMORY_BUDGET_BYTES_MAX ? ', all of the memory of this machine,' : '';
  throw refusal(`[${text}] in [${place}] is not within the ${range}${why} that a node may have`);
}

function refusal(why: string): QuarryError {
  return new QuarryError('settings_exception', `memory options: ${why}`);
}
