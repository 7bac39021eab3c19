/** `index.allocation.max_retries`: a copy that failed so often is not tried again until somebody asks for it. */
import type { Question } from '../allocation/allocation-round.js';
import { describeUnassigned } from '../copies/describe-copy.js';
import { decision, type Decider, type Decision } from './decider.js';

const NAME = 'max_retry';
const RETRY = 'manually call [/_cluster/reroute?retry_failed=true] to retry';

export const maxRetry: Decider = {
  name: NAME,
  looksAtCopyAlone: true,
  holdsForLastCopy: true,
  canAllocate({ round, facts, copy }: Question): Decision {
    const { maxRetries } = facts;
    const { unassigned } = copy;
    const failed = unassigned?.failedAllocations ?? 0;
    if (unassigned !== null && failed > 0) {
      return failed >= maxRetries
        ? decision(
            round,
            NAME,
            'NO',
            () =>
              `shard has exceeded the maximum number of retries [${maxRetries}] on failed allocation attempts - ${RETRY}, ` +
              `[${describeUnassigned(unassigned)}]`,
          )
        : decision(
            round,
            NAME,
            'YES',
            () => `shard has failed allocating [${failed}] times but [${maxRetries}] retries are allowed`,
          );
    }
    const moves = copy.failedRelocations ?? 0;
    if (moves === 0) return decision(round, NAME, 'YES', () => 'shard has no previous failures');
    return moves >= maxRetries
      ? decision(
          round,
          NAME,
          'NO',
          () =>
            `shard has exceeded the maximum number of retries [${maxRetries}] on failed relocation attempts - ${RETRY}, ` +
            `[failed_attempts[${moves}]]`,
        )
      : decision(
          round,
          NAME,
          'YES',
          () => `shard has failed relocating [${moves}] times but [${maxRetries}] retries are allowed`,
        );
  },
};
