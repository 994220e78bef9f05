import { CommandError } from '../command-error.js';
import { gate } from '../words/gate.js';
import type { OriginalFile } from './config-change.js';
import { refusedVariable } from './harmless-variables.js';
import { addHooks, hasHooks, otherHook, removeHooks, type HookEvent } from './hook-entries.js';
import { listAt, objectAt, parseObject, withKey, writeObject, type JsonObject } from './json-text.js';

/** Timeouts are in seconds. PermissionRequest only looks up what PreToolUse waited for. */
const eventsFor = (waitSeconds: number, page?: string): readonly HookEvent[] => [
  {
    event: 'PreToolUse',
    matcher: true,
    timeout: waitSeconds,
    onFailure: 'block',
    ...(page === undefined ? {} : { statusMessage: gate.waiting(page) }),
  },
  { event: 'PermissionRequest', matcher: true, timeout: 60, onFailure: 'block' },
  { event: 'PostToolUse', matcher: true, timeout: 60 },
  { event: 'PostToolUseFailure', matcher: true, timeout: 60 },
  ...['UserPromptSubmit', 'Stop', 'SubagentStart', 'SubagentStop'].map((event) => ({
    event,
    matcher: false,
    timeout: 30,
  })),
  { event: 'SessionEnd', matcher: false, timeout: 30 },
];

/** These never ask, so they deny every call or allow every call. */
const MODES_THAT_NEVER_ASK: readonly unknown[] = ['dontAsk', 'bypassPermissions'];

/**
 * Claude Code's settings with the gate. `ask: ["*"]` makes it ask for every call, in every mode and despite allow rules, and only our hook
 * for PermissionRequest answers. Without it, a hook that fails would let calls through.
 */
export function addToClaude(
  text: string | undefined,
  { command, waitSeconds, page, file }: { command: string; waitSeconds: number; page?: string; file: string },
): string {
  const settings = parseObject(text, file);
  if (settings['disableAllHooks'] === true) throw new CommandError(gate.hooksDisabled(file, 'disableAllHooks'));
  const other = otherHook(removeHooks(settings, file), ['PermissionRequest'], { file });
  if (other !== undefined) throw new CommandError(other);
  const permissions = objectAt(settings, 'permissions', file);
  const ask = listAt(permissions, 'ask', file);
  const asking: JsonObject = {
    ...permissions,
    ...(MODES_THAT_NEVER_ASK.includes(permissions['defaultMode']) ? { defaultMode: 'default' } : {}),
    ask: ask.includes('*') ? ask : ['*', ...ask],
    disableBypassPermissionsMode: 'disable',
  };
  return writeObject(
    addHooks(
      { ...settings, permissions: asking },
      { command, events: eventsFor(waitSeconds, page), file, direct: true },
    ),
    text,
  );
}

/** Removes only our parts. Values that we replaced come back as they were; if that isn't known, they stay. */
export function removeFromClaude(text: string, original: OriginalFile | undefined, file: string): string {
  const settings = removeHooks(parseObject(text, file), file);
  if (original === undefined) return writeObject(settings, text);
  const then = objectAt(parseObject(original.text, file), 'permissions', file);
  let permissions = objectAt(settings, 'permissions', file);
  if (!listAt(then, 'ask', file).includes('*')) {
    const ask = listAt(permissions, 'ask', file).filter((rule) => rule !== '*');
    permissions = withKey(permissions, 'ask', ask);
  }
  if (permissions['disableBypassPermissionsMode'] === 'disable') {
    permissions = withKey(permissions, 'disableBypassPermissionsMode', then['disableBypassPermissionsMode']);
  }
  if (MODES_THAT_NEVER_ASK.includes(then['defaultMode']) && permissions['defaultMode'] === 'default') {
    permissions = withKey(permissions, 'defaultMode', then['defaultMode']);
  }
  return writeObject(withKey(settings, 'permissions', permissions), text);
}

/** Why a project's settings, which are merged with the user's, change the gate; undefined if they don't. `events`: those that have only our hook. */
export function projectGapInClaude(text: string, file: string, events: readonly string[]): string | undefined {
  const variable = refusedVariable(objectAt(parseObject(text, file), 'env', file));
  return (
    gapInMergedSettings(text, file, events) ?? (variable === undefined ? undefined : gate.projectEnv(file, variable))
  );
}

/** The same for settings that may set variables, such as those of an administrator. */
export function gapInMergedSettings(text: string, file: string, events: readonly string[]): string | undefined {
  const settings = parseObject(text, file);
  const off = ['disableAllHooks', 'allowManagedHooksOnly'].find((key) => settings[key] === true);
  if (off !== undefined) return gate.hooksDisabled(file, off);
  const other = otherHook(settings, events, { file });
  if (other !== undefined) return other;
  const { defaultMode, disableBypassPermissionsMode: bypass } = objectAt(settings, 'permissions', file);
  if (MODES_THAT_NEVER_ASK.includes(defaultMode)) return gate.projectMode(file, 'permissions.defaultMode');
  if (bypass !== undefined && bypass !== 'disable')
    return gate.projectMode(file, 'permissions.disableBypassPermissionsMode');
  return undefined;
}

/** Why the settings don't gate every call; undefined if they do. */
export function gapInClaude(
  text: string | undefined,
  { command, file }: { command: string; file: string },
): string | undefined {
  const settings = parseObject(text, file);
  if (settings['disableAllHooks'] === true) return gate.hooksDisabled(file, 'disableAllHooks');
  if (!hasHooks(settings, { command, events: eventsFor(0), file, direct: true })) return gate.hookMissing(file);
  const other = otherHook(settings, ['PermissionRequest'], { own: command, file });
  if (other !== undefined) return other;
  const permissions = objectAt(settings, 'permissions', file);
  if (!listAt(permissions, 'ask', file).includes('*')) return gate.settingMissing(file, 'permissions.ask', '["*"]');
  if (permissions['disableBypassPermissionsMode'] !== 'disable')
    return gate.settingMissing(file, 'permissions.disableBypassPermissionsMode', '"disable"');
  return undefined;
}
