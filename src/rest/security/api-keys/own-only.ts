/** Whether a request says that it is about keys of the sender alone. The reference's clients send that as a text too. */
export function isOwnOnly(value: unknown): boolean {
  return value === true || value === 'true';
}
