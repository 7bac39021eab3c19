/** Members that an answer must have, by path: what typed clients refuse to decode an answer without. */

export type MemberType = 'number' | 'text' | 'flag' | 'list' | 'object';

/** `*` in a path stands for each member of an object, `[]` behind a name for each item of a list. */
export type Members = Readonly<Record<string, MemberType>>;

/** What is missing or of another type; empty when nothing is. */
export function missingMembers(answer: unknown, members: Members): readonly string[] {
  return Object.entries(members).flatMap(([path, type]) => {
    const found = valuesAt([answer], path.split('.'));
    const isThere = found.length > 0 && found.every((value) => typeOf(value) === type);
    return isThere ? [] : [`${path}: ${found.map(typeOf).join(', ')}`];
  });
}

/** Undefined stands for what is not there. */
function valuesAt(values: readonly unknown[], steps: readonly string[]): readonly unknown[] {
  const [step, ...rest] = steps;
  if (step === undefined) return values;
  const next = values.flatMap((value): readonly unknown[] => {
    if (typeof value !== 'object' || value === null) return [undefined];
    if (step === '*') return Object.values(value);
    const isList = step.endsWith('[]');
    const member = (value as Readonly<Record<string, unknown>>)[isList ? step.slice(0, -2) : step];
    if (!isList) return [member];
    return Array.isArray(member) ? (member as readonly unknown[]) : [undefined];
  });
  return valuesAt(next, rest);
}

function typeOf(value: unknown): MemberType | 'nothing' {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'flag' : 'object';
}
