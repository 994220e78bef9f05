import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../../tests/support/scaled.js';
import { parseRule } from './parse-rule.js';
import type { SigningClause } from '../types.js';

/** The clause as text, which parses back to the same clause. */
function formatSigningClause({ count, of, agent, notRequester }: SigningClause): string {
  if (agent !== undefined) return `by agent @${agent}`;
  const who = of === undefined ? [] : count === 1 ? [`@${of}`] : [`${count} of @${of}`];
  return ['by', ...who, ...(notRequester === true ? ['not requester'] : [])].join(' ');
}

describe('who must sign', () => {
  it.each([
    ['ask pay by @release', { count: 1, of: 'release' }],
    ['ask pay(amount > 100) by 2 of @finance', { count: 2, of: 'finance' }],
    ['ask pay(amount > 100)by @finance', { count: 1, of: 'finance' }],
    ['ask  pay(*)  by\t1  of @Ada-Lovelace  ', { count: 1, of: 'ada-lovelace' }],
    ['ask pay by not requester', { count: 1, notRequester: true }],
    ['ask pay by 3 of @finance not requester', { count: 3, of: 'finance', notRequester: true }],
    ['ask pay by @zoë', { count: 1, of: 'zoë' }],
    ['ask pay with passkey', { count: 1, passkey: true }],
    ['ask pay(x=1) with passkey', { count: 1, passkey: true }],
    ['ask pay by 2 of @finance not requester with passkey', { count: 2, notRequester: true, passkey: true }],
    ['ask pay by agent @Reviewer', { count: 1, agent: 'reviewer' }],
  ])('[SIGN1] reads %s', (text, by) => {
    expect(parseRule(text)).toMatchObject({ ok: true, rule: { verb: 'ask', tool: 'pay', by } });
  });

  it.each([
    ['allow pay by @release', 10, 'only an ask rule'],
    ['deny pay(x=1) by @release', 14, 'only an ask rule'],
    ['ask pay by', 10, 'starts with @'],
    ['ask pay by release', 11, 'starts with @'],
    ['ask pay by @', 11, 'can contain only letters'],
    ['ask pay by @a/b', 11, 'can contain only letters'],
    ['ask pay by 0 of @finance', 11, 'whole number'],
    ['ask pay by -1 of @finance', 11, 'whole number'],
    ['ask pay by 1.5 of @finance', 11, 'whole number'],
    ['ask pay by 101 of @finance', 11, 'whole number'],
    ['ask pay by 2 @finance', 13, 'expected "of'],
    ['ask pay by 2 of finance', 16, 'starts with @'],
    ['ask pay by 2 not requester', 13, 'expected "of'],
    ['ask pay by not', 14, 'expected "requester"'],
    ['ask pay by not @ada', 15, 'expected "requester"'],
    ['ask pay by @finance @release', 20, 'expected the end'],
    ['ask pay by @finance # why', 20, 'line of its own'],
    ['ask pay by agent', 16, 'the id of an agent'],
    ['ask pay by agent reviewer', 17, 'the id of an agent'],
    ['ask pay by agent @reviewer not requester', 27, 'a rule of their own'],
    ['ask pay by 2 of agent @reviewer', 16, 'starts with @'],
    ['ask pay with', 12, 'expected "passkey" after "with"'],
    ['ask pay with password', 13, 'expected "passkey" after "with"'],
    ['ask pay by with passkey', 11, 'expected a group or person that starts with @, or "not requester"'],
    ['ask pay with passkey by @finance', 21, 'expected the end of the rule'],
    ['ask pay by agent @reviewer with passkey', 27, 'expected the end of the rule'],
    ['allow pay with passkey', 10, 'only an ask rule'],
    ['ask pay BY @finance', 8, 'expected "by'],
    ['ask pay from @finance', 8, 'directly after the tool name'],
    ['ask pay(x=1) from @finance', 13, 'except "by'],
  ])('[SIGN1] rejects %j with its position', (text, position, words) => {
    const parsed = parseRule(text);
    // The verb and tool stay known, so a stored rule like this would still ask for every call.
    expect(parsed).toMatchObject({ ok: false, position, head: { tool: 'pay' } });
    expect(!parsed.ok && parsed.error).toContain(words);
  });

  it('[SIGN1] a formatted clause parses back to the same clause', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,8}$/);
    const clauses = fc.oneof(
      fc.constant({ count: 1, notRequester: true as const }),
      name.map((agent) => ({ count: 1, agent })),
      fc
        .record({
          count: fc.integer({ min: 1, max: 100 }),
          of: name,
          notRequester: fc.constantFrom(true as const, undefined),
        })
        .map(({ count, of, notRequester }) => ({ count, of, ...(notRequester === undefined ? {} : { notRequester }) })),
    );
    fc.assert(
      fc.property(clauses, (by) => {
        expect(parseRule(`ask pay(x=1) ${formatSigningClause(by)}`)).toMatchObject({ ok: true, rule: { by } });
      }),
      { numRuns: scaled(200) },
    );
  });

  it('[SIGN1] anything else after the pattern is rejected, so no clause is half read', () => {
    const words = fc.array(
      fc.constantFrom('by', 'of', 'not', 'requester', '2', '@finance', '@a', 'with', 'passkey', 'agent', 'x', ','),
      { maxLength: 7 },
    );
    fc.assert(
      fc.property(words, (rest) => {
        const parsed = parseRule(['ask pay(x=1)', ...rest].join(' '));
        if (!parsed.ok) return;
        const { by } = parsed.rule;
        expect(rest.join(' ').replace('1 of ', '')).toBe(by === undefined ? '' : formatSigningClause(by));
      }),
      { numRuns: scaled(500) },
    );
  });
});
