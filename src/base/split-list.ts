/** Names between commas, without the blanks around them; empty ones do not count. */
export function splitList(text: string): readonly string[] {
  const names: string[] = [];
  for (const name of text.split(',')) if (name !== '') names.push(name.trim());
  return names;
}
