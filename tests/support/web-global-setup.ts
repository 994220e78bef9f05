import type { TestProject } from 'vitest/node';
import { buildWeb } from '../../scripts/build-web.mjs';
import { findChromium, findHeadlessShell } from '../../scripts/find-chromium.mjs';
import { installBrowsers } from './chromium.js';
import { chosenTestsMention } from './chosen-tests.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Empty if none is installed. */
    chromium: string;
    /** The headless shell if it is installed, or else the same as `chromium`. */
    headlessShell: string;
  }
}

/**
 * Builds the web app and finds a browser, installing one where possible. If that fails, it prints which tests are skipped, so that an incomplete run doesn't
 * look complete.
 */
export default async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', '');
  project.provide('headlessShell', '');
  if (!(await chosenTestsMention(project, /openBrowser|webBuild|hasBrowser/))) return;
  if (!buildWeb()) throw new Error("The web app couldn't be built; see Vite's output above.");
  const isMissing = findChromium() === undefined || findHeadlessShell() === undefined;
  if (isMissing && process.env['CHROMIUM_PATH'] === undefined) await installBrowsers();
  const path = findChromium();
  if (path === undefined) {
    process.stderr.write(
      'LEFT OUT: the tests of the web app in a browser did not run, because no Chromium was found. Install Chromium or Chrome, or name one with CHROMIUM_PATH.\n',
    );
    return;
  }
  project.provide('chromium', path);
  project.provide('headlessShell', findHeadlessShell() ?? path);
}
