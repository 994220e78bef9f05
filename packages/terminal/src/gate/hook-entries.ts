import { isObject, listAt, objectAt, withKey, type JsonObject } from './json-text.js';

/** One event of the agent for which it runs our hook. */
export interface HookEvent {
  readonly event: string;
  readonly matcher: boolean;
  /** In the agent's own unit. */
  readonly timeout: number;
  /** What Claude Code shows while the hook runs. */
  readonly statusMessage?: string;
  /** Claude Code then doesn't run the call if the hook fails. */
  readonly onFailure?: 'block';
}

/** The settings with our hook for these events, after those of the user. A hook from an earlier installation is replaced. */
export function addHooks(
  settings: JsonObject,
  { command, events, file }: { command: string; events: readonly HookEvent[]; file: string },
): JsonObject {
  const cleaned = removeHooks(settings, file);
  let hooks = objectAt(cleaned, 'hooks', file);
  for (const { event, matcher, timeout, statusMessage, onFailure } of events) {
    const entry = {
      ...(matcher ? { matcher: '*' } : {}),
      hooks: [
        {
          ...(event === 'BeforeTool' ? { name: 'countersign' } : {}),
          type: 'command',
          command,
          timeout,
          ...(statusMessage === undefined ? {} : { statusMessage }),
          ...(onFailure === undefined ? {} : { onFailure }),
        },
      ],
    };
    hooks = { ...hooks, [event]: [...listAt(hooks, event, file), entry] };
  }
  return withKey(cleaned, 'hooks', hooks);
}

export function removeHooks(settings: JsonObject, file: string): JsonObject {
  let hooks = objectAt(settings, 'hooks', file);
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) continue;
    const kept = groups.flatMap((group: unknown) => {
      if (!isObject(group) || !Array.isArray(group['hooks'])) return [group];
      const others = group['hooks'].filter((hook: unknown) => !isOurs(hook));
      if (others.length === group['hooks'].length) return [group];
      return others.length === 0 ? [] : [{ ...group, hooks: others }];
    });
    hooks = withKey(hooks, event, kept);
  }
  return withKey(settings, 'hooks', hooks);
}

/** The commands of all hooks for an event except `own`. What only looks like our hook, or is a hook in another form, counts as another one. */
export function otherHooks(
  settings: JsonObject,
  event: string,
  { own, file }: { own?: string; file: string },
): readonly string[] {
  return listAt(objectAt(settings, 'hooks', file), event, file)
    .flatMap((group) => (isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as unknown[]) : [group]))
    .filter((hook) => own === undefined || !isObject(hook) || hook['command'] !== own)
    .map((hook) => {
      const [shown] = isObject(hook) ? ['command', 'url', 'type'].flatMap((key) => hook[key] ?? []) : [hook];
      return typeof shown === 'string' ? shown : JSON.stringify(hook);
    });
}

/** Whether our hook is there for each of these events, with this command. */
export function hasHooks(
  settings: JsonObject,
  { command, events, file }: { command: string; events: readonly HookEvent[]; file: string },
): boolean {
  return events.every(({ event, onFailure }) =>
    listAt(objectAt(settings, 'hooks', file), event, file).some(
      (group) =>
        isObject(group) &&
        (group['matcher'] === undefined || group['matcher'] === '*') &&
        Array.isArray(group['hooks']) &&
        group['hooks'].some(
          (hook: unknown) => isObject(hook) && hook['command'] === command && hook['onFailure'] === onFailure,
        ),
    ),
  );
}

const HOOK_WORDS = ['gate', 'hook', '--agent'];

/** Our hook is recognized by its words, so that one from another version or folder is found, too. */
function isOurs(hook: unknown): boolean {
  if (!isObject(hook) || typeof hook['command'] !== 'string') return false;
  const words = hook['command'].split(' ');
  return words.some((_, at) => HOOK_WORDS.every((word, index) => words[at + index] === word));
}
