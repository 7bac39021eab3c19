/** The processors whose change of a text is one expression. */
import { illegalArgument } from '../../base/errors.js';
import { sizeInBytes } from '../../base/units.js';
import { textProcessor } from './text-processor.js';

export const lowercase = textProcessor('lowercase', () => (text) => text.toLowerCase());

export const uppercase = textProcessor('uppercase', () => (text) => text.toUpperCase());

/** White space as the reference trims it: all up to the space. */
export const trim = textProcessor('trim', () => (text) => {
  let [start, end] = [0, text.length];
  while (start < end && text.charCodeAt(start) <= 0x20) start++;
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--;
  return text.slice(start, end);
});

export const bytes = textProcessor('bytes', () => (text) => sizeInBytes(text, 'Ingest Field'));

export const urlDecode = textProcessor('urldecode', () => (text) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw illegalArgument(`URLDecoder: Illegal hex characters in escape (%) pattern in [${text}]`);
  }
});
