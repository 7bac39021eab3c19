/** What `quarry diagnose` is told. */
export interface DiagnoseOptions {
  /** Undefined: what the configuration says. */
  readonly url?: string;
  readonly ca?: string;
  readonly user?: string;
  readonly config: string;
  /** Undefined: what the configuration says. */
  readonly logs?: string;
  readonly output?: string;
}

export const PASSWORD_VARIABLE = 'QUARRY_PASSWORD';
