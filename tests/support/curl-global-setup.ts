import type { TestProject } from 'vitest/node';
import { installPackages, succeeds } from '../../scripts/install-programs.mjs';
import { chosenTestsMention } from './chosen-tests.js';

/**
 * Installs curl for tests that run the commands of a guide. If that fails, they fail with "curl: command not found".
 */
export default async function setup(project: TestProject): Promise<void> {
  if (!(await chosenTestsMention(project, /with curl alone/))) return;
  if (!(await succeeds('curl', ['--version']))) await installPackages(['curl']);
}
