/**
 * The library that draws makes a format for the browser's language as it is loaded. Where the system has no language (`LANG=C`), Chromium's is
 * `en-US@posix`, which is no language tag: the whole script would end there. It gets the language that the page is in.
 */
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

export {};
