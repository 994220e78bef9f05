import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndedRun, Run } from '@countersign/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { canMountRuns, closeRuns, openRuns, type RunFixture } from '../testing/run-fixture.js';

afterEach(closeRuns);

const canMount = await canMountRuns();

const OLD = JSON.stringify({ tokens: 'old', other: 'mine' });
const NEW = JSON.stringify({ tokens: 'new' });
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe.runIf(canMount)('[RUN14.1] a login that an agent renewed', () => {
  let fixture: RunFixture;
  let file: string;

  /** A run that renewed a login and, unless told otherwise, changed a file. */
  async function ended(
    account: 'same' | 'other' | 'unknown',
    files: Record<string, string> = { 'src/a.ts': 'new\n' },
  ): Promise<Run> {
    fixture = await openRuns({ 'src/a.ts': 'old\n' }, { rules: ['allow run writing **'] });
    const run = await fixture.start();
    file = join(run.root, 'auth.json');
    const renewed = join(run.root, 'login.json');
    writeFileSync(file, OLD);
    writeFileSync(renewed, NEW);
    const before = hashOf(OLD);
    const login: EndedRun['login'] = { agent: 'codex', account, file, before, renewed };
    fixture.write(run, files, { login, notes: ['Codex used its login.'] });
    return await fixture.end(run);
  }
  const content = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

  it('is on the card, needs a person whatever the rules say, and is written back when one approves', async () => {
    const run = await ended('same');
    expect(run).toMatchObject({
      state: 'waiting',
      effect: {
        run: { notes: ['Codex used its login.'], login: { agent: 'codex', file, account: 'same', hash: hashOf(NEW) } },
      },
    });
    expect(content()).toEqual(JSON.parse(OLD));
    await fixture.decide(run, 'approve');
    await fixture.t.engine.quiet();
    expect(await fixture.show(run)).toMatchObject({ state: 'applied' });
    expect(content()).toEqual({ tokens: 'new', other: 'mine' });
  });

  it('stays out if it is denied, or of another account', async () => {
    const denied = await ended('same');
    await fixture.decide(denied, 'deny');
    await fixture.reach(denied, 'denied');
    expect(content()).toEqual(JSON.parse(OLD));
    const other = await ended('other');
    expect(other.state).toBe('waiting');
    await fixture.decide(other, 'approve');
    await fixture.t.engine.quiet();
    expect(content()).toEqual(JSON.parse(OLD));
  });

  it.each(['other', 'unknown'] as const)(
    'is written back for an account that is %s if a person includes it and approves that',
    async (account) => {
      const run = await ended(account);
      const apply = async () => await fixture.t.api<Run>('POST', `/worlds/alpha/runs/${run.id}/apply`, { login: true });
      expect((await apply()).status).toBe(409);
      await fixture.decide(run, 'deny');
      await fixture.reach(run, 'denied');
      const { body } = await apply();
      expect(body).toMatchObject({ state: 'waiting', effect: { run: { login: { account, included: true } } } });
      await fixture.decide(body, 'approve');
      await fixture.t.engine.quiet();
      expect(await fixture.show(run)).toMatchObject({ state: 'applied' });
      expect(content()).toEqual({ tokens: 'new', other: 'mine' });
    },
  );

  it('[RUN14.3] is not written back if it is another one than was signed', async () => {
    const run = await ended('same');
    writeFileSync(join(file, '../login.json'), JSON.stringify({ tokens: 'stolen' }));
    await fixture.decide(run, 'approve');
    await fixture.t.engine.quiet();
    expect(content()).toEqual(JSON.parse(OLD));
  });

  it('is a change of its own', async () => {
    const run = await ended('same', {});
    expect(run.state).toBe('waiting');
    await fixture.decide(run, 'approve');
    await fixture.t.engine.quiet();
    expect(await fixture.show(run)).toMatchObject({ state: 'applied' });
    expect(content()).toEqual({ tokens: 'new', other: 'mine' });
  });
});
