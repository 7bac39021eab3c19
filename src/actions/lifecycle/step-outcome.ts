/** What came of a step of a lifecycle policy. `gone`: the index is deleted, or another one has taken its place, and goes on in the policy. */
export type StepOutcome = 'done' | 'not-yet' | 'gone';
