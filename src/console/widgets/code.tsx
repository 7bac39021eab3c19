/** JSON to be read. */
import type { VNode } from 'preact';

/** A page with more of it is slow. */
const SHOWN_LENGTH_MAX = 1_000_000;

export function Code({ value, label }: { readonly value: unknown; readonly label: string }): VNode {
  return <CodeText text={JSON.stringify(value, null, 2)} label={label} />;
}

export function CodeText({ text, label }: { readonly text: string; readonly label: string }): VNode {
  const isCut = text.length > SHOWN_LENGTH_MAX;
  return (
    <>
      <pre class="code" tabIndex={0} aria-label={label}>
        {isCut ? text.slice(0, SHOWN_LENGTH_MAX) : text}
      </pre>
      {isCut && <p class="note warn">The answer is longer than what is shown: {text.length} characters.</p>}
    </>
  );
}

/** As it came, but for white space: numbers are not read, as they may be larger than a number of JavaScript. */
export function prettyJson(text: string): string {
  let out = '';
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (isText) {
      out += char;
      if (char === '\\') out += text.charAt(++at);
      else if (char === '"') isText = false;
    } else if (char === '"') {
      isText = true;
      out += char;
    } else if (char === '{' || char === '[') {
      const closing = char === '{' ? '}' : ']';
      const next = /\S/.exec(text.slice(at + 1, at + 64))?.[0];
      if (next === closing) {
        out += char + closing;
        at = text.indexOf(closing, at);
      } else out += `${char}\n${'  '.repeat(++depth)}`;
    } else if (char === '}' || char === ']') out += `\n${'  '.repeat(--depth)}${char}`;
    else if (char === ',') out += `,\n${'  '.repeat(depth)}`;
    else if (char === ':') out += ': ';
    else if (!/\s/.test(char)) out += char;
  }
  return out;
}
