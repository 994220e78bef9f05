import { existsSync, readFileSync } from 'node:fs';
import { gate } from '../../words/gate.js';
import { projectGapInClaude } from '../claude-settings.js';

/** The first version that blocks a call if its hook fails (`onFailure`). */
export const OLDEST_CLAUDE = '2.1.295';

/** The words that the running Claude Code was started with. */
export function claudeWords(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const pid = env['CLAUDE_PID'] ?? '';
  if (!/^\d+$/.test(pid)) throw new Error(gate.unknownClaude('CLAUDE_PID', pid));
  if (existsSync(`/proc/${pid}/cmdline`))
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').flatMap(splitWord);
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  return execFileSync('ps', ['-ww', '-o', 'args=', '-p', pid], { encoding: 'utf8' }).split(/\s+/).flatMap(splitWord);
}

/** Why these words, or the version, change the gate; undefined if they don't. */
export function gapInWords(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // Its commands get another ending, so that an earlier version that they start doesn't pass for this one.
  const { AI_AGENT = '' } = env;
  const version = /^claude-code_(\d+)-(\d+)-(\d+)_harness$/.exec(AI_AGENT)?.slice(1).join('.');
  if (version === undefined) return gate.unknownClaude('AI_AGENT', AI_AGENT);
  if (isOlder(version, OLDEST_CLAUDE)) return gate.oldClaude(version);
  const plugin = words.find((word) => word === '--plugin-dir' || word === '--plugin-url');
  if (plugin !== undefined) return gate.refusedFlag(plugin);
  // `stdio` is the program that started Claude Code. A tool of an MCP server would answer before our hook does.
  if (firstAfter(words, '--permission-prompt-tool').some((tool) => tool !== 'stdio'))
    return gate.refusedFlag('--permission-prompt-tool');
  // It can also name a file.
  if (firstAfter(words, '--agents').some((text) => !text.startsWith('{') || text.includes('hooks')))
    return gate.refusedFlag('--agents');
  const [settings] = firstAfter(words, '--settings').filter((word) => word.startsWith('{'));
  return settings === undefined ? undefined : projectGapInClaude(settings, '--settings', eventsThatMatter(words));
}

/** A host that answers questions is asked at the same time as our hook, and could allow what another hook made of a call. */
export function eventsThatMatter(words: readonly string[]): readonly string[] {
  return words.includes('--permission-prompt-tool') ? ['PermissionRequest', 'PreToolUse'] : ['PermissionRequest'];
}

/** The values of a flag that takes one, and may be given several times. */
export function firstAfter(words: readonly string[], flag: string): readonly string[] {
  return words.filter((_, at) => words[at - 1] === flag);
}

/** The values of a flag that takes several. */
export function allAfter(words: readonly string[], flag: string): readonly string[] {
  return words.flatMap((word, at) => {
    const rest = word === flag ? words.slice(at + 1) : [];
    const end = rest.findIndex((one) => one.startsWith('-'));
    return end < 0 ? rest : rest.slice(0, end);
  });
}

export function isOlder(version: string, than: string): boolean {
  const [one = [], other = []] = [version, than].map((text) => text.split('.').map(Number));
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
}

/** A flag and its value can be one word. */
function splitWord(word: string): readonly string[] {
  const [, flag, value] = /^(--[a-z-]+)=([\s\S]*)$/.exec(word) ?? [];
  if (flag !== undefined && value !== undefined) return [flag, value];
  return word === '' ? [] : [word];
}
