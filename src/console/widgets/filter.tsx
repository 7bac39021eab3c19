/** A field that narrows a list. The key `/` leads to it. */
import type { VNode } from 'preact';

interface FilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function Filter({ label, value, onChange }: FilterProps): VNode {
  return (
    <input
      type="search"
      class="filter"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Whether all words of the filter are in the text. */
export function passes(filter: string, text: string): boolean {
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
