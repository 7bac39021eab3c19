/** What `quarry diagnose` is told. */
export interface DiagnoseOptions {
  readonly url: string;
  readonly user?: string;
  readonly config: string;
  readonly logs: string;
  readonly output?: string;
}

export const PASSWORD_VARIABLE = 'QUARRY_PASSWORD';
