import type { AuditEntry } from '@countersign/protocol';
import { commonWords } from './common.js';

/** The audit log. */
export const auditWords = {
  ...commonWords,
  title: 'Audit',
  lead: 'Every request, decision, run, refusal, undo and policy change. Each record contains the hash of the one before it.',
  serverTitle: 'Server log',
  serverLead:
    'Every change to people, roles, groups, tokens and sessions, and what was refused. Each record contains the hash of the one before it.',
  jsonLines: 'JSON lines',
  csv: 'CSV',
  kind: 'Kind',
  agent: 'Agent',
  who: 'Who',
  all: 'all',
  words: 'Contains',
  theLog: 'the audit log',
  noRecords: 'No records found.',
  noRecordsYet: 'Nothing has been requested or decided yet.',
  otherFilter: 'Try a different filter.',
  records: 'Records',
  columns: { number: 'No.', when: 'When', what: 'What', call: 'Call', who: 'Who', why: 'Why' },
  showMore: (next: number, total: number) => `Show ${next} more of ${total}`,

  verify: 'Verify chain',
  unbroken: (records: number) => `${records} ${records === 1 ? 'record' : 'records'}, chain intact`,
  verified: (
    <>
      This doesn't rule out that someone rewrote the whole log. To check that, run{' '}
      <code className="whitespace-nowrap">countersign audit verify --head</code> with a head that you stored elsewhere.
    </>
  ),
  unguarded: (count: number) =>
    ` The server's head file doesn't cover ${count === 1 ? 'the first record' : `the first ${count} records`}, because it was missing or new at the time.`,

  asked: 'requested',
  signed: 'signed',
  approved: (scope: AuditEntry['scope'], edited: AuditEntry['edited']) => {
    const words = scope === 'session' ? 'approved for this chat' : `approved ${scope ?? ''}`.trim();
    return edited === true ? `${words}, edited` : words;
  },
  allowedForChat: 'allowed for this chat',
  allowedByRule: 'allowed by a rule',
  answered: 'answered',
  denied: 'denied',
  decided: 'decided',
  started: 'started',
  failed: 'failed',
  ended: 'ended',
  refused: 'refused',
  rule: (change: AuditEntry['decision']) => `rule ${change ?? ''}`.trim(),
  policy: 'policy',
  grant: 'grant',
  revealed: 'secrets shown',
  rehearsed: 'rehearsed',
  undoSigned: 'undo signed',
  undone: 'undone',
  undoFailed: 'undo failed',
  edited: 'edited',
  stopped: 'stopped',
} as const;
