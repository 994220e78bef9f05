import { describe, expect, it } from 'vitest';
import { findOverlaySandbox, openGitDraft, type GitDraft } from '../../../testing/git-draft.js';

const sandbox = await findOverlaySandbox();
const RUNS = Number(process.env['INTERLEAVINGS'] ?? 3);
/** How many are played at once: most of the time, each waits for one program. */
const LANES = 3;
const SEED = Number(process.env['RANDOM_SEED'] ?? 1);

const AGENTS = [
  'echo $RANDOM > a.txt; git commit -qam "agent $RANDOM"',
  'echo $RANDOM > n$RANDOM; git add -A; git commit -qm "agent $RANDOM"',
  'git commit -q --amend -m amended',
  'git gc -q --prune=now',
  'git repack -qad; git prune-packed',
  'git pack-refs --all',
  'echo $RANDOM >> src/b.txt; git stash -q',
  'git stash pop -q',
  'git checkout -qb agent$RANDOM',
  'git checkout -q main',
  'git rebase -q --force-rebase HEAD~2',
  'git rebase -q main',
  'git reset -q --hard HEAD~1',
  'git merge -q --no-edit side',
  'git branch -D side',
  'git branch side HEAD',
  'git tag t$RANDOM',
  'git reflog expire --expire=now --all; git gc -q --prune=now',
  'echo rest > rest$RANDOM',
  'git worktree add -q /tmp/w$RANDOM; git worktree prune',
] as const;

/** What some print last must not be lost. */
const PEOPLE = [
  'echo $RANDOM > p$RANDOM; git add p*; git commit -qm "person $RANDOM"; git rev-parse HEAD',
  'echo $RANDOM > p$RANDOM; git add p*; git commit -qm "person $RANDOM"; git rev-parse HEAD',
  'git tag -a -m x person$RANDOM; git rev-parse HEAD',
  'echo $RANDOM > s$RANDOM; git stash -qu; git rev-parse refs/stash',
  'git branch person$RANDOM; git rev-parse HEAD',
  'git checkout -q side || git checkout -qb side',
  'git checkout -q main',
  'git gc -q',
  'git pack-refs --all',
  'git commit -q --allow-empty -m "person $RANDOM"; git tag p$RANDOM; git rev-parse HEAD',
] as const;

/** Numbers from 0 to below 1 that a seed decides. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe.skipIf(sandbox === undefined)('a run and a person in the same repository', () => {
  it(
    '[RUN30] lose no commit of the person, and leave an intact repository, in any order',
    async () => {
      const ended = { applied: 0, conflict: 0, unchanged: 0 };
      let next = SEED * 100_000;
      const last = next + RUNS;
      const lane = async (): Promise<void> => {
        while (next < last) {
          const seed = next++;
          const kind = await play(seed).catch((cause: unknown) => {
            next = last;
            throw new Error(`RANDOM_SEED ${seed}`, { cause });
          });
          ended[kind] += 1;
        }
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(ended.applied + ended.conflict + ended.unchanged).toBe(RUNS);
      expect(Math.min(ended.applied, ended.conflict)).toBeGreaterThanOrEqual(RUNS < 100 ? 0 : 1);
      const { applied, conflict, unchanged } = ended;
      const how = `${applied} applied, ${conflict} in conflict, ${unchanged} with nothing to apply`;
      process.stdout.write(`\n${RUNS} interleavings: ${how}\n`);
    },
    RUNS * 30_000,
  );

  async function play(seed: number): Promise<'applied' | 'conflict' | 'unchanged'> {
    if (sandbox === undefined) throw new Error('no sandbox');
    const random = randomFrom(seed);
    const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const setUp = 'for n in 1 2 3; do echo $n > c$n; git add c$n; git commit -qm $n; done; git branch side HEAD~1';
    const branch = random() < 0.4 ? 'run/lab' : undefined;
    const draft = await openGitDraft(sandbox, setUp, branch);
    try {
      return await playIn(draft, random, pick);
    } finally {
      await draft.remove();
    }
  }

  async function playIn(
    draft: GitDraft,
    random: () => number,
    pick: <T>(all: readonly T[]) => T,
  ): Promise<'applied' | 'conflict' | 'unchanged'> {
    const shell = draft.shell();
    const mine = new Set<string>();
    const asPerson = async (): Promise<void> => {
      const said = await draft.meanwhile(`RANDOM=${Math.floor(random() * 30_000)}; ${pick(PEOPLE)} || true`);
      const made = said.trim().split('\n').at(-1) ?? '';
      if (/^[\da-f]{40}$/.test(made)) mine.add(made);
    };
    const hasPerson = random() < 0.7;
    for (let step = 0; step < 8; step += 1) {
      if (hasPerson && random() < 0.4) await asPerson();
      else await shell.run(`RANDOM=${Math.floor(random() * 30_000)}; ${pick(AGENTS)}`);
    }
    await shell.end();
    const before = await draft.meanwhile('git status --porcelain; git for-each-ref');
    const kind = await finish(draft);
    const after = await draft.meanwhile('git status --porcelain; git for-each-ref');
    expect(kind === 'applied' ? before : after).toBe(before);
    await check(draft, mine);
    if (hasPerson) await asPerson();
    await draft.meanwhile('git gc -q');
    await check(draft, mine);
    return kind;
  }

  async function finish(draft: GitDraft): Promise<'applied' | 'conflict' | 'unchanged'> {
    try {
      await draft.apply(await draft.seal());
      return 'applied';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message === 'unchanged' || message.startsWith('Nothing of what it changed can be applied'))
        return 'unchanged';
      if (/[Oo]thers changed the same|could not be read/.test(message)) return 'conflict';
      throw error;
    }
  }

  async function check(draft: GitDraft, mine: ReadonlySet<string>): Promise<void> {
    await draft.meanwhile('git fsck --full --strict');
    const kept = new Set((await draft.meanwhile('git rev-list --all; git stash list --format=%H')).split('\n'));
    expect([...mine].filter((commit) => !kept.has(commit))).toEqual([]);
    expect(await draft.meanwhile('find .git -name "*.lock" -o -name "*.keep" -o -name "tmp_objdir*"')).toBe('');
  }
});
