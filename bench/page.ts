import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '@countersign/server';
import { chromium, type Browser } from 'playwright-core';
import { summarize, type Figures } from './measure.js';
import { withFolder } from './ours.js';

export interface PageResult {
  /** Time until the first paint. */
  firstPaint: Figures;
  /** Time until a message can be typed, with an empty browser cache. */
  usable: Figures;
  /** Bytes on the wire until then, including headers. */
  bytes: number;
}

/** A slow mobile connection: 1.6 Mbit/s down, 750 kbit/s up, 150 ms latency. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

// Resolved from dist/, where their types can't be found.
export const { findChromium } = (await import(script('find-chromium.mjs'))) as {
  findChromium: () => string | undefined;
};
export const { buildWeb } = (await import(script('build-web.mjs'))) as { buildWeb: () => boolean };
export const webRoot = fileURLToPath(new URL('../../packages/web/dist', import.meta.url));

/** Opens the web app in a throttled browser. Undefined if there is no browser. */
export async function pageSuite(rounds: number): Promise<PageResult | undefined> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    console.warn('No Chromium was found: the page is not measured.');
    return undefined;
  }
  if (!buildWeb()) throw new Error('the web app could not be built');
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });
  try {
    return await withFolder(async (folder) => {
      const ignore = (): void => undefined;
      const log = { info: ignore, warn: ignore, error: ignore };
      const serving = await serve({ home: join(folder, 'home'), env: {}, port: 0, version: 'bench', log, webRoot });
      try {
        const visits = [];
        for (let i = 0; i < rounds; i += 1) visits.push(await visit(browser, serving.newStartUrl()));
        return {
          firstPaint: summarize(visits.map(({ paintedMs }) => paintedMs * 1000)),
          usable: summarize(visits.map(({ usableMs }) => usableMs * 1000)),
          bytes: Math.max(...visits.map(({ bytes }) => bytes)),
        };
      } finally {
        await serving.close();
      }
    });
  } finally {
    await browser.close();
  }
}

function script(name: string): string {
  return new URL(`../../scripts/${name}`, import.meta.url).href;
}

/** One visit with an empty cache. */
async function visit(browser: Browser, url: string): Promise<{ paintedMs: number; usableMs: number; bytes: number }> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', SLOW);
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    const start = performance.now();
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByLabel('Message').waitFor();
    const usableMs = performance.now() - start;
    const paintedMs = await page.evaluate(
      () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    );
    return { paintedMs, usableMs, bytes };
  } finally {
    await context.close();
  }
}
