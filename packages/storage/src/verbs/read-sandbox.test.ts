import { expect, it } from 'vitest';
import { readSandbox } from './read-sandbox.js';

it('[CALL20] returns the stored sandbox, or an unknown one if it can’t be parsed', () => {
  const sandbox = { kind: 'bubblewrap', network: 'none', hosts: [], readable: ['/opt'] } as const;
  expect(readSandbox(JSON.stringify(sandbox))).toEqual(sandbox);
  for (const bad of ['{"kind":"safe","network":"none","hosts":[],"readable":[]}', '{"kind":"bubblewrap"}', 'null', '{'])
    expect(readSandbox(bad)).toMatchObject({ kind: 'unknown', network: 'unknown' });
});
