import { z } from 'zod';
import { defineTool, ToolFailure, untilAborted, type Tool } from '@countersign/core/ports';
import { inProcess, type Subject } from '@countersign/protocol';
import { decodeBody } from './decode-body.js';
import { get, isText, type Answer } from './get.js';
import { publicNetwork, resolveHost, type Network } from './network.js';
import { isHtml, readableText } from './readable-text.js';

const TIMEOUT_MS = 20_000;
const MOST_REDIRECTS = 5;
const BODY_LIMIT_BYTES = 2 * 1024 * 1024;
/** What one call gives of a page; the rest is asked for with `offset`. */
const SHOWN_CHARACTERS = 40_000;

const parameters = z.strictObject({
  url: z
    .string()
    .max(4096)
    .refine(isFetchable, 'must be an absolute http or https address without a user name or password')
    .describe('The address of the page, http or https.'),
  offset: z.int().min(0).exactOptional().describe('Where to go on in a long page, in characters.'),
});

interface Limits {
  timeoutMs: number;
  bodyBytes: number;
}

/**
 * Reads a page of the public web. Approval is by host: a redirect to another host is told and not followed, since nobody has signed
 * for that one. It never speaks to private, loopback or metadata addresses, whatever a name or a redirect says.
 */
export function webFetch(): Tool {
  return createWebFetch(publicNetwork, { timeoutMs: TIMEOUT_MS, bodyBytes: BODY_LIMIT_BYTES });
}

export function createWebFetch(network: Network, limits: Limits): Tool {
  return defineTool({
    name: 'web_fetch',
    description:
      'Reads a page of the public web with GET and gives its readable text. Cookies and logins are not sent. A long page comes ' +
      'in parts; a note says where to go on. A redirect to another host is told, and is fetched by another call.',
    parameters,
    sandbox: () => inProcess('public'),
    approval: { required: true, message: 'Fetch {url}' },
    subjects: ({ url }) => subjectsOf(new URL(url)),
    async execute({ url, offset = 0 }, { signal }) {
      // By hand: on Node 20 a timer that only `AbortSignal.any` knows of may be collected before it fires, and a page that never ends would
      // be waited for without end.
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
  // Blanks and control characters are dropped in silence by the parser: what was shown would not be what is fetched.
  if (/[\s\p{C}\\]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '' && hostname !== '';
}

/** Another port is another service: a rule for the host does not allow it, while a rule against the host forbids it. */
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
    if (hops === MOST_REDIRECTS) throw new ToolFailure(`gave up after ${MOST_REDIRECTS} redirects`);
    at = next;
  }
}

function nextOf(location: string, at: URL): URL {
  if (!URL.canParse(location, at.href)) throw new ToolFailure('it redirects to something that is no address');
  const next = new URL(location, at);
  if (!isFetchable(next.href)) throw new ToolFailure('it redirects to an address that is not fetched');
  return next;
}

/** The host that was signed for, by the same or the safer way. */
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
    return { ...about, redirect, note: 'this leads to another place; fetch that address if you need it' };
  }
  if (!isText(contentType)) throw new ToolFailure('this is not text, so there is nothing to read', about);
  const shown = { ...about, ...(await show(at, answer, offset)) };
  if (status >= 400) throw new ToolFailure(`the server answered ${status}`, shown);
  return shown;
}

async function show(at: URL, { body, contentType, cut }: Answer, offset: number): Promise<Record<string, unknown>> {
  const raw = decodeBody(body, contentType);
  const page = isHtml(contentType, raw) ? await readableText(raw, at) : { title: undefined, text: raw };
  const end = offset + SHOWN_CHARACTERS;
  const notes = [
    ...(page.text.length > end ? [`there is more: go on with offset ${end}`] : []),
    ...(cut ? ['the page is too long and was cut'] : []),
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
  return new ToolFailure(`could not be fetched: ${words}`);
}
