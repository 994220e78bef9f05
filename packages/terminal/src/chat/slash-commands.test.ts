import type { Agent } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { completeLine, readSlashCommand } from './slash-commands.js';

it('distinguishes commands from messages', () => {
  expect(readSlashCommand('/stop')).toEqual({ kind: 'stop' });
  expect(readSlashCommand(' /chat chat_1 ')).toEqual({ kind: 'chat', id: 'chat_1' });
  expect(readSlashCommand('/etc/hosts is empty')).toBeUndefined();
  expect(readSlashCommand('what is /stop')).toBeUndefined();
  expect(readSlashCommand('/hepl')).toEqual({
    kind: 'unknown',
    hint: 'Unknown command /hepl. Did you mean /help? /help lists them.',
  });
});

it('[M3] completes commands, and agent names where a mention is possible', () => {
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

it('[M3.6] corrects a mention that nobody would answer', () => {
  const agents = [{ id: 'ada', name: 'Ada', active: true }] as Agent[];
  expect(completeLine('hello @Ada', agents)).toEqual([['@Ada hello @Ada'], 'hello @Ada']);
  expect(completeLine('@Aad hello', agents)).toEqual([['@Ada hello'], '@Aad hello']);
  expect(completeLine('hello', agents)[0]).toEqual([]);
});
