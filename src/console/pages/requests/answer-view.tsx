/** The answer of a request: status, time, size, and the body laid out. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { Failure, type Answer } from '../../api/client.js';
import { formatBytes, formatDuration } from '../../format/numbers.js';
import { CodeText, prettyJson } from '../../widgets/code.js';
import { Mark } from '../../widgets/marks.js';
import { tell } from '../../widgets/notices.js';
import { Empty, FailureNote } from '../../widgets/panel.js';

interface AnswerViewProps {
  readonly outcome: Answer | Failure | undefined;
  readonly isSending: boolean;
}

export function AnswerView({ outcome, isSending }: AnswerViewProps): VNode {
  return (
    <section class="answer" aria-label="Answer" aria-live="polite" aria-busy={isSending}>
      <AnswerBody outcome={outcome} isSending={isSending} />
    </section>
  );
}

function AnswerBody({ outcome, isSending }: AnswerViewProps): VNode {
  const [isRaw, setRaw] = useState(false);
  if (isSending) return <Empty>Waiting for the answer …</Empty>;
  if (outcome === undefined) return <Empty>The answer comes here.</Empty>;
  if (outcome instanceof Failure) return <FailureNote failure={outcome} />;
  const { status, contentType, text, tookMs } = outcome;
  const isJson = contentType.includes('json') && text !== '';
  const shown = isJson && !isRaw ? prettyJson(text) : text;
  const copy = (): void => {
    navigator.clipboard.writeText(shown).then(
      () => tell('The answer is in the clipboard.'),
      () => tell('The browser does not let the page copy.', true),
    );
  };
  return (
    <>
      {text === '' ? <Empty>The answer has no body.</Empty> : <CodeText text={shown} label="Body of the answer" />}
      <div class="under">
        <Mark tone={status < 300 ? 'good' : status < 500 ? 'warn' : 'bad'} label={String(status)} />
        <span class="quiet number">
          {formatDuration(tookMs)} · {formatBytes(new Blob([text]).size)}
        </span>
        {isJson && (
          <label class="inline">
            <input type="checkbox" checked={isRaw} onChange={() => setRaw(!isRaw)} /> as sent
          </label>
        )}
        <button type="button" class="small" onClick={copy}>
          Copy
        </button>
      </div>
    </>
  );
}
