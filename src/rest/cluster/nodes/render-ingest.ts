/** The section `ingest` of a node's statistics. */
import type { JsonObject } from '../../../base/json-value.js';
import type { Figures, IngestFigures, PipelineFigures } from '../../../ingest/statistics.js';
import type { Distribution } from '../../endpoint.js';

export function renderIngest({ total, pipelines }: IngestFigures, distribution: Distribution): JsonObject {
  const entries = Object.entries(pipelines).map(([id, figures]) => {
    const processors = figures.processors.map(({ name, type, ...own }) => ({ [name]: { type, stats: render(own) } }));
    const bytes = distribution === 'elasticsearch' ? renderBytes(figures) : {};
    return [id, { ...render(figures), ...bytes, processors }] as const;
  });
  return { total: render(total), pipelines: Object.fromEntries(entries) };
}

/** What Elasticsearch tells since 8.15. */
function renderBytes({ ingestedBytes, producedBytes }: PipelineFigures): JsonObject {
  return {
    ingested_as_first_pipeline_in_bytes: ingestedBytes,
    produced_as_first_pipeline_in_bytes: producedBytes,
  };
}

function render({ count, timeMs, current, failed }: Figures): JsonObject {
  return { count, time_in_millis: Math.round(timeMs), current, failed };
}

/** What processors of each type did, in all pipelines of these nodes. */
export function processorTotals(nodes: readonly IngestFigures[]): JsonObject {
  const totals = new Map<string, Figures>();
  for (const { type, ...own } of nodes.flatMap(({ pipelines }) =>
    Object.values(pipelines).flatMap(({ processors }) => processors),
  )) {
    const sum = totals.get(type);
    totals.set(type, sum === undefined ? own : addTwo(sum, own));
  }
  return Object.fromEntries([...totals].map(([type, figures]) => [type, render(figures)]));
}

function addTwo(left: Figures, right: Figures): Figures {
  return {
    count: left.count + right.count,
    timeMs: left.timeMs + right.timeMs,
    current: left.current + right.current,
    failed: left.failed + right.failed,
  };
}
