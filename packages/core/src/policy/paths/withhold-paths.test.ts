import { describe, expect, it } from 'vitest';
import { NO_RULES } from '../compile-policy.js';
import { withholdPaths } from './withhold-paths.js';
import { policy } from '../../testing/policy-calls.js';

const place = { workingDirectory: '/srv/project', home: '/home/ann' };
const from = (path: string) => ({ tool: 'grep', subjects: [{ kind: 'path' as const, path }], place });
const all = from('/srv/project');

describe('withholdPaths', () => {
  it('[RULE1] hides denied paths from a call that starts in a folder above them', () => {
    const withheld = withholdPaths(
      { world: policy('deny *(./secrets/**)', 'deny grep(**/.env)'), agent: NO_RULES },
      all,
    );
    const paths = ['/srv/project/secrets', '/srv/project/secrets/a/b', '/srv/project/x/.env', '/srv/project/Secrets/a'];
    expect(paths.map((path) => withheld?.(path))).toEqual([true, true, true, true]);
    expect(['/srv/project/src', '/srv/project/secrets2', '/srv/project/env'].map((path) => withheld?.(path))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('[RULE1] an ask rule withholds paths too, unless it matched the call itself', () => {
    const policies = { world: policy('ask grep(./private/**)'), agent: NO_RULES };
    expect(withholdPaths(policies, all)?.('/srv/project/private/a')).toBe(true);
    expect(withholdPaths(policies, from('/srv/project/private'))?.('/srv/project/private/a')).toBe(false);
  });

  it('[RULE1] the agent’s and the administrator’s rules apply', () => {
    const agent = withholdPaths({ world: NO_RULES, agent: policy('deny grep(./a)') }, all);
    expect([agent?.('/srv/project/a'), agent?.('/srv/project/b')]).toEqual([true, false]);
    const world = policy('deny grep(./**/*.md)');
    const admin = withholdPaths({ admin: policy('allow grep(./**)', 'deny grep(./a)'), world, agent: NO_RULES }, all);
    expect([admin?.('/srv/project/a'), admin?.('/srv/project/b.md')]).toEqual([true, false]);
  });

  it('is skipped if no rule has a pattern', () => {
    expect(withholdPaths({ world: policy('ask grep', 'allow *(./a)'), agent: NO_RULES }, all)).toBeUndefined();
    expect(withholdPaths({ world: policy('deny read_file(./a)'), agent: NO_RULES }, all)).toBeUndefined();
  });
});
