import { isRule } from '@countersign/protocol';
import {
  findUnsatisfiable,
  isNamed,
  type PeopleReader,
  readAllPeople,
  signersIn,
  type SigningPeople,
} from '../requirements/needed-signatures.js';
import { findUnfitReviewer } from '../requirements/reviewers.js';
import { parseRule, type Rule, SANDBOX_RULES, type SigningRule } from '../policy/index.js';
import type { RegisteredTool } from '../ports/index.js';
import { refuseRule, type RuleSource } from './compile-rules.js';

type Agents = Parameters<typeof findUnfitReviewer>[1];

/** Rejects new rules about who must sign that nobody in this world can satisfy (SIGN1). Reads people only if there is such a rule. */
export async function checkSigners(
  reader: PeopleReader,
  worldId: string,
  written: {
    rules: readonly string[];
    source: RuleSource;
    tools: ReadonlyMap<string, RegisteredTool>;
    stored?: readonly string[];
    /** The agents of the world. */
    agents: Agents;
    /** The agent whose own rules these are. */
    agentId?: string;
  },
): Promise<void> {
  const { rules, source, tools, stored = [], agents, agentId } = written;
  let people: SigningPeople | undefined;
  for (const { index, rule, signing } of signingRules(rules)) {
    if (stored.includes(signing.rule)) continue;
    people ??= signersIn(worldId, await readAllPeople(reader), reader.now());
    const problem =
      findIgnored(rule, tools) ?? findUnfitReviewer(signing, agents, agentId) ?? findUnsatisfiable(signing, people);
    if (problem !== undefined) throw refuseRule(source, rules, index, problem);
  }
}

/**
 * Rejects an administrator's rule that names nobody. If too few people are left, the server still starts, and the calls wait: it must not stop
 * working because someone left.
 */
export async function checkAdminSigners(
  reader: PeopleReader,
  rules: readonly string[],
  source: RuleSource,
): Promise<void> {
  for (const { index, rule, signing } of signingRules(rules)) {
    const allPeople = await readAllPeople(reader);
    const { of } = signing.by;
    const problem =
      findIgnored(rule, new Map()) ??
      (isNamed(signing, allPeople) ? undefined : `there is no group or person @${of ?? ''}`);
    if (problem !== undefined) throw refuseRule(source, rules, index, problem);
  }
}

function* signingRules(rules: readonly string[]): Generator<{ index: number; rule: Rule; signing: SigningRule }> {
  for (const [index, text] of rules.entries()) {
    const parsed = isRule(text) ? parseRule(text) : undefined;
    if (parsed?.ok !== true || parsed.rule.by === undefined) continue;
    yield { index, rule: parsed.rule, signing: { rule: text, by: parsed.rule.by } };
  }
}

/** Rules for these tools would say who must sign, and nobody would ever be asked to. */
function findIgnored({ tool }: Rule, tools: ReadonlyMap<string, RegisteredTool>): string | undefined {
  if (SANDBOX_RULES.includes(tool)) return `${tool} is not a call, so nobody can sign it`;
  return tools.get(tool)?.claims?.question === undefined
    ? undefined
    : `${tool} asks a question, and anyone may answer it`;
}
