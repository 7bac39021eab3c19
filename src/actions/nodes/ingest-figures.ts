/** What pipelines did in all workers of a node. */
import { sumFigures, type IngestFigures } from '../../ingest/statistics.js';
import { defineNodeAction } from './node-action.js';

/** Each worker counts for itself and answers when it is free: only those who want these figures wait for that. */
export const ingestFigures = defineNodeAction('ingest-figures', async (context): Promise<IngestFigures> =>
  sumFigures(await context.ingestFigures()),
);
