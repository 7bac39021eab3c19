/** `GET _security/enroll/node`: hands a node that is to join what an enrolment token keeps for it, once. */
import type { ActionContext } from '../../actions/context.js';
import { illegalArgument } from '../../base/errors.js';
import { nodeEnrolment } from '../../cluster/security/enrolment.js';
import { answerValue, type RestAnswer } from '../answer.js';
import { sender } from './common.js';

export async function enrolNode(context: ActionContext): Promise<RestAnswer> {
  const { values } = context.settings;
  const missing = (['http.ssl.enabled', 'transport.ssl.enabled'] as const).filter((name) => !values[name]);
  if (missing.length > 0) {
    throw illegalArgument(`unable to enroll node: this node has no TLS, see [${missing.join('] and [')}]`);
  }
  const { apiKey } = sender(context);
  const enrolment = apiKey === undefined ? undefined : nodeEnrolment(apiKey.metadata);
  if (apiKey === undefined || enrolment === undefined) {
    throw illegalArgument('unable to enroll node: that takes a token of [quarry create-enrollment-token]');
  }
  const { invalidated } = await context.coordinator.submit('invalidate-api-keys', { ids: [apiKey.id] });
  if (invalidated.length === 0) throw illegalArgument('unable to enroll node: the enrolment token was used already');
  const { clusterName, nodes } = context.clusterState();
  return answerValue({
    cluster_name: clusterName,
    nodes_addresses: [...nodes.values()].map(({ transportAddress }) => transportAddress),
    hosts: enrolment.hosts,
    sealed: enrolment.sealed,
  });
}
