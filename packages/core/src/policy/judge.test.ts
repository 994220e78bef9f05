import type { Subject } from '@countersign/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../../tests/support/scaled.js';
import { closedPolicy } from './compile-policy.js';
import { allowMatcher } from './allow-matcher.js';
import { guardMatcher } from './guard-matcher.js';
import { judge } from './judge.js';
import { parseRule } from './rules/parse-rule.js';
import { toMatchable } from './matchable-call.js';
import { policy } from '../testing/policy-calls.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };

const none = policy();
const command = (...words: string[]): Subject => ({ kind: 'words', words });
const path = (path: string): Subject => ({ kind: 'path', path });
const host = (host: string): Subject => ({ kind: 'host', host });
const dynamic: Subject = { kind: 'dynamic', why: '$(…)' };

function outcome(rules: readonly string[], ...subjects: Subject[]): string {
  return judge({ world: policy(...rules), agent: none }, { tool: 'x', subjects, place }).outcome;
}

describe('an allow rule', () => {
  it.each<[string, string[], boolean]>([
    ['x(git status)', ['git', 'status'], true],
    ['x(git status)', ['git', 'status', '-s'], false],
    ['x(git status)', ['git'], false],
    ['x(git status)', ['Git', 'status'], false],
    ['x(ls *)', ['ls'], true],
    ['x(ls *)', ['ls', '-la', 'src'], true],
    ['x(ls *)', ['lsof'], false],
    ['x(ls * *)', ['ls', '-la'], false],
    ['x(ls * *)', ['ls', 'src', '-la'], true],
    ['x(cat docs/*)', ['cat', 'docs/a/b.md'], true],
    ['x(cat docs/*)', ['cat', 'docs/../../.ssh/id_rsa'], false],
    ['x(cat docs/*)', ['cat', 'docs/..'], false],
    ['x(cat docs/*)', ['cat', 'docs/a..b'], true],
    ['x(cat ../docs/*)', ['cat', '../docs/a'], true],
    ['x(cat ../docs/*)', ['cat', '../docs/../a'], false],
    ['x(ls .*)', ['ls', '.git'], true],
    ['x(ls .*)', ['ls', '../.ssh'], false],
    ['x(cc -I*)', ['cc', '-I../../x'], false],
    ['x(git log *..main)', ['git', 'log', 'v1..main'], true],
    ['x(ls * *)', ['ls'], false],
    ['x(ls "*")', ['ls', 'src'], false],
    ['x(ls "*")', ['ls', '*'], true],
    ['x(git * main)', ['git', 'diff', 'main'], true],
    ['x(git * main)', ['git', 'diff', '--stat', 'main'], false],
    ['x(git * main)', ['git', '--exec-path=/tmp', 'main'], false],
    ['x(cat *.md)', ['cat', 'a.md'], true],
    ['x(cat *.md)', ['cat', '-x.md'], false],
    ["x(cat ''*.md)", ['cat', '-x.md'], false],
    ['x(cat -*)', ['cat', '-n'], true],
    ['x(cat **)', ['cat', 'a', 'b'], false],
    ['x()', [], true],
    ['x()', [''], false],
    ["x('')", [''], true],
    ["x('')", [], false],
    ['x(*)', ['anything', '-rf'], true],
    ['x', ['anything', '-rf'], true],
    ['*', ['anything', '-rf'], true],
    ['y', ['anything'], false],
    ['X', ['anything'], false],
  ])('[RULE1] allow %s on %j: %s', (rule, words, expected) => {
    expect(outcome([`allow ${rule}`], command(...words))).toBe(expected ? 'allow' : 'none');
  });

  it.each<[string, string, boolean]>([
    ['x(./**)', '/srv/project/src/a.ts', true],
    ['x(./**)', '/srv/project', true],
    ['x(./**)', '/srv/project2/a', false],
    ['x(./**)', '/srv/project/../secret', false],
    ['x(./**)', '/srv/project//a', false],
    ['x(./**)', 'src/a.ts', false],
    ['x(./*)', '/srv/project/a', true],
    ['x(./*)', '/srv/project/a/b', false],
    ['x(./src/**/*.ts)', '/srv/project/src/a/b/c.ts', true],
    ['x(./src/**/*.ts)', '/srv/project/src/c.ts', true],
    ['x(./src/**/*.ts)', '/srv/project/src/c.js', false],
    ['x(../other/*)', '/srv/other/a', true],
    ['x(~/notes/*)', '/home/ann/notes/a', true],
    ['x(~/notes/*)', '/home/bob/notes/a', false],
    ['x(/etc/hosts)', '/etc/hosts', true],
    ['x(/**)', '/etc/hosts', true],
    ['x(**/a.md)', '/any/where/a.md', true],
    ['x(src/*)', '/srv/project/src/a', false],
    ['x(*.md)', '/a.md', false],
    ['x(./**/../a)', '/srv/project/a', false],
    ['x(./**)', '/srv/project/a\0b', false],
    ['x', '/srv/../etc/passwd', false],
    ['x(*)', '/srv/../etc/passwd', false],
    ['x', '/etc/passwd', true],
  ])('[RULE1] allow %s on the path %s: %s', (rule, text, expected) => {
    expect(outcome([`allow ${rule}`], path(text))).toBe(expected ? 'allow' : 'none');
  });

  it.each<[string, string, boolean]>([
    ['x(example.com)', 'EXAMPLE.com', true],
    ['x(Example.COM)', 'example.com.', true],
    ['x(example.com)', 'example.com.evil.org', false],
    ['x(*.example.com)', 'a.b.example.com', true],
    ['x(*.example.com)', 'example.com', false],
    ['x(*.example.com)', 'evilexample.com', false],
    ['x(ex*.com)', 'ex.evil.com', false],
    ['x(ex*.com)', 'example.com', true],
    ['x(bank.com)', 'ban\u212a.com', false],
  ])('[RULE1] allow %s on the host %s: %s', (rule, text, expected) => {
    expect(outcome([`allow ${rule}`], host(text))).toBe(expected ? 'allow' : 'none');
  });

  it('[RULE1] every subject must be covered, possibly by different rules', () => {
    const rules = ['allow x(ls *)', 'allow x(git status)'];
    expect(outcome(rules, command('ls'), command('git', 'status'))).toBe('allow');
    expect(outcome(rules, command('ls'), command('touch', 'pwned'))).toBe('none');
  });

  it('[RULE1] never covers dynamic subjects, even without a pattern', () => {
    expect(outcome(['allow x', 'allow *', 'allow x(*)'], dynamic)).toBe('none');
    expect(outcome(['allow x'], command('ls'), dynamic)).toBe('none');
  });

  it('[RULE1] covers a call without subjects only if it covers every call of the tool', () => {
    expect(outcome(['allow x(a)', 'allow x()'])).toBe('none');
    expect(outcome(['allow x(*)'])).toBe('allow');
  });

  it('[RULE1] covers nothing if it is relative to an unknown folder', () => {
    const call = { tool: 'x', subjects: [path('/a/b')], place: { workingDirectory: '', home: 'nowhere' } };
    expect(judge({ world: policy('allow x(./**)', 'allow x(~/**)'), agent: none }, call).outcome).toBe('none');
  });
});

