import { z } from 'zod';
import { defineTool, ToolFailure, untilAborted, type TypedTool } from '@countersign/core/ports';
import { inProcess, type Subject } from '@countersign/protocol';
import { decodeBody } from './decode-body.js';
import { get, isText, type Answer } from './get.js';
import { publicNetwork, resolveHost, type Network } from './network.js';
import { isHtml, readableText } from './readable-text.js';

const TIMEOUT_MS = 20_000;
const MAX_REDIRECTS = 5;
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** The maximum number of page characters per call; `offset` continues from there. */
const SHOWN_CHARACTERS = 40_000;

const parameters = z.strictObject({
  url: z
    .string()
    .max(4096)
    .refine(isFetchable, 'must be an absolute http or https URL without a user name or password')
    .describe('The URL of the page, http or https.'),
  offset: z.int().min(0).exactOptional().describe('Where to continue in a long page, in characters.'),
});

interface Limits {
  timeoutMs: number;
  bodyBytes: number;
}

/**
 * Reads a public web page. Approval is per host, so a redirect to another host is reported and not followed. Never
 * connects to private, loopback or metadata addresses, regardless of DNS and redirects.
 */
export function webFetch(): TypedTool<'web_fetch', z.input<typeof parameters>> {
  return createWebFetch(publicNetwork, { timeoutMs: TIMEOUT_MS, bodyBytes: BODY_LIMIT_BYTES });
}

export function createWebFetch(network: Network, limits: Limits): TypedTool<'web_fetch', z.input<typeof parameters>> {
  return defineTool({
    name: 'web_fetch',
    description:
      'Reads a public web page with GET and returns its readable text, without sending cookies or credentials. A long page is returned ' +
      'in parts; a note says where to continue. A redirect to another host is reported, not followed; use another call to fetch it.',
    parameters,
    sandbox: () => inProcess('public'),
    approval: { required: true, message: 'Fetch {url}' },
    subjects: ({ url }) => subjectsOf(new URL(url)),
    async execute({ url, offset = 0 }, { signal }) {
      // Don't use `AbortSignal.any`: on Node 20, its timer may be garbage-collected before it fires, and an endless page would never time out.
      const over = new AbortController();
      const stop = (): void => over.abort(signal.reason);
      signal.addEventListener('abort', stop);
      const timer = setTimeout(() => over.abort(new Error('timed out')), limits.timeoutMs);
      if (signal.aborted) stop();
      try {
        const { at, answer } = await follow(new URL(url), network, {
          signal: over.signal,
          limitBytes: limits.bodyBytes,
        }).catch((error: unknown) => {
          throw tellFailure(error, signal, over.signal, limits.timeoutMs);
        });
        return await tell(at, answer, offset);
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', stop);
      }
    },
  });
}

function isFetchable(text: string): boolean {
  // The URL parser silently drops whitespace and control characters, so the fetched URL would differ from the one shown.
  if (/[\s\p{C}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && hostname !== '';
}

/** The hosts that a URL names. Undefined if it isn't a plain web address. */
export function hostSubjects(url: string): readonly Subject[] | undefined {
  return isFetchable(url) ? subjectsOf(new URL(url)) : undefined;
}

/** Another port is a different service: an allow rule for the host doesn't cover it, but a deny rule does. */
function subjectsOf({ hostname, port }: URL): readonly Subject[] {
  const host = hostname.replace(/^\[|\]$/g, '');
  const subjects: Subject[] = [{ kind: 'host', host, argument: 'url' }];
  return port === '' ? subjects : [...subjects, { kind: 'host', host: `${hostname}:${port}`, argument: 'url' }];
}

interface Fetched {
  at: URL;
  answer: Answer;
}

async function follow(from: URL, network: Network, how: { signal: AbortSignal; limitBytes: number }): Promise<Fetched> {
  let at = from;
  for (let hops = 0; ; hops += 1) {
    const addresses = await untilAborted(() => resolveHost(at.hostname, network), how.signal);
    const answer = await get(at, addresses, how);
    const next = answer.location === undefined ? undefined : nextOf(answer.location, at);
    if (next === undefined || !isSamePlace(at, next)) return { at, answer };
    if (hops === MAX_REDIRECTS) throw new ToolFailure(`gave up after ${MAX_REDIRECTS} redirects`);
    at = next;
  }
}

function nextOf(location: string, at: URL): URL {
  if (!URL.canParse(location, at.href)) throw new ToolFailure('it redirects to an invalid URL');
  const next = new URL(location, at);
  if (!isFetchable(next.href)) throw new ToolFailure("it redirects to a URL that isn't allowed");
  return next;
}

/** Whether the URL has the approved host, over the same scheme or https. */
function isSamePlace(at: URL, next: URL): boolean {
  if (next.hostname !== at.hostname) return false;
  if (next.protocol === at.protocol) return next.port === at.port;
  return at.protocol === 'http:' && at.port === '' && next.port === '';
}

async function tell(at: URL, answer: Answer, offset: number): Promise<unknown> {
  const { status, contentType } = answer;
  const about = { url: at.href, status, ...(contentType === '' ? {} : { contentType: contentType.slice(0, 200) }) };
  if (answer.location !== undefined) {
    const redirect = nextOf(answer.location, at).href;
    return { ...about, redirect, note: 'this redirects to another host; fetch that URL if you need it' };
  }
  if (!isText(contentType)) throw new ToolFailure('the content is not text, so it is not shown', about);
  const shown = { ...about, ...(await show(at, answer, offset)) };
  if (status >= 400) throw new ToolFailure(`the server answered ${status}`, shown);
  return shown;
}

async function show(at: URL, { body, contentType, cut }: Answer, offset: number): Promise<Record<string, unknown>> {
  const raw = decodeBody(body, contentType);
  const page = isHtml(contentType, raw) ? await readableText(raw, at) : { title: undefined, text: raw };
  const end = offset + SHOWN_CHARACTERS;
  const notes = [
    ...(page.text.length > end ? [`there is more: continue with offset ${end}`] : []),
    ...(cut ? ['the page is too long and was truncated'] : []),
  ];
  return {
    ...(page.title === undefined ? {} : { title: page.title }),
    text: page.text.slice(offset, end),
    ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
  };
}

function tellFailure(error: unknown, stopped: AbortSignal, within: AbortSignal, timeoutMs: number): Error {
  if (error instanceof ToolFailure) return error;
  if (stopped.aborted) return new ToolFailure('stopped');
  if (within.aborted) return new ToolFailure(`no answer within ${timeoutMs / 1000} seconds`);
  const words = error instanceof Error && error.message !== '' ? error.message : 'the connection failed';
  return new ToolFailure(`the page could not be fetched: ${words}`);
}
