import { isRule, nearest, type RuleWarning } from '@countersign/protocol';
import { parseRule, SANDBOX_RULES } from '../policy/index.js';

/** What the author of these rules should know. A tool may come later, so a name that nobody has is no error. */
export function warnOfRules(rules: readonly string[], tools: Iterable<string>): RuleWarning[] {
  const names = [...tools, ...SANDBOX_RULES];
  return rules.flatMap((rule, index): RuleWarning[] => {
    if (!isRule(rule)) return [];
    const parsed = parseRule(rule);
    const at = { line: index + 1, rule };
    if (!parsed.ok) return [{ ...at, code: 'unreadable', error: parsed.error, ...parsed.head }];
    const { tool } = parsed.rule;
    if (tool.includes('*') || names.includes(tool) || isAway(tool, names)) return [];
    // `pay` for the tool of an MCP server is the likeliest mistake: such a rule would protect nothing.
    const closest = names.find((name) => name.endsWith(`__${tool}`)) ?? nearest(tool, names);
    return [{ ...at, code: 'unknown-tool', tool, ...(closest === undefined ? {} : { closest }) }];
  });
}

/** A tool of an MCP server that is not connected now: nobody can tell which tools it has. */
function isAway(tool: string, names: readonly string[]): boolean {
  const server = /^mcp__.+?__/.exec(tool)?.[0];
  return server !== undefined && !names.some((name) => name.startsWith(server));
}
