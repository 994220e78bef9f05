// The long version of the soak test: a thousand turns over four processes, with one killed every second and one frozen
// for half a minute. Sizes can be set in the environment, as in SOAK_TURNS=200 npm run soak.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [
    vitest,
    'run',
    'tests/many-processes/postgres-soak.test.ts',
    'tests/many-processes/postgres-failures.test.ts',
    '--no-file-parallelism',
  ],
  {
    stdio: 'inherit',
    env: {
      RUNS_FACTOR: '1',
      SOAK_TURNS: '1000',
      SOAK_CHATS: '50',
      SOAK_SERVERS: '4',
      SOAK_KILL_MS: '1000',
      SOAK_LIMIT_MS: '3600000',
      SOAK_FREEZE_MS: '30000',
      ...process.env,
    },
  },
);
process.exitCode = status ?? 1;
