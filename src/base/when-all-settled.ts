/** What fails is thrown when the other is done as well: only then can both be closed. */
export async function whenAllSettled<T>(one: Promise<T>, other: Promise<T>): Promise<[T, T]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
