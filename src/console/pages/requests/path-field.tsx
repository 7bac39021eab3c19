/** The path of a request, completed from the endpoints of the node and the names of its indices. */
import type { VNode } from 'preact';
import { SuggestionList, useChoice } from '../../widgets/suggesting.js';
import { suggestPaths, type Endpoint } from './suggestions.js';

interface PathFieldProps {
  readonly method: string;
  readonly path: string;
  readonly endpoints: readonly Endpoint[];
  readonly indices: readonly string[];
  readonly onChange: (path: string) => void;
  readonly onSend: () => void;
}

const LIST = 'path-suggestions';

export function PathField({ method, path, endpoints, indices, onChange, onSend }: PathFieldProps): VNode {
  const items = suggestPaths(path, method, endpoints, indices);
  const choice = useChoice(items, onChange);
  const isOpen = choice.isOpen && items.length > 0;
  return (
    <div class="suggesting path-field">
      <input
        class="code"
        aria-label="Path"
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={LIST}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && choice.chosen >= 0 ? `${LIST}-${choice.chosen}` : undefined}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={path}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          choice.open();
        }}
        onBlur={choice.close}
        onKeyDown={(event) => {
          if (choice.onKey(event)) return;
          if (event.key === 'Enter') onSend();
          else if (event.key === 'ArrowDown') choice.open();
        }}
      />
      {isOpen && <SuggestionList id={LIST} label="Paths" items={items} chosen={choice.chosen} onTake={onChange} />}
    </div>
  );
}
