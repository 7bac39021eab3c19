/** Sends any request and shows what comes back. */
import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { CAT_INDICES } from '../../api/answers.js';
import { Failure, NODE_URL, send, type Answer } from '../../api/client.js';
import { credentials } from '../../api/credentials.js';
import { usePolled } from '../../api/polling.js';
import type { Resource } from '../../api/resource.js';
import { useStore } from '../../store.js';
import { prettyJson } from '../../widgets/code.js';
import { tell } from '../../widgets/notices.js';
import { AnswerView } from './answer-view.js';
import { BodyField } from './body-field.js';
import { curlCommand } from './curl.js';
import { draft, METHODS } from './draft.js';
import { History } from './history-list.js';
import { remember } from './history.js';
import { PathField } from './path-field.js';
import { fieldNames, type Endpoint, type MappingAnswer } from './suggestions.js';
import { asSent } from './as-sent.js';

const ENDPOINTS: Resource<readonly Endpoint[]> = { path: '_console/endpoints.json' };

export function RequestsPage(): VNode {
  const request = useStore(draft);
  const [outcome, setOutcome] = useState<Answer | Failure>();
  const [isSending, setSending] = useState(false);
  const under = useRef<AbortController>(undefined);
  const { data: endpoints = [] } = usePolled(ENDPOINTS, undefined);
  const { data: indices = [] } = usePolled(CAT_INDICES, 30_000);
  const names = indices.map(({ index }) => index);
  const fields = useFields(request.path, names);

  const sendNow = async (): Promise<void> => {
    under.current?.abort();
    const controller = new AbortController();
    under.current = controller;
    setSending(true);
    const outcomeNow = await sendRequest(endpoints, controller.signal);
    if (controller.signal.aborted) return;
    setSending(false);
    setOutcome(outcomeNow);
  };
  const onSend = (): void => void sendNow();
  const stop = (): void => {
    under.current?.abort();
    setSending(false);
    setOutcome(new Failure('You stopped waiting for the answer.'));
  };
  return (
    <>
      <h1>Requests</h1>
      <form
        class="request"
        aria-label="Request"
        onSubmit={(event) => {
          event.preventDefault();
          onSend();
        }}
      >
        <select
          aria-label="Method"
          value={request.method}
          onChange={(event) => draft.set({ ...request, method: event.currentTarget.value })}
        >
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </select>
        <PathField
          method={request.method}
          path={request.path}
          endpoints={endpoints}
          indices={names}
          onChange={(path) => draft.set({ ...draft.current, path })}
          onSend={onSend}
        />
        {isSending ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="submit" class="main">
            Send
          </button>
        )}
      </form>
      <div class="editor">
        <section aria-label="Body of the request">
          <BodyField
            body={request.body}
            fields={fields}
            onChange={(body) => draft.set({ ...draft.current, body })}
            onSend={onSend}
          />
          <div class="under">
            <span id="body-help" class="quiet">
              <kbd>Ctrl-Enter</kbd> sends, <kbd>Ctrl-Space</kbd> completes
            </span>
            <button type="button" class="small" onClick={layOut}>
              Lay out
            </button>
            <button type="button" class="small" onClick={() => void copyAsCurl()}>
              Copy as curl
            </button>
          </div>
        </section>
        <AnswerView outcome={outcome} isSending={isSending} />
      </div>
      <History />
    </>
  );
}

async function sendRequest(endpoints: readonly Endpoint[], signal: AbortSignal): Promise<Answer | Failure> {
  remember(draft.current);
  const { method, path, body } = asSent(draft.current, endpoints);
  try {
    return await send(method, path, body === undefined ? { signal } : { body, signal });
  } catch (error) {
    return error instanceof Failure ? error : new Failure(String(error));
  }
}

/** Lines of bulk requests stay lines, and what is no JSON stays as it is. */
function layOut(): void {
  const { body } = draft.current;
  try {
    JSON.parse(body);
    draft.set({ ...draft.current, body: prettyJson(body) });
  } catch (error) {
    tell(`The body is no single JSON value: ${error instanceof Error ? error.message : ''}`, true);
  }
}

async function copyAsCurl(): Promise<void> {
  const command = curlCommand(draft.current, NODE_URL.href, credentials.current !== undefined);
  try {
    await navigator.clipboard.writeText(command);
    tell('The command is in the clipboard.');
  } catch {
    tell(`The browser does not let the page copy: ${command}`, true);
  }
}

/** Of the indices that the path begins with. */
function useFields(path: string, names: readonly string[]): readonly string[] {
  const target = path.replace(/^\/+/, '').split(/[/?]/)[0] ?? '';
  const isKnown = names.includes(target);
  const { data } = usePolled<MappingAnswer>(
    isKnown ? { path: `${encodeURIComponent(target)}/_mapping` } : undefined,
    undefined,
  );
  return data === undefined ? [] : fieldNames(data);
}
