import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../../../tests/support/scaled.js';
import { shellCmd } from '../../../shell/shell-cmd.js';
import { findSandboxes } from '../../../testing/find-sandboxes.js';
import { makeFolder } from '../../../../../../tests/support/make-folder.js';
import { tryTool } from '../../../testing/try-tool.js';
import { sweepFolders } from '@countersign/changes';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);
/** Built from `testing/dying-rehearsal.ts`. */
const DYING_REHEARSAL = fileURLToPath(
  new URL('../../../../../countersign/dist/testing/bundle/dying-rehearsal.js', import.meta.url),
);

/** A round takes seconds of CPU, so `npm run verify` has a tenth of the kills here for each kind of draft. */
const KILLS = Math.ceil(Number(process.env['KILLS'] ?? 1_000) / 10);

const SETUP =
  'mkdir -p d/deep; for i in $(seq 8); do echo old $i > f$i; echo $i > d/deep/$i; done; ln -s f1 l; chmod 640 f2';
const COMMAND =
  'for i in $(seq 8); do echo new $i > f$i; echo $i > g$i; done; rm -r d; mkdir -p e/x; echo e > e/x/y; ln -sfn f2 l';

describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE8.4] a server that is killed while it rehearses or applies ($drafts)',
  ({ drafts: kind, sandbox }) => {
    const sh = (command: string, cwd: string): string =>
      execFileSync('bash', ['-c', command], { cwd, encoding: 'utf8' });
    const state = (path: string): string =>
      sh(`find . -mindepth 1 -printf '%P %y %l %m\\n' | sort; find . -type f | sort | xargs -r cat`, path);

    it(
      'leaves all of the changes or none, and no draft after the next start',
      { timeout: isFullSize ? 2 * 3_600_000 : 300_000 },
      async () => {
        if (sandbox.kind !== 'bubblewrap') return;
        const top = await makeFolder();
        const copy = join(top.path, 'copy');
        await mkdir(copy);
        sh(SETUP, copy);
        const before = state(copy);
        sh(COMMAND, copy);
        const after = state(copy);
        const seen = new Set<string>();
        const rounds = isFullSize ? KILLS : 3;
        for (let round = 0; round < rounds; round += 1) {
          const [folder, drafts] = [join(top.path, `folder-${round}`), join(top.path, `drafts-${round}`)];
          for (const path of [folder, drafts]) await mkdir(path, { mode: 0o700 });
          const here = { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts } };
          sh(SETUP, folder);
          const left = (): string[] => readdirSync(drafts).filter((name) => /^(?:draft|rehearsal)-/.test(name));
          const has = (kind: string, file: string): boolean =>
            left().some((name) => name.startsWith(kind) && existsSync(join(drafts, name, file)));
          const stepsOf = (): number => Math.max(0, ...left().map((name) => countLines(join(drafts, name, 'steps'))));
          // In order: while the folder is copied, while the command runs, while it is kept, once it is kept, once it is claimed, and after each step of applying it.
          const moments: (() => boolean)[] = [
            () => has('draft-', 'copy/f3') || has('draft-', 'upper/f3'),
            () => has('draft-', 'upper/f3'),
            () => has('draft-', 'upper/l'),
            () => has('draft-', 'rehearsal.json.partial') || has('rehearsal-', 'rehearsal.json'),
            () => has('rehearsal-', 'rehearsal.json'),
            () => has('draft-', 'rehearsal.json') && has('draft-', 'steps'),
            ...Array.from({ length: 19 }, (_, count) => () => stepsOf() > count),
          ];
          const moment = moments[Math.floor((round * moments.length) / Math.max(1, rounds - 1))] ?? (() => false);
          const watcher = watch(drafts);
          const child = spawn(process.execPath, [DYING_REHEARSAL, folder, COMMAND, JSON.stringify(here)], {
            stdio: ['ignore', 'ignore', 'inherit'],
          });
          const ended = once(child, 'exit');
          // Polling while the process starts would take as much CPU as the start.
          await Promise.race([once(watcher, 'change'), ended]);
          watcher.close();
          while (child.exitCode === null && !moment()) await setImmediate();
          child.kill('SIGKILL');
          await ended;
          expect(child.exitCode ?? 0).toBe(0);
          const flock = sandbox.drafting.flock;
          // A process of the command may still be dying.
          await expect
            .poll(async () => {
              await sweepFolders({ folder: drafts, flock });
              return left().filter((name) => name.startsWith('draft-'));
            })
            .toEqual([]);
          const found = state(folder);
          expect([before, after]).toContain(found);
          const tool = shellCmd({ sandbox: here });
          const kept = (await tool.rehearsals?.list()) ?? [];
          seen.add(`${found === before ? 'before' : 'after'}, ${kept.length} kept`);
          // What was kept can still be applied.
          const hash = kept.length === 0 ? undefined : hashIn(join(drafts, left()[0] ?? ''));
          const about = { workingDirectory: folder, fingerprint: hash };
          const tried = hash === undefined ? undefined : await tryTool(tool, { command: COMMAND }, about);
          expect(tried?.ok).toBe(hash === undefined ? undefined : true);
          expect(state(folder)).toBe(hash === undefined ? found : after);
          expect(left()).toEqual([]);
        }
        if (isFullSize) process.stdout.write(`${rounds} kills at moments of a rehearsal (${kind})\n`);
        expect(seen).toContain('before, 0 kept');
        expect(seen).toContain('after, 0 kept');
        await top.remove();
      },
    );
  },
);

function hashIn(root: string): string {
  const kept = JSON.parse(readFileSync(join(root, 'rehearsal.json'), 'utf8')) as { effect: { effectHash: string } };
  return kept.effect.effectHash;
}

function countLines(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    // It doesn't exist yet, or no longer.
    return 0;
  }
}
