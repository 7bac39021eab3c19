/** The native add-on exactly as it exports itself: what `native-bindings/binding` defines. Used in this room only. */

export interface RawSplitBulk {
  readonly indexNames: string[];
  readonly descriptors: Uint32Array;
  readonly strings: Uint8Array;
  readonly requiresAlias: boolean;
}

export interface RawShardGroup {
  readonly target: number;
  readonly shard: number;
  readonly places: Uint32Array;
}

export interface RawBulkOutcome {
  readonly processed: number;
  readonly items: Uint8Array;
  readonly ends: Uint32Array;
  readonly statuses: Uint16Array;
  readonly failed: number;
  /** JSON; absent when the mapping knew every field. */
  readonly unmapped?: string;
  /** JSON; absent when every stored query had a plan. */
  readonly unplanned?: string;
  readonly location: number;
  readonly maxSeqNo: number;
  /** Absent when nothing was slow. */
  readonly slow?: Uint32Array;
}

export interface RawGetResult {
  readonly found: boolean;
  readonly body: Uint8Array;
}

export interface RawSearchResult {
  readonly hits: Uint8Array;
  readonly aggregations?: Uint8Array;
  readonly profile?: Uint8Array;
  readonly timedOut: boolean;
  readonly terminatedEarly?: boolean;
  readonly hasLookups?: boolean;
}

export interface RawCountResult {
  readonly count: number;
  readonly terminatedEarly: boolean;
}

export interface RawSearcher {
  release(): void;
  execute(
    plan: Uint8Array,
    cacheKey: string | undefined,
    cancelled: Int32Array,
    mayLast: boolean,
  ): RawSearchResult | null;
  executeLater(plan: Uint8Array, cacheKey: string | undefined, flag: RawFlag): Promise<RawSearchResult> | null;
  canMatch(plan: Uint8Array): boolean;
  termVectors(source: Uint8Array, plan: Uint8Array): Uint8Array;
  count(plan: Uint8Array, cancelled: Int32Array, mayLast: boolean): RawCountResult | null;
  countLater(plan: Uint8Array, flag: RawFlag): Promise<RawCountResult> | null;
  countGroups(names: readonly string[], isFetch: boolean, timeMs: number): void;
  countFailure(isFetch: boolean): void;
  diskUsage(): string;
  greatest(field: string): number | null;
  explain(plan: Uint8Array): { readonly matched: boolean; readonly explanation: Uint8Array } | null;
  describe(plan: Uint8Array): string;
  statistics(plan: Uint8Array, cancelled: Int32Array, mayLast: boolean): Uint8Array | null;
  statisticsLater(plan: Uint8Array, flag: RawFlag): Promise<Uint8Array> | null;
  suggest(plan: Uint8Array, cancelled: Int32Array, mayLast: boolean): Uint8Array | null;
  suggestLater(plan: Uint8Array, flag: RawFlag): Promise<Uint8Array> | null;
  clearFieldData(): void;
  queryPhase(
    plan: Uint8Array,
    cacheKey: string | undefined,
    cursor: Uint8Array | undefined,
    cancelled: Int32Array,
    mayLast: boolean,
  ): Uint8Array | null;
  queryPhaseLater(
    plan: Uint8Array,
    cacheKey: string | undefined,
    cursor: Uint8Array | undefined,
    flag: RawFlag,
  ): Promise<Uint8Array> | null;
  fetchPhase(plan: Uint8Array, fetchList: Uint8Array, cancelled: Int32Array, mayLast: boolean): Uint8Array | null;
  fetchPhaseLater(plan: Uint8Array, fetchList: Uint8Array, flag: RawFlag): Promise<Uint8Array> | null;
}

export interface RawFlag {
  raise(): void;
}

export interface RawPublished {
  searcher(): RawSearcher | null;
  get(id: string, options: string, isNear: boolean, bodyBytesMax: number | undefined): RawGetResult | null;
  getAll(ids: string[], options: string[], isNear: boolean): RawGetResult[] | null;
  isClosed(): boolean;
}

