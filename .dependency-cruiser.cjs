/** The rooms of src/ from top to bottom: a room may import itself and the rooms below it, nothing above. */
const rooms = [
  ['console'],
  ['cli'],
  ['node'],
  ['http'],
  ['rest'],
  ['actions'],
  ['coordinator'],
  ['workers'],
  ['transport'],
  ['ingest'],
  ['cluster'],
  ['shard'],
  ['search'],
  ['mapping', 'analysis'],
  ['segment'],
  ['repositories'],
  ['store'],
  ['native'],
  ['base'],
];

const upward = rooms.slice(1).map((names, index) => ({
  name: `${names.join('-')}-looks-down`,
  comment: 'Imports go downward in the list of rooms (ARCHITECTURE.md).',
  severity: 'error',
  from: { path: `^src/(${names.join('|')})/` },
  to: {
    path: `^src/(${rooms
      .slice(0, index + 1)
      .flat()
      .join('|')})/`,
  },
}));

const only = (name, room, target) => ({
  name,
  severity: 'error',
  from: { path: '^src/', pathNot: `^src/(${room})/` },
  to: { path: target },
});

module.exports = {
  forbidden: [
    ...upward,
    {
      name: 'console-stands-alone',
      comment: 'What runs in a browser knows the node by its API only.',
      severity: 'error',
      from: { path: '^src/console/' },
      to: { path: '^src/(?!console/)|^(node:)' },
    },
    only('only-http-and-transport-import-uwebsockets', 'http|transport', 'uWebSockets\\.js|uws-pack'),
    only('only-transport-imports-undici', 'transport', 'node_modules/undici'),
    only('only-workers-imports-piscina', 'workers', 'node_modules/piscina|^(node:)?worker_threads$'),
    only('only-stores-and-setup-import-fs', 'store|repositories|setup|base|native|cli', '^(node:)?fs(/promises)?$'),
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-orphan-rooms',
      severity: 'error',
      from: { path: '^src/(?!setup)', pathNot: `^src/(${rooms.flat().join('|')})/` },
      to: {},
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/setup' },
  },
};
