/** The endpoints of templates. */
import type { Endpoint } from '../endpoint.js';
import {
  deleteComponentTemplateEndpoint,
  getComponentTemplateEndpoint,
  putComponentTemplateEndpoint,
} from './component-template.js';
import { deleteIndexTemplateEndpoint, getIndexTemplateEndpoint, putIndexTemplateEndpoint } from './index-template.js';
import {
  deleteLegacyTemplateEndpoint,
  getLegacyTemplateEndpoint,
  putLegacyTemplateEndpoint,
} from './legacy-template.js';
import { simulateIndexTemplateEndpoint, simulateTemplateEndpoint } from './simulate.js';

export const TEMPLATE_ENDPOINTS: readonly Endpoint[] = [
  deleteComponentTemplateEndpoint,
  deleteIndexTemplateEndpoint,
  deleteLegacyTemplateEndpoint,
  getComponentTemplateEndpoint,
  getIndexTemplateEndpoint,
  getLegacyTemplateEndpoint,
  putComponentTemplateEndpoint,
  putIndexTemplateEndpoint,
  putLegacyTemplateEndpoint,
  simulateIndexTemplateEndpoint,
  simulateTemplateEndpoint,
];
