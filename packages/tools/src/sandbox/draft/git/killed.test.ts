import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { isFullSize } from '../../../../../../tests/support/scaled.js';
import { findOverlaySandbox, openGitDraft, type GitDraft } from '../../../testing/git-draft.js';

const sandbox = await findOverlaySandbox();
const APPLY = fileURLToPath(new URL('../../../../dist/testing/apply-run.js', import.meta.url));
const RUNS = isFullSize ? 100 : 2;
const LONGEST_MS = 700;

describe.skipIf(sandbox === undefined)('a process that is killed while it applies a run', () => {
  const opened: GitDraft[] = [];
  afterEach(async () => {
    for (const draft of opened.splice(0)) await draft.remove();
  });

  it(
    '[RUN25] leaves refs, files and the index as before or as signed',
    async () => {
      for (let run = 0; run < RUNS; run += 1) {
        if (sandbox === undefined) return;
        const draft = await openGitDraft(sandbox, 'git branch old');
        opened.push(draft);
        const state = (): string =>
          draft.outside(
            'git for-each-ref; git status --porcelain; ls -R; cat *.txt; git ls-files -s; git fsck --strict --no-dangling',
          );
        await draft.inside(`for n in $(seq 40); do echo $n > f$n; done; git add -A; git commit -qm many; echo 2 >> a.txt
          git commit -qam two; git rm -q src/b.txt; git commit -qm three; git branch -D old; git tag v1; echo rest > rest.txt`);
        const { effectHash } = await draft.seal();
        const before = state();
        const callId = `call-${run}`;
        await draft.kept.bind(draft.kept.id, { callId, chatId: 'chat' });
        const child = spawn(process.execPath, [APPLY, draft.path, draft.kept.id, callId, effectHash], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const ended = once(child, 'close');
        await once(child.stdout, 'data');
        await setTimeout(((run * 0.618) % 1) * LONGEST_MS);
        child.kill('SIGKILL');
        await ended;
        await draft.kept.recover(draft.kept.id);
        const status = (await draft.kept.read(draft.kept.id))?.status?.state;
        const after = state();
        const signed = [
          draft.outside('git log --format=%s; git status --porcelain; cat rest.txt || true'),
          draft.outside('git for-each-ref --format="%(refname)"'),
        ];
        const isApplied = status === 'applied';
        expect(isApplied ? signed : after).toEqual(
          isApplied ? ['three\ntwo\nmany\nfirst\n?? rest.txt\nrest\n', 'refs/heads/main\nrefs/tags/v1\n'] : before,
        );
        expect(['applied', 'waiting', 'kept']).toContain(status);
        expect(draft.outside('find .git -name "*.lock" -o -name "*.keep"')).toBe('');
        await opened.pop()?.remove();
      }
    },
    RUNS * 20_000,
  );
});
