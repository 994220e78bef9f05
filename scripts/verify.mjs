// Runs every check there is, one after another, and says at the end which ones failed. Types, lint and format are tests.
import { spawnSync } from 'node:child_process';

const checks = ['hygiene', 'test'];
const failed = checks.filter((check) => {
  console.log(`\n— ${check}`);
  return spawnSync('npm', ['run', '--silent', check], { stdio: 'inherit' }).status !== 0;
});

if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}