export interface RawSearchThreads {
  readonly size: number;
  readonly queueSize: number;
  readonly active: number;
  readonly queued: number;
  readonly largest: number;
  readonly completed: number;
  readonly refused: number;
  readonly helped: number;
}

export interface RawReducer {
  add(results: Uint8Array[]): void;
  finish(): RawReduced;
  release(): void;
}

export interface RawReduced {
  fetchList(shard: number): Uint8Array;
  groups(): string;
  render(fetched: Uint8Array[], members: Uint8Array[]): RawSearchResult;
  release(): void;
}

/** Scripts outside a shard; all texts but a source are JSON. */
export interface RawScripts {
  configureScripts(settings: string): void;
  setStoredScripts(scripts: string): void;
  compileScript(lang: string, source: string, context: string, isInline: boolean): void;
  executeScript(script: string): string;
  runScripts(script: string, context: string, documents: readonly string[], cancelled: Int32Array): RawScriptOutcome[];
  scriptContexts(): string;
  grokPatterns(): string;
  scriptStatistics(): string;
}

/** One of the three. */
export interface RawScriptOutcome {
  readonly ctx?: string;
  readonly answer?: boolean;
  readonly error?: string;
}

export interface RawShard {
  linkCommit(into: string, maxSeqNo: number): void;
  updateMapping(mapping: string): void;
  updateSettings(settings: string): void;
  addQueryPlans(plans: string): void;
  forgetFetchedPlans(): void;
  bulk(
    body: Uint8Array,
    descriptors: Uint32Array,
    strings: Uint8Array,
    selection: Uint32Array,
    from: number,
    nowMs: number,
    forcedRefresh: boolean,
    bare: boolean,
  ): RawBulkOutcome;
  fieldsTaken(
    mapping: string,
    body: Uint8Array,
    descriptors: Uint32Array,
    strings: Uint8Array,
    selection: Uint32Array,
    from: number,
  ): string;
  synced(location: number): Promise<void>;
  sync(): Promise<void>;
  get(id: string, options: string): RawGetResult;
  refresh(nowMs: number): boolean;
  beginRefresh(nowMs: number): number;
  built(nowMs: number): Promise<boolean>;
  isDirty(): boolean;
  failure(): string | null;
  indexingBytes(): number;
  releaseMemory(): void;
  needsFlush(): boolean;
  flush(force: boolean, nowMs: number): Promise<boolean>;
  searcher(): RawSearcher;
  takeSearched(): boolean;
  setIdle(isIdle: boolean): void;
  clearRequestCache(): void;
  adoptFile(name: string): Promise<void>;
  endAdoption(): void;
  beginMerge(segments: string[]): Uint8Array;
  finishMerge(outcome: Uint8Array): void;
  abortMerge(job: Uint8Array): void;
  segments(): string;
  stats(): string;
  operationsInMemory(seqNo: number, maxBytes: number): RawOperations | null;
  operationsFromDisk(seqNo: number, maxBytes: number): Promise<RawOperations>;
  retainFrom(seqNo: number, maxBytes: number): void;
  checkpoints(): RawCheckpoints;
  setGlobalCheckpoint(seqNo: number): void;
  advancePrimaryTerm(primaryTerm: number): void;
  terms(): string;
  historyUuid(): string;
  segmentSet(): RawSegmentSet;
  contentChecksum(): Promise<RawContentChecksum>;
  close(): Promise<void>;
}

export interface RawOperations {
  readonly bytes: Uint8Array;
  readonly lastSeqNo: number;
}

export interface RawCheckpoints {
  readonly maxSeqNo: number;
  readonly localCheckpoint: number;
  readonly persistedCheckpoint: number;
  readonly globalCheckpoint: number;
  readonly historyStart: number;
  readonly primaryTerm: number;
  readonly searchableCheckpoint: number;
  readonly refreshGeneration: number;
}

export interface RawContentChecksum {
  readonly documents: number;
  readonly checksum: string;
}

