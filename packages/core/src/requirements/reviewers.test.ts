import { describeNeed, type Who } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { SigningRule } from '../policy/index.js';
import type { AgentRecord } from '../ports/index.js';
import { signingRule as rule } from '../testing/signing-rule.js';
import { isSigned, judgeSignatures, maySign, showNeed } from './needed-signatures.js';
import { findReviewers, findUnfitReviewer, type Reviewer } from './reviewers.js';

function agent(
  id: string,
  makers: readonly string[] = [],
  active = true,
): Pick<AgentRecord, 'id' | 'definition' | 'makers'> {
  const definition = { name: id, provider: 'p', model: 'm', systemPrompt: '', tools: [], policy: [], active };
  return { id, definition, makers };
}

const RULE = rule('by agent @reviewer');
const reviewer: Who = { kind: 'agent', id: 'reviewer', name: 'Reviewer' };
const ada: Who = { kind: 'person', id: 'ada', name: 'Ada' };
const bob: Who = { kind: 'person', id: 'bob', name: 'Bob' };
const people = {
  people: [ada, bob],
  groups: [{ name: 'finance', people: ['ada', 'bob'] }],
  passkeys: [],
  delegations: [],
};

describe('who can review a call', () => {
  it.each<[string, ReturnType<typeof agent>[], Reviewer['problem']]>([
    ['another agent', [agent('teller'), agent('reviewer')], undefined],
    ['an inactive agent', [agent('teller'), agent('reviewer', [], false)], 'agent-inactive'],
    ['a missing agent', [agent('teller')], 'agent-missing'],
    ['the maker of the caller', [agent('teller', ['reviewer']), agent('reviewer')], 'agent-related'],
    ['its maker’s maker', [agent('teller', ['reviewer', 'gone']), agent('reviewer')], 'agent-related'],
    ['possibly its maker', [agent('teller', ['?']), agent('reviewer')], 'agent-related'],
    ['an agent that an agent created', [agent('teller'), agent('reviewer', ['teller'])], 'agent-related'],
    ['anyone, for a removed caller', [agent('reviewer')], 'agent-related'],
  ])('[SIGN3.3] %s', (_, agents, problem) => {
    expect(findReviewers([RULE, RULE], 'teller', agents, () => true)).toEqual([
      { id: 'reviewer', name: 'reviewer', problem, isReviewing: true },
    ]);
  });

  it('[SIGN3.3] never the caller itself', () => {
    expect(findReviewers([RULE], 'reviewer', [agent('reviewer')], () => true)).toMatchObject([
      { problem: 'agent-related' },
    ]);
  });

  it('[SIGN3.7] a rule is refused if it names a missing agent, its own agent or one that an agent created', () => {
    expect(findUnfitReviewer(RULE, [agent('reviewer')], undefined)).toBeUndefined();
    expect(findUnfitReviewer(rule('by @finance'), [], undefined)).toBeUndefined();
    expect(findUnfitReviewer(RULE, [], undefined)).toBe('there is no agent with the id @reviewer in this world');
    expect(findUnfitReviewer(RULE, [agent('reviewer')], 'reviewer')).toBe("@reviewer can't review its own calls");
    expect(findUnfitReviewer(RULE, [agent('reviewer', ['ada'])], undefined)).toContain('an agent created @reviewer');
  });
});

describe('an agent’s signature', () => {
  const able = { id: 'reviewer', name: 'Reviewer', problem: undefined, isReviewing: true };
  const judged = (rules: readonly SigningRule[], signed: readonly Who[], one: Reviewer | undefined = able) =>
    judgeSignatures({
      rules,
      signed,
      requesters: [ada],
      people,
      toolName: 'pay',
      reviewers: one === undefined ? [] : [one],
    });

  it.each<[string, readonly Who[], boolean]>([
    ['nobody', [], false],
    ['the agent', [reviewer], true],
    ['another agent', [{ ...reviewer, id: 'other' }], false],
    ['a person with the agent’s id', [{ ...reviewer, kind: 'person' }], false],
    ['a person instead', [ada], true],
    ['a shared token', [{ ...reviewer, kind: 'token' }], false],
  ])('[SIGN3.2] meets the rule that names it: signed by %s', (_, signed, expected) => {
    expect(isSigned(judged([RULE], signed))).toBe(expected);
  });

  it('[SIGN3.2] is nobody in a quorum, and both rules must be met', () => {
    const both = [RULE, rule('by 2 of @finance')];
    expect(isSigned(judged(both, [reviewer, ada]))).toBe(false);
    expect(isSigned(judged(both, [reviewer, ada, bob]))).toBe(true);
    expect(isSigned(judged([rule('by @finance')], [reviewer]))).toBe(false);
    expect(isSigned(judged([rule('by not requester')], [reviewer]))).toBe(false);
    expect(maySign(judged(both, [reviewer]), reviewer)).toBe(false);
    expect(maySign(judged(both, []), reviewer)).toBe(true);
  });

  it('[SIGN3.2] [SIGN3.3] doesn’t count if the agent can’t review this call, or isn’t known', () => {
    for (const problem of ['agent-missing', 'agent-inactive', 'agent-related'] as const) {
      expect(isSigned(judged([RULE], [reviewer], { ...able, problem }))).toBe(false);
      expect(maySign(judged([RULE], [], { ...able, problem }), reviewer)).toBe(false);
    }
    expect(
      isSigned(judgeSignatures({ rules: [RULE], signed: [reviewer], requesters: [ada], people, toolName: 'pay' })),
    ).toBe(false);
  });

  it('[SIGN3.5] is marked on the card, and so is the reason if a person must decide', () => {
    const said = (signed: readonly Who[], one: Reviewer) => judged([RULE], signed, one).map(showNeed).map(describeNeed);
    const needs = 'Needs Reviewer (agent) or a person who may sign';
    expect(said([], able)).toEqual([needs]);
    expect(said([reviewer], { ...able, isReviewing: false })).toEqual([`${needs} · signed by Reviewer (agent)`]);
    expect(said([], { ...able, isReviewing: false })).toEqual([
      `${needs} · a person must decide: Reviewer ended its turn without a decision`,
    ]);
  });
});
