import type { AuditEntry } from '@countersign/protocol';
import type { Tone } from '../ui/tone.js';
import type { IconName } from '../ui/icon-paths.js';
import { auditWords } from '../words/audit.js';

/** The word, colour and icon of a record. */
export function lookOf({ kind, decision, scope, edited, rule }: AuditEntry): {
  words: string;
  tone: Tone;
  icon: IconName;
} {
  switch (kind) {
    case 'rehearsal':
      return { words: auditWords.rehearsed, tone: 'neutral', icon: 'eye' };
    case 'request':
      return { words: auditWords.asked, tone: 'amber', icon: 'hourglass' };
    case 'sign':
      return { words: auditWords.signed, tone: 'green', icon: 'check' };
    case 'decision':
      if (decision === 'approve') return { words: auditWords.approved(scope, edited), tone: 'green', icon: 'check' };
      if (decision === 'release')
        return {
          words: scope === 'session' ? auditWords.allowedForChat : auditWords.allowedByRule,
          tone: 'green',
          icon: 'check',
        };
      if (decision === 'edit') return { words: auditWords.edited, tone: 'amber', icon: 'hourglass' };
      if (decision === 'answer') return { words: auditWords.answered, tone: 'green', icon: 'check' };
      return {
        words: decision === 'deny' ? auditWords.denied : (decision ?? auditWords.decided),
        tone: 'red',
        icon: 'ban',
      };
    case 'run':
      return { words: auditWords.started, tone: 'blue', icon: 'play' };
    case 'outcome':
      return decision === 'failed'
        ? { words: auditWords.failed, tone: 'red', icon: 'alert' }
        : // No check mark: it is unknown whether the call succeeded.
          {
            words: decision ?? auditWords.ended,
            tone: 'neutral',
            icon: decision === 'succeeded' ? 'check' : 'question',
          };
    case 'undo':
      if (decision === 'failed') return { words: auditWords.undoFailed, tone: 'red', icon: 'alert' };
      return { words: decision === 'done' ? auditWords.undone : auditWords.undoSigned, tone: 'neutral', icon: 'reply' };
    case 'refusal':
      return { words: auditWords.refused, tone: 'red', icon: 'ban' };
    case 'policy':
      if (rule !== undefined) return { words: auditWords.rule(decision), tone: 'neutral', icon: 'policy' };
      return { words: decision ?? auditWords.policy, tone: 'neutral', icon: 'policy' };
    case 'grant':
      return { words: auditWords.grant, tone: 'neutral', icon: 'grants' };
    case 'reveal':
      return { words: auditWords.revealed, tone: 'amber', icon: 'eye' };
    case 'stop':
      return { words: auditWords.stopped, tone: 'neutral', icon: 'stop' };
  }
}
