import type { Expected, FoundClient, ListPage } from '@countersign/core';
import type { CallRecord, StoreReader } from '@countersign/core/ports';
import { CLIENT_HEADER, CountersignError, END_OF_LIST, type Signer } from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';
import { isLoopback } from '../auth/check-host.js';
import { actionsOf } from '../people/access.js';

/** Default page size. */
export const PAGE = 100;

/** A page of a list that is in memory. Cursors are item ids. */
export function pageOf<T>(
  all: readonly T[],
  idOf: (item: T) => string,
  { after, before, limit = PAGE }: { after?: string; before?: string; limit?: number },
): ListPage<T> {
  if (before !== undefined) {
    const end = before === END_OF_LIST ? all.length : placeOf(all, idOf, before, 'before');
    const start = Math.max(0, end - limit);
    return page(all.slice(start, end), start > 0 ? all[start] : undefined, idOf);
  }
  const start = after === undefined ? 0 : placeOf(all, idOf, after, 'after') + 1;
  const end = start + limit;
  return page(all.slice(start, end), end < all.length ? all[end - 1] : undefined, idOf);
}

function page<T>(items: T[], last: T | undefined, idOf: (item: T) => string): ListPage<T> {
  return { items, ...(last === undefined ? {} : { next: idOf(last) }) };
}

function placeOf<T>(all: readonly T[], idOf: (item: T) => string, id: string, field: string): number {
  const index = all.findIndex((item) => idOf(item) === id);
  if (index >= 0) return index;
  throw new CountersignError('invalid', `${field}: invalid cursor. Use the "next" value of a page`, { field });
}

export function etag(version: string): { ETag: string } {
  return { ETag: `"${version}"` };
}

/** The version that the client has seen, from `If-Match` (HTTP15). Weak tags never match (RFC 9110). */
export function ifMatch(c: AppRequest): Expected {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag]) =>
    weak === undefined && tag !== undefined ? [tag] : [],
  );
}

export const IF_MATCH = { 'If-Match': 'ETag of the version you read. 412 if it has changed since.' };
export const AS_CLIENT = { [CLIENT_HEADER]: 'Secret of the client that sends the request' };

/**
 * The registered client that sends the request, if any. An unknown secret is rejected; otherwise, the request would be attributed to a person.
 */
export async function clientOf(
  c: AppRequest,
  { engine }: AppContext,
  worldId: string,
): Promise<FoundClient | undefined> {
  const secret = c.req.header(CLIENT_HEADER);
  if (secret === undefined) return undefined;
  const client = await engine.clients.find(worldId, secret);
  if (client !== undefined) return client;
  throw new HttpProblem(403, problemTexts.unknownClient);
}

/** Rejects clients that can't ask a person for approvals (CALL13). */
export async function requireApprovals(c: AppRequest, context: AppContext, worldId: string): Promise<void> {
  const client = await clientOf(c, context, worldId);
  if (client?.approvals === false) {
    throw new HttpProblem(403, problemTexts.cannotApprove);
  }
}

/** For routes of all worlds: a client belongs to one world, and may not be able to ask a person (CALL13). */
export function refuseClients(c: AppRequest): void {
  if (c.req.header(CLIENT_HEADER) !== undefined) throw new HttpProblem(403, problemTexts.clientOfOneWorld);
}

/** The signer of a request and its client (LOG1). */
export async function signerOf(c: AppRequest, context: AppContext, worldId: string): Promise<Signer> {
  const client = await clientOf(c, context, worldId);
  return signedBy(c, client);
}

/** The signer of a request from a client that was already looked up. */
export function signedBy(c: AppRequest, client: FoundClient | undefined): Signer {
  const { signer } = c.var;
  if (client === undefined) return signer;
  return { ...signer, via: signer.via === 'http' ? client.label : signer.via, client: client.id };
}

/** Like `signerOf`, for revealing masked values: only for clients that may decide, in a world that exists or used to exist. */
export async function revealerOf(
  c: AppRequest,
  context: AppContext,
  worldId: string,
  checkWorld: () => Promise<unknown>,
): Promise<Signer> {
  await requireApprovals(c, context, worldId);
  await checkWorld();
  return await signerOf(c, context, worldId);
}

/** The origin of links to the web app. */
export function linkOrigin(c: AppRequest, { publicUrl }: Pick<AppContext, 'publicUrl'>): string {
  return publicUrl ?? new URL(c.req.url).origin;
}

/** The page that shows this approval, or the chat if it has none. */
export function approvalLink(
  c: AppRequest,
  context: Pick<AppContext, 'publicUrl'>,
  { worldId, chatId, approvalId }: { worldId: string; chatId: string; approvalId: string | null },
): string {
  const chat = `${linkOrigin(c, context)}/w/${encodeURIComponent(worldId)}/c/${encodeURIComponent(chatId)}`;
  return approvalId === null ? chat : `${chat}?approval=${encodeURIComponent(approvalId)}`;
}

/** The origin of the page that sent the request. Browsers send it; the guard has checked that it is ours. */
export function pageOrigin(c: AppRequest, context: Pick<AppContext, 'publicUrl'>): string {
  return c.req.header('origin') ?? linkOrigin(c, context);
}

/** The page that another server sends the browser back to. The redirect contains a code, so the connection must be private. */
export function returnUrlAt(given: string, path: string, { auth }: Pick<AppContext, 'auth'>): string {
  const { origin, protocol, hostname } = new URL(given);
  if (!auth.isOurOrigin(origin)) throw new HttpProblem(422, problemTexts.otherOrigin, { field: 'origin' });
  if (protocol !== 'https:' && !isLoopback(hostname))
    throw new HttpProblem(422, problemTexts.insecureOrigin, { field: 'origin' });
  return `${origin}${path}`;
}

export function wantsStream(c: AppRequest): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:;|,|$)/i.test(c.req.header('accept') ?? '');
}

/** An id that no call has. */
export const NO_CALL = 'none';

/** Finds a call by its id or the id of an approval, in any world. */
export async function readCallOf(reader: StoreReader, id: string): Promise<CallRecord | undefined> {
  const approval = await reader.approval(id);
  return await reader.invocation(approval?.invocationId ?? id);
}

/** Whether a call is in a world that this person may not read. It then gets the same answer as `NO_CALL`, which doesn't tell that it exists. */
export function isHiddenCall(c: AppRequest, worldId: string, call: CallRecord | undefined): boolean {
  return call !== undefined && call.worldId !== worldId && !actionsOf(c.var.access, call.worldId).has('read');
}
