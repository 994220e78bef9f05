/** Everybody who is measured, each in a process of its own. */
export const CONTENDERS = {
  'ai-sdk': () => import('./ai-sdk.mjs'),
  'openai-agents': () => import('./openai-agents.mjs'),
  langgraph: () => import('./langgraph.mjs'),
  mastra: () => import('./mastra.mjs'),
  'ours-memory': async () => (await import('./ours.mjs')).describe({ name: 'Countersign, in memory', file: false }),
  'ours-normal': async () =>
    (await import('./ours.mjs')).describe({ name: 'Countersign, SQLite NORMAL', file: true, synchronous: 'NORMAL' }),
  'ours-full': async () =>
    (await import('./ours.mjs')).describe({ name: 'Countersign, SQLite FULL', file: true, synchronous: 'FULL' }),
  'ours-http': async () => (await import('./ours-http.mjs')).describe(),
};
export const PEERS = ['ai-sdk', 'openai-agents', 'langgraph', 'mastra'];
