import type { AuditEntry } from '@countersign/protocol';
import type { Tone } from '../ui/tone.js';
import type { IconName } from '../ui/icon-paths.js';

const CLIENT_CHANGES: ReadonlySet<string | undefined> = new Set(['client registered', 'client left']);

/** A record in a word, with its colour and drawing. */
export function lookOf({ kind, decision, scope, rule }: AuditEntry): { words: string; tone: Tone; icon: IconName } {
  switch (kind) {
    case 'request':
      return { words: 'asked', tone: 'amber', icon: 'hourglass' };
    case 'decision':
      if (decision === 'approve') return { words: `signed ${scope ?? ''}`.trim(), tone: 'green', icon: 'check' };
      if (decision === 'release')
        return {
          words: scope === 'session' ? 'allowed for this chat' : 'allowed by a rule',
          tone: 'green',
          icon: 'check',
        };
      if (decision === 'answer') return { words: 'answered', tone: 'green', icon: 'check' };
      return { words: decision === 'deny' ? 'denied' : (decision ?? 'decided'), tone: 'red', icon: 'ban' };
    case 'run':
      return { words: 'started', tone: 'blue', icon: 'play' };
    case 'outcome':
      return decision === 'failed'
        ? { words: 'failed', tone: 'red', icon: 'alert' }
        : // A check says that it went well, which nobody knows of this one.
          { words: decision ?? 'ended', tone: 'neutral', icon: decision === 'succeeded' ? 'check' : 'question' };
    case 'refusal':
      return { words: 'refused', tone: 'red', icon: 'ban' };
    case 'policy':
      if (rule !== undefined) return { words: `rule ${decision ?? ''}`.trim(), tone: 'neutral', icon: 'policy' };
      return { words: decision ?? 'policy', tone: 'neutral', icon: CLIENT_CHANGES.has(decision) ? 'plug' : 'policy' };
    case 'grant':
      return { words: 'grant', tone: 'neutral', icon: 'grants' };
    case 'reveal':
      return { words: 'secrets shown', tone: 'amber', icon: 'eye' };
    case 'stop':
      return { words: 'stopped', tone: 'neutral', icon: 'stop' };
  }
}
