import type { AuditEntry } from '@countersign/protocol';
import type { Tone } from '../ui/tone.js';
import type { IconName } from '../ui/icon-paths.js';

/** A record in a word, with its colour and drawing. */
export function lookOf({ kind, decision, scope }: AuditEntry): { words: string; tone: Tone; icon: IconName } {
  switch (kind) {
    case 'request':
      return { words: 'asked', tone: 'amber', icon: 'hourglass' };
    case 'decision':
      return decision === 'approve' || decision === 'approved'
        ? { words: `signed ${scope ?? ''}`.trim(), tone: 'green', icon: 'check' }
        : { words: decision === 'deny' ? 'denied' : (decision ?? 'decided'), tone: 'red', icon: 'ban' };
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
      return decision?.startsWith('client') === true
        ? { words: decision, tone: 'neutral', icon: 'plug' }
        : { words: decision === undefined ? 'policy' : `rule ${decision}`, tone: 'neutral', icon: 'policy' };
    case 'grant':
      return { words: 'grant', tone: 'neutral', icon: 'grants' };
    case 'stop':
      return { words: 'stopped', tone: 'neutral', icon: 'stop' };
  }
}
