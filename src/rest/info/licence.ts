/** `_license`: what shippers and dashboards look for before they work. Quarry is free: it answers as a basic licence that is active. */
import { illegalArgument } from '../../base/errors.js';
import { answerValue } from '../answer.js';
import { clusterUuidOf } from '../cluster-identity.js';
import { defineEndpoint } from '../endpoint.js';
import { booleanParameter } from '../parameters.js';
import { BUILD_DATE } from './compatibility.js';

const LICENCE_NODES_MAX = 1000;

const read = {
  methods: ['GET'],
  body: 'none',
  pool: 'management',
  placement: 'any',
  distribution: 'elasticsearch',
} as const;

/** What concerns only licences that Quarry has not; `false` asks for the form of version 7. */
export const enterpriseParameter = { accept_enterprise: booleanParameter() } as const;

export const getLicenceEndpoint = defineEndpoint({
  ...read,
  name: 'license.get',
  action: 'cluster:monitor/xpack/license/get',
  paths: ['/_license'],
  parameters: { ...enterpriseParameter, local: booleanParameter(false) },
  handle({ parameters }, context) {
    refuseOldForm(parameters.accept_enterprise);
    const state = context.clusterState();
    return answerValue({
      license: {
        status: 'active',
        uid: clusterUuidOf(state),
        type: 'basic',
        issue_date: BUILD_DATE,
        issue_date_in_millis: Date.parse(BUILD_DATE),
        max_nodes: LICENCE_NODES_MAX,
        max_resource_units: null,
        issued_to: state.clusterName,
        issuer: 'quarry',
        start_date_in_millis: -1,
      },
    });
  },
});

export const basicStatusEndpoint = defineEndpoint({
  ...read,
  name: 'license.get_basic_status',
  action: 'cluster:monitor/xpack/license/basic_status',
  paths: ['/_license/basic_status'],
  parameters: {},
  handle: () => answerValue({ eligible_to_start_basic: false }),
});

export const trialStatusEndpoint = defineEndpoint({
  ...read,
  name: 'license.get_trial_status',
  action: 'cluster:monitor/xpack/license/trial_status',
  paths: ['/_license/trial_status'],
  parameters: {},
  handle: () => answerValue({ eligible_to_start_trial: false }),
});

export function refuseOldForm(acceptsEnterprise: boolean | undefined): void {
  if (acceptsEnterprise === false) throw illegalArgument('The [accept_enterprise] parameters may not be false');
}
