import type { TestProject } from 'vitest/node';
import { chosenTestsMention } from './chosen-tests.js';
import { installPackage, succeeds } from './install-package.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the full screen can be tried in one. */
    tmux: boolean;
  }
}

/**
 * Sees to it that tests of the full screen have a terminal to look at: looks for tmux, and installs it on a Debian where we may. Where
 * it is not to be had, says what is left out; a run that only looks complete would be worse than none.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('tmux', false);
  if (!(await chosenTestsMention(project, /openTmux/))) return;
  const isThere = (await hasTmux()) || ((await installPackage('tmux')) && (await hasTmux()));
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
