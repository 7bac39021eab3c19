/** `html_strip`: the text of a piece of HTML. Elements that begin a line of their own leave a line break. */
import { onDemand } from '../../base/on-demand.js';
import { textProcessor } from './text-processor.js';

const entities = onDemand('html-entities');

const INLINE = new Set(
  (
    'a abbr acronym b basefont bdo big cite code dfn em font i img input kbd label q s samp select small span strike strong sub sup ' +
    'textarea tt u var'
  ).split(' '),
);

export const htmlStrip = textProcessor('html_strip', () => strip);

function strip(text: string): string {
  const { decode } = entities();
  let out = '';
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('<', at);
    if (open < 0) break;
    out += decode(text.slice(at, open));
    const piece = tagAt(text, open);
    out += piece.text;
    at = piece.end;
  }
  return out + decode(text.slice(at));
}

function tagAt(text: string, open: number): { readonly text: string; readonly end: number } {
  if (text.startsWith('<!--', open)) return { text: '', end: after(text, '-->', open + 4) };
  const match = /<(?:(\/?)([A-Za-z][\w:-]*)|[!?])/y;
  match.lastIndex = open;
  const found = match.exec(text);
  if (found === null) return { text: '<', end: open + 1 };
  const end = tagEnd(text, match.lastIndex);
  if (end < 0) return { text: '<', end: open + 1 };
  const [, slash = '', rawName] = found;
  if (rawName === undefined) return { text: '', end };
  const name = rawName.toLowerCase();
  const isHidden = (name === 'script' || name === 'style') && slash === '';
  const close = isHidden ? closingTag(text, name, end) : end;
  return { text: INLINE.has(name) ? '' : '\n', end: close };
}

/** Behind the sign that ends the tag; signs in quotes do not. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '>') return at + 1;
    else if (character === '<') return -1;
  }
  return -1;
}

function closingTag(text: string, name: string, from: number): number {
  const close = new RegExp(`</${name}\\s*>`, 'gi');
  close.lastIndex = from;
  return close.exec(text) === null ? text.length : close.lastIndex;
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found < 0 ? text.length : found + what.length;
}
