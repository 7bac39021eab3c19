/** Who asks about himself. */
import type { Authority } from '../../../actions/security/authority.js';
import type { ActionContext } from '../../../actions/context.js';
import { must } from '../../../base/assert.js';

/** Only where security is on: without it there are no endpoints of security. */
export function authorityOfSender({ authority }: ActionContext): Authority {
  return must(authority, 'subject of a request to security');
}
