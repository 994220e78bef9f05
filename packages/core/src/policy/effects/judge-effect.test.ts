import type { Subject } from '@countersign/protocol';
import { describe, expect, it } from 'vitest';
import type { EffectPaths } from '../../ports/tools/tool.js';
import { NO_RULES } from '../compile-policy.js';
import { judge, mayBeAllowedByEffect, weigh } from '../judge.js';
import { protectPaths } from '../paths/protect-paths.js';
import { withholdPaths } from '../paths/withhold-paths.js';
import type { PolicyCall } from '../types.js';
import { policy } from '../../testing/policy-calls.js';

const NOTHING: EffectPaths = { added: [], changed: [], removed: [], outward: [], leftOut: [] };
const words = (...list: string[]): Subject => ({ kind: 'words', words: list });
const GLOB: Subject = { kind: 'dynamic', why: { code: 'glob' } };
const HERE_DOC: Subject = { kind: 'dynamic', why: { code: 'here-document' }, told: true };

function call(effect: Partial<EffectPaths> | undefined, ...subjects: Subject[]): PolicyCall {
  return {
    tool: 'shell_cmd',
    subjects: subjects.length === 0 ? [words('make')] : subjects,
    place: { workingDirectory: '/w', home: '/h' },
    arguments: { ok: true, value: {} },
    ...(effect === undefined ? {} : { effect: { ...NOTHING, ...effect } }),
  };
}

const outcome = (rules: string[], effect: Partial<EffectPaths> | undefined, ...subjects: Subject[]): string =>
  judge({ world: policy(...rules), agent: NO_RULES }, call(effect, ...subjects)).outcome;

describe('an allow rule about effects', () => {
  const build = 'allow shell_cmd(make) writing dist/** ./*.log changing src/*.ts removing tmp/**';

  it.each<[string, Partial<EffectPaths>, string]>([
    ['nothing', {}, 'allow'],
    ['a new file in its folder', { added: ['dist', 'dist/a', 'dist/b/c'] }, 'allow'],
    ['a changed file in its folder', { changed: ['dist/a'] }, 'allow'],
    ['a changed file that may change', { changed: ['src/a.ts'] }, 'allow'],
    ['a new file where files may only change', { added: ['src/b.ts'] }, 'none'],
    ['a file at the top', { added: ['x.log'] }, 'allow'],
    ['the same name deeper', { added: ['src/x.log'] }, 'none'],
    ['a folder with a similar name', { added: ['dist2/a'] }, 'none'],
    ['another case', { added: ['Dist/a'] }, 'none'],
    ['a removed file that may be removed', { removed: ['tmp', 'tmp/a'] }, 'allow'],
    ['a removed file that may only be written', { removed: ['dist/a'] }, 'none'],
    ['a removed folder with a file elsewhere', { removed: ['tmp/a', 'src/a.ts'] }, 'none'],
    ['one path outside among many', { added: ['dist/a', 'dist/b'], changed: ['.github/x.yml'] }, 'none'],
    ['a move out of its folder', { removed: ['src/a.ts'], added: ['dist/a.ts'] }, 'none'],
    ['the permissions of the working folder', { changed: ['.'] }, 'none'],
    ['a link that leads out', { added: ['dist/a'], outward: ['dist/a'] }, 'none'],
    ['something that is left out', { added: ['dist/a'], leftOut: ['.git/hooks/pre-commit'] }, 'none'],
    ['a path that climbs', { added: ['dist/../src/a'] }, 'none'],
    ['an absolute path', { added: ['/w/dist/a'] }, 'none'],
    ['an empty path', { added: [''] }, 'none'],
  ])('[RULE10.1] [RULE10.5] judges the whole effect: %s', (_, effect, expected) => {
    expect(outcome([build], effect)).toBe(expected);
  });

  it('[RULE10.3] allows nothing while the effect is unknown, or if another command is called', () => {
    expect(outcome([build], undefined)).toBe('none');
    expect(outcome([build], {}, words('make', 'all'))).toBe('none');
    expect(outcome(['allow shell_cmd writing **'], undefined)).toBe('none');
  });

  it('[RULE10.6] without a command, covers any command, also one that other rules cannot judge', () => {
    const rules = ['allow shell_cmd writing src/**'];
    expect(outcome(rules, { changed: ['src/a'] }, words('sed', '-i'), GLOB)).toBe('allow');
    expect(outcome(rules, { changed: ['src/a'] }, HERE_DOC)).toBe('allow');
    expect(outcome(rules, { changed: ['src/a'], removed: ['src/b'] }, HERE_DOC)).toBe('none');
    expect(outcome(['allow shell_cmd', ...rules], { changed: ['src/a'] }, GLOB)).toBe('allow');
    // The glob might be a push.
    expect(outcome([...rules, 'deny shell_cmd(git push *)'], { changed: ['src/a'] }, GLOB)).toBe('none');
    expect(outcome([...rules, 'deny shell_cmd(git push *)'], { changed: ['src/a'] }, words('ls'))).toBe('allow');
    expect(outcome(['allow shell_cmd(sed *) writing src/**'], { changed: ['src/a'] }, GLOB)).toBe('none');
  });

  it('[RULE10.1] covers its part of a line only if the whole effect is inside', () => {
    const rules = ['allow shell_cmd(git add *)', 'allow shell_cmd(make) writing dist/**'];
    const line = [words('git', 'add', 'a'), words('make')];
    expect(outcome(rules, { added: ['dist/a'] }, ...line)).toBe('allow');
    expect(outcome(rules, { added: ['dist/a'], changed: ['.git/index'] }, ...line)).toBe('none');
  });

  it('[RULE10.2] is used last, and only then must the effect be applied', () => {
    const both = policy('allow shell_cmd(make)', build);
    expect(weigh({ world: both, agent: NO_RULES }, call({}))).toMatchObject({ allow: 'allow shell_cmd(make)' });
    expect(weigh({ world: both, agent: NO_RULES }, call({}))).not.toHaveProperty('byEffect');
    expect(weigh({ world: policy(build), agent: NO_RULES }, call({}))).toMatchObject({ allow: build, byEffect: true });
    expect(mayBeAllowedByEffect({ world: policy(build), agent: NO_RULES }, call(undefined))).toBe(true);
    expect(mayBeAllowedByEffect({ world: policy(build), agent: NO_RULES }, call(undefined, words('ls')))).toBe(false);
    expect(mayBeAllowedByEffect({ world: NO_RULES, agent: policy(build) }, call(undefined))).toBe(false);
  });
});

