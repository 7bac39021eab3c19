/** The body of a request. Ctrl-Space completes words in quotes from the fields of the index and the words of the query language. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { SuggestionList, useChoice } from '../../widgets/suggesting.js';
import { suggestWords } from './suggestions.js';

interface BodyFieldProps {
  readonly body: string;
  readonly fields: readonly string[];
  readonly onChange: (body: string) => void;
  readonly onSend: () => void;
}

const LIST = 'body-suggestions';

export function BodyField({ body, fields, onChange, onSend }: BodyFieldProps): VNode {
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const { word, words } = suggestWords(body.slice(0, caret), fields);
  const take = (item: string): void => {
    const element = area.current;
    if (element === null) return;
    const quote = body.slice(caret).startsWith('"') ? '' : '"';
    // At once, as the next key may come before the page is drawn again.
    element.setRangeText(item + quote, caret - word.length, caret, 'end');
    setCaret(element.selectionStart);
    onChange(element.value);
    choice.close();
  };
  const choice = useChoice(words, take);
  const isOpen = choice.isOpen && words.length > 0;
  const follow = (): void => setCaret(area.current?.selectionStart ?? 0);
  return (
    <div class="suggesting body-field">
      <textarea
        ref={area}
        class="code"
        aria-label="Body"
        aria-describedby="body-help"
        aria-controls={LIST}
        spellcheck={false}
        autocomplete="off"
        autocapitalize="off"
        value={body}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          follow();
          if (/"[\w.@-]+$/.test(event.currentTarget.value.slice(0, event.currentTarget.selectionStart))) choice.open();
          else choice.close();
        }}
        onKeyUp={follow}
        onClick={follow}
        onBlur={choice.close}
        onKeyDown={(event) => {
          if (choice.onKey(event)) return;
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSend();
          else if (event.key === ' ' && event.ctrlKey) choice.open();
          else return;
          event.preventDefault();
        }}
      />
      {isOpen && <SuggestionList id={LIST} label="Words" items={words} chosen={choice.chosen} onTake={take} />}
    </div>
  );
}
