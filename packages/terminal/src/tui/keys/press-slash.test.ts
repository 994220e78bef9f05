import { expect, it } from 'vitest';
import { chatOf, factsOf, NOW, sceneOf, worldOf } from '../../testing/screen-fixture.js';
import { initialUi, type Pressed } from '../ui-state.js';
import { fieldOf } from './field.js';
import type { KeyName } from './key.js';
import { press } from './press.js';

function typed(text: string, name: KeyName = 'enter'): Pressed {
  const ui = { ...initialUi('chat_1'), composer: fieldOf(text) };
  return press(ui, { kind: 'name', name }, factsOf(sceneOf({ ui, world: worldOf([]), chat: chatOf([]), now: NOW })));
}

it('[TERM2.2] carries out slash commands in the full-screen UI, and sends none of them', () => {
  expect(typed('/stop').effects).toEqual([{ kind: 'stop' }]);
  expect(typed('/chat chat_01a2').effects).toEqual([{ kind: 'find-chat', id: 'chat_01a2' }]);
  expect(typed('/new')).toMatchObject({ ui: { chatId: undefined }, effects: [{ kind: 'open-chat' }] });
  expect(typed('/help')).toMatchObject({ ui: { overlay: 'help', composer: { text: '' } }, effects: [] });
  expect(typed('/chats').ui.focus).toBe('chats');
  expect(typed('/thinking').ui.isWide).toBe(true);
  expect(typed('/approvals').ui.status?.text).toBe('Nothing is waiting for you.');
  expect(typed('/quit').effects).toEqual([{ kind: 'leave' }]);
});

it('[TERM2.6] exports the chat and starts branches of it', () => {
  expect(typed('/branch say it again').effects).toEqual([{ kind: 'branch', text: 'say it again' }]);
  expect(typed('/export notes.md').effects).toEqual([{ kind: 'export', file: 'notes.md' }]);
});

it('[TERM2.2] refuses an unknown slash command and keeps it in the field; a path or a leading space makes it a message', () => {
  const { ui, effects } = typed('/stpo');
  expect(effects).toEqual([]);
  expect(ui).toMatchObject({ composer: { text: '/stpo' }, status: { isBad: true } });
  expect(ui.status?.text).toContain('Did you mean /stop?');
  expect(typed(' /stpo').effects).toEqual([{ kind: 'send', text: '/stpo' }]);
  expect(typed('/etc/hosts is empty').effects).toMatchObject([{ kind: 'send' }]);
});

it('[TERM2.2] completes a slash command with Tab', () => {
  expect(typed('/app', 'tab').ui.composer.text).toBe('/approvals');
  expect(typed('/stop', 'tab').ui.focus).not.toBe('composer');
});
