import { expect, it } from 'vitest';
import { explainMissing } from './explain-missing.js';

const failed = (): Promise<never> => Promise.reject(new Error('Cannot find package'));
const installed =
  (...names: string[]) =>
  (name: string): string => {
    if (!names.includes(name)) throw new Error(`Cannot find module '${name}'`);
    return name;
  };

it('[STORE4.3] names the command that installs the missing packages', async () => {
  await expect(explainMissing(failed(), installed())).rejects.toMatchObject({
    code: 'invalid',
    message:
      "PostgreSQL needs pg and graphile-worker, which aren't installed. Run: npm install countersign pg@8 graphile-worker@0.17",
  });
  await expect(explainMissing(failed(), installed('pg'))).rejects.toThrow(
    "PostgreSQL needs graphile-worker, which isn't installed. Run: npm install countersign graphile-worker@0.17",
  );
});

it('keeps any other error', async () => {
  await expect(explainMissing(failed(), installed('pg', 'graphile-worker'))).rejects.toThrow('Cannot find package');
  await expect(explainMissing(failed())).rejects.toThrow('Cannot find package');
});

it('returns the loaded package', async () => {
  await expect(explainMissing(Promise.resolve('loaded'), installed())).resolves.toBe('loaded');
});
