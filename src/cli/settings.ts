/** From the configuration file and `-E` options to the settings of a node. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { QuarryError } from '../base/errors.js';
import type { RawSetting } from '../base/node-setting-kinds.js';
import {
  flattenSettings,
  isNodeSetting,
  parseNodeSettings,
  type MemoryBudget,
  type NodeSettings,
  type OtherSettings,
} from '../base/node-settings.js';
import { checkClusterSettingsTogether, CLUSTER_SETTINGS } from '../cluster/settings/cluster-settings.js';
import { checkSetting, scopeOf } from '../cluster/settings/registry.js';
import { readTextIfPresent } from '../store/files.js';

/** A node has one level for all of its log. */
const LOGGERS = 'logger.';
const DEFAULT_CONFIG_FILE = 'config/quarry.yml';

export interface SettingsSources {
  /** Path of the configuration file; without it the usual place is read if there is a file. */
  readonly config: string | undefined;
  /** `key=value` of each `-E`, which win over the file. */
  readonly overrides: readonly string[];
}

export async function readNodeSettings(sources: SettingsSources): Promise<NodeSettings> {
  const raw = await readRawSettings(sources);
  return nodeSettingsOf(raw, await memoryBudgetBeside(resolve(sources.config ?? DEFAULT_CONFIG_FILE)));
}

/** Few nodes have defaults of indices, and the others need not load what checks them. */
async function indexSettingCheck(raw: ReadonlyMap<string, RawSetting>): Promise<OtherSettings['checkIndexSetting']> {
  if (![...raw.keys()].some((key) => key.startsWith('index.'))) return () => undefined;
  const { INDEX_SETTINGS } = await import('../cluster/settings/index-settings.js');
  return (key, value) => {
    checkSetting(INDEX_SETTINGS, key, value);
  };
}

/** Undefined where nothing is said: few nodes have the directory, and the others need not load what reads it. */
async function memoryBudgetBeside(configFile: string): Promise<MemoryBudget | undefined> {
  const directory = join(dirname(configFile), 'jvm.options.d');
  if (!existsSync(directory)) return undefined;
  const { readMemoryBudget } = await import('./memory-options.js');
  return readMemoryBudget(directory);
}

export async function nodeSettingsOf(
  raw: ReadonlyMap<string, RawSetting>,
  memory?: MemoryBudget,
): Promise<NodeSettings> {
  const others: OtherSettings = {
    checkIndexSetting: await indexSettingCheck(raw),
    isClusterSetting(key, value) {
      if (key.startsWith(LOGGERS) || scopeOf(CLUSTER_SETTINGS, key) === undefined) return false;
      checkSetting(CLUSTER_SETTINGS, key, value);
      return true;
    },
    clusterSettings: [...CLUSTER_SETTINGS.settings.keys()].filter((key) => !key.startsWith(LOGGERS)),
  };
  const settings = parseNodeSettings(raw, others, memory);
  checkClusterSettingsTogether(new Map(Object.entries(settings.clusterSettings)));
  return settings;
}

/** The configuration file, whether it is there or not. */
export function configFileOf(config: string | undefined): string {
  return resolve(config ?? DEFAULT_CONFIG_FILE);
}

/** Whether the configuration file may have the setting. */
export function isPlainSetting(name: string): boolean {
  return isNodeSetting(name) || scopeOf(CLUSTER_SETTINGS, name) !== undefined;
}

/** Keys and values as they were given, the file's overridden. */
export async function readRawSettings(sources: SettingsSources): Promise<Map<string, RawSetting>> {
  const raw = await readConfig(sources.config);
  // Other files of the node are beside this one.
  if (sources.config !== undefined && !raw.has('path.config')) raw.set('path.config', dirname(resolve(sources.config)));
  for (const override of sources.overrides) {
    const equals = override.indexOf('=');
    if (equals < 1) throw new QuarryError('settings_exception', `[-E ${override}] must have the form key=value`);
    raw.set(override.slice(0, equals).trim(), override.slice(equals + 1));
  }
  return raw;
}

async function readConfig(path: string | undefined): Promise<Map<string, RawSetting>> {
  const file = configFileOf(path);
  const text = readTextIfPresent(file);
  if (text === undefined) {
    if (path === undefined) return new Map();
    throw new QuarryError('settings_exception', `configuration file [${file}] does not exist`);
  }
  // Nothing but comments, as it is installed: the parser is not loaded for that.
  if (text.split('\n').every((line) => /^\s*(#|$)/.test(line))) return new Map();
  const { parse } = await import('yaml');
  let tree: unknown;
  try {
    tree = parse(text, { uniqueKeys: true });
  } catch (error) {
    throw new QuarryError('settings_exception', `configuration file [${file}]: ${(error as Error).message}`);
  }
  return tree === null || tree === undefined ? new Map() : flattenSettings(tree);
}
