import type { Me } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { ClientError } from './http/client-error.js';
import { readerId } from './reader-id.js';

const ada: Me = { kind: 'person', id: 'p1', name: 'Ada', via: 'terminal', role: 'owner', worldRoles: {}, actions: [] };

it('[LOG1.6] finds out who the reader is', async () => {
  expect(await readerId({ me: async () => ada })).toBe('p1');
});

it('[LOG1.6] is undefined if the server has no such route or is unreachable', async () => {
  const failing = (why: Error) =>
    readerId({
      me: async () => {
        throw why;
      },
    });
  expect(await failing(new ClientError('problem', { status: 404, detail: 'No route matches /me.' }))).toBeUndefined();
  expect(await failing(new ClientError('network', { detail: 'No response.' }))).toBeUndefined();
  await expect(failing(new TypeError('a bug'))).rejects.toThrow('a bug');
});
