/** `copy`: the value of one field in another, too. */
import { illegalArgument } from '../../base/errors.js';
import { defineProcessor } from '../processor.js';
import { templateOption } from '../templates.js';

export const copy = defineProcessor('copy', (options) => {
  const source = templateOption(options, 'source_field');
  const target = templateOption(options, 'target_field');
  const ignoreMissing = options.flag('ignore_missing');
  const removeSource = options.flag('remove_source');
  const override = options.flag('override_target');
  return (document) => {
    const [from, to] = [source(document), target(document)];
    if (from === '') {
      if (ignoreMissing) return;
      throw illegalArgument('source field path cannot be null nor empty');
    }
    if (!document.has(from)) {
      if (ignoreMissing) return;
      throw illegalArgument(`source field [${from}] doesn't exist`);
    }
    if (to === '') throw illegalArgument('target field path cannot be null nor empty');
    if (from === to) throw illegalArgument('source field path and target field path cannot be same');
    if (document.has(to) && !override) throw illegalArgument(`target field [${to}] already exists`);
    document.set(to, document.copyOf(document.get(from)));
    if (removeSource) document.remove(from);
  };
});