describe('a deny rule', () => {
  it.each([
    ['a list of files', 'paths=["./a","/home/ann/.ssh/id_rsa"]'],
    ['an object in a list', 'files=[{"open":{"path":"/home/ann/.ssh/id_rsa"}}]'],
    ['text after a second =', 'arg=if=/home/ann/.ssh/id_rsa'],
    ['text that only looks like JSON', 'arg=[=/home/ann/.ssh/id_rsa'],
  ])('[RULE1] about a path matches an argument that names it in %s', (_, word) => {
    expect(outcome(['deny x(~/.ssh/**)'], command(word))).toBe('deny');
    expect(outcome(['deny x(~/.gnupg/**)'], command(word))).toBe('none');
  });

  it('[RULE1] about a path takes linear time for a word with many = signs', () => {
    expect(outcome(['deny x(~/.ssh/**)'], command('='.repeat(1_000_000)))).toBe('none');
  });

  it.each<[string, string[], boolean]>([
    ['x(rm *)', ['rm'], true],
    ['x(rm *)', ['rm', '-rf', '/'], true],
    ['x(* push *)', ['git', '-C', 'a', 'push', '-f'], true],
    ['x(* push *)', ['push'], true],
    ['x(* push)', ['git', 'push', 'x'], false],
    ['x(git * --force)', ['git', 'push', 'a', '--force'], true],
    ['x(*force*)', ['--force-with-lease'], true],
    ['x(rm)', ['rm', 'a'], false],
    ['x(**)', [], true],
    ['x(* *)', [], true],
    ['*', ['a'], true],
    ['x(~/.ssh/**)', ['cat', '/home/ann/.ssh/id'], true],
    ['x(~/.ssh/**)', ['cat', '~/.ssh/id'], true],
    ['x(~/.ssh/**)', ['path=/home/ann/x/../.ssh/id'], true],
    ['x(~/.ssh/**)', [`path=/home/ann/${'./'.repeat(3000)}.ssh/id`], true],
    ['x(./secret)', ['cat', 'secret'], true],
    ['x(/)', ['cat', 'secret'], true],
    ['x(./*/key/*)', ['./a/key/../b'], true],
    ['x(**/.env)', ['cat', 'a/.env'], true],
    ['x(~/.ssh/**)', ['cat', '/home/ann/ssh'], false],
    ['x(secret)', ['cat', 'secret'], false],
  ])('[RULE1] deny %s on %j: %s', (rule, words, expected) => {
    expect(outcome([`deny ${rule}`], command(...words))).toBe(expected ? 'deny' : 'none');
  });

  it.each<[string, string, boolean]>([
    ['*(~/.ssh/**)', '/home/ann/.ssh/id', true],
    ['*(~/.ssh/)', '/home/ann/.ssh/keys/id', true],
    ['*(~/.ssh/**)', '/home/ann/srv/../.ssh/id', true],
    ['*(.env)', '/srv/project/a/.env', true],
    ['*(secrets/*)', '/srv/project/secrets/a', true],
    ['*(./a*)', '/srv/project/-/a', false],
    ['*(./**)', 'relative', true],
    ['*(./*)', '/srv/project/a/b', false],
  ])('[RULE1] deny %s on the path %s: %s', (rule, text, expected) => {
    expect(outcome([`deny ${rule}`], path(text))).toBe(expected ? 'deny' : 'none');
  });

  it('[RULE1] about the home folder matches in any folder if the home is unknown', () => {
    const call = { tool: 'x', subjects: [path('/home/ann/.ssh/id')], place: { workingDirectory: '/', home: '' } };
    expect(judge({ world: policy('deny *(~/.ssh/**)'), agent: none }, call).outcome).toBe('deny');
  });

  it.each<[string, string, boolean]>([
    ['x(*example.com)', 'a.EXAMPLE.com.', true],
    ['x(ex*.com)', 'ex.evil.com', true],
    ['x(bank.com)', 'ban\u212a.com', true],
    ['x(169.254.*)', '169.254.169.254', true],
    ['x(169.254.*)', '1692.54.1.1', false],
  ])('[RULE1] deny %s on the host %s: %s', (rule, text, expected) => {
    expect(outcome([`deny ${rule}`], host(text))).toBe(expected ? 'deny' : 'none');
  });

  it('[RULE1] matches if any subject matches', () => {
    expect(outcome(['allow x', 'deny x(rm *)'], command('ls'), command('rm', 'a'))).toBe('deny');
  });

  it('[RULE1] without a pattern matches dynamic calls and calls without subjects; with a pattern it does not', () => {
    expect(outcome(['deny x'], dynamic)).toBe('deny');
    expect(outcome(['deny x(*)'])).toBe('deny');
    expect(outcome(['deny x(rm *)'], dynamic)).toBe('none');
  });
});

