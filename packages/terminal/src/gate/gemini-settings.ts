import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import { addHooks, hasHooks, removeHooks, type HookEvent } from './hook-entries.js';
import { listAt, objectAt, parseObject, writeObject } from './json-text.js';

/** Timeouts are in milliseconds. */
const eventsFor = (waitSeconds: number): readonly HookEvent[] => [
  { event: 'BeforeTool', matcher: true, timeout: waitSeconds * 1000 },
  { event: 'AfterTool', matcher: true, timeout: 60_000 },
  { event: 'SessionEnd', matcher: false, timeout: 30_000 },
];

/** Gemini CLI's settings with our hook. The hook alone fails open; the policy file makes it fail closed. */
export function addToGemini(
  text: string | undefined,
  { command, waitSeconds, file }: { command: string; waitSeconds: number; file: string },
): string {
  const settings = parseObject(text, file);
  const problem = problemIn(text, file);
  if (problem !== undefined) throw new CommandError(problem);
  return writeObject(addHooks(settings, { command, events: eventsFor(waitSeconds), file }), text);
}

export function removeFromGemini(text: string, file: string): string {
  return writeObject(removeHooks(parseObject(text, file), file), text);
}

export function gapInGemini(
  text: string | undefined,
  { command, file }: { command: string; file: string },
): string | undefined {
  const missing = hasHooks(parseObject(text, file), { command, events: eventsFor(0), file })
    ? undefined
    : gate.hookMissing(file);
  return problemIn(text, file) ?? missing;
}

/** Why a project's settings change the gate; undefined if they don't. */
export function projectGapInGemini(text: string, file: string): string | undefined {
  return problemIn(text, file);
}

function problemIn(text: string | undefined, file: string): string | undefined {
  const settings = parseObject(text, file);
  const hooksConfig = objectAt(settings, 'hooksConfig', file);
  if (hooksConfig['enabled'] === false) return gate.hooksDisabled(file, 'hooksConfig.enabled');
  if (listAt(hooksConfig, 'disabled', file).includes('countersign'))
    return gate.hooksDisabled(file, 'hooksConfig.disabled');
  // These policies replace the folder that ours is in, or take precedence over it.
  const paths = ['policyPaths', 'adminPolicyPaths'].find((key) => listAt(settings, key, file).length > 0);
  if (paths !== undefined) return gate.policyPaths(file, paths);
  return undefined;
}

/**
 * Denies every call except those whose arguments contain the pass, which only our hook knows and adds. Policies are checked after hooks, so
 * a hook that fails for any reason means no. MCP servers would receive the pass as an argument, so their tools are denied. Of shell commands,
 * only `gate exec` with the id of a call is allowed, so that a hook that runs after ours can't change what was approved.
 */
export function geminiPolicy(pass: string, exec: string): string {
  // Gemini CLI marks the ends of top-level arguments with NUL, so that no text inside an argument matches.
  const argument = (name: string, pattern: string): string => `\\u0000"${name}":"${pattern}"\\u0000`;
  const passed = argument('countersign', pass);
  const command = `${escapeRegExp(JSON.stringify(exec).slice(1, -1))} '[\\w-]{1,64}'`;
  const rules = [
    { mcpName: '*', toolName: '*', decision: 'deny', priority: 999, denyMessage: gate.geminiMcpDenied },
    { toolName: '*', argsPattern: `${argument('command', command)},${passed}`, decision: 'allow', priority: 998 },
    {
      toolName: '*',
      argsPattern: '\\u0000"command":',
      decision: 'deny',
      priority: 997,
      denyMessage: gate.geminiDenied,
    },
    { toolName: '*', argsPattern: passed, decision: 'allow', priority: 996 },
    { toolName: '*', argsPattern: '^', decision: 'deny', priority: LOWEST + 1, denyMessage: gate.geminiDenied },
    // Only keeps the tools in the list that the model sees: the rule above comes first for every call.
    { toolName: '*', decision: 'allow', priority: LOWEST },
  ];
  // JSON strings, numbers and booleans are valid TOML.
  const written = rules.map((rule) =>
    ['[[rule]]', ...Object.entries(rule).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)].join('\n'),
  );
  return `${[gate.geminiPolicyHeader, ...written].join('\n\n')}\n`;
}

/** The lowest priority of our rules. */
const LOWEST = 994;

/** Whether another policy file could take precedence over ours. */
export function outranksOurs(policy: string): boolean {
  return [...policy.matchAll(/^\s*priority\s*=\s*\+?([\d_]+)/gm)].some(
    ([, text = '']) => Number(text.replaceAll('_', '')) >= LOWEST,
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
