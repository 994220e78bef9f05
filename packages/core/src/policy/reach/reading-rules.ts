import { EXTERNAL_VERBS, isRule, type ReadingRules } from '@countersign/protocol';
import type { Policy } from '../compile-policy.js';
import { parseRule } from '../rules/parse-rule.js';
import { SANDBOX_RULES } from '../rules/sandbox-names.js';
import type { Rule } from '../types.js';

/** What a program's own tools for reading are called, by its name in rules (EXT1.4). */
interface ReadingTools {
  /** Read what they name: files and folders. */
  readonly reads: readonly string[];
  readonly shell: string;
  /** Have no effect outside the program. */
  readonly inside: readonly string[];
}

/** By the names that Claude Code 2.1.326 and Gemini CLI 0.61.0 use. */
const PROGRAMS: ReadonlyMap<string, ReadingTools> = new Map([
  [
    'claude',
    {
      reads: ['Read', 'Grep', 'Glob'],
      shell: 'Bash',
      inside: ['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'ToolSearch'],
    },
  ],
  [
    'gemini',
    {
      reads: ['read_file', 'grep_search', 'search_file_content', 'glob', 'list_directory'],
      shell: 'run_shell_command',
      inside: ['write_todos', 'update_topic', 'complete_task'],
    },
  ],
]);

/** Exactly these words. They run programs that the settings of the repository name, so they are offered only where nothing may write these. */
const COMMANDS = ['git status', 'git diff', 'git log'] as const;

/** Run in the sandbox, or touch no files. */
const BUILT_IN: ReadonlySet<string> = new Set([
  ...SANDBOX_RULES,
  ...['shell_cmd', 'read_file', 'list_files', 'grep', 'write_file', 'edit_file', 'web_fetch', 'ask_human'],
]);

const FETCHES = ['WebFetch', 'WebSearch', 'web_fetch', 'google_web_search'];

/** Rules that let a program read in its folder without approval, beside these policies. None if its tools aren't known (GATE7.4). */
export function offerReading(program: string, policies: readonly Policy[]): ReadingRules {
  const tools = PROGRAMS.get(program);
  if (tools === undefined) return { rules: [], leftOut: [] };
  const there = policies.flatMap(({ lines }) => lines);
  const isNew = (rule: string): boolean => !there.includes(rule);
  const allow = (tool: string, pattern = ''): string => `allow ${program}__${tool}${pattern}`;
  const reading = [...tools.reads.map((tool) => allow(tool, '(./**)')), ...tools.inside.map((tool) => allow(tool))];
  const commands = COMMANDS.map((command) => allow(tools.shell, `(${command})`)).filter(isNew);
  const because = rulesOf(policies).find((rule) => mayWrite(rule.rule))?.text;
  const rules = [...reading.filter(isNew), ...(because === undefined ? commands : [])];
  return because === undefined || commands.length === 0
    ? { rules, leftOut: [] }
    : { rules, leftOut: commands, because };
}

/**
 * Whether these allow rules and those that are there would let a program outside the sandbox write files as it likes, and also run a command: it could
 * write what the command runs. A rule for a command spells it out, so commands alone don't count.
 */
export function letsWriteWhatRuns(lines: readonly string[], policies: readonly Policy[]): boolean {
  const kinds = (rules: readonly { rule: Rule }[]) => new Set(rules.map(({ rule }) => kindOf(rule)));
  const [added, there] = [kinds(readAllows(lines)), kinds(rulesOf(policies))];
  return (added.has('writes') && there.has('runs')) || (added.has('runs') && there.has('writes'));
}

type Kind = 'runs' | 'writes' | 'unknown' | 'neither';

/** What calls that an allow rule covers may do outside the sandbox. */
function kindOf({ tool }: Rule): Kind {
  if (BUILT_IN.has(tool)) return 'neither';
  if (tool.includes('*')) return 'writes';
  const [, program = '', own = ''] = /^(?!mcp__|app__)([a-z][a-z0-9-]*)__(.+)$/.exec(tool) ?? [];
  const { reads = [], inside = [] } = PROGRAMS.get(program) ?? {};
  if ([...reads, ...inside, ...FETCHES].includes(own)) return 'neither';
  if (EXTERNAL_VERBS.run.includes(own)) return 'runs';
  return [...EXTERNAL_VERBS.write, ...EXTERNAL_VERBS.change, 'apply_patch'].includes(own) ? 'writes' : 'unknown';
}

/** A command may write, except the ones that we offer. So may a tool that nobody knows. */
function mayWrite(rule: Rule): boolean {
  const kind = kindOf(rule);
  if (kind !== 'runs') return kind !== 'neither';
  const words = rule.words?.map((word) => word.map((piece) => ('text' in piece ? piece.text : '*')).join(''));
  return !COMMANDS.some((command) => command === words?.join(' '));
}

function rulesOf(policies: readonly Policy[]): readonly { text: string; rule: Rule }[] {
  return policies.flatMap(({ lines, ended }) => readAllows(lines.filter((line) => !ended.includes(line))));
}

/** A rule that can't be parsed allows nothing (RULE5.3). */
function readAllows(lines: readonly string[]): readonly { text: string; rule: Rule }[] {
  return lines
    .filter((line) => isRule(line) && /^\s*allow\s/.test(line))
    .flatMap((text) => {
      const parsed = parseRule(text);
      return parsed.ok && parsed.rule.verb === 'allow' ? [{ text, rule: parsed.rule }] : [];
    });
}
