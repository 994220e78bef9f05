import { matching, mentionAt, whoAnswers } from '@countersign/client';
import type { Agent } from '@countersign/protocol';
import { nearest } from '@countersign/protocol';
import { chatWords } from '../words/chat.js';
import { SLASH_COMMANDS } from '../words/help-chat.js';

const NAMES = Object.keys(SLASH_COMMANDS).map((usage) => usage.split(' ')[0] ?? '');

export type SlashCommand =
  | { readonly kind: 'help' | 'stop' | 'new' | 'chats' | 'agents' | 'thinking' | 'approvals' | 'quit' }
  | { readonly kind: 'chat'; readonly id: string }
  | { readonly kind: 'unknown'; readonly hint: string };

/** Undefined if the line is a message. A path such as /etc/hosts is also a message. */
export function readSlashCommand(line: string): SlashCommand | undefined {
  const [word = '', ...rest] = line.trim().split(/\s+/);
  if (!/^\/[a-z]+$/i.test(word)) return undefined;
  const argument = rest.join(' ');
  switch (word.toLowerCase()) {
    case '/help':
      return { kind: 'help' };
    case '/stop':
      return { kind: 'stop' };
    case '/new':
      return { kind: 'new' };
    case '/chats':
      return { kind: 'chats' };
    case '/chat':
      return argument === '' ? { kind: 'chats' } : { kind: 'chat', id: argument };
    case '/agents':
      return { kind: 'agents' };
    case '/thinking':
      return { kind: 'thinking' };
    case '/approvals':
      return { kind: 'approvals' };
    case '/quit':
    case '/exit':
      return { kind: 'quit' };
    default: {
      return { kind: 'unknown', hint: chatWords.unknownSlash(word, nearest(word, NAMES)) };
    }
  }
}

/** Completes slash commands at the start of a line and agent names after an @, or corrects a mention that addresses nobody (M3.6). */
export function completeLine(line: string, agents: readonly Agent[], mainAgent?: string): [string[], string] {
  if (/^\/\S*$/.test(line)) return [NAMES.filter((name) => name.startsWith(line.toLowerCase())), line];
  const mention = mentionAt(line, line.length);
  const known = [{ id: 'human', name: 'human' }, ...agents];
  const names = mention === undefined ? [] : matching(known, mention.typed).map(({ name }) => `@${name} `);
  if (mention !== undefined && names.length > 0) return [names, line.slice(mention.from)];
  const who = whoAnswers(line, agents, mainAgent);
  return who.kind === 'nobody' && who.fixed !== undefined ? [[who.fixed], line] : [[], line];
}
