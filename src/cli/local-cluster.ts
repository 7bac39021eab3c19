/** `quarry start --nodes N`: which settings each node of a cluster on this machine gets. */
import { join } from 'node:path';
import { QuarryError } from '../base/errors.js';
import { formatHostAddress } from '../base/host-address.js';

/** More than anybody tries on one machine. */
export const LOCAL_NODES_MAX = 16;

/** What the nodes have in common, from the configuration file and `-E`. */
export interface LocalClusterBase {
  /** Keys that were given. */
  readonly given: ReadonlySet<string>;
  readonly dataPath: string;
  readonly logsPath: string;
  readonly transportHost: string;
  /** Of the machine. */
  readonly processors: number;
}

export interface LocalPorts {
  readonly http: number;
  readonly transport: number;
}

export interface LocalNode {
  readonly name: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** What `--nodes` decides for each node by itself. */
const DECIDED_HERE = [
  ...['node.name', 'discovery.seed_hosts', 'discovery.type', 'cluster.initial_master_nodes', 'transport.publish_port'],
];

/** The nodes n1, n2 and so on, each with a data directory below `path.data` and a port of its own. */
export function localNodes(base: LocalClusterBase, ports: readonly LocalPorts[]): readonly LocalNode[] {
  const refused = DECIDED_HERE.find((key) => base.given.has(key));
  if (refused !== undefined) {
    throw new QuarryError('settings_exception', `setting [${refused}] cannot be given together with [--nodes]`);
  }
  const names = ports.map((_, at) => `n${at + 1}`);
  const seeds = ports.map(({ transport }) => formatHostAddress(base.transportHost, transport));
  return ports.map(({ http, transport }, at) => {
    const name = names[at] ?? '';
    const settings: Record<string, string> = {
      'node.name': name,
      'path.data': join(base.dataPath, 'nodes', name),
      'path.logs': join(base.logsPath, name),
      'http.port': String(http),
      'transport.port': String(transport),
      'discovery.seed_hosts': seeds.join(','),
      'cluster.initial_master_nodes': names.join(','),
    };
    if (!base.given.has('node.processors')) {
      settings['node.processors'] = String(Math.max(1, Math.ceil(base.processors / ports.length)));
    }
    return { name, settings };
  });
}
