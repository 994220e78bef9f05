import { describe, expect, it } from 'vitest';
import { approvalOf, chatOf, messageOf } from '../testing/screen-fixture.js';
import { paintFor } from '../text/paint.js';
import { createPrinter } from './printer.js';

const LATER = new Date(Date.parse(approvalOf(1).requestedAt) + 60_000).toISOString();
const KEPT = "· On hold. Mason can't answer until you decide on the waiting calls.";

function printed(show: (printer: ReturnType<typeof createPrinter>) => void, me?: string): string {
  let text = '';
  const write = (more: string): void => {
    text += more;
  };
  show(createPrinter({ write, paint: paintFor({}, { env: {} }), columns: () => 80, me }));
  return text;
}

describe('line mode', () => {
  it('[LOG1.6] names the writer of a message unless it is the reader', () => {
    const who = { kind: 'person', id: 'p1', name: 'Ada Lovelace\u001B[2J' } as const;
    const chat = chatOf([messageOf(1, { content: 'Tidy up', who })], []);
    const readBy = (me?: string): string | undefined => printed((printer) => printer.show(chat), me).split('\n')[0];
    expect(readBy('p2')).toMatch(/^Ada Lovelace/);
    expect(readBy('p2')).not.toContain('\u001B');
    expect([readBy('p1'), readBy()]).toEqual(['you', 'you']);
  });

  it('[WORLD9.3] says who stopped an answer', () => {
    const stoppedBy = { kind: 'person', id: 'p1', name: 'Ada\u001B[2J' } as const;
    const partial = messageOf(1, {
      role: 'assistant',
      sender: 'scout',
      agentId: 'scout',
      content: 'Half an',
      stoppedBy,
    });
    const readBy = (me: string): string => printed((printer) => printer.show(chatOf([partial], [])), me);
    expect(readBy('p1')).toMatch(/│ Half an\n■ Stopped by you\n/);
    expect(readBy('p2')).toMatch(/■ Stopped by Ada[^\u001B]*\n/);
  });

  it('[WORLD11] says once that a message is on hold, for any author and any later speaker', () => {
    const before = chatOf([messageOf(1)], [approvalOf(1)]);
    const after = chatOf(
      [
        messageOf(1),
        messageOf(2, { clientMessageId: 'own', createdAt: LATER, content: 'and then?' }),
        messageOf(3, { role: 'assistant', sender: 'scout', agentId: 'scout', content: 'I see', createdAt: LATER }),
      ],
      [approvalOf(1)],
    );
    const theirs = printed((printer) => {
      printer.show(before);
      printer.show(after);
      printer.show({ ...after });
    });
    expect(theirs.split(KEPT)).toHaveLength(2);
    expect(theirs.indexOf('and then?')).toBeLessThan(theirs.indexOf(KEPT));
    const own = printed((printer) => {
      printer.skip(before);
      printer.skipMessage('own');
      printer.show(after);
    });
    expect(own.split(KEPT)).toHaveLength(2);
    expect(own).not.toContain('and then?');
    const free = printed((printer) => printer.show({ ...after, queue: [] }));
    expect(free).not.toContain(KEPT);
  });
});
