import { expect, it } from 'vitest';
import { checkAllocationFilter } from '../../../src/cluster/settings/allocation-filter.js';

const CLUSTER = 'cluster.routing.allocation';
const INDEX = 'index.routing.allocation';

it.each([
  [`${CLUSTER}.exclude._ip`, '10.0.0.1, 10.0.1.*,::1'],
  [`${CLUSTER}.exclude._ip`, ''],
  [`${CLUSTER}.exclude._name`, '999'],
  [`${INDEX}.require.zone`, 'a'],
  [`${INDEX}.include._tier_preference`, 'data_cold,data_content'],
])('[%s] may be [%s]', (key, value) => {
  expect(() => {
    checkAllocationFilter(key, value);
  }).not.toThrow();
});

it.each([
  [`${CLUSTER}.exclude._ip`, '10.0.0.1,999', `invalid IP address [999] for [${CLUSTER}.exclude._ip]`],
  [`${INDEX}.require._host_ip`, 'host', `invalid IP address [host] for [${INDEX}.require._host_ip]`],
  [
    `${INDEX}.include._tier_preference`,
    'data_hot,data_x',
    'invalid tier names found in [data_hot,data_x] allowed values are [data_content, data_hot, data_warm, data_cold, ' +
      'data_frozen]',
  ],
])('[%s] cannot be [%s]', (key, value, reason) => {
  expect(() => {
    checkAllocationFilter(key, value);
  }).toThrow(reason);
});
