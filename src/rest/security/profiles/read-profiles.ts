/** Profiles by their ids, and those that a typed name may mean. */
import type { ActionContext } from '../../../actions/context.js';
import { illegalArgument } from '../../../base/errors.js';
import type { JsonObject, JsonValue } from '../../../base/json-value.js';
import type { UserProfile } from '../../../cluster/security/security-state.js';
import { answerValue, type RestAnswer } from '../../answer.js';
import { splitList } from '../../parameters.js';
import { BodyMembers } from '../body-members.js';
import { renderProfile, renderSuggestion } from './render-profile.js';

const UIDS_MAX = 1_000;
const SIZE = 10;
const SIZE_MAX = 1_000;

export function getProfiles(uids: string, data: readonly string[] | undefined, context: ActionContext): RestAnswer {
  const wanted = splitList(uids);
  if (wanted.length > UIDS_MAX)
    throw illegalArgument(`[${wanted.length}] profiles are asked for, at most [${UIDS_MAX}] may be`);
  const { userProfiles } = context.clusterState();
  const profiles = wanted.flatMap((uid) => {
    const profile = userProfiles.get(uid);
    return profile === undefined ? [] : [renderProfile(uid, profile, data ?? [])];
  });
  return answerValue({ profiles });
}

export function suggestProfiles(
  data: readonly string[] | undefined,
  body: JsonObject,
  context: ActionContext,
): RestAnswer {
  const startedMs = context.clock.monotonicMs();
  const members = new BodyMembers(body, 'suggest profile request');
  const name = members.string('name') ?? '';
  const size = members.number('size') ?? SIZE;
  const inBody = members.value('data');
  const hint = readHint(members.object('hint'));
  members.end();
  if (!Number.isInteger(size) || size < 0 || size > SIZE_MAX) {
    throw illegalArgument(`[size] has to be an integer of 0 to ${SIZE_MAX}`);
  }
  if (inBody !== undefined && typeof inBody !== 'string') throw illegalArgument('[data] has to be a string');
  const wanted = inBody === undefined ? (data ?? []) : splitList(inBody);
  const found = [...context.clusterState().userProfiles]
    .filter(([, profile]) => profile.enabled && isMeant(profile, name))
    .map(([uid, profile]) => ({ uid, profile, isHinted: hint(uid, profile) }))
    .sort(
      (left, right) =>
        Number(right.isHinted) - Number(left.isHinted) ||
        right.profile.synchronizedAtMs - left.profile.synchronizedAtMs,
    );
  return answerValue({
    took: Math.round(context.clock.monotonicMs() - startedMs),
    total: { value: found.length, relation: 'eq' },
    profiles: found.slice(0, size).map(({ uid, profile }) => renderSuggestion(uid, profile, wanted)),
  });
}

/** Each word of the name begins a word of the user. */
function isMeant({ user: { username, fullName, email } }: UserProfile, name: string): boolean {
  const words = wordsOf([username, fullName ?? '', email ?? ''].join(' '));
  return wordsOf(name).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

function wordsOf(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/** What comes first. */
function readHint(body: JsonObject | undefined): (uid: string, profile: UserProfile) => boolean {
  if (body === undefined) return () => false;
  const members = new BodyMembers(body, 'hint');
  const uids = members.strings('uids') ?? [];
  const labels = members.object('labels') ?? {};
  members.end();
  if (Object.keys(labels).length > 1) throw illegalArgument('[hint.labels] has to have a single key');
  if (uids.length > UIDS_MAX) throw illegalArgument(`[hint.uids] has more than [${UIDS_MAX}] items`);
  const known = new Set(uids);
  return (uid, profile) =>
    known.has(uid) || Object.entries(labels).some(([key, value]) => hasLabel(profile, key, value));
}

function hasLabel({ labels }: UserProfile, key: string, wanted: JsonValue | undefined): boolean {
  let value: JsonValue | undefined = labels;
  for (const part of key.split('.')) value = (value as JsonObject | undefined)?.[part];
  const values = listOf(value).map((each) => JSON.stringify(each));
  return listOf(wanted).some((each) => values.includes(JSON.stringify(each)));
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}
