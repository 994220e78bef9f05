import { describe, expect, it } from 'vitest';
import { compilePolicy, compileStored, NO_RULES, type Policy } from '../compile-policy.js';
import { namesPath } from './names-path.js';

const place = { workingDirectory: '/project', home: '/home/ada' };

function policyOf(...rules: string[]): Policy {
  const compiled = compilePolicy(rules);
  if (!compiled.ok) throw new Error(compiled.error);
  return compiled.policy;
}
const names = (rules: string[], path: string, more: { agent?: Policy; admin?: Policy } = {}): boolean =>
  namesPath({ world: policyOf(...rules), agent: NO_RULES, ...more }, place)(path);

describe('[CHANGE4] namesPath', () => {
  it.each([
    ['allow write_file(./.venv/**)', '/project/.venv/bin/python'],
    ['allow write_file(./**)', '/project/a/.x'],
    ['allow write_file(path=./bin/x)', '/project/bin/x'],
    [`allow write_file('./my dir'/**)`, '/project/my dir/.x'],
    [`allow write_file('./a*/.x'/**)`, '/project/a*/.x/y'],
  ])('%s names %s', (rule, path) => {
    expect(names([rule], path)).toBe(true);
  });

  it.each([
    [['allow write_file'], '/project/.x'],
    [['allow *'], '/project/.x'],
    [['allow *(./**)'], '/project/.x'],
    [['allow shell_cmd(./**)'], '/project/.x'],
    [['allow edit_file(./**)'], '/project/.x'],
    [['allow write_file(./.venv/**)'], '/project/.venvs/x'],
    [['allow write_file(./.venv/**)'], '/project/.other'],
    [[`allow write_file('./a*/.x'/**)`], '/project/ab/.x/y'],
    [['allow write_file(./**)', 'deny write_file(./.x)'], '/project/.x'],
    [['allow write_file(./**)', 'ask *(./.x)'], '/project/.x'],
    [['ask write_file', 'allow write_file(./**)'], '/project/.x'],
  ])('%j does not name %s', (rules, path) => {
    expect(names(rules, path)).toBe(false);
  });

  it('respects the administrator’s and the agent’s rules, and names nothing if a policy is invalid', () => {
    expect(names([], '/project/.x', { admin: policyOf('allow write_file(./.x)') })).toBe(true);
    expect(names(['allow write_file(./.x)'], '/project/.x', { admin: policyOf('deny write_file') })).toBe(false);
    expect(names(['allow write_file(./.x)'], '/project/.x', { agent: policyOf('ask write_file(./.x)') })).toBe(false);
    expect(names([], '/project/.x', { agent: policyOf('allow write_file(./.x)') })).toBe(false);
    const broken = compileStored(['allow write_file(./.x)', '((']);
    expect(namesPath({ world: broken, agent: NO_RULES }, place)('/project/.x')).toBe(false);
  });
});
