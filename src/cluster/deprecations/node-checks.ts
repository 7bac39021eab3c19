/** What nodes are configured with, or are, that holds up an upgrade. One entry for each finding, which names the nodes. */
import type { NodeSettings } from '../../base/node-settings.js';
import { compareVersions } from '../nodes/version-order.js';
import { listed, warning, type Deprecation } from './entry.js';

/** A node as it told of itself. */
export interface CheckedNode {
  readonly name: string;
  readonly version: string;
  readonly settings: NodeSettings;
  /** Memory of its machine. */
  readonly machineBytes: number;
}

interface Check {
  readonly message: string;
  readonly advice: string;
  readonly isFound: (node: CheckedNode) => boolean;
}

const URL = '/_nodes/settings';

const CHECKS: readonly Check[] = [
  {
    message: 'Setting [reindex.remote.whitelist] is deprecated',
    advice: 'Use [reindex.remote.allowlist] in its place',
    isFound: ({ settings }) => settings.values['reindex.remote.whitelist'].length > 0,
  },
  {
    message: 'Options of a Java machine have no effect',
    advice: 'Take all but [-Xms] and [-Xmx] out of [jvm.options.d]; the log names them',
    isFound: ({ settings }) => settings.memory.ignoredOptions.length > 0,
  },
  {
    message: 'The memory budget leaves less than half of the memory to the page cache',
    advice: 'Lower [-Xms] and [-Xmx]',
    isFound: ({ settings, machineBytes }) => settings.memory.budgetBytes > machineBytes / 2,
  },
];

export function nodeDeprecations(nodes: readonly CheckedNode[]): readonly Deprecation[] {
  const found = CHECKS.flatMap(({ message, advice, isFound }) => {
    const names = nodes.filter(isFound).map(({ name }) => name);
    return names.length === 0 ? [] : [warning(message, URL, `${advice}. Nodes: ${listed(names)}`)];
  });
  return [...found, ...mixedVersions(nodes)];
}

/** What the newest can do waits for the others. */
function mixedVersions(nodes: readonly CheckedNode[]): readonly Deprecation[] {
  const [newest] = nodes.map(({ version }) => version).sort((left, right) => compareVersions(right, left));
  if (newest === undefined) return [];
  const older = nodes.filter(({ version }) => compareVersions(version, newest) < 0);
  if (older.length === 0) return [];
  const names = older.map(({ name, version }) => `${name} (${version})`);
  const details = `Upgrade ${listed(names)} to [${newest}]: a node of an older version cannot come back once the master is newer`;
  const entry = warning('The nodes of the cluster have different versions', '/_cat/nodes?h=name,version', details);
  return [{ ...entry, resolve_during_rolling_upgrade: true }];
}
