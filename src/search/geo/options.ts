/** Options that all queries on places take. */
import { readBoolean } from '../body/read.js';
import type { OptionReaders } from '../query/query-parser.js';
import { readValidationMethod, type ValidationMethod } from './points.js';

export class GeoOptions {
  method: ValidationMethod = 'strict';
  #ignoreUnmapped = false;

  get readers(): OptionReaders {
    return {
      validation_method: (value) => void (this.method = readValidationMethod(value)),
      ignore_unmapped: (value) => void (this.#ignoreUnmapped = readBoolean(value)),
    };
  }

  /** The members of a plan, where they say anything. */
  get plan(): { readonly ignore_unmapped?: true } {
    return this.#ignoreUnmapped ? { ignore_unmapped: true } : {};
  }
}
