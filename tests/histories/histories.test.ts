import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { REVERSED_FIXES } from '../../scripts/verify/reversed-fixes.mjs';
import { expectServerErrors } from '../support/server-errors.js';
import { root } from '../support/source-modules.js';
import { runSeeds } from './run-seeds.js';

const { HISTORY_SEED: seed, HISTORIES: count } = process.env;
/** `npm run verify` plays 100,000 in a part of its own. */
const SAMPLE = 30;
const LIMIT_MS = 300_000;

it(
  '[CHANGE2] [SIGN1.4] [SIGN1.6] [EXT1.15] [EXT1.16] [CHANGE10.7] [WHO4.2] in random histories, nothing runs without the required signatures',
  async () => {
    // Requests to a process that was killed. All others are violations.
    expectServerErrors(/./);
    const { failure } = await runSeeds(Number(seed ?? 0), Number(count ?? (seed === undefined ? SAMPLE : 1)));
    expect(failure && [failure.repeat, ...failure.lines].join('\n')).toBeUndefined();
  },
  LIMIT_MS,
);

it.each(REVERSED_FIXES.flatMap(({ changes }) => changes))(
  '`npm run histories` can remove a fix in $file',
  ({ file, text }) => {
    expect(readFileSync(join(root, file), 'utf8').split(text)).toHaveLength(2);
  },
);
