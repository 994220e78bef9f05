import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { CallContext } from '@countersign/protocol';
import type { Places } from '../gated-agents.js';
import type { HookAgent } from '../hook-agents.js';
import { isObject, type JsonObject } from '../json-text.js';

/** Only the end of a transcript is read: the hook delays every call. */
const MOST_BYTES = 256 * 1024;
/** Of the prompt and of the last words. If escapes make both longer than `MOST_SENT`, they are cut further. */
const LENGTHS = [4_000, 1_200];
const MOST_SENT = 16 * 1024;

/** What the hook's input says about the session. */
export interface SessionHints {
  readonly transcript?: string;
  readonly subagent?: string;
}

/**
 * What the agent's own transcript says about the session, for people (EXT1.21). It is read as the user, only in the agent's own folder and through no
 * link. Never throws: nothing is decided by it, so a transcript that can't be read is left out.
 */
export function readContext(
  agent: HookAgent,
  { transcript, subagent }: SessionHints,
  places: Places,
): CallContext | undefined {
  let found: CallContext = {};
  try {
    const text = transcript === undefined ? undefined : readEnd(transcript, ownFolder(agent, places));
    if (text !== undefined) found = lastWords(text, agent, subagent !== undefined);
  } catch {
    // It doesn't exist yet, or isn't what this agent writes.
  }
  const named = subagent === undefined || subagent.trim() === '' ? {} : { subagent: subagent.slice(0, 200) };
  for (const length of LENGTHS) {
    const entries = Object.entries(found).map(([name, said]) => [name, said.slice(0, length)] as const);
    const context: CallContext = { ...Object.fromEntries(entries), ...named };
    if (Buffer.byteLength(JSON.stringify(context)) <= MOST_SENT)
      return Object.keys(context).length === 0 ? undefined : context;
  }
  return undefined;
}

function ownFolder(agent: HookAgent, { env, userHome }: Places): string {
  const set = (name: string): string | undefined => (env[name] === '' ? undefined : env[name]);
  if (agent === 'claude') return set('CLAUDE_CONFIG_DIR') ?? join(userHome, '.claude');
  if (agent === 'gemini') return join(set('GEMINI_CLI_HOME') ?? userHome, '.gemini');
  return set('CODEX_HOME') ?? join(userHome, '.codex');
}

/** Undefined if the path leads anywhere else than to a plain file of this user in this folder. The folder itself may be a link. */
function readEnd(path: string, folder: string): string | undefined {
  const inside = relative(folder, path);
  if (!isAbsolute(path) || inside === '' || inside.split(sep)[0] === '..' || isAbsolute(inside)) return undefined;
  const expected = join(realpathSync(folder), inside);
  const file = openSync(expected, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    const isOwn = stats.uid === process.getuid?.() && stats.nlink === 1;
    if (!stats.isFile() || !isOwn || realpathSync(expected) !== expected) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, MOST_BYTES));
    const start = stats.size - bytes.length;
    const count = readSync(file, bytes, 0, bytes.length, start);
    const text = bytes.subarray(0, count).toString('utf8');
    // The first line is the rest of a longer one.
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    closeSync(file);
  }
}

/** From the end: the last words since the last prompt, and that prompt. */
function lastWords(text: string, agent: HookAgent, isSubagent: boolean): CallContext {
  let said: string | undefined;
  for (const line of text.split('\n').toReversed()) {
    const entry = readEntry(line, agent);
    if (entry === undefined || entry.text === '') continue;
    // The transcript is that of the main agent: its last words aren't those of the sub-agent.
    if (entry.by === 'agent') said ??= isSubagent ? undefined : entry.text;
    else return { prompt: entry.text, ...(said === undefined ? {} : { said }) };
  }
  return said === undefined ? {} : { said };
}

function readEntry(line: string, agent: HookAgent): { by: 'agent' | 'user'; text: string } | undefined {
  if (line === '') return undefined;
  const entry = parse(line);
  if (entry === undefined || agent === 'codex') return undefined;
  if (agent === 'gemini') {
    const by = entry['type'] === 'user' ? 'user' : entry['type'] === 'gemini' ? 'agent' : undefined;
    return by && { by, text: textIn(entry['content']) };
  }
  const { type, message } = entry;
  if (entry['isMeta'] === true || entry['isSidechain'] === true || !isObject(message)) return undefined;
  const by = type === 'user' ? 'user' : type === 'assistant' ? 'agent' : undefined;
  const text = textIn(message['content']);
  // What Claude Code writes in the user's name, such as `<command-name>`.
  return by === undefined || (by === 'user' && /^<[a-z-]+>/.test(text)) ? undefined : { by, text };
}

function parse(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The text of a message, which is a string or has parts with text. */
function textIn(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part) => (isObject(part) && typeof part['text'] === 'string' ? [part['text']] : []));
  return texts.join('\n').trim();
}
