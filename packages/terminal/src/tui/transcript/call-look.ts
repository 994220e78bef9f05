import { byText, expiredText, approvedText, type Decision, type Invocation } from '@countersign/client';
import type { Colour } from '../../text/spans.js';
import { screenWords } from '../../words/screen.js';

interface CallLook {
  readonly icon: string;
  readonly words: string;
  readonly colour?: Colour;
}

const words = screenWords.call;

/** Icon, text and colour of a call's state. */
export function callLook(
  { status }: Pick<Invocation, 'status'>,
  decision: Decision | undefined,
  me: string | undefined,
  isYours = true,
): CallLook {
  const by = decision === undefined ? '' : byText(decision, me);
  const approved = decision?.outcome === 'approved' ? approvedText(decision, me) : undefined;
  switch (status.kind) {
    case 'proposed':
      return { icon: '○', words: words.proposed };
    case 'asked':
      return isYours ? { icon: '⏳', words: words.asked, colour: 'waiting' } : { icon: '⏳', words: words.askedOthers };
    case 'approved':
      return { icon: '✓', words: approved ?? words.approved, colour: 'good' };
    case 'running':
      return { icon: '●', words: words.running, colour: 'do' };
    case 'succeeded':
      if (status.outcome === 'not-reported') return { icon: '✓', words: words.notReported };
      return {
        icon: '✓',
        words: approved ?? (decision?.outcome === 'answered' ? words.answered(by) : words.succeeded),
        colour: 'good',
      };
    case 'failed':
      if (status.outcome === 'stopped') return { icon: '■', words: words.stopped };
      if (status.outcome === 'not-claimed') return { icon: '✗', words: words.notClaimed };
      return { icon: '✗', words: words.failed, colour: 'bad' };
    case 'denied':
      return { icon: '✗', words: words.denied(by), colour: 'bad' };
    case 'expired':
      return { icon: '✗', words: expiredText(decision), colour: 'bad' };
  }
}
