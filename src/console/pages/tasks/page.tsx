/** What the nodes are doing. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { PENDING_TASKS, TASKS, type PendingTasks, type Task, type TaskList } from '../../api/answers.js';
import { change } from '../../api/client.js';
import { usePolled } from '../../api/polling.js';
import { formatDuration } from '../../format/numbers.js';
import { Confirm, type Confirmation } from '../../widgets/dialog.js';
import { Filter, passes } from '../../widgets/filter.js';
import { Mark } from '../../widgets/marks.js';
import { carryOut } from '../../widgets/notices.js';
import { Loaded, Panel } from '../../widgets/panel.js';
import { Table, type Column } from '../../widgets/table.js';

interface Row extends Task {
  readonly name: string;
  readonly nodeName: string;
}

/** The list itself is a task as well, and is not worth reading. */
const LISTING = 'cluster:monitor/tasks/lists';

export function TasksPage(): VNode {
  const [filter, setFilter] = useState('');
  const [asked, setAsked] = useState<Confirmation>();
  const tasks = usePolled(TASKS, 2_000);
  const pending = usePolled(PENDING_TASKS);
  const cancel = ({ name, action }: Row): void =>
    setAsked({
      title: 'Cancel the task?',
      text: `${action} (${name}) ends as soon as it can. What it has done already stays done.`,
      action: 'Cancel the task',
      carryOut: () => {
        const work = (): Promise<void> => change('POST', `_tasks/${encodeURIComponent(name)}/_cancel`);
        void carryOut(`Cancel ${name}`, work).then(tasks.refresh);
      },
    });
  return (
    <>
      <h1>Tasks</h1>
      <Panel title="Running" aside={<Filter label="Filter tasks" value={filter} onChange={setFilter} />}>
        <Loaded from={tasks}>
          {(list) => (
            <Table
              label="Running tasks"
              columns={columnsOf(cancel)}
              rows={rowsOf(list).filter((row) =>
                passes(filter, `${row.action} ${row.description ?? ''} ${row.nodeName}`),
              )}
              rowKey={({ name }) => name}
              sortedBy={3}
              isDescending
              empty={filter === '' ? 'No task is running.' : 'No task passes the filter.'}
            />
          )}
        </Loaded>
      </Panel>
      <Panel title="Changes that wait for the master">
        <Loaded from={pending}>
          {({ tasks: rows }) => (
            <Table
              label="Pending changes"
              columns={PENDING_COLUMNS}
              rows={rows}
              rowKey={({ insert_order: number }) => String(number)}
              empty="None: the master keeps up."
            />
          )}
        </Loaded>
      </Panel>
      {asked !== undefined && <Confirm what={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function rowsOf({ nodes = {} }: TaskList): readonly Row[] {
  return Object.values(nodes).flatMap(({ name: nodeName, tasks }) =>
    Object.entries(tasks).flatMap(([name, task]) =>
      task.action.startsWith(LISTING) ? [] : [{ ...task, name, nodeName }],
    ),
  );
}

function columnsOf(cancel: (row: Row) => void): readonly Column<Row>[] {
  return [
    {
      title: 'Action',
      key: ({ action }) => action,
      cell: ({ action, description = '', parent_task_id: parent }) => (
        <>
          <code>{action}</code>
          {parent !== undefined && <span class="tag">child</span>}
          {description !== '' && <span class="quiet below cut">{description}</span>}
        </>
      ),
      isWide: true,
    },
    { title: 'Task', key: ({ name }) => name, cell: ({ name }) => <code>{name}</code> },
    { title: 'Node', key: ({ nodeName }) => nodeName, cell: ({ nodeName }) => nodeName },
    {
      title: 'Running',
      key: ({ running_time_in_nanos: nanos }) => nanos,
      cell: ({ running_time_in_nanos: nanos }) => formatDuration(nanos / 1e6),
      isNumber: true,
    },
    {
      title: 'Cancel',
      cell: (row) => {
        if (row.cancelled === true) return <Mark tone="warn" label="ending" />;
        return row.cancellable ? (
          <button
            type="button"
            class="small"
            aria-label={`Cancel ${row.action} ${row.name}`}
            onClick={() => cancel(row)}
          >
            Cancel
          </button>
        ) : (
          <span class="quiet">–</span>
        );
      },
    },
  ];
}

const PENDING_COLUMNS: readonly Column<PendingTasks['tasks'][number]>[] = [
  { title: 'Change', cell: ({ source }) => <code>{source}</code>, isWide: true },
  { title: 'Priority', cell: ({ priority }) => priority.toLowerCase() },
  { title: 'Waiting', cell: ({ time_in_queue_millis: waits }) => formatDuration(waits), isNumber: true },
];
