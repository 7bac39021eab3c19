/** `*` for any text, `?` for one character. */

/** The time is at most the product of the lengths. */
export function wildcardMatcher(pattern: string): (text: string) => boolean {
  return (text) => {
    let [inPattern, inText, star, resume] = [0, 0, -1, 0];
    while (inText < text.length) {
      const wanted = pattern[inPattern];
      if (wanted === '*') {
        [star, resume] = [inPattern++, inText];
      } else if (wanted === '?' || wanted === text[inText]) {
        inPattern++;
        inText++;
      } else if (star === -1) {
        return false;
      } else {
        // The last star takes one character more.
        inPattern = star + 1;
        inText = ++resume;
      }
    }
    return /^\**$/.test(pattern.slice(inPattern));
  };
}
