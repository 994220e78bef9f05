import { shelves } from '../find-rules.js';
import { type Policies, type Weighing, weigh } from '../judge.js';
import type { PolicyCall } from '../types.js';

/**
 * Which paths a call that was let through must leave alone all the same: it was judged by the folder it starts in, and a
 * deny or ask rule about something below that folder has not had its say. An ask rule that was about the call itself has.
 * Undefined: no rule is about certain arguments of this tool.
 */
export function withholdPaths(policies: Policies, call: PolicyCall): ((path: string) => boolean) | undefined {
  const { admin, world, agent } = policies;
  const guards = [admin?.deny, admin?.ask, world.deny, world.ask, agent.deny, agent.ask];
  const about = guards.flatMap((index) => shelves(index, call.tool));
  // Without such a rule there is nothing to look up for each of a hundred thousand files.
  if (!about.some((shelf) => shelf.patterned.length + shelf.named.length > 0)) return undefined;
  const answered = new Set(questionsOf(weigh(policies, call)));
  const named = call.subjects.flatMap((subject) =>
    subject.kind === 'path' && subject.argument !== undefined ? [{ argument: subject.argument }] : [],
  );
  const names = named.length === 0 ? [{}] : named;
  return (path) => {
    const below: PolicyCall = { ...call, subjects: names.map((name) => ({ kind: 'path', path, ...name })) };
    const weighing = weigh(policies, below);
    return weighing.deny !== undefined || questionsOf(weighing).some((rule) => !answered.has(rule));
  };
}

/** Every ask rule that is about a call. */
export function questionsOf({ adminAsk, asks }: Weighing): readonly string[] {
  return adminAsk === undefined ? asks : [adminAsk, ...asks];
}
