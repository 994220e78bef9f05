import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { webRoot } from './support/open-browser.js';

/** Named `webBuild` because the global setup builds the app only if a test file contains that word. */
const webBuild = webRoot;
const assets = join(webBuild, 'assets');
const html = readFileSync(join(webBuild, 'index.html'), 'utf8');

/** Every file that the start page loads, with its static imports. */
function firstLoad(): string[] {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    if (!name.endsWith('.js')) return;
    const text = readFileSync(join(assets, name), 'utf8');
    // `import … from"./x.js"` and `import"./x.js"`, not `import("./x.js")`.
    for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) visit(imported);
  };
  for (const [, name = ''] of html.matchAll(/\/assets\/([\w.-]+)/g)) visit(name);
  return [...found];
}

const kilobytes = (names: readonly string[]): number =>
  names.reduce((sum, name) => sum + gzipSync(readFileSync(join(assets, name)), { level: 9 }).length, 0) / 1000;

describe('the built web app', () => {
  const isFont = (name: string): boolean => name.endsWith('.woff2');

  it('loads less than 230 kB of code and styles, gzipped, before a message can be typed', () => {
    const names = firstLoad().filter((name) => !isFont(name));
    expect(names.some((name) => name.endsWith('.css'))).toBe(true);
    expect(kilobytes(names)).toBeGreaterThan(50);
    expect(kilobytes(names)).toBeLessThan(230);
  });

  it('sends the first requests from a file of its own, while the rest of the code is loading', () => {
    const [, entry = ''] = /<script type="module"[^>]* src="\/assets\/([\w.-]+)"/.exec(html) ?? [];
    const text = readFileSync(join(assets, entry), 'utf8');
    expect(text).toContain('/api/session');
    expect(text).not.toMatch(/(?:from|import)\s*["']\.\//);
    expect(kilobytes([entry])).toBeLessThan(5);
    const preloaded = [...html.matchAll(/rel="modulepreload"[^>]* href="\/assets\/([\w.-]+)"/g)].map(
      ([, name]) => name,
    );
    expect(firstLoad().filter((name) => name.endsWith('.js') && name !== entry && !preloaded.includes(name))).toEqual(
      [],
    );
  });

  it('loads fonts after the code, less than 100 kB for Latin text, and includes their licence', () => {
    expect(firstLoad().filter(isFont)).toEqual([]);
    const latin = readdirSync(assets).filter((name) => /-latin-wght-normal-[^/]*\.woff2$/.test(name));
    expect(latin.map((name) => name.replace(/-latin-.*/, '')).toSorted()).toEqual(['inter', 'jetbrains-mono']);
    expect(kilobytes(latin)).toBeLessThan(100);
    const licences = readFileSync(join(webBuild, 'font-licences.txt'), 'utf8');
    expect(licences).toMatch(/Inter Project Authors[\s\S]*SIL OPEN FONT LICENSE[\s\S]*JetBrains Mono Project Authors/i);
  });

  it('never swaps a font after the first paint', () => {
    const styles = firstLoad().filter((name) => name.endsWith('.css'));
    const faces = styles.flatMap(
      (name) => readFileSync(join(assets, name), 'utf8').match(/@font-face\{[^}]*\}/g) ?? [],
    );
    expect(faces).toHaveLength(8);
    for (const face of faces) expect(face).toMatch(/font-display:optional/);
  });

  it('loads the transcript, the other pages, the charts and the languages later', () => {
    const first = firstLoad();
    for (const later of ['chat-page', 'pages', 'stats-page', 'highlighted']) {
      const isLater = (name: string): boolean => name.startsWith(`${later}-`) && name.endsWith('.js');
      expect(readdirSync(assets).filter(isLater)).toHaveLength(1);
      expect(first.filter(isLater)).toEqual([]);
    }
  });

  it('contains no code of the engine, the store or the tools', () => {
    for (const word of ['node:crypto', 'begin immediate', '--die-with-parent'])
      expect(readdirSync(assets).filter((name) => readFileSync(join(assets, name), 'utf8').includes(word))).toEqual([]);
  });

  it('needs no inline script or style', () => {
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/);
  });

  it('[PAGE5] has a manifest with its icons, and a service worker of its own for each build', () => {
    const manifest = JSON.parse(readFileSync(join(webBuild, 'manifest.webmanifest'), 'utf8')) as {
      icons: { src: string }[];
    };
    for (const { src } of manifest.icons) expect(readFileSync(join(webBuild, src)).length).toBeGreaterThan(100);
    for (const file of ['/manifest.webmanifest', '/apple-touch-icon.png']) expect(html).toContain(file);
    const worker = readFileSync(join(webBuild, 'sw.js'), 'utf8');
    for (const name of firstLoad()) expect(worker).toContain(`/assets/${name}`);
    expect(worker).not.toMatch(/^import|importScripts/m);
  });
});
