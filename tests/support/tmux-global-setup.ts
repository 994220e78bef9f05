import type { TestProject } from 'vitest/node';
import { installPackages, succeeds } from '../../scripts/install-programs.mjs';
import { chosenTestsMention } from './chosen-tests.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the full-screen UI can be tested in tmux. */
    tmux: boolean;
  }
}

/**
 * Finds tmux for the tests of the full-screen UI, and installs it on Debian if possible. If that fails, it prints which
 * tests are skipped, so that an incomplete run doesn't look complete.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('tmux', false);
  if (!(await chosenTestsMention(project, /openTmux/))) return;
  const isThere = (await hasTmux()) || ((await installPackages(['tmux'])) && (await hasTmux()));
  project.provide('tmux', isThere);
  if (!isThere) {
    process.stderr.write(
      'LEFT OUT: the tests of the full screen did not run, because tmux was not found. Install tmux.\n',
    );
  }
}

async function hasTmux(): Promise<boolean> {
  return await succeeds('tmux', ['-V']);
}
