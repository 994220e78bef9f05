// Finds a Chromium-based browser, for tests and screenshots.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'microsoft-edge'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

/**
 * The browser that CHROMIUM_PATH names, or else one that is installed.
 *
 * @returns {string | undefined}
 */
export function findChromium() {
  return find(BROWSERS, PLACES);
}

/**
 * The headless shell uses less CPU, but has no desktop notifications.
 *
 * @returns {string | undefined}
 */
export function findHeadlessShell() {
  return find(['chromium-headless-shell'], []);
}

/**
 * @param {readonly string[]} names
 * @param {readonly string[]} places
 */
function find(names, places) {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return existsSync(named) ? named : undefined;
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const candidates = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...places];
  return candidates.find((candidate) => existsSync(candidate));
}
