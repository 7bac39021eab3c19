import { at, type Json } from '../json.js';

/** A member that is a text; empty where it is none. */
export function textAt(value: Json, name: string): string {
  const found = at(value, name);
  return typeof found === 'string' ? found : '';
}