describe('words that must be spelled out', () => {
  const spelt = (at: number, ...words: string[]): Subject => ({ kind: 'words', words, spell: [at] });

  it.each<[string, string[], number, boolean]>([
    ['x(git *)', ['git', '-c', 'a=b', 'log'], 1, false],
    ['x(git -c *)', ['git', '-c', 'a=b', 'log'], 1, true],
    ['x(git -c a=b log)', ['git', '-c', 'a=b', 'log'], 1, true],
    ['x(git * * log)', ['git', 'c', 'a=b', 'log'], 1, false],
    ['x(npm --prefix=* test)', ['npm', '--prefix=a', 'test'], 1, true],
    ['x(npm --pre* test)', ['npm', '--prefix=a', 'test'], 1, false],
    ['x(npm --prefix=a* test)', ['npm', '--prefix=ab', 'test'], 1, true],
    ['x(npm --prefix* test)', ['npm', '--prefix', 'test'], 1, false],
    ['x(find * -delete)', ['find', 'a', '-delete'], 2, true],
    ['x(find * *)', ['find', 'a', '-delete'], 2, false],
    ['x', ['git', '-c', 'a=b'], 1, true],
    ['x(*)', ['git', '-c', 'a=b'], 1, true],
  ])('[RULE1] allow %s on %j with the word %d: %s', (rule, words, at, expected) => {
    expect(outcome([`allow ${rule}`], spelt(at, ...words))).toBe(expected ? 'allow' : 'none');
  });

  it('[RULE1] are ordinary words for deny and ask rules', () => {
    expect(outcome(['deny x(git *)'], spelt(1, 'git', '-c'))).toBe('deny');
  });
});

