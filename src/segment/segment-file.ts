/**
 * What a segment file says of itself. Reads the frame that `native-bindings/segment/src/layout.rs` draws and the
 * FlatBuffer of `schema/segment.fbs`; the sections' contents are the native side's.
 */
import { ByteBuffer } from 'flatbuffers';
import { crc32c } from './crc32c.js';
import { damage, decodeFlatBuffer, required } from './damage.js';
import { FieldKind } from './generated/field-kind.js';
import { SectionKind } from './generated/section-kind.js';
import { SegmentMetadata as MetadataTable } from './generated/segment-metadata.js';
import { StoredCodec } from './generated/stored-codec.js';

const FORMAT_VERSION = 1;
const BLOCK_BYTES = 64;
const CHECKSUM_AT = 52;
const HEADER_MAGIC = 'QRYSEGM\n';
const FOOTER_MAGIC = 'QRYSEND\n';

export interface FieldDescription {
  readonly name: string;
  readonly kind: 'text' | 'term' | 'number';
  readonly freqs: boolean;
  readonly positions: boolean;
  readonly docCount: number;
  readonly termCount: number;
  readonly sumDocFreq: bigint;
  readonly sumTotalTermFreq: bigint;
}

export interface SectionDescription {
  /** As the schema calls it: `Dictionary`, `Norms`, `StoredBlocks`, ... */
  readonly kind: string;
  /** `undefined`: of the segment. */
  readonly field: string | undefined;
  readonly offset: number;
  readonly length: number;
  readonly crc32c: number;
}

export interface SegmentDescription {
  /** `_1b`: the number in base 36. */
  readonly name: string;
  /** Lower-case hexadecimal. */
  readonly uuid: string;
  readonly formatVersion: number;
  readonly maxDoc: number;
  readonly storedCodec: 'default' | 'best_compression';
  readonly minSeqNo: bigint;
  readonly maxSeqNo: bigint;
  readonly fields: readonly FieldDescription[];
  readonly sections: readonly SectionDescription[];
}

/** `bytes` is the whole file; `file` is what errors call it. Verifies header, footer and metadata, not the sections. */
export function readSegmentDescription(bytes: Uint8Array, file: string): SegmentDescription {
  const header = block(bytes, 0, file, 'header', HEADER_MAGIC, 0);
  const version = header.getUint32(8, true);
  if (version !== FORMAT_VERSION) throw damage(file, 'header', `format version ${version} is not ${FORMAT_VERSION}`);
  const footer = block(bytes, bytes.length - BLOCK_BYTES, file, 'footer', FOOTER_MAGIC, 56);
  if (Number(footer.getBigUint64(16, true)) !== bytes.length)
    throw damage(file, 'footer', 'another length of the file');
  const start = Number(footer.getBigUint64(0, true));
  const end = start + Number(footer.getBigUint64(8, true));
  if (start < BLOCK_BYTES || end > bytes.length - BLOCK_BYTES) throw damage(file, 'footer', 'metadata leaves the file');
  const metadata = bytes.subarray(start, end);
  if (crc32c(metadata) !== footer.getUint32(40, true)) throw damage(file, 'metadata', 'checksum does not match');
  return decodeFlatBuffer(file, 'metadata', () => describe(metadata, version));
}

function block(bytes: Uint8Array, at: number, file: string, place: string, magic: string, magicAt: number): DataView {
  if (at < 0 || bytes.length < 2 * BLOCK_BYTES) throw damage(file, place, `file of ${bytes.length} bytes is cut off`);
  const part = bytes.subarray(at, at + BLOCK_BYTES);
  if (Buffer.from(part.subarray(magicAt, magicAt + 8)).toString('latin1') !== magic)
    throw damage(file, place, 'wrong magic');
  const view = new DataView(part.buffer, part.byteOffset, BLOCK_BYTES);
  if (crc32c(part.subarray(0, CHECKSUM_AT)) !== view.getUint32(CHECKSUM_AT, true))
    throw damage(file, place, 'checksum does not match');
  return view;
}

function describe(bytes: Uint8Array, formatVersion: number): SegmentDescription {
  const table = MetadataTable.getRootAsSegmentMetadata(new ByteBuffer(bytes));
  const fields = Array.from({ length: table.fieldsLength() }, (_, place) => describeField(table, place));
  return {
    name: `_${table.number().toString(36)}`,
    uuid: Buffer.from(required(table.uuidArray(), 'uuid')).toString('hex'),
    formatVersion,
    maxDoc: table.maxDoc(),
    storedCodec: table.storedCodec() === StoredCodec.Zstd ? 'best_compression' : 'default',
    minSeqNo: table.minSeqNo(),
    maxSeqNo: table.maxSeqNo(),
    fields,
    sections: Array.from({ length: table.sectionsLength() }, (_, place) => describeSection(table, place, fields)),
  };
}

function describeField(table: MetadataTable, place: number): FieldDescription {
  const field = required(table.fields(place), `field ${place}`);
  return {
    name: required(field.name(), `name of field ${place}`),
    kind: fieldKind(field.kind()),
    freqs: field.freqs(),
    positions: field.positions(),
    docCount: field.docCount(),
    termCount: field.termCount(),
    sumDocFreq: field.sumDocFreq(),
    sumTotalTermFreq: field.sumTotalTermFreq(),
  };
}

function fieldKind(kind: number): FieldDescription['kind'] {
  if (kind === FieldKind.Text) return 'text';
  if (kind === FieldKind.Term) return 'term';
  if (kind === FieldKind.Number) return 'number';
  throw new Error(`unknown field kind ${kind}`);
}

function describeSection(table: MetadataTable, place: number, fields: readonly FieldDescription[]): SectionDescription {
  const section = required(table.sections(place), `section ${place}`);
  const kind = Object.entries(SectionKind).find(([, code]) => code === section.kind());
  if (kind === undefined) throw new Error(`unknown section kind ${section.kind()}`);
  return {
    kind: kind[0],
    field: fields[section.field()]?.name,
    offset: Number(section.offset()),
    length: Number(section.length()),
    crc32c: section.crc32c(),
  };
}
