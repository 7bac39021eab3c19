/** What an index is and cannot become another: refused by name where it is to be changed or left out. */
export const FIXED_SETTINGS = [
  'index.number_of_shards',
  'index.version.created',
  'index.uuid',
  'index.creation_date',
  'index.number_of_routing_shards',
  'index.routing_partition_size',
];
