import { nameOf, signedText } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';

export interface Filter {
  /** Empty means all. */
  kind: string;
  agentId: string;
  who: string;
  words: string;
}

/** The matching records, newest first. */
export function filterEntries(entries: readonly AuditEntry[], { kind, agentId, who, words }: Filter): AuditEntry[] {
  const wanted = words.trim().toLowerCase();
  return entries
    .filter((entry) => kind === '' || entry.kind === kind)
    .filter((entry) => agentId === '' || entry.agentId === agentId)
    .filter((entry) => who === '' || (entry.who !== undefined && entry.who.id === who))
    .filter((entry) => wanted === '' || textOf(entry).includes(wanted))
    .toReversed();
}

/** The people, agents and tokens in these records, sorted by name. */
export function signersIn(entries: readonly AuditEntry[]): { value: string; label: string }[] {
  const found = new Map<string, string>();
  for (const { who } of entries) {
    if (who === undefined) continue;
    // The latest name: a person may have been renamed.
    found.set(who.id, nameOf(who));
  }
  return [...found].map(([value, label]) => ({ value, label })).toSorted((a, b) => (a.label < b.label ? -1 : 1));
}

function textOf(entry: AuditEntry): string {
  const { tool, arguments: args, decision, scope, who, via, client, why, rule } = entry;
  const edited = entry.edited === true ? 'edited' : undefined;
  return [tool, JSON.stringify(args ?? ''), decision, scope, edited, signedText(who, via, entry.for), client, why, rule]
    .join('\n')
    .toLowerCase();
}
