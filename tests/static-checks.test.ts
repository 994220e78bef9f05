import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { STATIC_CHECKS } from './support/static-checks-global-setup.js';

/** The checks use all cores, so they take several times as long while other tests run. */
const LIMIT_MS = 600_000;

// Each check is a test, so that a type error or a floating promise is reported like any other failure.
it.each(Object.keys(STATIC_CHECKS))(
  'the static check "%s" finds nothing',
  async (name) => {
    const file = join(inject('staticChecks'), name);
    await expect.poll(() => existsSync(file), { timeout: LIMIT_MS, interval: 500 }).toBe(true);
    expect(readFileSync(file, 'utf8')).toBe('');
  },
  LIMIT_MS,
);
