import { signedText } from '@countersign/client';
import type { AuditEntry } from '@countersign/protocol';

export interface Filter {
  /** Empty means all. */
  kind: string;
  agentId: string;
  words: string;
}

/** The matching records, newest first. */
export function filterEntries(entries: readonly AuditEntry[], { kind, agentId, words }: Filter): AuditEntry[] {
  const wanted = words.trim().toLowerCase();
  return entries
    .filter((entry) => kind === '' || entry.kind === kind)
    .filter((entry) => agentId === '' || entry.agentId === agentId)
    .filter((entry) => wanted === '' || textOf(entry).includes(wanted))
    .toReversed();
}

function textOf({ tool, arguments: args, decision, scope, who, via, client, why, rule }: AuditEntry): string {
  return [tool, JSON.stringify(args ?? ''), decision, scope, signedText(who, via), client, why, rule]
    .join('\n')
    .toLowerCase();
}
