import type { AuditEntry } from '@countersign/protocol';
import type { Tone } from '../ui/tone.js';
import type { IconName } from '../ui/icon-paths.js';
import { t } from '../words/audit.js';

/** The word, colour and icon of a record. */
export function lookOf({ kind, decision, scope, edited, rule }: AuditEntry): {
  words: string;
  tone: Tone;
  icon: IconName;
} {
  switch (kind) {
    case 'rehearsal':
      return { words: t.rehearsed, tone: 'neutral', icon: 'eye' };
    case 'request':
      return { words: t.asked, tone: 'amber', icon: 'hourglass' };
    case 'sign':
      return { words: t.signed, tone: 'green', icon: 'check' };
    case 'decision':
      if (decision === 'approve') return { words: t.approved(scope, edited), tone: 'green', icon: 'check' };
      if (decision === 'release')
        return {
          words: scope === 'session' ? t.allowedForChat : t.allowedByRule,
          tone: 'green',
          icon: 'check',
        };
      if (decision === 'edit') return { words: t.edited, tone: 'amber', icon: 'hourglass' };
      if (decision === 'answer') return { words: t.answered, tone: 'green', icon: 'check' };
      return { words: decision === 'deny' ? t.denied : (decision ?? t.decided), tone: 'red', icon: 'ban' };
    case 'run':
      return { words: t.started, tone: 'blue', icon: 'play' };
    case 'outcome':
      return decision === 'failed'
        ? { words: t.failed, tone: 'red', icon: 'alert' }
        : // No check mark: it is unknown whether the call succeeded.
          { words: decision ?? t.ended, tone: 'neutral', icon: decision === 'succeeded' ? 'check' : 'question' };
    case 'undo':
      if (decision === 'failed') return { words: t.undoFailed, tone: 'red', icon: 'alert' };
      return { words: decision === 'done' ? t.undone : t.undoSigned, tone: 'neutral', icon: 'reply' };
    case 'refusal':
      return { words: t.refused, tone: 'red', icon: 'ban' };
    case 'policy':
      if (rule !== undefined) return { words: t.rule(decision), tone: 'neutral', icon: 'policy' };
      return { words: decision ?? t.policy, tone: 'neutral', icon: 'policy' };
    case 'grant':
      return { words: t.grant, tone: 'neutral', icon: 'grants' };
    case 'reveal':
      return { words: t.revealed, tone: 'amber', icon: 'eye' };
    case 'stop':
      return { words: t.stopped, tone: 'neutral', icon: 'stop' };
  }
}
