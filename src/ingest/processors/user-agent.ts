/** `user_agent`: browser, system and device of what a browser says of itself. */
import type { IngestObject } from '../document/values.js';
import { userAgentOf } from '../network/user-agents.js';
import { defineProcessor } from '../processor.js';
import { textField } from './field-values.js';

const PROPERTIES = ['NAME', 'OS', 'DEVICE', 'ORIGINAL', 'VERSION'] as const;
type Property = (typeof PROPERTIES)[number];

export const userAgent = defineProcessor('user_agent', (options) => {
  const field = options.text('field');
  const target = options.optionalText('target_field', 'user_agent');
  const ignoreMissing = options.flag('ignore_missing');
  const regexFile = options.optionalText('regex_file');
  if (regexFile !== undefined)
    throw options.error('regex_file', `regex file [${regexFile}] doesn't exist (has to exist at node startup)`);
  const wanted = new Set(
    (options.optionalTexts('properties') ?? PROPERTIES).map((name) => {
      const found = PROPERTIES.find((property) => property === name.toUpperCase());
      if (found !== undefined) return found;
      const known = `valid values are [${PROPERTIES.join(', ')}]`;
      throw options.error('properties', `illegal property value [${name}]. ${known}`);
    }),
  );
  return (document) => {
    const text = textField(document, field, ignoreMissing, 'cannot parse user-agent.');
    if (text !== undefined) document.set(target, describe(text, wanted));
  };
});

function describe(text: string, wanted: ReadonlySet<Property>): IngestObject {
  const { family, version, os, osVersion, device } = userAgentOf(text);
  const details: IngestObject = {};
  if (wanted.has('ORIGINAL')) details['original'] = text;
  if (wanted.has('NAME')) details['name'] = family ?? 'Other';
  if (wanted.has('VERSION') && version !== undefined) details['version'] = version;
  if (wanted.has('OS') && os !== undefined) {
    const name = { name: os };
    details['os'] = osVersion === undefined ? name : { ...name, version: osVersion, full: `${os} ${osVersion}` };
  }
  if (wanted.has('DEVICE')) details['device'] = { name: device ?? 'Other' };
  return details;
}
