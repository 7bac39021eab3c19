/** A node forgets whom it let in: the next request of each is looked at anew. */
import { defineNodeAction } from './node-action.js';

interface ClearAuthenticationsInput {
  /** Names; empty: all. */
  readonly realms: readonly string[];
  readonly usernames: readonly string[];
}

export const clearAuthentications = defineNodeAction(
  'clear-authentications',
  async (context, { realms, usernames }: ClearAuthenticationsInput): Promise<null> => {
    await context.security.clearCache(realms, usernames);
    return null;
  },
);
