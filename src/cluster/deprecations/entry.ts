/** One thing that is in use and will not be there for ever, or that holds up an upgrade. */
export interface Deprecation {
  /** `critical`: what is named does not work with this or the next version until somebody does something. */
  readonly level: 'warning' | 'critical';
  readonly message: string;
  /** Where it is seen and mended. */
  readonly url: string;
  /** What it is about by name, and what to do. */
  readonly details: string;
  readonly resolve_during_rolling_upgrade: boolean;
}

/** Most of them wait for who runs the cluster. */
export function warning(message: string, url: string, details: string): Deprecation {
  return { level: 'warning', message, url, details, resolve_during_rolling_upgrade: false };
}

export function critical(message: string, url: string, details: string): Deprecation {
  return { ...warning(message, url, details), level: 'critical' };
}

/** `[a, b]` */
export function listed(names: Iterable<string>): string {
  return `[${[...names].sort().join(', ')}]`;
}
