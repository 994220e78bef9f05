import { setImmediate } from 'node:timers/promises';
import type { Store } from '@countersign/core/ports';
import { CountersignError, type AuditEntry } from '@countersign/protocol';
import type { Log } from '../../app/context.js';
import { writeCursor } from '../cursor.js';
import { streamDownload } from './stream-download.js';

const BATCH = 500;
const SCANNED = 5000;

/** One page of a world's audit log, even if the world was deleted (LOG1). */
export async function pageAudit(
  store: Store,
  worldId: string,
  { after = 0, limit, who }: { after?: number; limit: number; who?: string | undefined },
): Promise<{ items: AuditEntry[]; next?: string }> {
  // A person may have few records in a long log, so the number that is read is bounded, and other requests run in between.
  const size = who === undefined ? limit + 1 : BATCH;
  const found: AuditEntry[] = [];
  let last = after;
  for (let scanned = 0; scanned < SCANNED; scanned += size) {
    const entries = await read(store, worldId, last, size);
    found.push(...entries.filter(isBy(who)));
    const items = found.slice(0, limit);
    if (found.length > limit) return { items, next: writeCursor(items.at(-1)?.seq ?? last) };
    if (entries.length < size) return { items };
    last = entries.at(-1)?.seq ?? last;
    await setImmediate();
  }
  return { items: found, next: writeCursor(last) };
}

function isBy(wanted: string | undefined): (entry: AuditEntry) => boolean {
  return wanted === undefined ? () => true : ({ who }) => who?.id === wanted;
}

async function read(store: Store, worldId: string, after: number, limit: number): Promise<AuditEntry[]> {
  return await store.read(async (reader) => {
    if (!(await reader.worldIdTaken(worldId))) {
      throw new CountersignError('not-found', `There is no audit log for a world "${worldId}".`);
    }
    return await reader.audit(worldId, { after, limit });
  });
}

/** The whole log. */
export async function exportAudit(
  store: Store,
  worldId: string,
  { format, after, who, log }: { format: 'jsonl' | 'csv'; after: number; who?: string | undefined; log: Log },
): Promise<Response> {
  const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl';
  return await streamDownload(auditLines(store, worldId, { format, after, who }), {
    type,
    file: `audit.${format}`,
    log,
  });
}

async function* auditLines(
  store: Store,
  worldId: string,
  { format, after, who }: { format: 'jsonl' | 'csv'; after: number; who?: string | undefined },
): AsyncGenerator<string> {
  const toLine = format === 'csv' ? csvLine : (entry: AuditEntry): string => `${JSON.stringify(entry)}\n`;
  let head = format === 'csv' ? `${COLUMNS.join(',')}\r\n` : '';
  for (let last: number | undefined = after; last !== undefined;) {
    const entries = await read(store, worldId, last, BATCH);
    yield head + entries.filter(isBy(who)).map(toLine).join('');
    head = '';
    last = entries.length < BATCH ? undefined : entries.at(-1)?.seq;
  }
}

/** All fields but the encrypted ones. */
const COLUMNS = [
  'seq',
  'at',
  'worldId',
  'kind',
  'chatId',
  'agentId',
  'tool',
  'invocationId',
  'requester',
  'arguments',
  'decision',
  'scope',
  'edited',
  'who',
  'for',
  'via',
  'client',
  'why',
  'rule',
  'approvalId',
  'batch',
  'shownMs',
  'effectHash',
  'attempts',
  'receipt',
  'previousHash',
  'hash',
] as const satisfies readonly (keyof AuditEntry)[];

function csvLine(entry: AuditEntry): string {
  return `${COLUMNS.map((column) => cell(entry[column])).join(',')}\r\n`;
}

/** Prevents CSV injection: agents choose the values, and a spreadsheet would execute a cell that contains a formula. */
function cell(value: unknown): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
