/**
 * Which segments to merge: a pure choice from sizes and deletions.
 *
 * The tiered policy is Lucene's (`TieredMergePolicy`): an index may hold about `segmentsPerTier` segments of each size tier;
 * above that, the candidate with the best score is merged: small skew, small total, many deletions reclaimed. Sizes are
 * reduced by the share of deleted documents, since those do not survive a merge.
 */

export interface MergeSegment {
  readonly name: string;
  readonly bytes: number;
  /** Live ones. */
  readonly documents: number;
  readonly deleted: number;
}

export interface MergePolicy {
  /** Smaller segments count as this big, so that tiny ones are merged together. */
  readonly floorSegmentBytes: number;
  readonly maxMergedSegmentBytes: number;
  readonly segmentsPerTier: number;
  readonly maxMergeAtOnce: number;
  /** Share of deleted documents in the index, in percent, above which merges reclaim them. */
  readonly deletesPctAllowed: number;
  /** `only_expunge_deletes` leaves segments with at most this share of deletions alone. */
  readonly expungeDeletesAllowedPct: number;
}

/** Names of segments to merge into one; a single name rewrites a segment without its deletions. */
export type Merge = readonly string[];

interface Sized extends MergeSegment {
  readonly liveBytes: number;
}

/** Merges that keep the index in shape. `merging` names segments that running merges hold. */
export function findMerges(
  segments: readonly MergeSegment[],
  merging: ReadonlySet<string>,
  policy: MergePolicy,
): readonly Merge[] {
  const all = bySize(segments);
  const documents = sum(all, (segment) => segment.documents + segment.deleted);
  const deletedPct = percent(
    sum(all, ({ deleted }) => deleted),
    documents,
  );
  const tooBig = (segment: Sized): boolean =>
    segment.liveBytes > policy.maxMergedSegmentBytes / 2 &&
    (deletedPct <= policy.deletesPctAllowed || deletedPctOf(segment) <= policy.deletesPctAllowed);
  let eligible = all.filter((segment) => !merging.has(segment.name) && !tooBig(segment));
  const allowedSegments = allowedSegmentCount(eligible, policy);
  const allowedDeleted = (policy.deletesPctAllowed / 100) * documents;
  let remainingDeleted = sum(eligible, ({ deleted }) => deleted);
  let largeMergeRuns =
    sum(
      all.filter(({ name }) => merging.has(name)),
      ({ liveBytes }) => liveBytes,
    ) >= policy.maxMergedSegmentBytes;
  const merges: Merge[] = [];
  while (eligible.length > allowedSegments || remainingDeleted > allowedDeleted) {
    const best = bestCandidate(eligible, policy, largeMergeRuns);
    if (best === undefined) break;
    merges.push(best.segments.map(({ name }) => name));
    const taken = new Set(best.segments);
    eligible = eligible.filter((segment) => !taken.has(segment));
    remainingDeleted -= sum(best.segments, ({ deleted }) => deleted);
    largeMergeRuns ||= best.isLarge;
  }
  return merges;
}

/**
 * Merges that bring the index down to `maxSegments` (or a few more where that would need segments far above the maximum
 * size; one segment is always reached), and reclaim all deletions of what they touch.
 */
export function findForcedMerges(
  segments: readonly MergeSegment[],
  merging: ReadonlySet<string>,
  maxSegments: number,
  policy: MergePolicy,
): readonly Merge[] {
  const free = bySize(segments).filter(({ name }) => !merging.has(name));
  const targetBytes = forcedTargetBytes(free, maxSegments, policy);
  const mergeable = free.filter(({ liveBytes, deleted }) => deleted > 0 || liveBytes < targetBytes);
  let resulting = mergeable.length;
  const wanted = Math.max(1, maxSegments - (free.length - mergeable.length));
  const merges: Merge[] = [];
  const smallestFirst = mergeable.toReversed();
  for (let next = 0; next < smallestFirst.length && resulting > wanted;) {
    const bin: Sized[] = [];
    let bytes = 0;
    for (let candidate = smallestFirst[next]; candidate !== undefined; candidate = smallestFirst[next]) {
      if (bin.length >= 2 && (bytes + candidate.liveBytes > targetBytes || resulting <= wanted)) break;
      if (bin.length > 0) resulting--;
      bin.push(candidate);
      bytes += candidate.liveBytes;
      next++;
      if (resulting <= wanted) break;
    }
    if (bin.length > 1) merges.push(bin.map(({ name }) => name));
  }
  if (maxSegments === 1 && merges.length === 0) {
    // One segment is left: it is rewritten only for its deletions.
    return free.length === 1 && (free[0]?.deleted ?? 0) > 0 ? [free.map(({ name }) => name)] : [];
  }
  return merges;
}

/** How far over an even share a segment may go, so that the count can be reached with segments of uneven size. */
const UNEVEN_SIZE_ALLOWANCE = 1.25;

function forcedTargetBytes(segments: readonly Sized[], maxSegments: number, policy: MergePolicy): number {
  if (maxSegments === 1) return Infinity;
  const share = sum(segments, ({ liveBytes }) => liveBytes) / maxSegments;
  return Math.max(share * UNEVEN_SIZE_ALLOWANCE, policy.maxMergedSegmentBytes);
}

