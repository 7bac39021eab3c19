/** What slow logs tell of who asked, by the reference's names. */
import type { Subject } from './subject.js';

export type SlowLogUser = Readonly<Record<string, string>>;

/** Who authenticated; of a request that runs as another user, that one beside it. */
export function slowLogUser(subject: Subject): SlowLogUser {
  const { runBy, apiKey } = subject;
  return {
    ...fieldsOf('user', runBy ?? subject, (runBy ?? subject).authenticationRealm.name),
    ...(runBy === undefined
      ? {}
      : fieldsOf('user.effective', subject, (subject.lookupRealm ?? subject.authenticationRealm).name)),
    'auth.type': subject.authenticationType.toUpperCase(),
    ...(apiKey === undefined ? {} : { 'apikey.id': apiKey.id, 'apikey.name': apiKey.name }),
  };
}

function fieldsOf(prefix: string, { username, fullName }: Subject, realm: string): SlowLogUser {
  return {
    [`${prefix}.name`]: username,
    [`${prefix}.realm`]: realm,
    ...(fullName === null ? {} : { [`${prefix}.full_name`]: fullName }),
  };
}
