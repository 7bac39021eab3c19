/** Members of a node's statistics that only some systems tell: of the control group, of devices, of whole file systems. */
import type { NodeFacts } from '../../../actions/nodes/node-facts.js';
import type { JsonObject } from '../../../base/json-value.js';
import type { DeviceTraffic } from '../../../store/device-traffic.js';

const KILOBYTE = 1024;

/** `os.cgroup`; nothing where the system does not say. */
export function cgroupMember({ controlGroup }: NodeFacts): JsonObject {
  if (controlGroup === undefined || controlGroup === null) return {};
  const { cpuAccounting, cpu, memory } = controlGroup;
  return {
    cgroup: {
      cpuacct: { control_group: cpuAccounting.path, usage_nanos: cpuAccounting.usageNanos },
      cpu: {
        control_group: cpu.path,
        cfs_period_micros: cpu.periodMicros,
        cfs_quota_micros: cpu.quotaMicros,
        stat: {
          number_of_elapsed_periods: cpu.elapsedPeriods,
          number_of_times_throttled: cpu.throttledTimes,
          time_throttled_nanos: cpu.throttledNanos,
        },
      },
      // Texts, as in the references: a limit may be `max`.
      memory: { control_group: memory.path, limit_in_bytes: memory.limit, usage_in_bytes: memory.usage },
    },
  };
}

/** Of the file system as a whole: what is kept for the superuser is free, and not available. */
export function fileSystemSizes({ disk }: Pick<NodeFacts, 'disk'>): JsonObject {
  const { totalBytes = 0, availableBytes = 0, whole } = disk ?? {};
  return {
    total_in_bytes: whole?.totalBytes ?? totalBytes,
    free_in_bytes: whole?.freeBytes ?? availableBytes,
    available_in_bytes: availableBytes,
  };
}

/** `fs.io_stats`; nothing where the system does not say. */
export function ioMember({ disk, settings }: NodeFacts): JsonObject {
  const traffic = disk?.traffic ?? undefined;
  if (traffic === undefined) return {};
  const hasTimes = settings.values['compatibility.distribution'] === 'opensearch';
  const figures = ioFigures(traffic, hasTimes);
  // The data lies in one place.
  return { io_stats: { devices: [{ device_name: traffic.device, ...figures }], total: figures } };
}

function ioFigures(traffic: DeviceTraffic, hasTimes: boolean): JsonObject {
  const { reads, readBytes, readMs, writes, writtenBytes, writeMs, busyMs, operationsMs } = traffic;
  return {
    operations: reads + writes,
    read_operations: reads,
    write_operations: writes,
    read_kilobytes: Math.floor(readBytes / KILOBYTE),
    write_kilobytes: Math.floor(writtenBytes / KILOBYTE),
    ...(hasTimes ? { read_time: readMs, write_time: writeMs, queue_size: operationsMs } : {}),
    io_time_in_millis: busyMs,
  };
}
