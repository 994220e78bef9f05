import { convert, type HtmlToTextOptions } from 'html-to-text';

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

/** A page as a person would read it, with its links. */
export function readableText(html: string, url: URL): ReadableText {
  const options: HtmlToTextOptions = {
    wordwrap: false,
    limits: { ...LIMITS, ellipsis: '…' },
    selectors: [
      { selector: 'a', options: { baseUrl: url.origin, hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      ...UNSEEN.map((selector) => ({ selector, format: 'skip' })),
    ],
  };
  const title = convert(/<title[^>]{0,200}>[^<]{0,500}/i.exec(html)?.[0] ?? '', { wordwrap: false }).trim();
  return { title: title === '' ? undefined : title, text: convert(html, options).trim() };
}

export function isHtml(contentType: string, text: string): boolean {
  if (/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true;
  return contentType.trim() === '' && /^\s*<(?:!doctype html|html)\b/i.test(text);
}
