import type { Agent } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { completeLine, readSlashCommand } from './slash-commands.js';

it('distinguishes commands from messages', () => {
  expect(readSlashCommand('/stop', 'chat')).toEqual({ kind: 'stop', argument: '' });
  expect(readSlashCommand('/chat chat_1 ', 'screen')).toEqual({ kind: 'chat', argument: 'chat_1' });
  expect(readSlashCommand('/etc/hosts is empty', 'chat')).toBeUndefined();
  expect(readSlashCommand('what is /stop', 'chat')).toBeUndefined();
  expect(readSlashCommand(' /stop', 'chat')).toBeUndefined();
  expect(readSlashCommand('/hepl', 'chat')).toEqual({
    kind: 'unknown',
    hint: 'Unknown command /hepl. Did you mean /help? /help lists them.',
  });
  expect(readSlashCommand('/constructor', 'chat')?.kind).toBe('unknown');
  expect(readSlashCommand('/new', 'watch')).toEqual({
    kind: 'unknown',
    hint: '/new works only in a chat. Run countersign chat or countersign tui.',
  });
});

it('[WORLD3] completes commands, and agent names where a mention is possible', () => {
  const agents = [
    { id: 'ada', name: 'Ada' },
    { id: 'old-ben', name: 'Old Ben' },
  ] as Agent[];
  expect(completeLine('/ch', agents)[0]).toEqual(['/chats', '/chat']);
  expect(completeLine('@a', agents)).toEqual([['@Ada '], '@a']);
  expect(completeLine('@Ada, @old', agents)).toEqual([['@Old Ben '], '@old']);
  expect(completeLine('@old b', agents)).toEqual([['@Old Ben '], '@old b']);
  expect(completeLine('mail ben@x', agents)[0]).toEqual([]);
  // In the middle of a line it addresses nobody, so completing a name would be misleading.
  expect(completeLine('hello @a', agents)[0]).toEqual([]);
});

it('[WORLD3.6] corrects a mention that nobody would answer', () => {
  const agents = [{ id: 'ada', name: 'Ada', active: true }] as Agent[];
  expect(completeLine('hello @Ada', agents)).toEqual([['@Ada hello @Ada'], 'hello @Ada']);
  expect(completeLine('@Aad hello', agents)).toEqual([['@Ada hello'], '@Aad hello']);
  expect(completeLine('hello', agents)[0]).toEqual([]);
});