describe('a command inside another one', () => {
  const inner = (...words: string[]): Subject => ({ kind: 'words', words, inner: true });

  it('[RULE1] can be denied or need approval, and needs no allow rule of its own', () => {
    const subjects = [command('npx', 'tsc'), inner('tsc')];
    expect(outcome(['allow x(npx tsc)'], ...subjects)).toBe('allow');
    expect(outcome(['allow x(npx tsc)', 'deny x(tsc)'], ...subjects)).toBe('deny');
    expect(outcome(['allow x(npx tsc)', 'ask x(tsc)'], ...subjects)).toBe('ask');
    expect(outcome(['allow x(tsc)'], ...subjects)).toBe('none');
    expect(outcome(['allow x(tsc)'], inner('tsc'))).toBe('none');
  });
});

describe('a path in another case or Unicode normalization', () => {
  it('[RULE1] is matched by deny rules but not by allow rules', () => {
    const paths = ['/srv/project/SECRETS/key', '/srv/project/secrets/KEY', '/SRV/project/secrets/key'];
    for (const one of paths) {
      expect(outcome(['deny x(./secrets/key)'], path(one))).toBe('deny');
      expect(outcome(['deny x(./Secrets/**)'], path(one))).toBe('deny');
      expect(outcome(['deny *(secrets/*)'], path(one))).toBe('deny');
      expect(outcome(['allow x(./secrets/key)'], path(one))).toBe('none');
    }
    expect(outcome(['deny x(./caf\u00e9)'], path('/srv/project/cafe\u0301'))).toBe('deny');
    expect(outcome(['deny x(~/.ssh/**)'], command('cat', '/HOME/ann/.SSH/id'))).toBe('deny');
    expect(outcome(['deny x(git branch -D *)'], command('git', 'branch', '-d', 'x'))).toBe('none');
  });
});

