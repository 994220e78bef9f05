import type { ToolDefinition, WorldMode } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../tests/support/scaled.js';
import { closedPolicy, compilePolicy, type Policy } from './index.js';
import { knownTool } from '../testing/known-tool.js';
import { checkToolApproval, type Gate, type GateGrant, type GateInput } from './check-tool-approval.js';

// Checks the gate against the order in CALL2, for every combination of its inputs in `npm run verify`, and for a sample in `npm test`.
// The oracle uses only the names of the cases below, and knows nothing about rules, patterns or definitions.
const CAN_RUN = ['yes', 'reserved', 'no-tool', 'other-name', 'not-listed', 'bad-arguments'] as const;
const MODES: readonly WorldMode[] = ['read', 'ask', 'auto'];
const APPROVALS = ['none', 'not-required', 'required', 'pattern-hit', 'pattern-miss'] as const;
const DENIES = ['none', 'world', 'agent'] as const;
const ASKS = ['none', 'world', 'agent', 'both', 'closed'] as const;
const ALLOWS = ['none', 'world', 'agent'] as const;
const GRANTS = [
  'none',
  'whole',
  'hit',
  'miss',
  'whole-for-world-ask',
  'hit-for-world-ask',
  'miss-for-world-ask',
] as const;
const FLAGS = [false, true] as const;

interface Case {
  canRun: (typeof CAN_RUN)[number];
  mode: WorldMode;
  approval: (typeof APPROVALS)[number];
  readOnly: boolean;
  trusted: boolean;
  deny: (typeof DENIES)[number];
  ask: (typeof ASKS)[number];
  allow: (typeof ALLOWS)[number];
  grant: (typeof GRANTS)[number];
  decided: boolean;
  contained: boolean;
  unknown: boolean;
}

function grantCovers({ grant }: Case): boolean {
  return grant !== 'none' && grant !== 'miss' && grant !== 'miss-for-world-ask';
}

function askLeft({ ask, grant }: Case): 'nothing' | 'one' | 'two' | 'closed' {
  const worldAnswered = grant === 'whole-for-world-ask' || grant === 'hit-for-world-ask';
  switch (ask) {
    case 'none':
      return 'nothing';
    case 'world':
      return worldAnswered ? 'nothing' : 'one';
    case 'agent':
      return 'one';
    case 'both':
      return worldAnswered ? 'one' : 'two';
    case 'closed':
      return 'closed';
  }
}

/** CALL2 with RULE2 and STORE3, one line per step: the first that applies decides. */
const ORDER: readonly (readonly [applies: (c: Case) => boolean, answer: string])[] = [
  [(c) => c.canRun !== 'yes', 'fail'],
  [(c) => c.mode === 'read' && !(c.readOnly && c.trusted), 'deny'],
  [(c) => c.deny !== 'none', 'deny by rule'],
  [(c) => c.decided, 'run: decision'],
  [(c) => c.unknown, 'ask: deny approve_once'],
  [(c) => askLeft(c) === 'closed', 'ask: deny approve_once'],
  [(c) => askLeft(c) === 'two', 'ask by rule: deny approve_once'],
  [(c) => askLeft(c) === 'one', 'ask by rule: deny approve_once approve_session'],
  [(c) => grantCovers(c), 'run: grant'],
  [(c) => c.allow === 'world', 'run: rule'],
  [(c) => c.trusted && (c.approval === 'none' || c.approval === 'not-required'), 'run: no-approval-needed'],
  [(c) => c.trusted && c.approval === 'pattern-hit', 'run: pattern'],
  [(c) => c.mode === 'auto' && c.contained, 'run: contained'],
  [() => true, 'ask: deny approve_once approve_session approve_always'],
];

/** Prime numbers, so that the samples include every value of each flag and list below with every value of the others. */
const SHARE = isFullSize ? 1 : 11;
const SHARE_OF_FAILING = 101;

const EACH = [MODES, APPROVALS, DENIES, ASKS, ALLOWS, GRANTS].reduce((product, { length }) => product * length, 2 ** 5);

/** Fewer for calls that can't run, because one line of the order decides all of those. */
function* cases(): Generator<Case> {
  for (let number = 0; number < EACH * CAN_RUN.length; number += number < EACH ? SHARE : SHARE_OF_FAILING)
    yield caseAt(number);
}

function caseAt(number: number): Case {
  let rest = number;
  const pick = <T>(all: readonly T[]): T => {
    const one = all[rest % all.length] as T;
    rest = Math.floor(rest / all.length);
    return one;
  };
  return {
    readOnly: pick(FLAGS),
    trusted: pick(FLAGS),
    decided: pick(FLAGS),
    contained: pick(FLAGS),
    unknown: pick(FLAGS),
    grant: pick(GRANTS),
    allow: pick(ALLOWS),
    ask: pick(ASKS),
    deny: pick(DENIES),
    approval: pick(APPROVALS),
    mode: pick(MODES),
    canRun: pick(CAN_RUN),
  };
}

