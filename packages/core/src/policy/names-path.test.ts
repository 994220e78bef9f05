import { describe, expect, it } from 'vitest';
import { compilePolicy, compileStored, NO_RULES, type Policy } from './compile-policy.js';
import { namesPath } from './names-path.js';

const place = { workingDirectory: '/work', home: '/home/ada' };

function policyOf(...rules: string[]): Policy {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.policy;
}
const names = (rules: string[], path: string, more: { agent?: Policy; admin?: Policy } = {}): boolean =>
  namesPath({ world: policyOf(...rules), agent: NO_RULES, ...more }, place)(path);

describe('[A36] namesPath', () => {
  it.each([
    ['allow write_file(./.venv/**)', '/work/.venv/bin/python'],
    ['allow write_file(./**)', '/work/a/.x'],
    ['allow write_file(path=./bin/x)', '/work/bin/x'],
    [`allow write_file('./my dir'/**)`, '/work/my dir/.x'],
    [`allow write_file('./a*/.x'/**)`, '/work/a*/.x/y'],
  ])('%s names %s', (rule, path) => {
    expect(names([rule], path)).toBe(true);
  });

  it.each([
    [['allow write_file'], '/work/.x'],
    [['allow *'], '/work/.x'],
    [['allow *(./**)'], '/work/.x'],
    [['allow shell_cmd(./**)'], '/work/.x'],
    [['allow edit_file(./**)'], '/work/.x'],
    [['allow write_file(./.venv/**)'], '/work/.venvs/x'],
    [['allow write_file(./.venv/**)'], '/work/.other'],
    [[`allow write_file('./a*/.x'/**)`], '/work/ab/.x/y'],
    [['allow write_file(./**)', 'deny write_file(./.x)'], '/work/.x'],
    [['allow write_file(./**)', 'ask *(./.x)'], '/work/.x'],
    [['ask write_file', 'allow write_file(./**)'], '/work/.x'],
  ])('%j does not name %s', (rules, path) => {
    expect(names(rules, path)).toBe(false);
  });

  it('minds the administrator and an agent’s own rules, and nothing where a policy can’t be read', () => {
    expect(names([], '/work/.x', { admin: policyOf('allow write_file(./.x)') })).toBe(true);
    expect(names(['allow write_file(./.x)'], '/work/.x', { admin: policyOf('deny write_file') })).toBe(false);
    expect(names(['allow write_file(./.x)'], '/work/.x', { agent: policyOf('ask write_file(./.x)') })).toBe(false);
    expect(names([], '/work/.x', { agent: policyOf('allow write_file(./.x)') })).toBe(false);
    const broken = compileStored(['allow write_file(./.x)', '((']);
    expect(namesPath({ world: broken, agent: NO_RULES }, place)('/work/.x')).toBe(false);
  });
});
