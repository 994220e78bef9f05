/** All contenders, each in its own process. Those on PostgreSQL get their database from `BENCH_DATABASE`. */
export const CONTENDERS = {
  'ai-sdk': () => import('./ai-sdk.mjs'),
  'ai-sdk-signed': async () => (await import('./ai-sdk.mjs')).signed(),
  'openai-agents': () => import('./openai-agents.mjs'),
  langgraph: () => import('./langgraph.mjs'),
  'langgraph-sqlite': async () =>
    (await import('./langgraph.mjs')).checkpointedIn({
      name: 'LangGraph, SQLite',
      open: (await import('./stores.mjs')).openSqliteSaver,
    }),
  'langgraph-postgres': async () => {
    const { openPostgresSaver } = await import('./stores.mjs');
    return (await import('./langgraph.mjs')).checkpointedIn({
      name: 'LangGraph, PostgreSQL',
      open: () => openPostgresSaver(database()),
    });
  },
  mastra: () => import('./mastra.mjs'),
  'mastra-libsql': async () =>
    (await import('./mastra.mjs')).storedIn({
      name: 'Mastra, LibSQL',
      open: (await import('./stores.mjs')).openLibSql,
    }),
  'mastra-postgres': async () => {
    const { openMastraPostgres } = await import('./stores.mjs');
    return (await import('./mastra.mjs')).storedIn({
      name: 'Mastra, PostgreSQL',
      open: () => openMastraPostgres(database()),
    });
  },
  dbos: async () => (await import('./dbos.mjs')).describe({ name: 'DBOS, PostgreSQL', url: database() }),
  'ours-memory': async () => (await import('./ours.mjs')).describe({ name: 'Countersign, in memory', file: false }),
  'ours-normal': async () =>
    (await import('./ours.mjs')).describe({ name: 'Countersign, SQLite NORMAL', file: true, synchronous: 'NORMAL' }),
  'ours-full': async () =>
    (await import('./ours.mjs')).describe({ name: 'Countersign, SQLite FULL', file: true, synchronous: 'FULL' }),
  'ours-http': async () => (await import('./ours-http.mjs')).describe(),
  'ours-postgres': async () =>
    (await import('./ours-postgres.mjs')).describe({ name: 'Countersign, PostgreSQL', url: database() }),
};
/** Contenders that store nothing, the way most people run them first. */
export const PEERS = ['ai-sdk', 'openai-agents', 'langgraph', 'mastra'];
/** The contenders for each database. All of them store their steps there, except the first two, which show the cost without a store. */
export const GROUNDS = {
  sqlite: ['ai-sdk', 'ai-sdk-signed', 'langgraph-sqlite', 'mastra-libsql', 'ours-normal', 'ours-http'],
  postgres: ['langgraph-postgres', 'mastra-postgres', 'dbos', 'ours-postgres'],
};

function database() {
  const url = process.env['BENCH_DATABASE'];
  if (url === undefined) throw new Error('BENCH_DATABASE is not set');
  return url;
}
