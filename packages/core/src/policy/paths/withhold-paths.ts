import { groupsFor } from '../rules/find-rules.js';
import { type Policies, type Weighing, weigh } from '../judge.js';
import type { PolicyCall } from '../types.js';

/**
 * The paths that an approved call must skip. The gate judged only the folder in which the call starts; this enforces deny and ask rules about
 * paths below it. Undefined if no rule for this tool has a pattern.
 */
export function withholdPaths(policies: Policies, call: PolicyCall): ((path: string) => boolean) | undefined {
  const { admin, world, agent } = policies;
  const guards = [admin?.deny, admin?.ask, world.deny, world.ask, agent.deny, agent.ask];
  const about = guards.flatMap((index) => groupsFor(index, call.tool));
  // Fast path: without such a rule, there is nothing to check for each of a hundred thousand files.
  if (!about.some((group) => group.patterned.length + group.named.length > 0)) return undefined;
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

/** All ask rules that match a call. */
export function questionsOf({ adminAsk, asks }: Weighing): readonly string[] {
  return adminAsk === undefined ? asks : [adminAsk, ...asks];
}
