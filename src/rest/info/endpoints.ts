/** The endpoints that say who answers here and what a client may count on. */
import type { Endpoint } from '../endpoint.js';
import { certificatesEndpoint } from './certificates.js';
import { healthReportEndpoint } from './health-report.js';
import { basicStatusEndpoint, getLicenceEndpoint, trialStatusEndpoint } from './licence.js';
import { info } from './main.js';
import { monitoringBulkEndpoint } from './monitoring-bulk.js';
import { getFeaturesEndpoint, xpackInfoEndpoint, xpackUsageEndpoint } from './xpack.js';

export const INFO_ENDPOINTS: readonly Endpoint[] = [
  basicStatusEndpoint,
  certificatesEndpoint,
  getFeaturesEndpoint,
  getLicenceEndpoint,
  healthReportEndpoint,
  info,
  monitoringBulkEndpoint,
  trialStatusEndpoint,
  xpackInfoEndpoint,
  xpackUsageEndpoint,
];
