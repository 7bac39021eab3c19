/**
 * Races of esrally and opensearch-benchmark with one track: a node that answers as the product of the tool, and OpenSearch beside it
 * where the tool races it (esrally refuses all servers but Elasticsearch). A race that ends with an error ends the bench.
 */
import { rmSync } from 'node:fs';
import { readCorpus } from './corpus.js';
import { install, race, TOOLS, type RaceTool } from './rally/tools.js';
import { SEARCHES, writeTrack } from './rally/track.js';
import { startOpenSearch, startQuarry, type Server } from './servers.js';

const METRICS = [
  ['Median Throughput', 'throughput'],
  ['50th percentile service time', 'median'],
  ['90th percentile service time', '90 %'],
  ['error rate', 'errors'],
] as const;

function startersFor({ distribution }: RaceTool): readonly (() => Promise<Server | undefined>)[] {
  const quarry = (): Promise<Server> => startQuarry([`compatibility.distribution=${distribution}`]);
  return distribution === 'opensearch' ? [quarry, () => startOpenSearch('4g')] : [quarry];
}

async function raceOn(server: Server, tool: RaceTool, command: string, track: string): Promise<void> {
  const tasks = await race({ tool, command, track, url: server.url });
  for (const task of ['bulk', ...Object.keys(SEARCHES)]) {
    const figures = tasks.get(task);
    if (figures === undefined) throw new Error(`${tool.name} reports nothing of [${task}]`);
    const shown = METRICS.map(([metric, label]) => `${label} ${figures.get(metric) ?? '-'}`).join(', ');
    console.log(`  ${server.name.padEnd(10)} ${task.padEnd(22)} ${shown}`);
  }
}

export default async function main(size: Readonly<Record<string, number>>): Promise<void> {
  const { documents = 1_000, bulkSize = 100, iterations = 5, races = 0 } = size;
  const corpus = await readCorpus('logs', documents);
  const track = writeTrack(corpus, { bulkSize, iterations });
  try {
    console.log(`${corpus.source} logs, ${corpus.lines.length} documents, bulks of ${bulkSize}, one shard`);
    if (races === 0) console.log('the small size writes the track alone: the tools are neither installed nor run');
    for (const tool of races === 0 ? [] : TOOLS) {
      const command = install(tool);
      if (command === undefined) continue;
      console.log(`${tool.name} ${tool.version}`);
      for (const start of startersFor(tool)) {
        const server = await start();
        if (server === undefined) continue;
        try {
          await raceOn(server, tool, command, track);
        } finally {
          await server.stop();
        }
      }
    }
  } finally {
    rmSync(track, { recursive: true, force: true });
  }
}