describe("an administrator's rules", () => {
  const judged = (admin: string[], world: string[], agent: string[], ...subjects: Subject[]) =>
    judge(
      { admin: policy(...admin), world: policy(...world), agent: policy(...agent) },
      { tool: 'x', subjects, place },
    );

  it('[RULE1] override the rules of the world and the agent', () => {
    const a = command('a');
    expect(judged(['deny x(a)'], ['allow x'], [], a)).toEqual({ outcome: 'deny', rule: 'deny x(a)' });
    expect(judged(['ask x(a)'], ['allow x'], [], a)).toEqual({ outcome: 'ask', rule: 'ask x(a)' });
    expect(judged(['allow x(a)'], ['deny x'], ['deny *'], a)).toEqual({ outcome: 'allow', rule: 'allow x(a)' });
    expect(judged(['allow x'], ['ask x(a)'], [], a).outcome).toBe('allow');
    expect(judged(['allow x', 'deny x(a)'], [], [], a).outcome).toBe('deny');
    expect(judged(['allow x', 'ask x(a)'], ['deny x(a)'], [], a).outcome).toBe('deny');
  });

  it('[RULE1] can allow part of a call, and leave the rest to the world', () => {
    expect(judged(['allow x(a)'], ['deny x(b)'], [], command('a'), command('b')).outcome).toBe('deny');
    expect(judged(['allow x(a)'], ['allow x(b)'], [], command('a'), command('b')).outcome).toBe('allow');
    expect(judged(['allow x(a)'], [], [], command('a'), command('b')).outcome).toBe('none');
    expect(judged(['allow x'], ['deny x'], [], command('a'), dynamic).outcome).toBe('deny');
  });
});

describe('judge', () => {
  it('[RULE1] returns the rule as it was written', () => {
    const world = policy('allow  x', 'deny x(rm  *)');
    expect(judge({ world, agent: none }, { tool: 'x', subjects: [command('rm')], place })).toEqual({
      outcome: 'deny',
      rule: 'deny x(rm  *)',
    });
  });

  it("[RULE1.2] applies an agent's deny and ask rules, and ignores its allow rules", () => {
    const call = { tool: 'x', subjects: [command('a')], place };
    expect(judge({ world: none, agent: policy('allow x') }, call).outcome).toBe('none');
    expect(judge({ world: policy('allow x'), agent: policy('ask x(a)') }, call)).toEqual({
      outcome: 'ask',
      rule: 'ask x(a)',
    });
    expect(judge({ world: policy('allow x', 'ask x'), agent: policy('deny x') }, call).outcome).toBe('deny');
  });

  it('[RULE1] requires approval for every call if a policy is invalid', () => {
    const closed = closedPolicy('rule 3');
    const call = { tool: 'x', subjects: [command('a')], place };
    expect(judge({ world: closed, agent: none }, call)).toEqual({ outcome: 'ask' });
    expect(judge({ world: policy('allow x'), agent: closed }, call)).toEqual({ outcome: 'ask' });
    expect(judge({ world: closed, agent: policy('deny x') }, call).outcome).toBe('deny');
  });
});

const word = fc.constantFrom('./x/a', 'p=/srv/b', 'x/../a', 'a', 'b', '-a', '-', '', 'a b', '*', './a', '/etc', '~');
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.array(word, { maxLength: 4 }).map((words) => command(...words)),
  fc.constantFrom('/srv/project/a', '/etc', '/srv/project/../b').map(path),
  fc.constantFrom('a.b', 'b').map(host),
  fc.constant(dynamic),
);
const patternWord = fc.constantFrom(
  '.',
  '/',
  '~',
  './a',
  '**/a',
  './*/a',
  '../b',
  'a/',
  'a',
  'b',
  '*',
  'a*',
  '*a',
  "'*'",
  "''",
  './**',
  '/etc',
  '-a',
  '*.b',
);
const argumentsText = fc.oneof(
  fc.constant(''),
  fc.array(patternWord, { minLength: 1, maxLength: 4 }).map((words) => `(${words.join(' ')})`),
);
const tool = fc.constantFrom('x', '*', 'x*', 'y');
const rule = fc
  .tuple(fc.constantFrom('allow', 'ask', 'deny'), tool, argumentsText)
  .map(([verb, name, args]) => `${verb} ${name}${args}`);

