import { isDeepStrictEqual } from 'node:util';
import { CommandError } from '../../command-error.js';
import { gate } from '../../words/gate.js';
import { addToClaude, gapInClaude, removeFromClaude } from '../claude-settings.js';
import type { OriginalFile } from '../config-change.js';
import { otherHook } from '../hook-entries.js';
import { listAt, objectAt, parseObject, withKey, writeObject, type JsonObject } from '../json-text.js';

/** Only these hooks and MCP servers, also if a project, a flag, a skill or a plugin names others. */
const ONLY_MANAGED: Readonly<JsonObject> = {
  allowManagedHooksOnly: true,
  allowManagedMcpServersOnly: true,
  disableSideloadFlags: true,
};
/** If the hook fails, nobody is asked in the terminal of the agent, where its user could say yes. */
const NO_PROMPTS: Readonly<JsonObject> = { denyInsteadOfPrompting: true };
/** With these, the system's loader would start other code in place of the hook. Those of a user apply unless these do. */
const NO_LOADING: Readonly<JsonObject> = { LD_PRELOAD: '', LD_AUDIT: '', LD_LIBRARY_PATH: '' };

/** The administrator's settings of Claude Code with the gate. A setting that contradicts it is a conflict, which people must solve. */
export function addToManagedClaude(
  text: string | undefined,
  given: { command: string; waitSeconds: number; file: string },
): string {
  const { file } = given;
  const settings = parseObject(addToClaude(text, given), file);
  const permissions = objectAt(settings, 'permissions', file);
  const env = objectAt(settings, 'env', file);
  const conflict =
    conflictIn(settings, ONLY_MANAGED) ??
    conflictIn(permissions, NO_PROMPTS, 'permissions.') ??
    conflictIn(env, NO_LOADING, 'env.');
  if (conflict !== undefined) throw new CommandError(gate.managedConflict(file, conflict));
  return writeObject(
    {
      ...settings,
      ...ONLY_MANAGED,
      // Without a list, every server would be allowed.
      allowedMcpServers: listAt(settings, 'allowedMcpServers', file),
      permissions: { ...permissions, ...NO_PROMPTS },
      env: { ...env, ...NO_LOADING },
    },
    text,
  );
}

/** Removes what wasn't there before. If nothing says what was there, the administrator's settings stay. */
export function removeFromManagedClaude(text: string, original: OriginalFile | undefined, file: string): string {
  const settings = parseObject(removeFromClaude(text, original, file), file);
  if (original === undefined) return writeObject(settings, text);
  const then = parseObject(original.text, file);
  const hadList = 'allowedMcpServers' in then || listAt(settings, 'allowedMcpServers', file).length > 0;
  let left = without(settings, then, hadList ? ONLY_MANAGED : { ...ONLY_MANAGED, allowedMcpServers: [] });
  for (const [key, ours] of [
    ['permissions', NO_PROMPTS],
    ['env', NO_LOADING],
  ] as const)
    left = withKey(left, key, without(objectAt(left, key, file), objectAt(then, key, file), ours));
  return writeObject(left, text);
}

/** Why the administrator's settings don't gate every call; undefined if they do. */
export function gapInManagedClaude(
  text: string | undefined,
  about: { command: string; file: string },
): string | undefined {
  const gap = gapInClaude(text, about);
  if (gap !== undefined) return gap;
  const { file } = about;
  const settings = parseObject(text, file);
  const missing =
    missingIn(settings, ONLY_MANAGED) ??
    (Array.isArray(settings['allowedMcpServers']) ? undefined : (['allowedMcpServers', []] as const)) ??
    missingIn(objectAt(settings, 'permissions', file), NO_PROMPTS, 'permissions.') ??
    missingIn(objectAt(settings, 'env', file), NO_LOADING, 'env.');
  return missing === undefined ? undefined : gate.settingMissing(file, missing[0], JSON.stringify(missing[1]));
}

/** Why another file of the administrator, which Claude Code merges with ours, changes the gate. */
export function gapInDropIn(text: string, file: string): string | undefined {
  const settings = parseObject(text, file);
  const conflict =
    conflictIn(settings, { ...ONLY_MANAGED, disableAllHooks: false }) ??
    conflictIn(objectAt(settings, 'permissions', file), NO_PROMPTS, 'permissions.') ??
    conflictIn(objectAt(settings, 'env', file), NO_LOADING, 'env.');
  return conflict === undefined
    ? otherHook(settings, ['PermissionRequest'], { file })
    : gate.managedConflict(file, conflict);
}

/** The first key that is there with another value. */
function conflictIn(settings: JsonObject, ours: JsonObject, path = ''): string | undefined {
  const key = Object.keys(ours).find((one) => one in settings && settings[one] !== ours[one]);
  return key === undefined ? undefined : `${path}${key}`;
}

function missingIn(settings: JsonObject, ours: JsonObject, path = ''): readonly [string, unknown] | undefined {
  const found = Object.entries(ours).find(([key, value]) => settings[key] !== value);
  return found === undefined ? undefined : [`${path}${found[0]}`, found[1]];
}

/** Without the keys that have our values, unless they were there before. */
function without(settings: JsonObject, then: JsonObject, ours: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([key, value]) => !(key in ours) || key in then || !isDeepStrictEqual(value, ours[key]),
    ),
  );
}
