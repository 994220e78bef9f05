import { reduceWorld } from '@countersign/client';
import { agentSchema } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { approvalOf, chatOf, drawn, factsOf, messageOf, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import { press } from '../keys/press.js';
import { initialUi } from '../ui-state.js';
import { nothingMeasured } from '../transcript/transcript-blocks.js';

describe('a message that the server does not have yet', () => {
  const size = { columns: 90, rows: 30 };
  const away = reduceWorld(worldOf([]), {
    type: 'connection',
    connection: { kind: 'reconnecting', attempt: 1, retryAt: 0, why: '' },
  });
  const ui = { ...initialUi('chat_1'), unsent: [{ chatId: 'chat_1', text: 'Tidy up, please' }] };

  it('[PAGE1.1] [TERM6.3] is shown as not sent while the server is away', () => {
    const lines = drawn(sceneOf({ chat: chatOf([messageOf(1)]), world: away, ui, size }));
    const at = lines.findIndex((line) => line.includes('Tidy up, please'));
    expect(lines[at - 1]).toContain('you  not sent yet');
    expect(at).toBeGreaterThan(lines.findIndex((line) => line.includes('message number 1')));
    expect(lines.join('\n')).toContain('Waiting for the server to come back… 1 message is not sent yet');
    expect(lines.join('\n')).not.toContain('nothing is lost');
    const begun = { ...initialUi(undefined), unsent: [{ chatId: undefined, text: 'Tidy up, please' }] };
    expect(drawn(sceneOf({ chat: undefined, world: away, ui: begun, size })).join('\n')).toContain('Tidy up, please');
    const elsewhere = drawn(sceneOf({ chat: undefined, world: away, ui: { ...ui, chatId: undefined }, size }));
    expect(elsewhere.join('\n')).not.toContain('Tidy up, please');
  });

  it('[TERM6.3] is not dropped by quitting without a question', () => {
    const quit = { kind: 'ctrl', letter: 'c' } as const;
    const asked = press(ui, quit, factsOf(sceneOf({ ui })));
    expect([asked.ui.overlay, asked.effects]).toEqual(['leave', []]);
    expect(drawn(sceneOf({ ui: asked.ui })).at(-1)).toContain('Your message has not been sent and would be lost.');
    const yes = press(asked.ui, { kind: 'char', text: 'y' }, factsOf(sceneOf({ ui })));
    expect(yes.effects).toEqual([{ kind: 'leave' }]);
  });
});

it('[EXT1] offers no message field in the chat of an agent outside', () => {
  const agents = [agentSchema.parse({ id: 'claude', name: 'Claude', provider: 'external', model: 'claude' })];
  const claude = { role: 'assistant', sender: 'claude', agentId: 'claude' } as const;
  const chat = { ...chatOf([messageOf(1, { ...claude, content: 'Listing' })]), agents };
  const scene = sceneOf({ chat, size: { columns: 90, rows: 30 } });
  expect(drawn(scene).join('\n')).toContain('Claude runs in its own program; countersign chats tell reaches it.');
  expect(drawn(scene).join('\n')).not.toContain('Message ');
  const typed = press(scene.ui, { kind: 'paste', text: 'hello' }, factsOf(scene));
  expect(typed.ui.composer.text).toBe('');
  expect(press(scene.ui, { kind: 'burst', text: 'hello\r' }, factsOf(scene)).effects).toEqual([]);
});

it('[WORLD9.3] says below an answer who stopped it', () => {
  const stoppedBy = { kind: 'person', id: 'p1', name: 'Bob' } as const;
  const partial = messageOf(1, { role: 'assistant', sender: 'scout', agentId: 'scout', content: 'I se', stoppedBy });
  const lines = drawn(sceneOf({ chat: chatOf([partial]), size: { columns: 90, rows: 30 } }));
  expect(lines[lines.findIndex((line) => line.includes('I se')) + 1]).toContain('■ Stopped by Bob');
});

it('[WORLD11] says below a message that it is on hold, until nothing blocks it', () => {
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
