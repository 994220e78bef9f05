import { describe, expect, it } from 'vitest';
import { parseRule } from '../rules/parse-rule.js';
import { findMisfit, type KnownTool } from './find-misfit.js';

describe('a rule that matches no call', () => {
  const parameters = {
    type: 'object',
    properties: {
      to: { type: 'string' },
      amount: { type: 'number' },
      unit: { enum: ['eur', 'usd'] },
      urgent: { type: 'boolean' },
      level: { enum: ['1', '2', 'max'] },
      code: { type: ['string', 'number'] },
      tags: { type: 'array', items: { type: 'string' } },
      shares: { type: 'array', items: { type: 'number' } },
      things: { type: 'array' },
      order: { type: 'object', properties: { total: { type: 'number' } }, additionalProperties: false },
    },
    required: ['to', 'amount'],
    additionalProperties: false,
  };
  const why = (rule: string, touches?: KnownTool['touches']): string | undefined => {
    const parsed = parseRule(rule);
    if (!parsed.ok) throw new Error(parsed.error);
    return findMisfit(parsed.rule, { name: 'pay', parameters, ...(touches === undefined ? {} : { touches }) });
  };

  it.each([
    [
      'deny pay(too=casino)',
      'pay has no argument "too". Its arguments are to, amount, unit, urgent, level, code, tags, shares, things and order.',
    ],
    ['deny pay(order.sum > 1)', 'no argument "order.sum"'],
    ['deny pay(urgent > 1)', 'not a number (boolean)'],
    ['deny pay(unit > 1)', 'not a number'],
    ['allow pay(to > 5, *)', 'not a number (string)'],
    ['deny pay(to > 5)', '"to" of pay is not a number (string), so it can\'t be compared with one'],
    ['ask pay(to <= 5)', 'not a number (string)'],
    ['deny pay(tags > 5)', 'not a number (array of string)'],
    ['deny pay(amount=lots)', 'is a number, so it is never "lots"'],
    ['deny pay(unit=gbp)', 'is one of "eur", "usd"'],
    ['deny pay(urgent=yes)', 'is true or false'],
    ['deny pay(to=casino,amount>5)', 'space after each comma'],
    ['deny pay(casino)', 'judge calls to pay by their arguments'],
    ['deny pay(to=the casino)', 'Quote a value'],
    ['allow pay(to=bob)', 'every call to pay also has amount'],
    ['allow pay(to=bob amount=5)', 'separate arguments with commas'],
    ['allow pay()', 'has the argument to'],
  ])('[RULE5] %s is rejected: %s', (rule, sentence) => {
    expect(why(rule)).toContain(sentence);
  });

  it.each([
    'deny pay',
    'deny pay(to=casino)',
    'deny pay(level > 1)',
    'deny pay(code > 5)',
    'deny pay(shares > 5)',
    'deny pay(things > 5)',
    'deny pay(amount=1*)',
    'deny pay(UNIT=x)'.replace('UNIT', 'to'),
    'deny pay(unit=EUR)',
    'deny pay(order.total >= 5)',
    'deny pay(*casino*)',
    'deny pay(~/.ssh/**)',
    'deny pay(amount=5 to=casino)',
    'allow pay(to=bob, amount <= 5)',
    'allow pay(to=bob, *)',
    'allow pay(amount=5 to=bob)',
  ])('[RULE5] %s is accepted', (rule) => {
    expect(why(rule)).toBeUndefined();
  });

  it('[RULE5] is rejected only if the tool is known', () => {
    const nothing = (): [] => [];
    expect(why('allow pay(git status)', nothing)).toBeUndefined();
    expect(why('deny pay(to=the casino)', nothing)).toContain('Quote a value');
    expect(why('deny pay(to=the *)', nothing)).toContain('Quote a value');
    expect(why('allow pay(to=a*)', nothing)).toBeUndefined();
    const parsed = parseRule('deny pay(anything=5)');
    if (!parsed.ok) throw new Error(parsed.error);
    expect(findMisfit(parsed.rule, undefined)).toBeUndefined();
    expect(findMisfit(parsed.rule, { name: 'pay', parameters: { type: 'object' } })).toBeUndefined();
  });
});
