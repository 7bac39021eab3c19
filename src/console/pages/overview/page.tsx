/** The cluster at a glance: numbers, and what is wrong with it in plain words. */
import type { VNode } from 'preact';
import {
  CAT_NODES,
  CLUSTER_HEALTH,
  CLUSTER_STATS,
  HEALTH_REPORT,
  TASKS,
  type ClusterHealth,
  type ClusterStats,
} from '../../api/answers.js';
import { usePolled } from '../../api/polling.js';
import { formatBytes, formatCount, formatPercent } from '../../format/numbers.js';
import { linkTo, type PageName } from '../../routes.js';
import { healthTone, Mark, type Tone } from '../../widgets/marks.js';
import { Loaded, Panel } from '../../widgets/panel.js';
import { complaintsOf, type Complaint } from './complaints.js';

const HEALTH_WORDS: Readonly<Record<ClusterHealth['status'], string>> = {
  green: 'All shards have all their copies.',
  yellow: 'All data is there, but some copies are missing.',
  red: 'Some data cannot be reached: a primary is missing.',
};

export function OverviewPage(): VNode {
  const health = usePolled(CLUSTER_HEALTH);
  const { data: stats } = usePolled(CLUSTER_STATS, 10_000);
  const { data: tasks } = usePolled(TASKS, 5_000);
  const running = Object.values(tasks?.nodes ?? {}).flatMap((node) => Object.values(node.tasks));
  return (
    <>
      <h1>Overview</h1>
      <Loaded from={health}>
        {(now) => (
          <>
            <p class={`banner ${healthTone(now.status)}`}>
              <Mark tone={healthTone(now.status)} label={now.status} />
              <span>{HEALTH_WORDS[now.status]}</span>
            </p>
            <Figures health={now} stats={stats} tasks={tasks === undefined ? undefined : running.length} />
            <Wrong health={now} />
          </>
        )}
      </Loaded>
      <NodesInShort />
    </>
  );
}

interface FiguresProps {
  readonly health: ClusterHealth;
  readonly stats: ClusterStats | undefined;
  readonly tasks: number | undefined;
}

function Figures({ health, stats, tasks }: FiguresProps): VNode {
  const { indices } = stats ?? {};
  const shards = `${formatCount(health.active_primary_shards)} primaries`;
  const moving = health.relocating_shards + health.initializing_shards;
  return (
    <dl class="figures">
      <Figure
        name="Nodes"
        value={formatCount(health.number_of_nodes)}
        more={`${health.number_of_data_nodes} hold data`}
        page="shards"
      />
      <Figure
        name="Indices"
        value={formatCount(indices?.count)}
        more={`${formatCount(indices?.segments?.count)} segments`}
        page="indices"
      />
      <Figure
        name="Documents"
        value={formatCount(indices?.docs?.count)}
        more={`${formatCount(indices?.docs?.deleted)} deleted`}
        page="indices"
      />
      <Figure name="Stored" value={formatBytes(indices?.store?.size_in_bytes)} more="all copies" page="indices" />
      <Figure
        name="Shards"
        value={formatCount(health.active_shards)}
        more={moving === 0 ? shards : `${moving} on their way`}
        page="shards"
      />
      <Figure
        name="Unassigned"
        value={formatCount(health.unassigned_shards)}
        more={`${formatPercent(health.active_shards_percent_as_number)} active`}
        page="shards"
        tone={health.unassigned_shards === 0 ? undefined : healthTone(health.status)}
      />
      <Figure
        name="Tasks"
        value={formatCount(tasks)}
        more={`${formatCount(health.number_of_pending_tasks)} pending`}
        page="tasks"
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly more: string;
  readonly page: PageName;
  readonly tone?: Tone | undefined;
}

function Figure({ name, value, more, page, tone }: FigureProps): VNode {
  return (
    <div class={tone ?? ''}>
      <dt>
        <a href={linkTo(page)}>{name}</a>
      </dt>
      <dd class="number">{value}</dd>
      <dd class="quiet">{more}</dd>
    </div>
  );
}

function Wrong({ health }: { readonly health: ClusterHealth }): VNode {
  const { data: report } = usePolled(HEALTH_REPORT, 10_000);
  const complaints = complaintsOf(health, report);
  return (
    <Panel title="What is wrong">
      {complaints.length === 0 && <p class="note quiet">Nothing that the node knows of.</p>}
      <ul class="complaints">
        {complaints.map((complaint) => (
          <ComplaintLine key={complaint.text} complaint={complaint} />
        ))}
      </ul>
    </Panel>
  );
}

function ComplaintLine({ complaint: { tone, label, text, details, link } }: { readonly complaint: Complaint }): VNode {
  return (
    <li>
      <Mark tone={tone} label={label} />
      <div>
        <strong>{text}</strong>
        {details.map((detail) => (
          <span key={detail}>{detail}</span>
        ))}
        {link !== undefined && <a href={linkTo(link.page)}>{link.text}</a>}
      </div>
    </li>
  );
}

function NodesInShort(): VNode {
  const nodes = usePolled(CAT_NODES, 5_000);
  return (
    <Panel title="Nodes">
      <Loaded from={nodes}>
        {(rows) => (
          <ul class="node-line">
            {rows.map(({ id, name, master, cpu, uptime, ...row }) => (
              <li key={id}>
                <strong>{name}</strong> {master === '*' && <span class="tag">master</span>}
                <span class="quiet number">
                  processor {cpu ?? '–'} % · heap {row['heap.percent'] ?? '–'} % · disk{' '}
                  {row['disk.used_percent'] ?? '–'} % · up {uptime ?? '–'}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Panel>
  );
}
