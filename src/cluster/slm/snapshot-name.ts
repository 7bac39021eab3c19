/** Names of snapshots that policies take, and ids of policies. */
import { resolveDateMathName } from '../names/date-math-name.js';

const FORBIDDEN = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ','] as const;
const NAME_BYTES_MAX = 255;

/** The name with its dates filled in, made unique by `unique`, which is put in lower case. */
export function generatedName(name: string, nowMs: number, unique: string): string {
  return `${resolveDateMathName(name, nowMs)}-${unique.toLowerCase()}`;
}

/** What is wrong with the name of a policy's snapshots, told by one that it makes. */
export function nameFaults(name: string, generated: string): readonly string[] {
  const fault = (what: string): string => `invalid snapshot name [${name}]: ${what}`;
  if (name.trim() === '') return [fault('cannot be empty')];
  return [
    ...(generated.includes('#') ? [fault("must not contain '#'")] : []),
    ...(generated.startsWith('_') ? [fault("must not start with '_'")] : []),
    ...(generated === generated.toLowerCase() ? [] : [fault('must be lowercase')]),
    ...(hasForbidden(generated) ? [fault(`must not contain the following characters ${listOfForbidden()}`)] : []),
    ...(Buffer.byteLength(generated) > NAME_BYTES_MAX ? [fault(`is too long, at most ${NAME_BYTES_MAX} bytes`)] : []),
  ];
}

/** What is wrong with the id of a policy. */
export function idFaults(id: string): readonly string[] {
  const fault = (what: string): string => `invalid policy id [${id}]: ${what}`;
  const bytes = Buffer.byteLength(id);
  return [
    ...(hasForbidden(id) ? [fault(`must not contain the following characters ${listOfForbidden()}`)] : []),
    ...(id.startsWith('_') ? [fault("must not start with '_'")] : []),
    ...(bytes > NAME_BYTES_MAX ? [fault(`name is too long, (${bytes} > ${NAME_BYTES_MAX} bytes)`)] : []),
  ];
}

function hasForbidden(text: string): boolean {
  return FORBIDDEN.some((character) => text.includes(character));
}

function listOfForbidden(): string {
  return `[${FORBIDDEN.join(', ')}]`;
}