describe('judge, for random rules', () => {
  it('[RULE1] finds the same rules through the index as by testing each one', () => {
    fc.assert(
      fc.property(fc.constantFrom('allow', 'deny'), argumentsText, subject, (verb, args, one) => {
        const parsed = parseRule(`${verb} x${args}`);
        if (!parsed.ok) throw new Error(parsed.error);
        const matcher = verb === 'allow' ? allowMatcher(parsed.rule.words) : guardMatcher(parsed.rule.words);
        const { subjects, bases } = toMatchable({ tool: 'x', subjects: [one], place });
        const found = outcome([`${verb} x${args}`], one) === verb;
        expect(found).toBe(subjects.every((prepared) => matcher.matches(prepared, bases)));
      }),
      { numRuns: scaled(2000) },
    );
  });

  it('[RULE1] gives the same outcome in any order of the rules', () => {
    const shuffled = fc
      .array(rule, { maxLength: 8 })
      .chain((rules) => fc.tuple(fc.constant(rules), fc.shuffledSubarray(rules, { minLength: rules.length })));
    fc.assert(
      fc.property(shuffled, fc.array(subject, { maxLength: 3 }), ([rules, others], subjects) => {
        expect(outcome(others, ...subjects)).toBe(outcome(rules, ...subjects));
      }),
      { numRuns: scaled(500) },
    );
  });

  it('[RULE1] a deny rule that matches wins over every other rule', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 8 }),
        argumentsText,
        fc.array(subject, { maxLength: 3 }),
        (rules, args, subjects) => {
          fc.pre(outcome([`deny x${args}`], ...subjects) === 'deny');
          expect(outcome([...rules, `deny x${args}`], ...subjects)).toBe('deny');
        },
      ),
      { numRuns: scaled(500) },
    );
  });

  it('[RULE1] a deny rule matches everything that an allow rule with the same pattern covers', () => {
    fc.assert(
      fc.property(argumentsText, fc.array(subject, { maxLength: 3 }), (args, subjects) => {
        fc.pre(outcome([`allow x${args}`], ...subjects) === 'allow');
        expect(outcome([`deny x${args}`], ...subjects)).toBe('deny');
      }),
      { numRuns: scaled(1000) },
    );
  });

  it('[RULE1.7] a star in an allow rule matches no option, unless it is the whole last word', () => {
    fc.assert(
      fc.property(
        fc.array(patternWord, { minLength: 1, maxLength: 4 }),
        fc.array(word, { maxLength: 4 }),
        fc.nat(4),
        (pattern, words, at) => {
          fc.pre(pattern.at(-1) !== '*' && !pattern.some((text) => text.startsWith('-')));
          const spoiled = [...words.slice(0, at), '--exec=evil', ...words.slice(at)];
          expect(outcome([`allow x(${pattern.join(' ')})`], command(...spoiled))).toBe('none');
        },
      ),
      { numRuns: scaled(1000) },
    );
  });
});

describe('a large policy', () => {
  it('[CALL2] finds the matching rules among 1,000 of each kind of pattern', () => {
    const rules = Array.from({ length: 250 }, (_, n) => [
      `allow x(tool${n} * --flag${n} *)`,
      `deny x(* bad${n} *)`,
      `ask x(./folder${n}/**)`,
      `deny mcp__s${n}__*(~/.secret${n}/**)`,
    ]).flat();
    const world = policy(...rules);
    const call = {
      tool: 'x',
      subjects: [command('tool249', 'a', '--flag249', 'b'), command('tool3', 'a', '--flag3')],
      place,
    };
    expect(judge({ world, agent: none }, call).outcome).toBe('allow');
  });

  it('[CALL2] is judged in linear time for any input: a backtracking matcher would not return', () => {
    const world = policy('deny x(*a*a*a*a*a*a*a*a*a*b)', `deny x(${'* a* '.repeat(20)} b)`, 'allow x(*a*a*a*a*a*b *)');
    const long = { tool: 'x', subjects: [command('a'.repeat(1_000_000))], place };
    const many = { tool: 'x', subjects: [command(...Array.from({ length: 10_000 }, () => 'aa'))], place };
    expect(judge({ world, agent: none }, long).outcome).toBe('none');
    expect(judge({ world, agent: none }, many).outcome).toBe('none');
  });
});
