import { gate } from '../words/gate.js';
import { wordsOf } from './hook-command.js';
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

interface HooksToWrite {
  readonly command: string;
  readonly events: readonly HookEvent[];
  readonly file: string;
  /** Without a shell, in which variables of a project could run another program. */
  readonly direct?: boolean;
}

/** Sets the variables at the start of a command, as a shell would. */
const ENV = '/usr/bin/env';

/** The settings with our hook for these events, after those of the user. A hook from an earlier installation is replaced. */
export function addHooks(settings: JsonObject, { command, events, file, direct = false }: HooksToWrite): JsonObject {
  const cleaned = removeHooks(settings, file);
  let hooks = objectAt(cleaned, 'hooks', file);
  for (const { event, matcher, timeout, statusMessage, onFailure } of events) {
    const entry = {
      ...(matcher ? { matcher: '*' } : {}),
      hooks: [
        {
          ...(event === 'BeforeTool' ? { name: 'countersign' } : {}),
          type: 'command',
          ...(direct ? { command: ENV, args: wordsOf(command) } : { command }),
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

/** The first hook for these events except `own`, as a sentence. */
export function otherHook(
  settings: JsonObject,
  events: readonly string[],
  about: { own?: string; file: string },
): string | undefined {
  for (const event of events) {
    const [found] = otherHooks(settings, event, about);
    if (found !== undefined) return gate.otherHook(about.file, event, found);
  }
  return undefined;
}

/** The commands of all hooks for an event except `own`. What only looks like our hook, or is a hook in another form, counts as another one. */
export function otherHooks(
  settings: JsonObject,
  event: string,
  { own, file }: { own?: string; file: string },
): readonly string[] {
  return listAt(objectAt(settings, 'hooks', file), event, file)
    .flatMap((group) => (isObject(group) && Array.isArray(group['hooks']) ? (group['hooks'] as unknown[]) : [group]))
    .filter((hook) => own === undefined || !isObject(hook) || (hook['command'] !== own && !runsDirectly(hook, own)))
    .map((hook) => {
      const [shown] = isObject(hook) ? [lineOf(hook), hook['url'], hook['type']].filter((text) => text !== '') : [hook];
      return typeof shown === 'string' ? shown : JSON.stringify(hook);
    });
}

/** What a hook runs, for people; empty if it is no command. */
function lineOf({ command, args }: JsonObject): string {
  return [command, args]
    .flat()
    .filter((word) => typeof word === 'string')
    .join(' ');
}

function runsDirectly(hook: JsonObject, command: string): boolean {
  return hook['command'] === ENV && JSON.stringify(hook['args']) === JSON.stringify(wordsOf(command));
}

/** Whether our hook is there for each of these events, with this command. */
export function hasHooks(settings: JsonObject, { command, events, file, direct = false }: HooksToWrite): boolean {
  return events.every(({ event, onFailure }) =>
    listAt(objectAt(settings, 'hooks', file), event, file).some(
      (group) =>
        isObject(group) &&
        (group['matcher'] === undefined || group['matcher'] === '*') &&
        Array.isArray(group['hooks']) &&
        group['hooks'].some(
          (hook: unknown) =>
            isObject(hook) &&
            (direct ? runsDirectly(hook, command) : hook['command'] === command) &&
            hook['onFailure'] === onFailure,
        ),
    ),
  );
}

const HOOK_WORDS = ['gate', 'hook', '--agent'];

/** Our hook is recognized by its words, so that one from another version or folder is found, too. */
function isOurs(hook: unknown): boolean {
  if (!isObject(hook)) return false;
  const words = lineOf(hook).split(' ');
  return words.some((_, at) => HOOK_WORDS.every((word, index) => words[at + index] === word));
}
