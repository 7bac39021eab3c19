/** The audit log of a node: a file of its own, with what all threads of the node tell of requests. Loaded where it is enabled. */
import { hostname } from 'node:os';
import type { AuditFigures } from '../../actions/front-figures.js';
import type { Clock } from '../../base/clock.js';
import type { JsonObject } from '../../base/json-value.js';
import type { Logger } from '../../base/logger.js';
import type { NodeSettings } from '../../base/node-settings.js';
import type { AuditEntry } from '../../cluster/security/audit/audit-entry.js';
import { AuditSettingDefinitions } from '../../cluster/settings/audit-settings.js';
import { effectiveClusterSettings } from '../../cluster/settings/effective-cluster-settings.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import { valueOf } from '../../cluster/settings/registry.js';
import { emptyClusterState, type ClusterState } from '../../cluster/state.js';
import type { StateHolder } from '../../coordinator/state-holder.js';
import { RollingLog } from '../logging/rolling-log.js';

export interface AuditLogServices {
  readonly settings: NodeSettings;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly states: StateHolder;
  readonly logsPath: string;
}

/** What is known of the node when it listens. */
export interface AuditedNode {
  readonly id: string;
  readonly name: string;
  readonly ip: string;
}

const NO_STATE = emptyClusterState('', '');

export class AuditLog {
  private readonly services: AuditLogServices;
  private readonly log: RollingLog;
  private node: AuditedNode = { id: '', name: '', ip: '' };
  /** What each line tells of the node, for the settings and the cluster that it was made for. */
  private told:
    { readonly settings: FlatSettings; readonly clusterUuid: string; readonly fields: JsonObject } | undefined;
  private written = 0;

  private constructor(services: AuditLogServices, log: RollingLog) {
    this.services = services;
    this.log = log;
  }

  /** Rejects when its file cannot be opened: a node that was to keep a log of who does what does not run without. */
  static async open(services: AuditLogServices): Promise<AuditLog> {
    const { settings, logger, logsPath: directory } = services;
    const { 'logger.file_size': fileSize, 'logger.total_size': totalSize } = settings.values;
    const log = await RollingLog.open({
      directory,
      name: 'quarry_audit',
      what: 'the audit log',
      fileBytesMax: Math.min(fileSize, totalSize),
      fileCountMax: settings.values['logger.file_count'],
      totalBytesMax: totalSize,
      onError: (error) => {
        logger.log('warn', 'an old file of the audit log stays', { reason: error.message });
      },
    });
    return new AuditLog(services, log);
  }

  identify(node: AuditedNode): void {
    this.node = node;
    this.told = undefined;
  }

  figures(): AuditFigures {
    return { written: this.written, lost: this.log.dropped };
  }

  /** An entry whose filters have been asked. */
  take({ fields }: AuditEntry): void {
    this.written++;
    const line = { type: 'audit', timestamp: timestamp(this.services.clock.nowMs()), ...this.nodeFields(), ...fields };
    this.log.write(`${JSON.stringify(line)}\n`);
  }

  close(): Promise<void> {
    return this.log.close();
  }

  private nodeFields(): JsonObject {
    const { states } = this.services;
    const state: ClusterState = states.isKnown ? states.current : NO_STATE;
    const settings = effectiveClusterSettings(state);
    const { clusterUuid } = state;
    if (this.told?.settings !== settings || this.told.clusterUuid !== clusterUuid) {
      this.told = { settings, clusterUuid, fields: this.fieldsBy(settings, clusterUuid) };
    }
    return this.told.fields;
  }

  private fieldsBy(settings: FlatSettings, clusterUuid: string): JsonObject {
    const { auditClusterName, auditClusterUuid, auditNodeName, auditNodeId, auditHostName, auditHostAddress } =
      AuditSettingDefinitions;
    const { id, name, ip } = this.node;
    const members = [
      [auditClusterName, 'cluster.name', this.services.settings.values['cluster.name']],
      [auditClusterUuid, 'cluster.uuid', clusterUuid],
      [auditNodeName, 'node.name', name],
      [auditNodeId, 'node.id', id],
      [auditHostName, 'host.name', hostname()],
      [auditHostAddress, 'host.ip', ip],
    ] as const;
    const shown = members.filter(([definition, , value]) => value !== '' && valueOf(definition, settings) === true);
    return Object.fromEntries(shown.map(([, key, value]) => [key, value]));
  }
}

/** As the reference prints it. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('.', ',').replace('Z', '+0000');
}
