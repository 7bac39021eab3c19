/** `rename`: a field under another name. */
import { illegalArgument } from '../../base/errors.js';
import { defineProcessor } from '../processor.js';
import { templateOption } from '../templates.js';

export const rename = defineProcessor('rename', (options) => {
  const field = templateOption(options, 'field');
  const target = templateOption(options, 'target_field');
  const ignoreMissing = options.flag('ignore_missing');
  const override = options.flag('override_target') || options.flag('override');
  return (document) => {
    const [from, to] = [field(document), target(document)];
    if (from === '' || !document.has(from)) {
      if (ignoreMissing) return;
      if (from === '') throw illegalArgument('field path cannot be null nor empty');
      throw illegalArgument(`field [${from}] doesn't exist`);
    }
    if (document.has(to) && !override) throw illegalArgument(`field [${to}] already exists`);
    const value = document.get(from);
    document.remove(from);
    try {
      document.set(to, value);
    } catch (error) {
      // Nothing is lost when the other name cannot be.
      document.set(from, value);
      throw error;
    }
  };
});
