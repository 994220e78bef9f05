import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runCall } from './run-call.js';

const callee = { name: 'acme', model: 'm1', address: undefined, secrets: [] };

describe('one vendor call', () => {
  it('[MODEL4] removes its listeners from the signal, however it ends', async () => {
    const { signal } = new AbortController();
    expect(await runCall(callee, signal, async () => 1)).toBe(1);
    const failing = runCall(callee, signal, () => Promise.reject(new TypeError('fetch failed')));
    await expect(failing).rejects.toMatchObject({ kind: 'network' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('[MODEL4] is reported as stopped, whatever the SDK throws when aborted', async () => {
    const controller = new AbortController();
    const asking = runCall(callee, controller.signal, (signal) => {
      controller.abort();
      return signal.aborted ? Promise.reject(new Error('anything')) : Promise.resolve(1);
    });
    await expect(asking).rejects.toMatchObject({ kind: 'aborted', next: 'nobody' });
  });
});
