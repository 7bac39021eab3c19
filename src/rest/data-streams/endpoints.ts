/** The endpoints of data streams. */
import type { Endpoint } from '../endpoint.js';
import { createDataStreamEndpoint, deleteDataStreamEndpoint, getDataStreamEndpoint } from './data-stream.js';
import { dataLifecycleStatsEndpoint, explainDataLifecycleEndpoint } from './explain-lifecycle.js';
import { deleteDataLifecycleEndpoint, getDataLifecycleEndpoint, putDataLifecycleEndpoint } from './lifecycle.js';
import { migrateToDataStreamEndpoint, modifyDataStreamEndpoint, promoteDataStreamEndpoint } from './modify.js';
import { deleteStreamOptionsEndpoint, getStreamOptionsEndpoint, putStreamOptionsEndpoint } from './options.js';
import {
  getStreamMappingsEndpoint,
  getStreamSettingsEndpoint,
  putStreamMappingsEndpoint,
  putStreamSettingsEndpoint,
} from './overrides.js';
import { dataStreamStatsEndpoint } from './stats.js';

export const DATA_STREAM_ENDPOINTS: readonly Endpoint[] = [
  createDataStreamEndpoint,
  dataLifecycleStatsEndpoint,
  dataStreamStatsEndpoint,
  deleteDataLifecycleEndpoint,
  deleteDataStreamEndpoint,
  deleteStreamOptionsEndpoint,
  explainDataLifecycleEndpoint,
  getDataLifecycleEndpoint,
  getDataStreamEndpoint,
  getStreamMappingsEndpoint,
  getStreamOptionsEndpoint,
  getStreamSettingsEndpoint,
  migrateToDataStreamEndpoint,
  modifyDataStreamEndpoint,
  promoteDataStreamEndpoint,
  putDataLifecycleEndpoint,
  putStreamMappingsEndpoint,
  putStreamOptionsEndpoint,
  putStreamSettingsEndpoint,
];
