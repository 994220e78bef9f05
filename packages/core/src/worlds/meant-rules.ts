import type { RegisteredTool } from '../ports/index.js';
import { parseRule, type Rule, ruleMatches } from '../policy/index.js';
import { knownTool } from './known-tool.js';

const SHELL = 'shell_cmd';
const BARE_COMMAND = /^[ \t]*(allow|ask|deny)[ \t]+([^\s()#][^()#]*?)([ \t]+until[ \t]+\S+)?[ \t]*$/;

/** `allow npm test` names no tool and was probably meant for the shell. Returns the rule to write instead. */
export function meantForShell(text: string, tools: ReadonlyMap<string, unknown>): string | undefined {
  const [, verb = '', command = '', end = ''] = BARE_COMMAND.exec(text) ?? [];
  const [program = ''] = command.split(/[ \t]/);
  const isTool = program.includes('*') || program.includes('__') || tools.has(program);
  if (program === '' || isTool || !tools.has(SHELL)) return undefined;
  const rule = `${verb} ${SHELL}(${command})${end}`;
  return parseRule(rule).ok ? rule : undefined;
}

/** Words to try: a star covers at least one of them, if it covers any. */
const SAMPLES = [
  'x',
  './x',
  'status',
  'list',
  'ls',
  'log',
  'show',
  'get',
  'info',
  'view',
  'help',
  '-v',
  '--help',
  '--version',
];

/** `allow shell_cmd(npx *)` covers no word after `npx`, because it runs code that it is given (RULE6.1). Returns a rule that covers something. */
export function starCoversNothing(
  text: string,
  { verb, tool: name, words = [], named, effect }: Rule,
  tool: RegisteredTool | undefined,
): string | undefined {
  const fixed = words.slice(0, -1).map((word) => word.map((piece) => ('text' in piece ? piece.text : '*')).join(''));
  const isOpen = words.at(-1)?.length === 1 && words.at(-1)?.every((piece) => 'stars' in piece) === true;
  if (verb !== 'allow' || name !== SHELL || effect !== undefined || named !== undefined || !isOpen) return undefined;
  if (fixed.length === 0 || !fixed.every((word) => /^[\w./:=@-]+$/.test(word))) return undefined;
  const touches = knownTool(tool)?.touches;
  if (touches === undefined) return undefined;
  const place = { workingDirectory: '/', home: '/~' };
  const covers = (word: string): boolean =>
    ruleMatches([text], { tool: name, subjects: touches({ command: [...fixed, word].join(' ') }), place });
  return SAMPLES.some(covers) ? undefined : `allow ${name}(${[...fixed, 'test'].join(' ')})`;
}