describe('a deny or ask rule about effects', () => {
  it.each<[string, Partial<EffectPaths>, string]>([
    ['deny shell_cmd changing .github/**', { changed: ['.github/a.yml'] }, 'deny'],
    ['deny shell_cmd changing .github/**', { added: ['.github/a.yml'] }, 'deny'],
    ['deny shell_cmd changing .github/**', { removed: ['.github', '.github/a.yml'] }, 'deny'],
    ['deny shell_cmd changing .github/**', { added: ['sub/.GitHub/a.yml'] }, 'deny'],
    ['deny shell_cmd changing .github', { added: ['.github/a.yml'] }, 'deny'],
    ['deny shell_cmd changing ./.github/**', { added: ['sub/.github/a.yml'] }, 'none'],
    ['deny shell_cmd changing .github/**', { added: ['src/a'] }, 'none'],
    ['deny shell_cmd writing *.lock', { changed: ['sub/x.lock'] }, 'deny'],
    ['deny shell_cmd writing *.lock', { removed: ['x.lock'] }, 'none'],
    ['ask shell_cmd removing *', { removed: ['a/b/c'] }, 'ask'],
    ['ask shell_cmd removing *', { added: ['a'], changed: ['b'] }, 'none'],
    ['ask shell_cmd writing a/** removing b/**', { removed: ['b/x'] }, 'ask'],
    ['ask shell_cmd writing a/** removing b/**', { removed: ['a/x'] }, 'none'],
    ['deny shell_cmd(make *) changing src/**', { changed: ['src/a'] }, 'deny'],
    ['deny shell_cmd(git *) changing src/**', { changed: ['src/a'] }, 'none'],
    // What is left out isn't applied.
    ['deny shell_cmd changing .git/**', { leftOut: ['.git/hooks/pre-commit'] }, 'none'],
  ])('[RULE10.2] %s matches one path: %j', (rule, effect, expected) => {
    expect(outcome([rule], effect)).toBe(expected);
  });

  it('[RULE10.3] requires approval while the effect is unknown, whatever allows the call', () => {
    const rule = 'deny shell_cmd changing .github/**';
    expect(outcome([rule, 'allow shell_cmd'], undefined)).toBe('ask');
    expect(outcome([rule, 'allow shell_cmd'], { changed: ['src/a'] })).toBe('allow');
    expect(outcome([rule, 'allow shell_cmd'], { changed: ['src/../.github/a'] })).toBe('ask');
    expect(outcome(['deny shell_cmd(git *) changing .github/**'], undefined)).toBe('none');
    expect(outcome(['deny shell_cmd(git *) changing .github/**', 'allow shell_cmd'], undefined, GLOB)).toBe('ask');
    const admin = policy(rule, 'allow shell_cmd');
    expect(weigh({ admin, world: NO_RULES, agent: NO_RULES }, call(undefined))).toMatchObject({ unknownEffect: rule });
    const sure = weigh({ admin, world: NO_RULES, agent: NO_RULES }, call({}));
    expect(sure).toMatchObject({ allow: 'allow shell_cmd', byEffect: true });
  });

  it("[RULE10.2] an administrator's rule overrides the world's, and an agent's rule is only stricter", () => {
    const deny = policy('deny shell_cmd removing *');
    const allow = policy('allow shell_cmd removing tmp/**');
    const effect = call({ removed: ['tmp/a'] });
    expect(judge({ admin: deny, world: allow, agent: NO_RULES }, effect).outcome).toBe('deny');
    expect(judge({ admin: allow, world: deny, agent: NO_RULES }, effect).outcome).toBe('allow');
    expect(judge({ world: NO_RULES, agent: allow }, effect).outcome).toBe('none');
    expect(judge({ world: allow, agent: deny }, effect).outcome).toBe('deny');
  });

  it('[RULE10.3] the people who must sign a matching effect must also sign an unknown one', () => {
    const world = policy('ask shell_cmd removing * by @release', 'ask shell_cmd(ls) removing * by @other');
    const signing = (effect: Partial<EffectPaths> | undefined) =>
      weigh({ world, agent: NO_RULES }, call(effect)).signing.map(({ rule }) => rule);
    expect(signing(undefined)).toEqual(['ask shell_cmd removing * by @release']);
    expect(signing({ removed: ['a'] })).toEqual(['ask shell_cmd removing * by @release']);
    expect(signing({ added: ['a'] })).toEqual([]);
  });

  it('[RULE1.5] hides and withholds no paths', () => {
    const policies = { world: policy('deny shell_cmd changing ./.github/**'), agent: NO_RULES };
    expect(protectPaths(policies, call(undefined))).toBeUndefined();
    expect(withholdPaths(policies, call(undefined))).toBeUndefined();
  });
});
