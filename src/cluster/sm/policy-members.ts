/** Members of a policy of snapshot management, or of a part of one. */
import { illegalArgument } from '../../base/errors.js';
import { JsonMembers } from '../../base/json-members.js';
import type { JsonObject } from '../../base/json-value.js';
import { parseTimeMs } from '../../base/units.js';

export class PolicyMembers extends JsonMembers {
  /** For errors: `deletion.condition`; empty for the policy itself. */
  readonly place: string;

  constructor(place: string, source: JsonObject) {
    super(source);
    this.place = place;
  }

  object(name: string): PolicyMembers | undefined {
    const value = this.takeObject(name);
    return value === undefined ? undefined : new PolicyMembers(this.placeOf(name), value);
  }

  /** Without an empty name between others the list would name something else than what its writer meant. */
  override list(name: string): readonly string[] | undefined {
    const value = this.source[name];
    const found = super.list(name);
    const names = typeof value === 'string' && value !== '' ? value.split(',') : (found ?? []);
    if (names.every((each) => each.trim() !== '')) return found;
    throw this.malformed(name, 'names that are not empty');
  }

  /** As it was written; longer than nothing. */
  duration(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || parseTimeMs(text, this.placeOf(name)) > 0) return text;
    throw illegalArgument(`[${this.placeOf(name)}] must be positive, but was [${text}]`);
  }

  private placeOf(name: string): string {
    return this.place === '' ? name : `${this.place}.${name}`;
  }

  protected malformed(name: string, wanted: string): Error {
    const found = JSON.stringify(this.source[name]);
    return illegalArgument(`[${this.placeOf(name)}] must be ${wanted}, found [${found}]`);
  }

  protected unknown(name: string): Error {
    return illegalArgument(`unknown field [${this.placeOf(name)}] of a policy`);
  }
}
