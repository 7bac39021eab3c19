/** Which pipelines the documents of an index go through. */
import { composeBackingIndex, streamTemplate } from '../../cluster/data-streams/stream-templates.js';
import { resolveDateMathName } from '../../cluster/names/date-math-name.js';
import { indexSetting } from '../../cluster/settings/index-values.js';
import type { FlatSettings } from '../../cluster/settings/flat-settings.js';
import type { ClusterState, DataStream } from '../../cluster/state.js';
import { withoutNulls } from '../../cluster/templates/check-template.js';
import { composeFor } from '../../cluster/templates/compose.js';
import { findWriteTarget } from '../documents/write-target.js';

/** No pipeline at all. */
export const NO_PIPELINE = '_none';

export interface IndexPipelines {
  readonly default: string;
  readonly final: string;
}

const NONE: IndexPipelines = { default: NO_PIPELINE, final: NO_PIPELINE };

/** Of an index, of the one that an alias or data stream is written to, or of one that is still to be made. */
export function pipelinesOfIndex(state: ClusterState, expression: string, nowMs: number): IndexPipelines {
  try {
    const target = findWriteTarget(state, expression, nowMs);
    if (target?.stream?.rolloverOnWrite === true) return ofNextIndex(state, target.stream);
    if (target !== undefined) return ofSettings(target.index.settings);
    return ofTemplates(state, resolveDateMathName(expression, nowMs));
  } catch {
    // The write is refused for the same.
    return NONE;
  }
}

function ofSettings(settings: FlatSettings): IndexPipelines {
  const index = { settings };
  return {
    default: indexSetting(index, 'defaultPipeline') ?? NO_PIPELINE,
    final: indexSetting(index, 'finalPipeline') ?? NO_PIPELINE,
  };
}

/** Of the index that the write itself makes. */
function ofNextIndex(state: ClusterState, stream: DataStream): IndexPipelines {
  const { template } = streamTemplate(state, stream.name);
  return ofSettings(withoutNulls(composeBackingIndex(state, template, stream).settings));
}

/** What an index of that name would get. */
function ofTemplates(state: ClusterState, name: string): IndexPipelines {
  if (state.indexTemplates.size === 0 && state.legacyTemplates.size === 0) return NONE;
  return ofSettings(withoutNulls(composeFor(state, name, {}).settings));
}