export interface RawSegmentSet {
  descriptor(): Uint8Array;
  files(): string;
  checkpoint(): number;
  refreshGeneration(): number;
  historyUuid(): string;
  partChecksums(file: string): Uint8Array;
  read(file: string, offset: number, length: number): Promise<Uint8Array>;
  readProved(file: string, offset: number, length: number, partBytes: number): Promise<Uint8Array>;
  copyProved(
    file: string,
    offset: number,
    length: number,
    partBytes: number,
    target: { readonly path: string; readonly at: number },
  ): Promise<number>;
}

export interface RawFileCheck {
  update(bytes: Uint8Array): Promise<void>;
  finish(): void;
  partChecksums(): Uint8Array;
}

export interface RawBlockRequest {
  readonly number: number;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

export interface RawBlocks {
  next(): Promise<RawBlockRequest | null>;
  answer(number: number, bytes: Uint8Array): void;
  fail(number: number, reason: string, isDamage: boolean): void;
  takeMissing(bytes: number): { readonly file: string; readonly offset: number; readonly length: number } | null;
  supply(file: string, offset: number, bytes: Uint8Array): Promise<void>;
  leave(file: string, offset: number, length: number): void;
  isComplete(file: string): boolean;
  close(): void;
  clear(): void;
  figures(): string;
}

export interface RawAppended {
  readonly location: number;
  readonly maxSeqNo: number;
}

export interface RawReplica {
  linkCommit(into: string, maxSeqNo: number): void;
  updateMapping(mapping: string): void;
  updateSettings(settings: string): void;
  append(bytes: Uint8Array, primaryTerm: number, globalCheckpoint: number): RawAppended;
  synced(location: number): Promise<void>;
  sync(): Promise<void>;
  retainFrom(seqNo: number, maxBytes: number): void;
  setGlobalCheckpoint(seqNo: number): void;
  checkpoints(): RawCheckpoints;
  missingFiles(descriptor: Uint8Array): string;
  writeFile(name: string, offset: number, bytes: Uint8Array): Promise<void>;
  finishFile(name: string): Promise<void>;
  abandonFiles(): void;
  install(descriptor: Uint8Array, mode: string): Promise<boolean>;
  needsFlush(): boolean;
  flush(force: boolean): Promise<boolean>;
  commonSeqNo(terms: string, maxSeqNo: number): number;
  rollbackAbove(seqNo: number, primaryTerm: number): Promise<void>;
  storeDescription(): string;
  searcher(): RawSearcher;
  clearRequestCache(): void;
  segments(): string;
  stats(): string;
  failure(): string | null;
  contentChecksum(): Promise<RawContentChecksum>;
  close(): Promise<void>;
}

export interface RawMerge {
  run(): Promise<Uint8Array>;
  cancel(): void;
  setThrottle(bytesPerSecond: number): void;
}

export interface RawRaftMessage {
  readonly to: string;
  readonly bytes: Uint8Array;
  readonly isSnapshot: boolean;
}

export interface RawRaftReady {
  readonly messages: RawRaftMessage[];
  readonly mustSync: boolean;
}

export interface RawRaftEntry {
  readonly index: number;
  readonly term: number;
  readonly data: Uint8Array;
}

export interface RawRaftState {
  readonly role: string;
  readonly leader?: string;
  readonly term: number;
  readonly commit: number;
  readonly applied: number;
  readonly snapshotIndex: number;
  readonly logEntries: number;
  readonly fileBytes: number;
  readonly wantsSnapshot: boolean;
}

export interface RawRaftMembership {
  readonly voters: string[];
  readonly learners: string[];
  readonly outgoingVoters: string[];
}

export interface RawRaftPersisted {
  readonly messages: RawRaftMessage[];
  readonly snapshot?: RawRaftEntry;
  readonly committed: RawRaftEntry[];
  readonly membership?: RawRaftMembership;
  readonly barriers: { readonly number: number; readonly index: number }[];
  readonly state: RawRaftState;
}

export interface RawRaftProposed {
  readonly outcome: string;
  readonly index: number;
  readonly term: number;
}

export interface RawRaft {
  takeRecovered(): RawRaftEntry | null;
  tick(): void;
  step(message: Uint8Array): void;
  propose(data: Uint8Array): RawRaftProposed;
  proposeMembership(voters: string[], learners: string[]): RawRaftProposed;
  campaign(): void;
  transferLeader(to: string): void;
  reportUnreachable(id: string): void;
  reportSnapshot(id: string, hasArrived: boolean): void;
  readBarrier(number: number): boolean;
  ready(): RawRaftReady | null;
  persist(): RawRaftPersisted;
  persistInBackground(): Promise<RawRaftPersisted>;
  compact(index: number, data: Uint8Array): Promise<void>;
  compactHere(index: number, data: Uint8Array): void;
  state(): RawRaftState;
  membership(): RawRaftMembership;
  status(): string;
  close(): void;
}

export interface RawSimulatedDisk {
  hasMember(): boolean;
  failAt(operation: number | undefined): void;
  setFull(isFull: boolean): void;
  losePower(): void;
  open(options: string): RawRaft;
}

export interface RawAddon extends RawScripts {
  processorFeatures(): string[];
  NativeShard: {
    create(options: string, mapping: string, analysis: string): Promise<RawShard>;
    open(options: string, mapping: string, analysis: string): Promise<RawShard>;
    createOfParts(options: string, mapping: string, analysis: string, parts: string): Promise<RawShard>;
  };
  NativeReplica: {
    create(options: string, mapping: string, analysis: string, historyUuid: string): Promise<RawReplica>;
    open(options: string, mapping: string, analysis: string): Promise<RawReplica>;
  };
  NativeBlocks: {
    open(directory: string, files: string, checksums: readonly Uint8Array[], isCopied: boolean): RawBlocks;
  };
  configureBlocks(path: string, bytes: number, regionBytes: number): void;
  blockFigures(): string | null;
  fetchBlocks(reason: string): Promise<void> | null;
  NativeFlag: new () => RawFlag;
  NativeReducer: new (plan: Uint8Array) => RawReducer;
  publishedCopy(directory: string): RawPublished | null;
  configureSearches(requestCacheBytes: number, threads: number, queue: number, slices: number): void;
  setMemoryLimits(fielddata: number, parent: number, parentIsReal: boolean): void;
  searchThreads(): RawSearchThreads;
  NativeMerge: new (job: Uint8Array) => RawMerge;
  NativeRaft: {
    exists(directory: string): boolean;
    check(directory: string): void;
    open(options: string): Promise<RawRaft>;
  };
  NativeFileCheck: {
    create(uuid: string, checksum: number, end: Uint8Array, fileLength: number, partBytes: number): RawFileCheck;
  };
  fileEndLength(footer: Uint8Array, fileLength: number): number;
  NativeSimulatedDisk: new (seed: number) => RawSimulatedDisk;
  mentionsPipelines(body: Uint8Array): boolean;
  splitBulk(body: Uint8Array, options: string, idSeed: Uint8Array): RawSplitBulk;
  validateItems(descriptors: Uint32Array, strings: Uint8Array): void;
  groupItems(
    descriptors: Uint32Array,
    strings: Uint8Array,
    names: string,
    targets: string,
    excluded: Uint32Array,
  ): RawShardGroup[];
  joinItems(items: Uint8Array[], ends: Uint32Array[], places: Uint32Array[], total: number): Uint8Array;
  shardOf(routing: string, id: string, shards: number, routingShards: number, partitionSize: number): number;
  murmur3(text: string): number;
  mergeStatistics(shards: Uint8Array[]): string;
  wantedLookups(hits: Uint8Array): string;
  resolveLookups(hits: Uint8Array, answers: Uint8Array[]): Uint8Array;
  advanceCursor(result: Uint8Array, before: Uint8Array | undefined, fetchList: Uint8Array): Uint8Array;
  analyze(
    analysis: string | undefined,
    request: string,
    maxTokens: number,
    shingle: { readonly size: number; readonly prefixes: boolean } | undefined,
    fieldGap: number | undefined,
  ): Uint8Array;
  validateAnalysis(analysis: string): void;
  checkSimilarity(similarity: string): void;
  hasAnalyzer(analysis: string, name: string, normalizer: boolean): boolean;
  check(directory: string): string;
  removeShardDirectory(directory: string): Promise<void>;
}
