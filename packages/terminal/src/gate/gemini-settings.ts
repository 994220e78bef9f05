import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import type { OriginalFile } from './config-change.js';
import { addHooks, hasHooks, removeHooks, type HookEvent } from './hook-entries.js';
import { listAt, objectAt, parseObject, withKey, writeObject, type JsonObject } from './json-text.js';

/** Timeouts are in milliseconds. */
const eventsFor = (waitSeconds: number): readonly HookEvent[] => [
  { event: 'BeforeTool', matcher: true, timeout: waitSeconds * 1000 },
  { event: 'AfterTool', matcher: true, timeout: 60_000 },
  { event: 'BeforeAgent', matcher: false, timeout: 30_000 },
  { event: 'AfterAgent', matcher: false, timeout: 30_000 },
  { event: 'SessionEnd', matcher: false, timeout: 30_000 },
];

/**
 * Gemini CLI's settings with our hook. The hook alone fails open; the policy file makes it fail closed. Named in the user's settings, it has the
 * tier of an administrator: policies that a project names have a lower tier or come after it, and no variable moves it. Without `policy`, these are
 * the administrator's settings, beside which Gemini CLI finds the policy; a project can't turn off hooks then.
 */
export function addToGemini(
  text: string | undefined,
  given: { command: string; waitSeconds: number; file: string; policy: string | undefined },
): string {
  const { command, waitSeconds, file, policy } = given;
  const settings = parseObject(text, file);
  const problem = problemInGemini(text, file, policy);
  if (problem !== undefined) throw new CommandError(problem);
  const gated: JsonObject =
    policy === undefined
      ? { ...settings, hooksConfig: { ...objectAt(settings, 'hooksConfig', file), enabled: true } }
      : { ...settings, [ADMIN_POLICIES]: [policy] };
  return writeObject(addHooks(gated, { command, events: eventsFor(waitSeconds), file }), text);
}

export function removeFromGemini(
  text: string,
  original: OriginalFile | undefined,
  { file, policy }: { file: string; policy: string | undefined },
): string {
  const settings = removeHooks(parseObject(text, file), file);
  if (policy === undefined) {
    const hooksConfig = objectAt(settings, 'hooksConfig', file);
    const then = original === undefined ? hooksConfig : objectAt(parseObject(original.text, file), 'hooksConfig', file);
    const { enabled: _, ...others } = hooksConfig;
    return writeObject(withKey(settings, 'hooksConfig', 'enabled' in then ? hooksConfig : others), text);
  }
  const others = listAt(settings, ADMIN_POLICIES, file).filter((path) => path !== policy);
  return writeObject(withKey(settings, ADMIN_POLICIES, others), text);
}

export function gapInGemini(
  text: string | undefined,
  { command, file, policy }: { command: string; file: string; policy: string | undefined },
): string | undefined {
  const settings = parseObject(text, file);
  const problem = problemInGemini(text, file, policy);
  if (problem !== undefined) return problem;
  if (!hasHooks(settings, { command, events: eventsFor(0), file })) return gate.hookMissing(file);
  if (policy === undefined)
    return objectAt(settings, 'hooksConfig', file)['enabled'] === true
      ? undefined
      : gate.settingMissing(file, 'hooksConfig.enabled', 'true');
  const isNamed = listAt(settings, ADMIN_POLICIES, file).includes(policy);
  return isNamed ? undefined : gate.settingMissing(file, ADMIN_POLICIES, JSON.stringify([policy]));
}

const ADMIN_POLICIES = 'adminPolicyPaths';

/** Why settings change the gate; undefined if they don't. `policy`: ours, which only the user's own settings may name. */
export function problemInGemini(text: string | undefined, file: string, policy?: string): string | undefined {
  const settings = parseObject(text, file);
  const hooksConfig = objectAt(settings, 'hooksConfig', file);
  if (hooksConfig['enabled'] === false) return gate.hooksDisabled(file, 'hooksConfig.enabled');
  if (listAt(hooksConfig, 'disabled', file).includes('countersign'))
    return gate.hooksDisabled(file, 'hooksConfig.disabled');
  // Ours comes first, but only as long as Gemini CLI loads and sorts them as it does now.
  const paths = ['policyPaths', ADMIN_POLICIES].find((key) =>
    listAt(settings, key, file).some((path) => path !== policy),
  );
  return paths === undefined ? undefined : gate.policyPaths(file, paths);
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
    { mcpName: '*', decision: 'deny', denyMessage: gate.geminiMcpDenied },
    { argsPattern: `${argument('command', command)},${passed}`, decision: 'allow' },
    { argsPattern: '\\u0000"command":', decision: 'deny', denyMessage: gate.geminiDenied },
    { argsPattern: passed, decision: 'allow' },
    { argsPattern: '^', decision: 'deny', denyMessage: gate.geminiDenied },
    // Only keeps the tools in the list that the model sees: the rule above comes first for every call.
    { decision: 'allow' },
  ];
  // All with the highest priority, so that no rule of another file comes in between. JSON strings and numbers are valid TOML.
  const written = rules.map((rule) =>
    [
      '[[rule]]',
      ...Object.entries({ toolName: '*', priority: 999, ...rule }).map(
        ([key, value]) => `${key} = ${JSON.stringify(value)}`,
      ),
    ].join('\n'),
  );
  return `${[gate.geminiPolicyHeader, ...written].join('\n\n')}\n`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
