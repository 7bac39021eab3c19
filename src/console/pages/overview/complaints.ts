/** What is wrong with a cluster: from its health report where the node has one, else from its health. */
import type { ClusterHealth, HealthIndicator, HealthReport } from '../../api/answers.js';
import { plural } from '../../format/numbers.js';
import type { PageName } from '../../routes.js';
import { healthTone, type Tone } from '../../widgets/marks.js';

export interface Complaint {
  readonly tone: Tone;
  readonly label: string;
  readonly text: string;
  readonly details: readonly string[];
  readonly link?: { readonly page: PageName; readonly text: string };
}

const TO_SHARDS = { page: 'shards', text: 'See the shards and why they are where they are' } as const;

/** Where to look further, by the indicators of the report. */
const LINKS: Readonly<Record<string, Complaint['link']>> = {
  shards_availability: TO_SHARDS,
  shards_capacity: TO_SHARDS,
  disk: TO_SHARDS,
  slm: { page: 'snapshots', text: 'See the snapshot policies' },
  repository_integrity: { page: 'snapshots', text: 'See the repositories' },
  ilm: { page: 'indices', text: 'See the indices' },
};

export function complaintsOf(health: ClusterHealth, report: HealthReport | undefined): readonly Complaint[] {
  if (report === undefined) return complaintsOfHealth(health);
  return Object.entries(report.indicators)
    .filter(([, { status }]) => status !== 'green')
    .map(([name, indicator]) => complaintOf(name, indicator));
}

function complaintOf(name: string, { status, symptom, impacts = [], diagnosis = [] }: HealthIndicator): Complaint {
  const link = LINKS[name];
  return {
    tone: healthTone(status),
    label: status,
    text: symptom,
    details: [
      ...impacts.map(({ description }) => description),
      ...diagnosis.flatMap(({ cause, action }) => [cause, action].filter((text) => text !== undefined)),
    ],
    ...(link === undefined ? {} : { link }),
  };
}

function complaintsOfHealth(health: ClusterHealth): readonly Complaint[] {
  const { status, unassigned_shards: unassigned, delayed_unassigned_shards: delayed } = health;
  if (unassigned === 0) return [];
  const what =
    status === 'red'
      ? 'At least one of them is a primary: its documents cannot be reached.'
      : 'They are replicas: all documents can be reached.';
  const waits =
    delayed === 0 ? [] : [`${plural(delayed, 'of them waits', 'of them wait')} for a node that may come back.`];
  return [
    {
      tone: healthTone(status),
      label: status,
      text: `${plural(unassigned, 'copy of a shard has', 'copies of shards have')} no place.`,
      details: [what, ...waits],
      link: TO_SHARDS,
    },
  ];
}
