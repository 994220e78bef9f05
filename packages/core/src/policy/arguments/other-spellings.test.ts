import type { Subject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import { outcome, plain, reporting } from '../../testing/policy-calls.js';

describe('[RULE3] [RULE3.1] other spellings of the same arguments', () => {
  const deep = '['.repeat(100_000) + '"casino"' + ']'.repeat(100_000);
  it.each<[string, Record<string, unknown>]>([
    ['items.price > 100', { items: '[{"price":500}]' }],
    ['order.to=casino', { order: '{"to":"casino"}' }],
    ['order.to=casino', { order: JSON.stringify('{"to":"casino"}') }],
    ['order.to=casino', { order: `'{"to":"casino"}'` }],
    ['to=casino', { to: deep }],
    ['to=casino', { to: `${'"'.repeat(1_000_000)}casino${"'".repeat(1_000_000)}` }],
    ['order.to=casino', { order: `${'['.repeat(100_000)}{"to":"casino"}${']'.repeat(100_000)}` }],
    ['url=https://evil.example/*', { url: 'https://user:word@evil.example/x' }],
    ['url=https://evil.example/*', { url: 'https:\\\\evil.example/x' }],
    ['url=https://evil.example/*', { url: 'https:evil.example' }],
    ['url=https://evil.example/admin*', { url: 'https://evil.example/%61dmin' }],
    ['path=/etc/**', { path: 'file:///etc/passwd' }],
    ['path=/etc/**', { path: 'FILE:/etc/%70asswd' }],
  ])('deny %s', (conditions, args) => expect(outcome(`deny x(${conditions})`, plain(args))).toBe('deny'));

  it.each<[string, Record<string, unknown>]>([
    ['order.amount=5', { 'order.amount': 5, order: { amount: 999 } }],
    ['order.amount < 6', { 'order.amount': 5, order: { amount: 999 } }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/%2e%2E/admin' }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/..\\admin' }],
    ['url=https://a.example/api/*', { url: 'https://a.example/api/.\t./admin' }],
  ])('allow %s does not cover %j', (conditions, args) => {
    expect(outcome(`allow x(${conditions})`, plain(args))).toBe('none');
    const host: Subject = { kind: 'host', host: 'a.example', argument: 'url' };
    expect(outcome(`allow x(${conditions})`, reporting(args, host))).toBe('none');
  });

  it('an allow rule still covers a URL with harmless escapes', () => {
    expect(outcome('allow x(order.amount=5)', plain({ 'order.amount': 5 }))).toBe('allow');
    expect(outcome('allow x(order.amount=5)', plain({ order: { amount: 5 } }))).toBe('allow');
    expect(outcome('allow x(url=https://a.example/api/*)', plain({ url: 'https://a.example/api/x%20y' }))).toBe(
      'allow',
    );
  });
});
