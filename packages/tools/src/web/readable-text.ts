import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ToolFailure, errorMessage } from '@countersign/core/ports';
import type { HtmlToTextOptions } from 'html-to-text';

const LIMITS = { maxInputLength: 2_000_000, maxDepth: 150, maxChildNodes: 20_000 };

/** Hidden elements are not part of the text: prompt injections hide there. */
const UNSEEN = [
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'iframe',
  'object',
  'img',
  'head',
  'title',
  '[hidden]',
  '[aria-hidden="true"]',
  '[style*="display:none"]',
  '[style*="display: none"]',
  '[style*="visibility:hidden"]',
  '[style*="visibility: hidden"]',
];

export interface ReadableText {
  title: string | undefined;
  text: string;
}

/** Plain JavaScript, because the worker runs this source unchanged. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { convert } = require(workerData.library);
parentPort.postMessage(workerData.jobs.map(({ html, options }) => convert(html, options).trim()));
`;
const LIMIT_MS = 10_000;
const MEMORY_MB = 512;

/**
 * Returns the visible text of a page with its links. Runs in a worker with limits: a small page with nested elements can take minutes and would
 * block the server.
 */
export async function readableText(html: string, url: URL, limitMs: number = LIMIT_MS): Promise<ReadableText> {
  const options: HtmlToTextOptions = {
    wordwrap: false,
    limits: { ...LIMITS, ellipsis: '…' },
    selectors: [
      { selector: 'a', options: { baseUrl: url.origin, hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      ...UNSEEN.map((selector) => ({ selector, format: 'skip' })),
    ],
  };
  const jobs = [
    { html: /<title[^>]{0,200}>[^<]{0,500}/i.exec(html)?.[0] ?? '', options: { wordwrap: false } },
    { html, options },
  ];
  const library = createRequire(import.meta.url).resolve('html-to-text');
  const worker = new Worker(WORKER, {
    eval: true,
    workerData: { library, jobs },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  try {
    const [[title, text]] = (await once(worker, 'message', { signal: AbortSignal.timeout(limitMs) })) as [
      [string, string],
    ];
    return { title: title === '' ? undefined : title, text };
  } catch (cause) {
    // Don't fall back to the source: prompt injections hide in text that people don't see.
    throw new ToolFailure('the page is too complex to convert to text', { limitMs, cause: errorMessage(cause) });
  } finally {
    await worker.terminate();
  }
}

export function isHtml(contentType: string, text: string): boolean {
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true;
  return contentType.trim() === '' && /^\s*<(?:!doctype html|html)\b/i.test(text);
}
