/** Processors that make another value of a text, or of each text of a list. */
import { illegalArgument } from '../../base/errors.js';
import type { Options } from '../compile/options.js';
import type { IngestValue } from '../document/values.js';
import { defineProcessor, type ProcessorType } from '../processor.js';
import { changeTexts, valueAt } from './field-values.js';

/** `prepare` reads what else the type has, and gives the change. */
export function textProcessor(
  type: string,
  prepare: (options: Options) => (text: string) => IngestValue,
): ProcessorType {
  return defineProcessor(type, (options) => {
    const field = options.text('field');
    const ignoreMissing = options.flag('ignore_missing');
    const target = options.optionalText('target_field', field);
    const change = prepare(options);
    return (document) => {
      const value = valueAt(document, field, ignoreMissing);
      if (value === null && ignoreMissing) return;
      if (value === null) throw illegalArgument(`field [${field}] is null, cannot process it.`);
      document.set(target, changeTexts(field, value, change));
    };
  });
}
