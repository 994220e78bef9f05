import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const open = (): Promise<RunFixture> => openRuns({ 'src/a.ts': 'old\n', 'other.txt': 'old\n' });

describe.runIf(canMount)('[RUN18] rules about runs', () => {
  it('only one about effects allows a run, and only as a whole', async () => {
    const fixture = await open();
    await fixture.t.api('PATCH', '/worlds/alpha', { mode: 'auto' });
    const result = async (rules: readonly string[], files: Record<string, string>, program = ['make', 'all']) => {
      await fixture.setRules(...rules);
      const run = await fixture.start({ program });
      fixture.write(run, files);
      await fixture.end(run);
      await fixture.t.engine.quiet();
      const { state } = await fixture.show(run);
      if (state === 'waiting') await fixture.t.api('POST', `/worlds/alpha/runs/${run.id}/discard`);
      return state;
    };
    let n = 0;
    const inSrc = (): Record<string, string> => ({ 'src/a.ts': `new ${(n += 1)}\n` });
    for (const plain of ['allow *', 'allow run', 'allow run(make *)', 'allow run(*)'])
      expect([plain, await result([plain], inSrc())]).toEqual([plain, 'waiting']);
    const rule = 'allow run writing src/** removing nothing';
    expect(await result([rule], inSrc())).toBe('applied');
    expect(await result(['allow run(make *) writing src/**'], inSrc())).toBe('applied');
    expect(await result(['allow run(make *) writing src/**'], inSrc(), ['rm'])).toBe('waiting');
    expect(await result(['allow *', rule], { ...inSrc(), 'other.txt': 'new\n' })).toBe('waiting');
    expect(await result([rule, 'ask run'], inSrc())).toBe('waiting');
    expect(await result([rule, 'deny run changing src/a.ts'], inSrc())).toBe('denied');
    // What no rule can name.
    const all = 'allow run writing ** removing **';
    expect(await result([all], inSrc())).toBe('applied');
    expect(await result([all], { 'src/.hidden': 'x' })).toBe('waiting');
    expect(await result([all, 'allow run writing .github/**'], { '.github/x.yml': 'x' })).toBe('waiting');
    expect(await result([all], { '.git/refs/heads/main': 'x', ...inSrc() })).toBe('waiting');
    expect(fixture.t.errors).toEqual([]);
  });

  it('[RUN18.1] no rule allows a new executable, and the card says why', async () => {
    const fixture = await open();
    await fixture.setRules('allow run writing **');
    const run = await fixture.start();
    fixture.write(run, { 'src/x.sh': '#!/bin/sh\n' });
    chmodSync(join(run.root, 'upper/src/x.sh'), 0o755);
    const { approvalId } = await fixture.end(run);
    const { body } = await fixture.t.api('GET', `/worlds/alpha/approvals/${approvalId}`);
    expect(body).toMatchObject({
      reason: { code: 'every-call', cause: { code: 'run-needs-person', paths: 'src/x.sh' } },
      options: ['deny', 'approve_once'],
      editable: false,
    });
  });

  it('[RUN8.2] close hosts, even if the person names them', async () => {
    const fixture = await open();
    await fixture.setRules('allow sandbox_network(*.example.com)', 'deny sandbox_network(evil.example.com)');
    const run = await fixture.start({ allowHosts: ['evil.example.com'] });
    expect(run.closedHosts).toEqual(['evil.example.com']);
    fixture.write(run, {});
    await fixture.end(run);
  });

  it('[RUN2.1] hides what rules deny, and never applies it', async () => {
    const fixture = await open();
    await fixture.setRules('deny read_file(./src/a.ts)');
    const run = await fixture.start();
    expect(run.hidden).toEqual([join(fixture.folder, 'src/a.ts')]);
    fixture.write(run, { 'src/a.ts': 'new\n', 'other.txt': 'new\n' });
    const { effect } = await fixture.end(run);
    expect(effect).toMatchObject({ leftOut: [{ path: 'src/a.ts' }], run: { hidden: 1 } });
  });
});
