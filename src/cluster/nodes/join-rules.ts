/** Which nodes may join a cluster, by name, identity and version. Pure: the coordinator and its tests ask. */

export interface JoiningNode {
  readonly name: string;
  readonly nodeId: string;
  /** Of its software: `major.minor.patch`. */
  readonly version: string;
  readonly clusterName: string;
  /** Of the cluster that it belonged to before; null for a fresh node. */
  readonly clusterUuid: string | null;
}

export interface JoinedCluster {
  readonly clusterName: string;
  readonly clusterUuid: string;
  readonly masterVersion: string;
}

/**
 * A rolling upgrade enters a new major version from these releases of the one before, or later ones; from any other
 * release the way leads over the last minor of its major.
 */
const ROLLING_UPGRADE_FROM: readonly Version[] = [
  { major: 5, minor: 6, patch: 16 },
  { major: 6, minor: 8, patch: 23 },
  { major: 7, minor: 17, patch: 10 },
];

/** Why the node may not join; undefined when it may. */
export function joinRefusal(node: JoiningNode, cluster: JoinedCluster): string | undefined {
  if (node.clusterName !== cluster.clusterName) {
    return `cluster name [${node.clusterName}] of node [${node.name}] does not match [${cluster.clusterName}] of the master`;
  }
  if (node.clusterUuid !== null && node.clusterUuid !== cluster.clusterUuid) {
    return (
      `node [${node.name}] belonged to the cluster with UUID [${node.clusterUuid}] and cannot join the one with UUID ` +
      `[${cluster.clusterUuid}]: its data directory would have to be emptied, or its discovery settings are wrong`
    );
  }
  return versionRefusal(node.version, cluster.masterVersion);
}

/** Nodes join masters of their own version or an older one, across majors only by a rolling upgrade that is possible. */
export function versionRefusal(nodeVersion: string, masterVersion: string): string | undefined {
  const node = parseVersion(nodeVersion);
  const master = parseVersion(masterVersion);
  if (node === undefined) return `node version [${nodeVersion}] is not a version`;
  if (master === undefined) return `version [${masterVersion}] of the master is not a version`;
  if (compare(node, master) < 0) {
    return `node version [${nodeVersion}] is older than version [${masterVersion}] of the master: older nodes cannot join`;
  }
  if (node.major === master.major) return undefined;
  const from = ROLLING_UPGRADE_FROM.find(({ major }) => major === master.major);
  if (node.major === master.major + 1 && from !== undefined && compare(master, from) >= 0) return undefined;
  const way = from === undefined ? '' : `, which is possible from [${text(from)}] to [${master.major + 1}.x] only`;
  return (
    `node version [${nodeVersion}] cannot join a master of version [${masterVersion}]: it would be a rolling upgrade ` +
    `across major versions${way}`
  );
}

interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

function parseVersion(version: string): Version | undefined {
  // What follows the numbers (`-SNAPSHOT`) does not matter here.
  const match = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?:[-+.].*)?$/.exec(version);
  if (match === null) return undefined;
  return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3]) };
}

/** Negative when `left` is older. */
function compare(left: Version, right: Version): number {
  return left.major - right.major || left.minor - right.minor || left.patch - right.patch;
}

function text({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}
