import { type AuditEntry, describeReason, type Reason } from '@countersign/protocol';

/** Why a call ran, as recorded in the audit log. */
const RUN_REASONS: Readonly<Record<string, Reason>> = {
  decision: { code: 'decision' },
  grant: { code: 'grant' },
  rule: { code: 'allow-rule', rule: '' },
  pattern: { code: 'pattern' },
  'no-approval-needed': { code: 'no-approval-needed' },
  contained: { code: 'contained' },
};

/** Why something happened, for people. The record of a run contains a code; all others contain text. */
export function auditWhy({ kind, why = '' }: Pick<AuditEntry, 'kind' | 'why'>): string {
  const reason = kind === 'run' ? RUN_REASONS[why] : undefined;
  return reason === undefined ? why : describeReason(reason);
}

/** The rule of a record, unless the reason already contains it. */
export function auditRule({ why = '', rule }: Pick<AuditEntry, 'why' | 'rule'>): string | undefined {
  return rule === undefined || why.includes(rule) ? undefined : rule;
}
