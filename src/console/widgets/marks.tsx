/** States as shape, colour and word: none of them is told by colour alone. */
import type { VNode } from 'preact';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'quiet';

const SHAPES: Readonly<Record<Tone, string>> = {
  good: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z',
  warn: 'M8 2 L15 14 L1 14 Z',
  bad: 'M3 3 h10 v10 h-10 Z',
  busy: 'M8 1.5 L14.5 8 L8 14.5 L1.5 8 Z',
  quiet: 'M3 7 h10 v2 h-10 Z',
};

interface MarkProps {
  readonly tone: Tone;
  readonly label: string;
}

/** A shape with its word beside. */
export function Mark({ tone, label }: MarkProps): VNode {
  return (
    <span class={`mark ${tone}`}>
      <Shape tone={tone} />
      {label}
    </span>
  );
}

export function Shape({ tone }: { readonly tone: Tone }): VNode {
  return (
    <svg class={`shape ${tone}`} viewBox="0 0 16 16" width="10" height="10" aria-hidden="true">
      <path d={SHAPES[tone]} />
    </svg>
  );
}

/** Of a cluster or an index, in the words of the API. */
export function healthTone(health: string | null | undefined): Tone {
  if (health === 'green') return 'good';
  if (health === 'yellow') return 'warn';
  return health === 'red' ? 'bad' : 'quiet';
}

interface MeterProps {
  /** 0 to 100; undefined: not known. */
  readonly percent: number | undefined;
  readonly label: string;
  /** It is better the more it is: what has been done of something. */
  readonly isProgress?: boolean;
}

/** A thin bar with its number. */
export function Meter({ percent, label, isProgress = false }: MeterProps): VNode {
  if (percent === undefined || Number.isNaN(percent)) return <span class="quiet">–</span>;
  const share = Math.max(0, Math.min(100, percent));
  const tone = isProgress ? 'good' : share >= 90 ? 'bad' : share >= 75 ? 'warn' : 'good';
  return (
    <span class="meter">
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="6" />
        <rect class={tone} width={share} height="6" />
      </svg>
      <span class="number" aria-label={label}>
        {Math.round(share)} %
      </span>
    </span>
  );
}
