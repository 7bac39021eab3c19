/** The indicator `slm` of the health report: whether policies take their snapshots. */
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import { ClusterSettingDefinitions } from '../../cluster/settings/cluster-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { parseTimeMs } from '../../base/units.js';
import { UNHEALTHY_WITHOUT, type SlmPolicy } from '../../cluster/slm/types.js';
import type { ClusterState } from '../../cluster/state.js';
import type { Finding, Impact } from './finding.js';

const IMPACTS = {
  disabled: impact(
    'automation_disabled',
    3,
    'Scheduled snapshots are not running. New backup snapshots will not be created automatically.',
  ),
  stale: impact(
    'stale_snapshots',
    2,
    'Some automated snapshots have not had a successful execution recently. Indices restored from affected snapshots ' +
      'may not contain recent changes.',
  ),
  missing: impact('missing_snapshot', 2, 'Some snapshot lifecycle policies have not had a snapshot for a long time'),
} as const;

export function slm(state: ClusterState, _namesMax: number, nowMs: number): Finding {
  const policies = [...state.slmPolicies];
  const details = { slm_status: state.slm.stopped ? 'STOPPED' : 'RUNNING', policies: policies.length };
  if (policies.length === 0) {
    return { status: 'green', symptom: 'No Snapshot Lifecycle Management policies configured', details };
  }
  if (state.slm.stopped) {
    const symptom = 'Snapshot Lifecycle Management is not running';
    return { status: 'yellow', symptom, details, impacts: [IMPACTS.disabled] };
  }
  const failuresMin = valueOf(ClusterSettingDefinitions.slmFailuresMin, effectiveClusterSettings(state)) ?? Infinity;
  const failing = policies.filter(([, policy]) => policy.invocationsSinceLastSuccess >= failuresMin);
  const missing = policies.filter(([, policy]) => lacksSnapshot(policy, nowMs));
  const unhealthy = failing.length > 0 ? failing : missing;
  if (unhealthy.length === 0) {
    return { status: 'green', symptom: 'Snapshot Lifecycle Management is running', details };
  }
  const invocations = unhealthy.map(([id, policy]) => [id, policy.invocationsSinceLastSuccess] as const);
  const unhealthyPolicies = {
    count: unhealthy.length,
    invocations_since_last_success: Object.fromEntries(invocations),
  };
  return {
    status: 'yellow',
    symptom: `Encountered [${unhealthy.length}] unhealthy snapshot lifecycle management policies.`,
    details: { ...details, unhealthy_policies: unhealthyPolicies },
    impacts: [failing.length > 0 ? IMPACTS.stale : IMPACTS.missing],
  };
}

/** A policy that never took one has had the time since it was put. */
function lacksSnapshot({ policy, lastSuccess, modifiedAtMs }: SlmPolicy, nowMs: number): boolean {
  const limit = policy[UNHEALTHY_WITHOUT];
  const unhealthyAfterMs = typeof limit === 'string' ? parseTimeMs(limit, UNHEALTHY_WITHOUT) : Infinity;
  return nowMs - (lastSuccess?.startedAtMs ?? modifiedAtMs) > unhealthyAfterMs;
}

function impact(id: string, severity: number, description: string): Impact {
  return { id: `elasticsearch:health:slm:impact:${id}`, severity, description, areas: ['backup'] };
}
