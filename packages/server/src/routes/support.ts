import type { Expected, FoundClient, ListPage } from '@countersign/core';
import { CLIENT_HEADER, CountersignError, END_OF_LIST, type Signer } from '@countersign/protocol';
import type { AppContext, AppRequest } from '../app/context.js';
import { HttpProblem } from '../app/http-problem.js';
import { problemTexts } from '../app/problem-texts.js';

/** Items on a page unless asked for another number. */
export const PAGE = 100;

/** The part of a list that is in memory anyway. Places are the ids of its items. */
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
  throw new CountersignError('invalid', `${field}: invalid cursor. Use a value of "next"`, { field });
}

export function etag(version: string): { ETag: string } {
  return { ETag: `"${version}"` };
}

/** What the writer has seen, by its `If-Match` (W6). A weak tag never fits, as the standard has it. */
export function ifMatch(c: AppRequest): Expected {
  const header = c.req.header('if-match');
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return [...header.matchAll(/(W\/)?"([^"]*)"/g)].flatMap(([, weak, tag]) =>
    weak === undefined && tag !== undefined ? [tag] : [],
  );
}

export const IF_MATCH = { 'If-Match': 'ETag of the version you read. 412 if it has changed since.' };
export const AS_CLIENT = { [CLIENT_HEADER]: 'Secret of the registered client that sends the request' };

/** The registered client that asks, if it says so. A secret of none is refused: what it asks for would count as a person's. */
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

/** A client that can't put a question to a person gets none (A13). */
export async function refuseUnable(c: AppRequest, context: AppContext, worldId: string): Promise<void> {
  const client = await clientOf(c, context, worldId);
  if (client?.approvals === false) {
    throw new HttpProblem(403, problemTexts.cannotApprove);
  }
}

/** Who signs, and from which client (A16). */
export async function signerOf(c: AppRequest, context: AppContext, worldId: string): Promise<Signer> {
  const client = await clientOf(c, context, worldId);
  return client === undefined ? c.var.signer : { ...c.var.signer, client: client.id };
}

/** The same for somebody who wants to see what a mask hides, if they may decide and the world is or was there. */
export async function revealerOf(
  c: AppRequest,
  context: AppContext,
  worldId: string,
  checkWorld: () => Promise<unknown>,
): Promise<Signer> {
  await refuseUnable(c, context, worldId);
  await checkWorld();
  return await signerOf(c, context, worldId);
}

export function wantsStream(c: AppRequest): boolean {
  return /(?:^|,)\s*text\/event-stream\s*(?:;|,|$)/i.test(c.req.header('accept') ?? '');
}
