import { providerTestSchema } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { problemOf } from './test-problem.js';

it('[WORLD13.2] a failed test is explained at the field that fixes it', () => {
  const places = providerTestSchema.shape.code.options.map((code) => {
    const problem = problemOf({ ok: code === 'ok', code, detail: 'words', ms: 1 });
    return problem === undefined ? `${code}: none` : `${code}: ${problem.field ?? ''}${problem.mayPass ? '?' : ''}`;
  });
  expect(places.toSorted()).toEqual([
    'failed: ?',
    'model-needed: model',
    'no-credit: ?',
    'no-key: apiKey',
    'no-network: baseUrl?',
    'ok: none',
    'overloaded: ?',
    'rate-limited: ?',
    'timeout: ?',
    'unknown-model: model?',
    'wrong-address: baseUrl',
    'wrong-key: apiKey',
  ]);
});
