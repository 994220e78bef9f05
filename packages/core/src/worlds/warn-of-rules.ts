import { externalVerb, isRule, nearest, programName, type RuleWarning } from '@countersign/protocol';
import type { RegisteredTool } from '../ports/index.js';
import { meantForShell, starCoversNothing } from './meant-rules.js';
import { endedText, NETWORK_RULE, parseRule, SANDBOX_RULES, type Rule } from '../policy/index.js';

/** Warnings for the author of rules. A tool may be added later, so an unknown tool is not an error. */
export function warnOfRules(
  rules: readonly string[],
  tools: ReadonlyMap<string, RegisteredTool>,
  now: number,
): RuleWarning[] {
  const names = [...tools.keys(), ...SANDBOX_RULES];
  return rules.flatMap((rule, index): RuleWarning[] => {
    if (!isRule(rule)) return [];
    const parsed = parseRule(rule);
    const at = { line: index + 1, rule };
    if (!parsed.ok) return [{ ...at, code: 'unreadable', error: parsed.error, ...parsed.head }];
    const { verb, tool } = parsed.rule;
    if (endedText(parsed.rule, now) !== undefined) return [{ ...at, code: 'ended', tool }];
    const allowsRun = verb === 'allow' && externalVerb(tool) === 'run';
    if (allowsRun && !spellsOutCommand(parsed.rule)) return [{ ...at, code: 'star-outside', tool }];
    if (verb === 'allow' && tool === NETWORK_RULE) return [{ ...at, code: 'opens-network', tool }];
    const instead = starCoversNothing(rule, parsed.rule, tools.get(tool));
    if (instead !== undefined) return [{ ...at, code: 'star-nothing', tool, meant: instead }];
    if (tool.includes('*') || names.includes(tool) || isAway(tool, names) || isOutside(tool)) return [];
    // The most likely mistake is to write `pay` for an MCP server's tool: such a rule would protect nothing.
    const closest = names.find((name) => name.endsWith(`__${tool}`)) ?? nearest(tool, names);
    return [{ ...at, code: 'unknown-tool', tool, ...(closest === undefined ? meantOf(rule, tools) : { closest }) }];
  });
}

function meantOf(rule: string, tools: ReadonlyMap<string, RegisteredTool>): { meant?: string } {
  const meant = meantForShell(rule, tools);
  return meant === undefined ? {} : { meant };
}

/** Whether the rule has the whole command. A rule about effects has no command that it could allow (CHANGE9.2). */
function spellsOutCommand({ words, named, effect }: Rule): boolean {
  if (effect !== undefined || (words ?? named) === undefined) return false;
  return words?.some((word) => word.some((piece) => 'stars' in piece)) !== true;
}

/** Whether the tool's MCP server is not connected, so that its tools are unknown. */
function isAway(tool: string, names: readonly string[]): boolean {
  const server = /^mcp__.+?__/.exec(tool)?.[0];
  return server !== undefined && !names.some((name) => name.startsWith(server));
}

/** Whether the tool belongs to an external program that we know, such as `claude__Read` (EXT1.4). Nobody has a list of its tools. */
function isOutside(tool: string): boolean {
  const program = /^(.+?)__/.exec(tool)?.[1];
  return program !== undefined && programName(program) !== program;
}
