// Runs every check at full size and lists the ones that failed. Type check, lint and format are part of the tests.
import { spawnSync } from 'node:child_process';

// The drills install the agents that `test` then uses for a sample.
const checks = ['hygiene', 'drill-check', 'test', 'install-check', 'soak'];
// `npm test` runs property, fuzz and crash tests at a tenth of this.
const env = { RUNS_FACTOR: '1', ...process.env };
const failed = checks.filter((check) => {
  console.log(`\n— ${check}`);
  return spawnSync('npm', ['run', '--silent', check], { stdio: 'inherit', env }).status !== 0;
});

if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}
