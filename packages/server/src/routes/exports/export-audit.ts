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
  // Reads more records than it returns, but a bounded number: the log may be long, and a person may have few records.
  const count = who === undefined ? limit : Math.max(limit, SCANNED);
  const entries = await read(store, worldId, after, count + 1);
  const found = entries.slice(0, count).filter(isBy(who));
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : entries.length > count ? entries[count - 1] : undefined;
  return { items, ...(last === undefined ? {} : { next: writeCursor(last.seq) }) };
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
