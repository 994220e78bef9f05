import type { TestProject } from 'vitest/node';
import { buildWeb } from '../../scripts/build-web.mjs';
import { findChromium } from '../../scripts/find-chromium.mjs';
import { installChromium } from './chromium.js';
import { chosenTestsMention } from './chosen-tests.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty where there is none. */
    chromium: string;
  }
}

/**
 * Sees to it that tests in a browser have one, and the web app as its sources are now. Where no browser is to be had, says what is
 * left out; a run that only looks complete would be worse than none.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', '');
  if (!(await chosenTestsMention(project, /openBrowser|webBuild/))) return;
  if (!buildWeb()) throw new Error('The web app could not be built; what vite said is above.');
  let path = findChromium();
  if (path === undefined && process.env['CHROMIUM_PATH'] === undefined && (await installChromium()))
    path = findChromium();
  if (path !== undefined) project.provide('chromium', path);
  else
    process.stderr.write(
      'LEFT OUT: the tests of the web app in a browser did not run, because no Chromium was found. Install Chromium or Chrome, or name one with CHROMIUM_PATH.\n',
    );
}
