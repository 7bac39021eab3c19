/** What sounds secret, and how addresses hold passwords: for all that is shown to others than those whose it is. */

/** In names of members, settings and parameters. */
const SECRET_NAME = new RegExp(
  [
    'passw|passphrase|pwd|secret|token(?!iz)|credential|authorization|cookie',
    '(?:api|access|private)[_-]?key',
    '(?<![a-z])(?:pass|auth)(?![a-z])',
  ].join('|'),
  'i',
);
/** [dbPass], [proxyAuth], [authHeader]: words that are told apart by their case alone. */
const SECRET_WORD = /(?<=[a-z\d])(?:Pass|Auth)(?![a-z])|(?<![A-Za-z])(?:pass|auth)(?=[A-Z])/;
/** What is known to hold no secret though its name looks like it. */
const HARMLESS = /(?:^|\.)(?:max_)?token_count$/;

export function soundsSecret(name: string): boolean {
  return (SECRET_NAME.test(name) || SECRET_WORD.test(name)) && !HARMLESS.test(name);
}

const RUN = /\S+/g;
const RUN_WITHOUT_QUOTES = /[^\s"']+/g;
/** `https://user:secret@host` and `https://secret@host`. A port is followed by a path, in which an [@] is usual. */
const BEHIND_SCHEME = /:\/\/(?:[^/:]*:(?!\d{1,5}\/).+|[^/]*)@/g;
/** `user:secret@host`, as addresses of proxies are written. */
const WITHOUT_SCHEME = /(^|[=,;([{<])[^/@:=,;([{<]+:(?!\/\/|\d{1,5}\/).+@$/;

/**
 * Puts `hidden` in the place of what addresses have in front of their [@], the last one before the next blank: not all escape
 * what is in passwords. `hasQuotes`: addresses end at quotes as well. Takes time that is linear in the text, however long
 * the secrets are.
 */
export function withoutUserInfo(text: string, hidden: string, hasQuotes: boolean): string {
  if (!text.includes('@')) return text;
  return text.replace(hasQuotes ? RUN_WITHOUT_QUOTES : RUN, (run) => {
    // No pattern goes beyond the last one in vain.
    const end = run.lastIndexOf('@') + 1;
    const shown = run.slice(0, end).replace(BEHIND_SCHEME, `://${hidden}@`).replace(WITHOUT_SCHEME, `$1${hidden}@`);
    return shown + run.slice(end);
  });
}
