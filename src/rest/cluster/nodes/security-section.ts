/** What became of those who asked to come in, as the statistics of a node show it. */
import type { FrontFigures } from '../../../actions/front-figures.js';
import type { JsonObject } from '../../../base/json-value.js';

/** Nothing of a node where security is off. */
export function securitySection({ security }: FrontFigures): readonly (readonly ['security', JsonObject])[] {
  if (security === undefined) return [];
  const { authentication, keptOut, audit } = security;
  const section = {
    authentication: {
      cache: { ...authentication.cache },
      password_hashes: { ...authentication.hashes },
      refused: { ...keptOut },
    },
    ...(audit === undefined ? {} : { audit: { ...audit } }),
  };
  return [['security', section]];
}
