/** The endpoints around upgrades to a next major version. */
import type { Endpoint } from '../endpoint.js';
import { createFromEndpoint } from './create-from.js';
import { deprecationsEndpoint } from './deprecations.js';
import { getSystemFeaturesEndpoint, migrateSystemFeaturesEndpoint } from './system-features.js';

export const MIGRATION_ENDPOINTS: readonly Endpoint[] = [
  createFromEndpoint,
  deprecationsEndpoint,
  getSystemFeaturesEndpoint,
  migrateSystemFeaturesEndpoint,
];
