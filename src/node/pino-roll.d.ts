declare module 'pino-roll' {
  import type { SonicBoom } from 'sonic-boom';

  interface RollOptions {
    readonly file: string;
    readonly extension?: string;
    readonly frequency?: 'daily' | 'hourly' | number;
    readonly dateFormat?: string;
    readonly size?: string;
    readonly limit?: { readonly count: number; readonly removeOtherLogFiles?: boolean };
    readonly mkdir?: boolean;
    readonly sync?: boolean;
  }

  export default function roll(options: RollOptions): Promise<SonicBoom>;
}
