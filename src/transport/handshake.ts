/** What two nodes tell each other before anything else. */
import { QuarryError } from '../base/errors.js';

/** A node about itself. */
export interface NodeSelf {
  readonly nodeId: string;
  /** New with each start of its process. */
  readonly ephemeralId: string;
  readonly name: string;
  /** Of its software. */
  readonly version: string;
  readonly roles: readonly string[];
  /** Where other nodes reach it: `host:port`. */
  readonly address: string;
  /** Of the cluster that it belongs to, also while that has no master; null before its first. */
  readonly clusterUuid: string | null;
}

export interface KnownMaster {
  readonly nodeId: string;
  readonly address: string;
}

export interface HandshakeAnswer extends NodeSelf {
  readonly clusterName: string;
  /** It has promised nothing to any cluster: a first one may be begun with it. False while it does not know yet. */
  readonly isFresh: boolean;
  /** The master that it follows (or is) now. */
  readonly master: KnownMaster | null;
  /** Addresses of master-eligible nodes that it knows: of its cluster, or found by its own probing. */
  readonly knownAddresses: readonly string[];
}

/** What a node remembers of others' addresses, and tells. */
export const KNOWN_ADDRESSES_MAX = 1_000;

/** Checks the other side's account of itself and answers with one's own. */
export function answerHandshake(question: unknown, self: HandshakeAnswer): HandshakeAnswer {
  if (!isNodeSelf(question)) {
    throw new QuarryError('transport_serialization_exception', 'the handshake of another node cannot be read');
  }
  return self;
}

export function readHandshakeAnswer(answer: unknown): HandshakeAnswer {
  if (isHandshakeAnswer(answer)) return answer;
  throw new QuarryError('transport_serialization_exception', 'the answer to a handshake cannot be read');
}

function isHandshakeAnswer(value: unknown): value is HandshakeAnswer {
  if (!isNodeSelf(value)) return false;
  const { clusterName, isFresh, master, knownAddresses } = value as unknown as Record<keyof HandshakeAnswer, unknown>;
  return (
    typeof clusterName === 'string' &&
    typeof isFresh === 'boolean' &&
    (master === null || isKnownMaster(master)) &&
    isTextList(knownAddresses) &&
    knownAddresses.length <= KNOWN_ADDRESSES_MAX
  );
}

function isNodeSelf(value: unknown): value is NodeSelf {
  if (typeof value !== 'object' || value === null) return false;
  const { nodeId, ephemeralId, name, version, roles, address, clusterUuid } = value as Record<keyof NodeSelf, unknown>;
  return (
    [nodeId, ephemeralId, name, version, address].every((text) => typeof text === 'string') &&
    isTextList(roles) &&
    (clusterUuid === null || typeof clusterUuid === 'string')
  );
}

function isKnownMaster(value: unknown): value is KnownMaster {
  if (typeof value !== 'object' || value === null) return false;
  const { nodeId, address } = value as Record<keyof KnownMaster, unknown>;
  return typeof nodeId === 'string' && typeof address === 'string';
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
