/** What is wrong with the definition of a pipeline: which processor, which property. */
import { QuarryError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json-value.js';

/** The processor that a definition is of. */
export interface Owner {
  readonly type?: string;
  readonly tag?: string;
}

export function configurationError(owner: Owner, property: string | undefined, reason: string): QuarryError {
  const details: JsonObject = {
    ...(property === undefined ? {} : { property_name: property }),
    ...(owner.type === undefined ? {} : { processor_type: owner.type }),
    ...(owner.tag === undefined ? {} : { processor_tag: owner.tag }),
  };
  const message = property === undefined ? reason : `[${property}] ${reason}`;
  return new QuarryError('parse_exception', message, { details });
}
