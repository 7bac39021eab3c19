/** Where a description says otherwise than what is described does. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  // A hit without a rating has null there.
  // Defaults are texts, as all settings are, and name no policy.
  'indices.get_settings': [
    '/films/defaults/index/lifecycle/parse_origination_date: must be boolean',
    "/films/defaults/index/lifecycle: must have required property 'name'",
  ],
  rank_eval: ['/details/q/hits/0/rating: must be integer'],
};

export function knownDifferences(operation: string): readonly string[] {
  return KNOWN[operation] ?? [];
}
