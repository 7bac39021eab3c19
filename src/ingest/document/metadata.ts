/** What of a document is not its source: under these names pipelines read and change it. */
export const METADATA = [
  ...(['_index', '_id', '_routing', '_version', '_version_type', '_op_type'] as const),
  ...(['_if_seq_no', '_if_primary_term', '_dynamic_templates', '_type'] as const),
];

export function isMetadata(name: string): boolean {
  return (METADATA as readonly string[]).includes(name);
}
