import { describe, expect, it } from 'vitest';
import { compileStored, NO_RULES } from '../compile-policy.js';
import { judge } from '../judge.js';
import { closedHosts, sandboxGrants } from './sandbox-rules.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const opened = (...rules: string[]): readonly string[] =>
  sandboxGrants({ world: compileStored(rules), agent: NO_RULES }, place).privateHosts;

describe('[SAFE5.5] a rule against loopback', () => {
  const spellings = [
    ...[
      'localhost',
      'LOCALHOST.',
      '127.0.0.1',
      '127.0.0.1:3000',
      '127.1',
      '127.9.9.9',
      '127.*',
      '0x7f000001',
      '2130706433',
    ],
    ...[
      '::1',
      "'[::1]'",
      "'[::1]:3000'",
      '0:0:0:0:0:0:0:1',
      '::ffff:127.0.0.1',
      '0.0.0.0',
      '::',
      'ip6-localhost',
      '*:3000',
    ],
  ];
  it.each(spellings)('%s matches every spelling of loopback', (spelling) => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '127.0.0.5:3000', '0.0.0.0:3000']) {
      for (const verb of ['deny', 'ask']) {
        expect([host, opened(`allow sandbox_network(${host})`, `${verb} sandbox_network(${spelling})`)]).toEqual([
          host,
          [],
        ]);
      }
    }
  });

  it.each([
    'localhost:3001',
    '127.0.0.1:3001',
    '10.0.0.1',
    '128.0.0.1',
    'localhost.example.com',
    '*.localhost',
    '::2',
    '1',
  ])('%s does not match loopback', (other) => {
    const rules = ['allow sandbox_network(localhost:3000)', `deny sandbox_network(${other})`];
    expect(opened(...rules)).toEqual(['localhost:3000']);
  });

  it('applies to a tool that reports its host', () => {
    const outcome = (rule: string, host: string): string =>
      judge(
        { world: compileStored([rule]), agent: NO_RULES },
        { tool: 'x', place, subjects: [{ kind: 'host', host, argument: 'url' }], arguments: { ok: true, value: {} } },
      ).outcome;
    expect(outcome('deny x(127.0.0.1)', '[::1]')).toBe('deny');
    expect(outcome('deny x(url=localhost)', '127.0.0.1')).toBe('deny');
    expect(outcome('allow x(localhost)', '127.0.0.1')).toBe('none');
  });
});

it('[RUN8.2] deny and ask rules about hosts close them, and one spelling of loopback closes all', () => {
  const closed = (...rules: string[]): readonly string[] =>
    closedHosts({ world: compileStored(rules), agent: NO_RULES });
  expect(closed('deny sandbox_network(*.evil.com)', 'ask sandbox_network(b.com)', 'ask *')).toEqual([
    '*.evil.com',
    'b.com',
  ]);
  expect(closed('deny sandbox_network(a.com)', 'deny *')).toEqual(['*']);
  expect(closed('deny sandbox_network')).toEqual(['*']);
  expect(closed('deny sandbox_network(127.*)')).toContain('localhost');
  expect(closed('deny sandbox_network(2130706433)')).toContain('127.0.0.1');
  expect(closed("deny sandbox_network('[::1]:3000')")).toContain('localhost:3000');
  expect(closed('allow sandbox_network(a.com)')).toEqual([]);
});
