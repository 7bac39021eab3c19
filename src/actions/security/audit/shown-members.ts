/**
 * What of a change of security may stand in the audit log: only members that are known not to be secret, each in its
 * place. A member that is misspelt may hold a password, and so may one of another type than it should have: their
 * names are kept, and their values are not.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/json-value.js';

export const HIDDEN = '...';
/** Names of members that nobody knows are the sender's words, of any length. */
const NAME_LENGTH_MAX = 256;

/** What is shown of a value. */
export type Shown = (value: JsonValue) => JsonValue;

export const hidden: Shown = () => HIDDEN;

/** A text, a number, a boolean or null. */
export const scalar: Shown = (value) => (typeof value === 'object' && value !== null ? HIDDEN : value);

export const listOf =
  (shown: Shown): Shown =>
  (value) =>
    Array.isArray(value) ? (value as readonly JsonValue[]).map(shown) : HIDDEN;

/** As a list, or one alone. */
export const oneOrMore = (shown: Shown): Shown => {
  const several = listOf(shown);
  return (value) => (Array.isArray(value) ? several(value) : shown(value));
};

export const scalars = oneOrMore(scalar);

/** An object whose members have any name, and `shown` says what of their values. */
export const mapOf =
  (shown: Shown): Shown =>
  (value) =>
    isJsonObject(value) ? eachMember(value, () => shown) : HIDDEN;

/** An object of these members. */
export const membersOf =
  (members: Readonly<Record<string, Shown>>): Shown =>
  (value) =>
    isJsonObject(value)
      ? eachMember(value, (name) => (Object.hasOwn(members, name) ? members[name] : undefined))
      : HIDDEN;

/** The same as text, too, which is shown as what it says. */
export const orItsText =
  (shown: Shown): Shown =>
  (value) => {
    if (typeof value !== 'string') return shown(value);
    try {
      return shown(JSON.parse(value) as JsonValue);
    } catch {
      return HIDDEN;
    }
  };

/** Names only: what somebody keeps with a user or a key may be anything. */
export const metadata = mapOf(hidden);

function eachMember(value: JsonObject, find: (name: string) => Shown | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (member === undefined) return [];
      const kept = name.length <= NAME_LENGTH_MAX ? name : `${name.slice(0, NAME_LENGTH_MAX)}${HIDDEN}`;
      return [[kept, (find(name) ?? hidden)(member)] as const];
    }),
  );
}
