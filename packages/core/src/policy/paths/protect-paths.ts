import type { ProtectedPaths } from '../../ports/tools/tool.js';
import type { CompiledRule, RuleIndex } from '../compile-policy.js';
import { covering, firstMatching, groupsFor } from '../rules/find-rules.js';
import { matchesGlob } from '../patterns/glob.js';
import { type Policies, weigh } from '../judge.js';
import { isFloating, leadsTo, pathPattern } from '../patterns/path-pattern.js';
import { basesOf, guessSegments } from '../patterns/path-text.js';
import { toMatchable } from '../matchable-call.js';
import type { PatternWord, PolicyCall } from '../types.js';
import { questionsOf } from './withhold-paths.js';

/** Undefined if no path rule applies to this tool. Ignores ask rules that matched the call itself: they were answered by its approval. */
export function protectPaths(policies: Policies, call: PolicyCall): ProtectedPaths | undefined {
  const { admin, world, agent } = policies;
  const ruled = (...indexes: (RuleIndex | undefined)[]): CompiledRule[] =>
    indexes.flatMap((index) => pathRules(index, call.tool));
  const byAdmin = { deny: ruled(admin?.deny), ask: ruled(admin?.ask) };
  const others = { deny: ruled(world.deny, agent.deny), ask: ruled(world.ask, agent.ask) };
  const rules = [...byAdmin.deny, ...byAdmin.ask, ...others.deny, ...others.ask];
  if (rules.length === 0) return undefined;
  const bases = basesOf(call.place);
  const patterns = rules.flatMap(({ only }) => {
    const pattern = only && pathPattern(only, 'liberal');
    return pattern === undefined ? [] : [{ pattern, floating: isFloating(pattern, bases) }];
  });
  const guards = [admin?.deny, admin?.ask, world.deny, world.ask, agent.deny, agent.ask];
  const about = guards.flatMap((index) => groupsFor(index, call.tool));
  const allowing = groupsFor(admin?.allow, call.tool);
  const answered = new Set(questionsOf(weigh(policies, call)));
  return {
    isProtected(path) {
      const below = toMatchable({ ...call, subjects: [{ kind: 'path', path }] });
      // Fast path: this runs for every file in a folder, and most paths match no rule.
      if (firstMatching(about, below) === undefined) return false;
      const matches = ({ matcher }: CompiledRule): boolean =>
        below.subjects.some((subject) => matcher.matches(subject, bases));
      const needsApproval = (rule: CompiledRule): boolean => matches(rule) && !answered.has(rule.text);
      if (byAdmin.deny.some(matches) || byAdmin.ask.some(needsApproval)) return true;
      return covering(allowing, below) === undefined && (others.deny.some(matches) || others.ask.some(needsApproval));
    },
    mayHold(folder, where) {
      const path = guessSegments(folder, bases);
      let most: 'nothing' | 'fixed' = 'nothing';
      for (const { pattern, floating } of patterns) {
        if (floating && where === 'outside') continue;
        const leads = leadsTo(pattern, path, bases);
        if (leads === 'anywhere') return 'anything';
        if (leads === 'fixed') most = 'fixed';
      }
      return most;
    },
  };
}

/** A path rule that applies to this tool. Without a sandbox, a command could reach such a path undetected. */
export function findPathRule({ admin, world, agent }: Policies, tool: string): string | undefined {
  const guards = [admin?.deny, world.deny, agent.deny, admin?.ask, world.ask, agent.ask];
  for (const index of guards) {
    const [rule] = pathRules(index, tool);
    if (rule !== undefined) return rule.text;
  }
  return undefined;
}

/** In a rule for one tool, the single word in `deny shell_cmd(terraform)` is a program. In a rule for a glob, it can only be a path. */
function pathRules(index: RuleIndex | undefined, tool: string): CompiledRule[] {
  if (index === undefined) return [];
  const found = (index.byTool.get(tool)?.patterned ?? []).filter(
    ({ only }) => only !== undefined && looksLikePath(only),
  );
  for (const { glob, group } of index.byGlob.values()) {
    if (!matchesGlob(glob, tool)) continue;
    found.push(...group.patterned.filter(({ only }) => only !== undefined));
  }
  return found;
}

function looksLikePath(word: PatternWord): boolean {
  return word.some((piece) => 'text' in piece && /[./~]/.test(piece.text));
}
