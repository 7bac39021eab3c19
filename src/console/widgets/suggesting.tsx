/** A text field with a list of what may be meant. Arrow keys choose, Enter or Tab takes, Escape closes. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

interface SuggestionListProps {
  readonly id: string;
  readonly label: string;
  readonly items: readonly string[];
  readonly chosen: number;
  readonly onTake: (item: string) => void;
}

export function SuggestionList({ id, label, items, chosen, onTake }: SuggestionListProps): VNode | null {
  if (items.length === 0) return null;
  return (
    <ul id={id} class="suggestions" role="listbox" aria-label={label}>
      {items.map((item, at) => (
        <li
          key={item}
          id={`${id}-${at}`}
          role="option"
          aria-selected={at === chosen}
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(item);
          }}
        >
          {item}
        </li>
      ))}
    </ul>
  );
}

export interface Choice {
  readonly chosen: number;
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
  /** Whether the key was for the list. */
  readonly onKey: (event: KeyboardEvent) => boolean;
}

/** Which of the items is chosen. Nothing is until an arrow key is pressed, so that Enter stays Enter. */
export function useChoice(items: readonly string[], onTake: (item: string) => void): Choice {
  const [chosen, setChosen] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const onKey = (event: KeyboardEvent): boolean => {
    if (!isOpen || items.length === 0 || event.ctrlKey || event.metaKey) return false;
    const item = items[chosen];
    if (event.key === 'ArrowDown') setChosen(Math.min(items.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(-1, chosen - 1));
    else if (event.key === 'Escape') setOpen(false);
    else if ((event.key === 'Enter' || event.key === 'Tab') && item !== undefined) {
      setChosen(-1);
      onTake(item);
    } else return false;
    event.preventDefault();
    return true;
  };
  const open = (): void => {
    setChosen(-1);
    setOpen(true);
  };
  return { chosen, isOpen, open, close: () => setOpen(false), onKey };
}
