import type { Agent } from '@countersign/protocol';
import { expect, it } from 'vitest';
import { completeLine, readSlashCommand } from './slash-commands.js';

it('tells commands from messages', () => {
  expect(readSlashCommand('/stop')).toEqual({ kind: 'stop' });
  expect(readSlashCommand(' /chat chat_1 ')).toEqual({ kind: 'chat', id: 'chat_1' });
  expect(readSlashCommand('/etc/hosts is empty')).toBeUndefined();
  expect(readSlashCommand('what is /stop')).toBeUndefined();
  expect(readSlashCommand('/hepl')).toEqual({
    kind: 'unknown',
    hint: 'There is no command /hepl. Did you mean /help? /help lists them.',
  });
});

it('completes commands and the names of agents', () => {
  const agents = [{ name: 'Ada' }, { name: 'Old Ben' }] as Agent[];
  expect(completeLine('/ch', agents)[0]).toEqual(['/chats', '/chat']);
  expect(completeLine('hello @a', agents)).toEqual([['@Ada '], '@a']);
  expect(completeLine('@old b', agents)).toEqual([['@Old Ben '], '@old b']);
  expect(completeLine('mail ben@x', agents)[0]).toEqual([]);
});
