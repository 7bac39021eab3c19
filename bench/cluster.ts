/** Three nodes on this machine: failover, recovery, replicated bulks, searches. All answers are verified. */
import { failover } from './cluster/failover.js';
import { BenchCluster } from './cluster/nodes.js';
import { recovery } from './cluster/recovery.js';
import { throughput } from './cluster/throughput.js';
import { readCorpus } from './corpus.js';

const NODES = 3;

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { kills = 1, documents = 1_000, searchSeconds = 1, recoveredDocuments = 500 } = size;
  const cluster = await BenchCluster.start(NODES);
  try {
    const corpus = await readCorpus('logs', documents);
    for (const replicas of [0, 1, 2]) await throughput(cluster, corpus, { replicas, searchSeconds });
    await recovery(cluster, recoveredDocuments);
    await failover(cluster, kills);
  } finally {
    await cluster.stop();
  }
}
