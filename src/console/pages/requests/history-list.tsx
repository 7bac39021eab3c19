/** Requests that were sent before, to be sent again. */
import type { VNode } from 'preact';
import { useStore } from '../../store.js';
import { Empty, Panel } from '../../widgets/panel.js';
import { draft } from './draft.js';
import { forgetAll, history } from './history.js';

export function History(): VNode {
  const entries = useStore(history);
  const aside =
    entries.length === 0 ? null : (
      <button type="button" class="small" onClick={forgetAll}>
        Forget all
      </button>
    );
  return (
    <Panel title="Sent before" aside={aside}>
      {entries.length === 0 && <Empty>What you send is listed here, in this browser only.</Empty>}
      <ol class="history">
        {entries.map((entry, at) => (
          <li key={at}>
            <button type="button" class="plain" onClick={() => draft.set(entry)}>
              <b>{entry.method}</b> <code>{entry.path}</code>{' '}
              <span class="quiet">{entry.body.replace(/\s+/g, ' ').slice(0, 160)}</span>
            </button>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
