/** Which of the users with these profiles may do all of something. */
import type { ActionContext } from '../../../actions/context.js';
import { Authority } from '../../../actions/security/authority.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { PatternCover } from '../../../cluster/security/privileges/patterns-together.js';
import type { UserProfile } from '../../../cluster/security/security-state.js';
import type { Subject } from '../../../cluster/security/subject.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import { BodyMembers } from '../body-members.js';
import { privilegeVerdicts, questionCount, readQuestions } from '../privileges/privilege-questions.js';

const UIDS_MAX = 1_000;
/** Profiles times what is asked of each. */
const ANSWERS_MAX = 100_000;

export function profilePrivileges(body: JsonObject, context: ActionContext): RestAnswer {
  const members = new BodyMembers(body, 'profile has_privileges request');
  const uids = members.strings('uids') ?? [];
  const privileges = members.object('privileges');
  members.end();
  if (uids.length === 0) throw illegalArgument('[uids] has to name profiles');
  if (uids.length > UIDS_MAX) throw illegalArgument(`[uids] has [${uids.length}] items, more than [${UIDS_MAX}]`);
  if (privileges === undefined) throw illegalArgument('[privileges] has to be given');
  const asked = readQuestions('profiles', privileges);
  const { userProfiles } = context.clusterState();
  const wanted = [...new Set(uids)];
  const count = wanted.length * questionCount(asked);
  if (count > ANSWERS_MAX) {
    throw illegalArgument(`[${count}] privileges of all [uids] are asked about, at most [${ANSWERS_MAX}] may be`);
  }
  const together = new PatternCover();
  const unknown = wanted.filter((uid) => !userProfiles.has(uid));
  const found = wanted.filter((uid) => {
    const profile = userProfiles.get(uid);
    if (profile?.enabled !== true) return false;
    return privilegeVerdicts(new Authority(subjectOf(profile), context.clusterState), asked, together)
      .has_all_requested;
  });
  const missing = { type: 'resource_not_found_exception', reason: 'profile document not found' };
  const details = unknown.map((uid) => [uid, missing] as const);
  return answerValue({
    has_privilege_uids: found,
    ...(unknown.length === 0 ? {} : { errors: { count: unknown.length, details: Object.fromEntries(details) } }),
  });
}

/** As he was when he last logged in. */
function subjectOf({ user: { username, realm, roles, fullName, email } }: UserProfile): Subject {
  return {
    ...{ username, roles, fullName, email },
    metadata: {},
    enabled: true,
    authenticationRealm: realm,
    lookupRealm: realm,
    authenticationType: 'realm',
  };
}
