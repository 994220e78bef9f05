import { expect, it } from 'vitest';
import { approvalOf, chatOf, drawn, messageOf, sceneOf } from '../../testing/screen-fixture.js';
import { nothingMeasured } from './transcript-blocks.js';

it('[M9.3] says below an answer who stopped it', () => {
  const stoppedBy = { kind: 'person', id: 'p1', name: 'Bob' } as const;
  const partial = messageOf(1, { role: 'assistant', sender: 'scout', agentId: 'scout', content: 'I se', stoppedBy });
  const lines = drawn(sceneOf({ chat: chatOf([partial]), size: { columns: 90, rows: 30 } }));
  expect(lines[lines.findIndex((line) => line.includes('I se')) + 1]).toContain('■ Stopped by Bob');
});

it('[M11] says below a message that it is on hold, until nothing blocks it', () => {
  const later = new Date(Date.parse(approvalOf(1).requestedAt) + 60_000).toISOString();
  const chat = chatOf(
    [
      messageOf(1),
      messageOf(2, { createdAt: later, content: 'and then?' }),
      messageOf(3, { role: 'assistant', sender: 'scout', agentId: 'scout', content: 'I see', createdAt: later }),
    ],
    [approvalOf(1)],
  );
  const measured = nothingMeasured();
  const held = drawn(sceneOf({ chat, measured, size: { columns: 90, rows: 30 } }));
  const at = held.findIndex((line) => line.includes('and then?'));
  expect(held[at + 1]).toContain("⏳ On hold. Mason can't answer until you decide on the waiting calls.");
  expect(held.join('\n').split('On hold.')).toHaveLength(2);
  const free = drawn(sceneOf({ chat: { ...chat, queue: [] }, measured, size: { columns: 90, rows: 30 } }));
  expect(free.join('\n')).not.toContain('On hold.');
});
