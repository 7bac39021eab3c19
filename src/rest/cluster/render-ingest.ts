/** The section `ingest` of a node's statistics. */
import type { JsonObject } from '../../base/json-value.js';
import type { Figures, IngestFigures } from '../../ingest/statistics.js';

export function renderIngest({ total, pipelines }: IngestFigures): JsonObject {
  const entries = Object.entries(pipelines).map(([id, figures]) => {
    const processors = figures.processors.map(({ name, type, ...own }) => ({ [name]: { type, stats: render(own) } }));
    return [id, { ...render(figures), processors }] as const;
  });
  return { total: render(total), pipelines: Object.fromEntries(entries) };
}

function render({ count, timeMs, current, failed }: Figures): JsonObject {
  return { count, time_in_millis: Math.round(timeMs), current, failed };
}