function policy(...rules: (string | false)[]): Policy {
  const compiled = compilePolicy(rules.filter((rule) => rule !== false));
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.policy;
}

const remembered = new Map<string, Policy>();
function policyOnce(key: string, make: () => Policy): Policy {
  const known = remembered.get(key) ?? make();
  remembered.set(key, known);
  return known;
}

const APPROVAL_OF: Record<Case['approval'], ToolDefinition['approval'] | undefined> = {
  none: undefined,
  'not-required': { required: false },
  required: { required: true },
  'pattern-hit': { required: true, pattern: 'a *' },
  'pattern-miss': { required: true, pattern: 'z *' },
};

const ASK_RULE = 'ask x(a *)';
const GRANT_OF: Record<Case['grant'], readonly GateGrant[]> = {
  none: [],
  whole: [{ id: 'g' }],
  hit: [{ id: 'g', pattern: 'a *' }],
  miss: [{ id: 'g', pattern: 'z *' }],
  'whole-for-world-ask': [{ id: 'g', answeredRule: ASK_RULE }],
  'hit-for-world-ask': [{ id: 'g', pattern: 'a *', answeredRule: ASK_RULE }],
  'miss-for-world-ask': [{ id: 'g', pattern: 'z *', answeredRule: ASK_RULE }],
};

function inputOf(c: Case): GateInput {
  const approval = APPROVAL_OF[c.approval];
  return {
    call: {
      tool: c.canRun === 'reserved' ? 'client.requestApproval' : 'x',
      arguments: c.canRun === 'bad-arguments' ? { ok: false, error: 'bad' } : { ok: true, value: {} },
      subjects: [{ kind: 'words', words: ['a', 'b'] }],
      place: { workingDirectory: '/w', home: '/h' },
      folder: '/w',
    },
    tool:
      c.canRun === 'no-tool'
        ? undefined
        : knownTool(
            {
              name: c.canRun === 'other-name' ? 'y' : 'x',
              description: 'd',
              parameters: {},
              location: 'server',
              readOnly: c.readOnly,
              ...(approval ? { approval } : {}),
            },
            { trusted: c.trusted },
          ),
    agent: {
      tools: c.canRun === 'not-listed' ? ['y*'] : ['x*', 'client.*'],
      policy: policyOnce(`agent ${c.deny} ${c.ask} ${c.allow}`, () =>
        policy(
          c.deny === 'agent' && 'deny x',
          (c.ask === 'agent' || c.ask === 'both') && 'ask *',
          c.allow === 'agent' && 'allow x',
        ),
      ),
    },
    world: {
      mode: c.mode,
      policy: policyOnce(`world ${c.deny} ${c.ask} ${c.allow}`, () => {
        const rules = policy(
          c.deny === 'world' && 'deny x(a *)',
          (c.ask === 'world' || c.ask === 'both') && ASK_RULE,
          c.allow === 'world' && 'allow x(* b)',
        );
        return c.ask === 'closed' ? { ...closedPolicy('unreadable'), deny: rules.deny } : rules;
      }),
    },
    grants: GRANT_OF[c.grant],
    decision: c.decided ? 'approved' : undefined,
    contained: c.contained,
    outcomeUnknown: c.unknown,
  };
}

function told(gate: Gate): string {
  switch (gate.kind) {
    case 'run':
      return `run: ${gate.because}`;
    case 'ask':
      return `ask${gate.rule === undefined ? '' : ' by rule'}: ${gate.options.join(' ')}`;
    case 'refuse':
      return `${gate.how}${gate.rule === undefined ? '' : ' by rule'}`;
  }
}

describe('checkToolApproval, for combinations of all its inputs', () => {
  it('[CALL2] follows the order in the spec', () => {
    const wrong: unknown[] = [];
    const seen = new Set<string>();
    let count = 0;
    for (const c of cases()) {
      const expected = ORDER.find(([applies]) => applies(c))?.[1] ?? 'nothing';
      const actual = told(checkToolApproval(inputOf(c)));
      if (actual !== expected && wrong.length < 5) wrong.push({ ...c, expected, actual });
      seen.add(actual);
      count += 1;
    }
    expect(wrong).toEqual([]);
    expect(EACH).toBe(3 * 5 * 3 * 5 * 3 * 7 * 32);
    expect(count).toBeGreaterThan(Math.floor(EACH / SHARE) + Math.floor((5 * EACH) / SHARE_OF_FAILING) - 2);
    expect(seen).toEqual(new Set(ORDER.map(([, answer]) => answer)));
  });
});
