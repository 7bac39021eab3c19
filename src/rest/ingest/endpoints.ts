/** Endpoints of ingest pipelines. */
import type { Endpoint } from '../endpoint.js';
import { deletePipelineEndpoint } from './delete-pipeline.js';
import { getPipelineEndpoint } from './get-pipeline.js';
import { grokPatternsEndpoint } from './grok-patterns.js';
import { putPipelineEndpoint } from './put-pipeline.js';
import { simulateEndpoint } from './simulate.js';

export const INGEST_ENDPOINTS: readonly Endpoint[] = [
  deletePipelineEndpoint,
  getPipelineEndpoint,
  grokPatternsEndpoint,
  putPipelineEndpoint,
  simulateEndpoint,
];
