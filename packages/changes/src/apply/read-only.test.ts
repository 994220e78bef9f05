import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/**
 * Permissions don't apply to root, so a run as root drops its capabilities. `process.seteuid` fails where Node may use
 * io_uring, as on Debian 13.
 */
const WITHOUT_CAPABILITIES = process.geteuid?.() === 0 ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : [];
const DIST = new URL('../../dist/', import.meta.url).href;
const SCRIPT = `
  import { access, constants } from 'node:fs/promises';
  const { planLayer } = await import(process.argv[1] + 'plan/plan-layer.js');
  const { applyPlan } = await import(process.argv[1] + 'apply/apply-plan.js');
  const [root, upper, workingDirectory, closed] = process.argv.slice(2);
  await access(closed, constants.W_OK).then(() => { throw new Error('permissions do not bind this process') }, () => undefined);
  const { plan } = await planLayer({
    upper,
    workingDirectory,
    since: { ns: BigInt(Date.now() + 60_000) * 1_000_000n, steadyNs: { before: 0n, after: 0n } },
    stillSeen: (paths) => Promise.resolve(paths.map(() => true)),
    wasRemoved: () => false,
    keepRemoved: false,
  });
  await applyPlan({ plan, workingDirectory, upper, root });`;

describe.skipIf(process.platform !== 'linux')('[TURN15] read-only folders', () => {
  let root: string;
  const at = (...names: string[]): string => join(root, ...names);
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'read-only-'));
    for (const name of ['upper', 'real']) await mkdir(at(name));
  });
  afterEach(async () => {
    for (const name of ['upper', 'real']) await chmod(at(name, 'd'), 0o700).catch(() => undefined);
    await rm(root, { recursive: true });
  });

  const folder = async (path: string, ...files: string[]): Promise<void> => {
    await mkdir(path);
    for (const file of files) await writeFile(join(path, file), 'x');
    await chmod(path, 0o555);
  };
  const accept = async (): Promise<void> => {
    const [program, ...args] = [...WITHOUT_CAPABILITIES, process.execPath, '--input-type=module', '-e', SCRIPT];
    await promisify(execFile)(program, [...args, DIST, root, at('upper'), at('real'), at('real', 'd')]);
  };
  const mode = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;

  it('applies changes in a folder that the command made writable, with the mode that it set', async () => {
    await folder(at('real', 'd'), 'old');
    await folder(at('upper', 'd'), 'new');
    await chmod(at('upper', 'd'), 0o750);
    await accept();
    expect((await readdir(at('real', 'd'))).toSorted()).toEqual(['new', 'old']);
    expect(await mode(at('real', 'd'))).toBe(0o750);
  });

  it('keeps a folder read-only if the command made it writable and read-only again', async () => {
    await folder(at('real', 'd'), 'old');
    await folder(at('upper', 'd'), 'new');
    await accept();
    expect(await mode(at('real', 'd'))).toBe(0o555);
  });

  it('removes a folder that the command replaced by a file', async () => {
    await folder(at('real', 'd'), 'old');
    await writeFile(at('upper', 'd'), 'file');
    await accept();
    expect((await lstat(at('real', 'd'))).isFile()).toBe(true);
  });
});
