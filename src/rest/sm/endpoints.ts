/** The endpoints of OpenSearch's snapshot management. What they do is loaded by the first request to one of them. */
import { defineEndpoint, type Endpoint } from '../endpoint.js';
import {
  acknowledgedParameters,
  enumParameter,
  integerParameter,
  longParameter,
  stringParameter,
} from '../parameters.js';

const ACTION = 'cluster:admin/opensearch/snapshot_management/policy/';
const POLICY = '/_plugins/_sm/policies/{policy_name}';
const SM = {
  parameters: acknowledgedParameters,
  pool: 'management',
  placement: 'any',
  distribution: 'opensearch',
  body: 'none',
} as const;
const GET = ['GET'] as const;
const POST = ['POST'] as const;
/** The state is new on all nodes before a change is answered: none of them means anything. */
const refresh = enumParameter(['true', 'false', 'wait_for', '']);

const handlers = (): Promise<typeof import('./policies.js')> => import('./policies.js');

export const SM_ENDPOINTS: readonly Endpoint[] = [
  defineEndpoint({
    ...SM,
    name: 'sm.create_policy',
    action: `${ACTION}write`,
    methods: POST,
    paths: [POLICY],
    parameters: { ...acknowledgedParameters, refresh },
    body: 'json',
    handle: async (request, context) => (await handlers()).putPolicy(request, context, undefined),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.update_policy',
    action: `${ACTION}write`,
    methods: ['PUT'],
    paths: [POLICY],
    parameters: {
      ...acknowledgedParameters,
      refresh,
      if_seq_no: longParameter(),
      if_primary_term: longParameter(),
    },
    body: 'json',
    handle: async (request, context) => (await handlers()).putPolicy(request, context, request.parameters),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.get_policy',
    action: `${ACTION}get`,
    methods: GET,
    paths: [POLICY],
    handle: async ({ parts }, context) => (await handlers()).getPolicy(parts.policy_name, context),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.get_policies',
    action: `${ACTION}search`,
    methods: GET,
    paths: ['/_plugins/_sm/policies'],
    parameters: {
      ...acknowledgedParameters,
      from: integerParameter(0),
      size: integerParameter(20),
      sortField: stringParameter('sm_policy.name'),
      sortOrder: enumParameter(['asc', 'desc']),
      queryString: stringParameter('*'),
    },
    handle: async ({ parameters }, context) => (await handlers()).listPolicies(parameters, context),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.delete_policy',
    action: `${ACTION}delete`,
    methods: ['DELETE'],
    paths: [POLICY],
    parameters: { ...acknowledgedParameters, refresh },
    handle: async (request, context) => (await handlers()).deletePolicy(request, context),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.explain_policy',
    action: `${ACTION}explain`,
    methods: GET,
    paths: [`${POLICY}/_explain`],
    handle: async ({ parts }, context) => (await handlers()).explainPolicies(parts.policy_name, context),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.start_policy',
    action: `${ACTION}start`,
    methods: POST,
    paths: [`${POLICY}/_start`],
    handle: async (request, context) => (await handlers()).enablePolicy(request, context, true),
  }),
  defineEndpoint({
    ...SM,
    name: 'sm.stop_policy',
    action: `${ACTION}stop`,
    methods: POST,
    paths: [`${POLICY}/_stop`],
    handle: async (request, context) => (await handlers()).enablePolicy(request, context, false),
  }),
];
