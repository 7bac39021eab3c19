/**
 * What a browser says of itself, by the table of the package `uap-core`. Its expressions are made for this and reviewed, so
 * they are run as they are; texts are cut, and what was found is remembered.
 */
import { createRequire } from 'node:module';
import { must } from '../../base/assert.js';
import { CacheCounter } from '../../base/cache-counters.js';
import { Memo } from '../../base/memo.js';
import { onDemand } from '../../base/on-demand.js';
import { readTextIfPresent } from '../../store/files.js';

export interface UserAgent {
  readonly family: string | undefined;
  readonly version: string | undefined;
  readonly os: string | undefined;
  readonly osVersion: string | undefined;
  readonly device: string | undefined;
}

const yaml = onDemand('yaml');

/** Characters that are looked at. */
const TEXT_LENGTH_MAX = 1_024;

/** One row of the table. Replacements are numbered as the groups are that they stand for. */
interface Row {
  readonly regex: RegExp;
  readonly replacements: readonly (string | undefined)[];
}

interface Tables {
  readonly agents: readonly Row[];
  readonly systems: readonly Row[];
  readonly devices: readonly Row[];
}

let tables: Tables | undefined;
const remembered = new Memo<UserAgent>({
  counter: new CacheCounter('ingest_user_agents'),
  valuesMax: 1_000,
  textMax: TEXT_LENGTH_MAX,
});

export function userAgentOf(text: string): UserAgent {
  const cut = text.slice(0, TEXT_LENGTH_MAX);
  return remembered.get(cut, () => recognise(cut));
}

function recognise(cut: string): UserAgent {
  tables ??= load();
  const agent = first(tables.agents, cut);
  const system = first(tables.systems, cut);
  const device = first(tables.devices, cut);
  return {
    family: agent?.[0],
    version: versionOf(agent),
    os: system?.[0],
    osVersion: versionOf(system),
    device: device?.[0],
  };
}

function versionOf(found: readonly (string | undefined)[] | undefined): string | undefined {
  const parts = found?.slice(1) ?? [];
  const end = parts.findIndex((part) => part === undefined || part === '');
  const version = parts.slice(0, end < 0 ? undefined : end).join('.');
  return version === '' ? undefined : version;
}

function first(rows: readonly Row[], text: string): readonly (string | undefined)[] | undefined {
  for (const { regex, replacements } of rows) {
    const match = regex.exec(text);
    if (match === null) continue;
    return replacements.map((replacement, at) => {
      const value = replacement?.replaceAll(/\$(\d)/g, (_all, number: string) => match[Number(number)] ?? '');
      return (value ?? match[at + 1])?.trim();
    });
  }
  return undefined;
}

type Definition = Readonly<Record<string, string | undefined>>;

function load(): Tables {
  const path = createRequire(import.meta.url).resolve('uap-core/regexes.yaml');
  const text = must(readTextIfPresent(path), 'the table of user agents');
  const { user_agent_parsers, os_parsers, device_parsers } = yaml().parse(text) as Record<
    string,
    readonly Definition[]
  >;
  return {
    agents: rowsOf(user_agent_parsers, ['family', 'v1', 'v2', 'v3', 'v4']),
    systems: rowsOf(os_parsers, ['os', 'os_v1', 'os_v2', 'os_v3', 'os_v4']),
    devices: rowsOf(device_parsers, ['device']),
  };
}

function rowsOf(definitions: readonly Definition[] | undefined, names: readonly string[]): readonly Row[] {
  return (definitions ?? []).map((definition) => ({
    regex: new RegExp(definition['regex'] ?? '', definition['regex_flag'] ?? ''),
    replacements: names.map((name) => definition[`${name}_replacement`]),
  }));
}
