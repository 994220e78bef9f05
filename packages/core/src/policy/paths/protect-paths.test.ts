import { describe, expect, it } from 'vitest';
import { NO_RULES } from '../compile-policy.js';
import { judge } from '../judge.js';
import { findPathRule, protectPaths } from './protect-paths.js';
import { policy } from '../../testing/policy-calls.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const call = (...words: string[]) => ({
  tool: 'shell_cmd',
  subjects: [{ kind: 'words' as const, words }],
  place,
});
const protectedBy = (...rules: string[]) => protectPaths({ world: policy(...rules), agent: NO_RULES }, call('ls'));

describe('protectPaths', () => {
  it('[RULE1] hides paths that deny and ask rules match, in any case, and everything below them', () => {
    const { isProtected } = protectedBy('deny *(./secrets)', 'ask *(~/.aws/**)', 'deny *(*.pem)') ?? {};
    const paths = ['/srv/project/secrets', '/srv/project/Secrets/a/b', '/home/ann/.aws/x', '/srv/project/a/b.pem'];
    expect(paths.map((path) => isProtected?.(path))).toEqual([true, true, true, true]);
    expect(['/srv/project/secrets2', '/home/ann/.awsome'].map((path) => isProtected?.(path))).toEqual([false, false]);
  });

  it('[RULE1] an ask rule that matched the call itself doesn’t hide its paths', () => {
    const world = policy('ask *(./private/**)');
    const isProtected = (words: string[]) =>
      protectPaths({ world, agent: NO_RULES }, call(...words))?.isProtected('/srv/project/private/a');
    expect([isProtected(['cat', 'x']), isProtected(['cat', 'private/a'])]).toEqual([true, false]);
  });

  it('[RULE1] agent and administrator rules apply, and paths that the administrator allows are not hidden', () => {
    expect(
      protectPaths({ world: NO_RULES, agent: policy('deny *(./a)') }, call('ls'))?.isProtected('/srv/project/a'),
    ).toBe(true);
    const admin = policy('allow *(./docs/**)', 'deny *(./docs/b)');
    const { isProtected } =
      protectPaths({ admin, world: policy('deny *(./docs/**)'), agent: NO_RULES }, call('ls')) ?? {};
    expect([isProtected?.('/srv/project/docs/a'), isProtected?.('/srv/project/docs/b')]).toEqual([false, true]);
  });

  it('[RULE1] a rule about a program or an argument hides no path', () => {
    expect(
      protectedBy('deny shell_cmd(rm *)', 'deny shell_cmd(terraform)', 'ask *(to=*)', 'allow *(./a)', 'deny *'),
    ).toBeUndefined();
    expect(
      protectedBy('deny *(amount>100)', 'ask *(amount>=100)', 'deny *(amount > 1.5)', 'deny *("odd name"=1)'),
    ).toBeUndefined();
    expect(protectedBy('deny read_file(./a)')).toBeUndefined();
    // `rm` is a path in a rule for every tool, although it is a program in the rule for `shell_cmd`.
    const { isProtected } = protectedBy('deny shell_cmd(rm *)', 'deny *(**/rm)') ?? {};
    expect(isProtected?.('/srv/project/rm')).toBe(true);
  });

  it('reports which folders may contain hidden paths', () => {
    const { mayHold } = protectedBy('deny *(./a/*/key)', 'deny *(/opt/x/**/y)') ?? {};
    expect(
      ['/', '/srv', '/srv/project', '/srv/project/a', '/srv/project/a/q', '/srv/project/a/q/key', '/srv/project/b'].map(
        (folder) => mayHold?.(folder, 'inside'),
      ),
    ).toEqual(['fixed', 'fixed', 'fixed', 'fixed', 'fixed', 'anything', 'nothing']);
    expect(['/opt', '/opt/x', '/opt/x/z', '/opt/w'].map((folder) => mayHold?.(folder, 'outside'))).toEqual([
      'fixed',
      'anything',
      'anything',
      'nothing',
    ]);
    const floating = protectedBy('deny *(*.pem)');
    expect([floating?.mayHold('/', 'outside'), floating?.mayHold('/srv/project', 'inside')]).toEqual([
      'nothing',
      'anything',
    ]);
  });
});

describe('findPathRule', () => {
  it('[SAFE1.5] finds a path rule that needs a sandbox to be enforced', () => {
    const found = (...rules: string[]) => findPathRule({ world: policy(...rules), agent: NO_RULES }, 'shell_cmd');
    expect(found('deny shell_cmd(rm *)', 'deny *(./secrets/**)')).toBe('deny *(./secrets/**)');
    expect(found('deny shell_cmd(rm *)', 'allow *(./x/**)')).toBeUndefined();
    expect(found('deny *(amount>100)', 'deny shell_cmd(timeout>1.5)')).toBeUndefined();
  });
});

describe('a deny rule on a case-insensitive disk', () => {
  it.each(['ſecrets/key', 'SECRETS/key', 'Secrets/KEY', 'secret\u017F/key'])('[RULE1] matches %s too', (path) => {
    const rules = policy('allow shell_cmd(cat *)', 'deny *(./secrets/**)');
    expect(judge({ world: rules, agent: NO_RULES }, call('cat', path)).outcome).toBe('deny');
  });
});

describe('a deny rule that names a folder', () => {
  it.each(['deny *(~/.ssh)', 'deny shell_cmd(~/.ssh)', 'deny *(/home/ann/.ssh)'])(
    '[RULE1.4] %s also matches its contents',
    (rule) => {
      const judged = judge(
        { world: policy('allow shell_cmd(cat *)', rule), agent: NO_RULES },
        call('cat', '~/.ssh/id_rsa'),
      );
      expect(judged.outcome).toBe('deny');
    },
  );
});
