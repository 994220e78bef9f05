import { matching, mentionAt, whoAnswers } from '@countersign/client';
import type { Agent } from '@countersign/protocol';
import { nearest } from '@countersign/protocol';
import { chatWords } from '../words/chat.js';
import { SLASH_COMMANDS } from '../words/help-chat.js';

type SlashName = keyof typeof SLASH_COMMANDS;

/** Where a command is typed. `watch`: `countersign approvals watch`, which has no chat. */
export type SlashPlace = 'chat' | 'screen' | 'watch';

export type SlashCommand =
  | { readonly kind: SlashName; readonly argument: string }
  /** Nothing is sent: a mistyped command must not reach an agent. */
  | { readonly kind: 'unknown'; readonly hint: string };

const ALL = Object.keys(SLASH_COMMANDS).filter(isSlashName);
const OF_WATCH: readonly SlashName[] = ['help', 'approvals', 'quit'];

/** Undefined if the line is a message: so are a path such as /etc/hosts, and a line that starts with a space. */
export function readSlashCommand(line: string, place: SlashPlace): SlashCommand | undefined {
  const [word = '', ...rest] = line.trimEnd().split(/\s+/);
  if (!/^\/[a-z]+$/i.test(word)) return undefined;
  const typed = word.slice(1).toLowerCase();
  const name = typed === 'exit' ? 'quit' : typed;
  if (isSlashName(name) && slashNames(place).includes(name)) return { kind: name, argument: rest.join(' ') };
  const hint = isSlashName(name)
    ? chatWords.slashElsewhere(word)
    : chatWords.unknownSlash(word, nearest(word, slashNames(place).map(withSlash)));
  return { kind: 'unknown', hint };
}

/** The commands of a place, in the order of the help. */
export function slashNames(place: SlashPlace): readonly SlashName[] {
  return place === 'watch' ? OF_WATCH : ALL;
}

function isSlashName(name: string): name is SlashName {
  return Object.hasOwn(SLASH_COMMANDS, name);
}

function withSlash(name: SlashName): string {
  return `/${name}`;
}

/** Slash commands that start like this line. */
export function matchingSlash(line: string, place: SlashPlace): string[] {
  if (!/^\/\S*$/.test(line)) return [];
  return slashNames(place)
    .map(withSlash)
    .filter((name) => name.startsWith(line.toLowerCase()));
}

/** Completes slash commands at the start of a line and agent names after an @, or corrects a mention that addresses nobody (WORLD3.6). */
export function completeLine(line: string, agents: readonly Agent[], mainAgent?: string): [string[], string] {
  if (/^\/\S*$/.test(line)) return [matchingSlash(line, 'chat'), line];
  const mention = mentionAt(line, line.length);
  const known = [{ id: 'human', name: 'human' }, ...agents];
  const names = mention === undefined ? [] : matching(known, mention.typed).map(({ name }) => `@${name} `);
  if (mention !== undefined && names.length > 0) return [names, line.slice(mention.from)];
  const who = whoAnswers(line, agents, mainAgent);
  return who.kind === 'nobody' && who.fixed !== undefined ? [[who.fixed], line] : [[], line];
}
