import type { TestProject } from 'vitest/node';
import { findSandbox } from '../../packages/tools/src/sandbox/find-sandbox.js';
import { installPackages } from '../../scripts/install-programs.mjs';
import { chosenTestsMention } from './chosen-tests.js';

/**
 * Finds bubblewrap for the sandbox tests, and installs it on Debian if possible. If that fails, it prints which tests
 * are skipped, so that an incomplete run doesn't look complete.
 */
export default async function setup(project: TestProject): Promise<void> {
  if (!(await chosenTestsMention(project, /findSandbox/))) return;
  let sandbox = await findSandbox();
  if (sandbox.kind === 'none' && (await installPackages(['bubblewrap']))) sandbox = await findSandbox();
  if (sandbox.kind === 'bubblewrap') return;
  const why = sandbox.kind === 'none' ? sandbox.reason : `this system has ${sandbox.kind}, which has no such tests yet`;
  process.stderr.write(`LEFT OUT: the tests that try to get out of the sandbox did not run, because ${why}.\n`);
}