/** Merges that reclaim the space of deleted documents, segments of few deletions left alone. */
export function findExpungeMerges(
  segments: readonly MergeSegment[],
  merging: ReadonlySet<string>,
  policy: MergePolicy,
): readonly Merge[] {
  const eligible = bySize(segments).filter(
    (segment) => !merging.has(segment.name) && deletedPctOf(segment) > policy.expungeDeletesAllowedPct,
  );
  const merges: Merge[] = [];
  let bin: string[] = [];
  let bytes = 0;
  for (const { name, liveBytes } of eligible) {
    if (bin.length > 0 && bytes + liveBytes > policy.maxMergedSegmentBytes) {
      merges.push(bin);
      bin = [];
      bytes = 0;
    }
    bin.push(name);
    bytes += liveBytes;
  }
  if (bin.length > 0) merges.push(bin);
  return merges;
}

/** Segments of each tier, from the smallest size up, until the bytes are used up. */
function allowedSegmentCount(segments: readonly Sized[], policy: MergePolicy): number {
  const { segmentsPerTier, maxMergeAtOnce, maxMergedSegmentBytes, floorSegmentBytes } = policy;
  const smallest = segments[segments.length - 1]?.liveBytes ?? 0;
  const growth = Math.min(segmentsPerTier, maxMergeAtOnce);
  let tierBytes = Math.min(Math.max(smallest, floorSegmentBytes), maxMergedSegmentBytes);
  let bytesLeft = sum(segments, ({ liveBytes }) => liveBytes);
  let allowed = 0;
  for (;;) {
    const inTier = bytesLeft / tierBytes;
    if (inTier < segmentsPerTier || tierBytes >= maxMergedSegmentBytes) {
      allowed += Math.ceil(inTier);
      return Math.max(allowed, segmentsPerTier);
    }
    allowed += segmentsPerTier;
    bytesLeft -= segmentsPerTier * tierBytes;
    tierBytes = Math.min(maxMergedSegmentBytes, tierBytes * growth);
  }
}

interface Candidate {
  readonly segments: readonly Sized[];
  readonly score: number;
  /** Adding more would have gone over the maximum size. */
  readonly isLarge: boolean;
}

function bestCandidate(
  eligible: readonly Sized[],
  policy: MergePolicy,
  largeMergeRuns: boolean,
): Candidate | undefined {
  let best: Candidate | undefined;
  for (let first = 0; first < eligible.length; first++) {
    const candidate = candidateFrom(eligible, first, policy);
    if (candidate === undefined || (candidate.isLarge && largeMergeRuns)) continue;
    if (best === undefined || candidate.score < best.score) best = candidate;
  }
  return best;
}

function candidateFrom(eligible: readonly Sized[], first: number, policy: MergePolicy): Candidate | undefined {
  const segments: Sized[] = [];
  let bytes = 0;
  let isLarge = false;
  for (let at = first; at < eligible.length && segments.length < policy.maxMergeAtOnce; at++) {
    const segment = eligible[at];
    if (segment === undefined || bytes >= policy.maxMergedSegmentBytes) break;
    if (bytes + segment.liveBytes > policy.maxMergedSegmentBytes) {
      isLarge = true;
      // Smaller ones further on may still fit; one that alone is too large is worth rewriting for its deletions.
      if (segments.length > 0) continue;
    }
    segments.push(segment);
    bytes += segment.liveBytes;
  }
  const [largest] = segments;
  if (largest === undefined) return undefined;
  if (segments.length === 1 && deletedPctOf(largest) <= policy.deletesPctAllowed) return undefined;
  return { segments, score: scoreOf(segments, isLarge, policy), isLarge };
}

const SIZE_EXPONENT = 0.05;
const RECLAIM_EXPONENT = 2;

/** Smaller is better. */
function scoreOf(segments: readonly Sized[], isLarge: boolean, policy: MergePolicy): number {
  const floored = (segment: Sized | undefined): number => Math.max(segment?.liveBytes ?? 0, policy.floorSegmentBytes);
  const liveBytes = sum(segments, (segment) => segment.liveBytes);
  const skew = isLarge
    ? 1 / Math.min(policy.maxMergeAtOnce, policy.segmentsPerTier)
    : floored(segments[0]) / sum(segments, floored);
  const survivingShare =
    liveBytes /
    Math.max(
      1,
      sum(segments, ({ bytes }) => bytes),
    );
  return skew * Math.max(1, liveBytes) ** SIZE_EXPONENT * survivingShare ** RECLAIM_EXPONENT;
}

/** Largest first; equal sizes by name, so that the choice is always the same. */
function bySize(segments: readonly MergeSegment[]): readonly Sized[] {
  return segments
    .map((segment) => ({ ...segment, liveBytes: segment.bytes * (1 - deletedPctOf(segment) / 100) }))
    .sort((left, right) => right.liveBytes - left.liveBytes || (left.name < right.name ? -1 : 1));
}

function deletedPctOf({ documents, deleted }: MergeSegment): number {
  return percent(deleted, documents + deleted);
}

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function sum<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((total, item) => total + amount(item), 0);
}
