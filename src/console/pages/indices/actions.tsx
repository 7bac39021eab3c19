/** What can be done with an index. What takes long or takes something away is asked about first. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { CAT_INDICES } from '../../api/answers.js';
import { change } from '../../api/client.js';
import { usePolled } from '../../api/polling.js';
import { goTo } from '../../routes.js';
import { Confirm, type Confirmation } from '../../widgets/dialog.js';
import { carryOut } from '../../widgets/notices.js';

interface IndexActionsProps {
  readonly name: string;
  readonly onDone: () => void;
}

export function IndexActions({ name, onDone }: IndexActionsProps): VNode {
  const [asked, setAsked] = useState<Confirmation>();
  const { data: indices, refresh } = usePolled(CAT_INDICES, 10_000);
  const isClosed = indices?.find(({ index }) => index === name)?.status === 'close';
  const path = encodeURIComponent(name);
  const run = (what: string, method: string, place: string, then = onDone): void => {
    void carryOut(`${what} ${name}`, () => change(method, place)).then((isGood) => {
      refresh();
      if (isGood) then();
    });
  };
  const forceMerge = (): void =>
    setAsked({
      title: `Force merge ${name}?`,
      text: 'Each shard is merged into one segment. That takes disk space for a copy of the index and may take long; only do it with an index that is no longer written to.',
      action: 'Force merge',
      carryOut: () => run('Force merge', 'POST', `${path}/_forcemerge?max_num_segments=1`),
    });
  const close = (): void =>
    setAsked({
      title: `Close ${name}?`,
      text: 'Until it is opened again, nobody can search it or write to it.',
      action: 'Close',
      carryOut: () => run('Close', 'POST', `${path}/_close`),
    });
  const remove = (): void =>
    setAsked({
      title: `Delete ${name}?`,
      text: 'All its documents are gone for good, unless a snapshot has them.',
      action: 'Delete the index',
      name,
      carryOut: () => run('Delete', 'DELETE', path, () => goTo('indices')),
    });
  return (
    <div class="buttons">
      <button type="button" disabled={isClosed} onClick={() => run('Refresh', 'POST', `${path}/_refresh`)}>
        Refresh
      </button>
      <button type="button" disabled={isClosed} onClick={() => run('Flush', 'POST', `${path}/_flush`)}>
        Flush
      </button>
      <button type="button" disabled={isClosed} onClick={forceMerge}>
        Force merge
      </button>
      {isClosed ? (
        <button type="button" onClick={() => run('Open', 'POST', `${path}/_open`)}>
          Open
        </button>
      ) : (
        <button type="button" onClick={close}>
          Close
        </button>
      )}
      <button type="button" class="danger" onClick={remove}>
        Delete
      </button>
      {asked !== undefined && <Confirm what={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}
