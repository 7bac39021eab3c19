/** Profiles of users are made by programs to which these log in, and changed. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject } from '../../../base/json-value.js';
import { must } from '../../../base/assert.js';
import { profileUid } from '../../../cluster/security/user-profiles.js';
import type { Subject } from '../../../cluster/security/subject.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import type { RestRequest } from '../../endpoint.js';
import { BodyMembers } from '../body-members.js';
import { renderProfile } from './render-profile.js';

export async function activateProfile(
  { body, rawPath }: Pick<RestRequest, 'body' | 'rawPath'>,
  context: ActionContext,
): Promise<RestAnswer> {
  const subject = await owner(new BodyMembers(body.requireObject(), 'activate profile request'), rawPath, context);
  if (subject.apiKey !== undefined || subject.serviceAccount !== undefined || subject.lookupRealm === null) {
    throw illegalArgument(`profiles are of users only: [${subject.username}] is none`);
  }
  const { username, roles, fullName, email, lookupRealm: realm } = subject;
  const uid = profileUid(username, realm);
  await context.coordinator.submit('activate-user-profile', { uid, user: { username, realm, roles, fullName, email } });
  const profile = must(context.clusterState().userProfiles.get(uid), 'the profile that was just made');
  return answerValue(renderProfile(uid, profile, []));
}

async function owner(members: BodyMembers, uri: string, { security }: ActionContext): Promise<Subject> {
  const grantType = members.requiredString('grant_type');
  const [username, password, token] = ['username', 'password', 'access_token'].map((name) => members.string(name));
  members.end();
  if (grantType === 'access_token') {
    if (token === undefined || username !== undefined || password !== undefined) {
      throw illegalArgument('[access_token] alone is required for grant_type [access_token]');
    }
    return security.authenticateHeader(`Bearer ${token}`, uri);
  }
  if (grantType !== 'password') throw illegalArgument(`grant type [${grantType}] is not supported`);
  if (username === undefined || password === undefined || token !== undefined) {
    throw illegalArgument('[username] and [password] alone are required for grant_type [password]');
  }
  return security.authenticate(username, password, uri);
}

export async function updateProfile(
  uid: string,
  parameters: { readonly if_seq_no: number | undefined; readonly if_primary_term: number | undefined },
  body: JsonObject,
  context: ActionContext,
): Promise<RestAnswer> {
  const members = new BodyMembers(body, 'update profile data request');
  const labels = members.object('labels');
  const data = members.object('data');
  members.end();
  const { if_seq_no: ifVersion, if_primary_term: ifTerm } = parameters;
  if ((ifVersion === undefined) !== (ifTerm === undefined)) {
    throw illegalArgument('[if_seq_no] and [if_primary_term] go together');
  }
  for (const [name, part] of Object.entries({ labels, data })) {
    const wrong = Object.keys(part ?? {}).find((key) => key.startsWith('_') || key.includes('.'));
    if (wrong !== undefined) {
      throw illegalArgument(`[${name}.${wrong}]: names of applications may not begin with [_] nor have a [.]`);
    }
  }
  if (labels === undefined && data === undefined) throw illegalArgument('[labels] or [data] has to be given');
  await context.coordinator.submit('update-user-profile', {
    uid,
    ...(labels === undefined ? {} : { labels }),
    ...(data === undefined ? {} : { data }),
    ...(ifVersion === undefined ? {} : { ifVersion }),
  });
  return answerValue({ acknowledged: true });
}

export async function enableProfile(uid: string, enabled: boolean, context: ActionContext): Promise<RestAnswer> {
  await context.coordinator.submit('update-user-profile', { uid, enabled });
  return answerValue({ acknowledged: true });
}
