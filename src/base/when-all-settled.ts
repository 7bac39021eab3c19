/** The values of both. What fails is thrown when the other is done as well: only then can both be closed. */
export async function whenAllSettled<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
