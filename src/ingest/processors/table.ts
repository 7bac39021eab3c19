/** Every type of processor. A new one is added here and nowhere else. */
import type { ProcessorType } from '../processor.js';
import { community } from './community-id.js';
import { drop, fail, foreach, pipeline } from './control.js';
import { convert } from './convert.js';
import { copy } from './copy.js';
import { csv } from './csv.js';
import { date, dateIndexName } from './date.js';
import { dissect } from './dissect.js';
import { dotExpander } from './dot-expander.js';
import { fingerprint } from './fingerprint.js';
import { grok } from './grok.js';
import { gsub } from './gsub.js';
import { htmlStrip } from './html-strip.js';
import { json } from './json.js';
import { kv } from './kv.js';
import { append, join, sort, split } from './lists.js';
import { networkDirection } from './network-direction.js';
import { registeredDomain } from './registered-domain.js';
import { redact } from './redact.js';
import { reroute } from './reroute.js';
import { remove, removeByPattern } from './remove.js';
import { rename } from './rename.js';
import { script } from './script.js';
import { set } from './set.js';
import { bytes, lowercase, trim, uppercase, urlDecode } from './simple-texts.js';
import { uriParts } from './uri-parts.js';
import { userAgent } from './user-agent.js';

export const PROCESSOR_TYPES: ReadonlyMap<string, ProcessorType> = new Map(
  [
    ...[
      append,
      bytes,
      community,
      convert,
      copy,
      csv,
      date,
      dateIndexName,
      dissect,
      dotExpander,
      drop,
      fail,
      fingerprint,
    ],
    ...[
      foreach,
      grok,
      gsub,
      htmlStrip,
      join,
      json,
      kv,
      lowercase,
      networkDirection,
      pipeline,
      registeredDomain,
      remove,
    ],
    ...[
      redact,
      removeByPattern,
      rename,
      reroute,
      script,
      set,
      sort,
      split,
      trim,
      uppercase,
      uriParts,
      urlDecode,
      userAgent,
    ],
  ].map((type) => [type.type, type] as const),
);
