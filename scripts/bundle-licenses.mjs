// Lists the licenses of bundled libraries, which require their text to be distributed with the code.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text to ship with a bundle that contains these modules.
 *
 * @param {Iterable<string>} modules absolute paths
 */
export function bundleLicenses(modules) {
  const folders = new Set([...modules].map(packageFolder).filter((folder) => folder !== undefined));
  const sections = [...folders].map(sectionOf).sort();
  return ['# Licenses\n\nThis bundle contains the following libraries.\n', ...new Set(sections)].join('\n');
}

/** @param {string} module */
function packageFolder(module) {
  return /^\0?(?<folder>.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(module)?.groups?.['folder'];
}

/** @param {string} folder */
function sectionOf(folder) {
  const {
    name,
    version,
    license = 'see below',
  } = /** @type {{ name: string, version: string, license?: string }} */ (
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  );
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|notice)\b/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  return [`## ${name} ${version} (${license})\n`, ...texts.map((text) => `${text}\n`)].join('\n');
}
