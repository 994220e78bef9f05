import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ToolFailure, wordsOf } from '@countersign/core/ports';
import type { HtmlToTextOptions } from 'html-to-text';

const LIMITS = { maxInputLength: 2_000_000, maxDepth: 150, maxChildNodes: 20_000 };

/** What nobody sees on the page is not its text: it is where orders to a model are hidden. */
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

/** Plain JavaScript, because a worker runs it as it is. */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const { convert } = require(workerData.library);
parentPort.postMessage(workerData.jobs.map(({ html, options }) => convert(html, options).trim()));
`;
const LIMIT_MS = 10_000;
const MEMORY_MB = 512;

/**
 * A page as a person would read it, with its links. Converted in a thread of its own with limits: a small page of nested elements takes
 * minutes, and would block everybody else meanwhile.
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
    // Not its source instead: text that a page hides from people is where orders to a model are.
    throw new ToolFailure('the page is too complex to be read as text', { limitMs, cause: wordsOf(cause) });
  } finally {
    await worker.terminate();
  }
}

export function isHtml(contentType: string, text: string): boolean {
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true;
  return contentType.trim() === '' && /^\s*<(?:!doctype html|html)\b/i.test(text);
}
