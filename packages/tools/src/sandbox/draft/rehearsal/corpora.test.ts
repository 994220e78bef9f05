import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isFullSize } from '../../../../../../tests/support/scaled.js';
import { joinCommand } from '../../../shell/join-command.js';
import { shellCmd } from '../../../shell/shell-cmd.js';
import { findSandboxes } from '../../../testing/find-sandboxes.js';
import { readTree } from '../../../testing/read-tree.js';
import { runOnCopy, type RealRun } from '../../../testing/run-on-copy.js';
import { makeFolder } from '../../../../../../tests/support/make-folder.js';
import { tryTool } from '../../../testing/try-tool.js';
import { removeTree } from '@countersign/changes';

/** With copies only at full size. */
const kinds = (await findSandboxes()).slice(0, isFullSize ? undefined : 1);

const corpusSchema = z.object({
  cases: z.array(z.object({ command: z.string(), parameters: z.array(z.string()).exactOptional() })),
});
type Case = z.infer<typeof corpusSchema>['cases'][number];

const all = ['given', 'syntax', 'options', 'denied', 'slips'].flatMap((name) => {
  const file = new URL(`../../../testing/shell-commands/${name}.json`, import.meta.url);
  return corpusSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).cases;
});
const unique = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
/** A few that remove, change and add files, and one that writes a path which is left out. */
const SAMPLE = ['rm *', 'find . -delete', 'sed -i.bak s/a/b/ x', 'tar xf a.tar', "git config alias.x '!touch pwned'"];
const EVERY = Number(process.env['CORPUS_EVERY'] ?? 1);
const cases = isFullSize
  ? unique.filter((_, at) => at % EVERY === 0)
  : unique.filter(({ command }) => SAMPLE.includes(command));

/** Two names of one file. A draft, and so a run, changes only the name that the command uses (CHANGE8.10). */
const HARD_LINKED = ['y', 'hard'];
/** What these change depends on the second in which they start, or on a background process that is killed when the shell ends. */
const BY_CHANCE = [/^coproc /, /^script /];

/** Files and folders with the names that the commands use, in a repository. */
const START = [
  'git init -q -b main .; git config user.name ann; git config user.email ann@example.org',
  'for f in x y a b a.txt notes.txt key list file a.ts s1 "a b" a#b evil.js; do printf "%s\\nb a\\na:1\\n" "$f" > "$f"; done',
  'mkdir -p src sub secrets2 secrets ssh tests tools evil bin d; echo "const a = 1; // foo" > src/a.ts; echo secret > secrets/key; echo id > ssh/id; echo 1p > script',
  'echo "touch pwned" > evil/src.sh; printf "#!/bin/sh\\ntouch pwned\\n" | tee evil/ls > evil/x; cp evil/x ls; cp evil/x rmx; chmod 755 evil/* ls rmx',
  'echo \'{"name":"p","version":"0.1.0","scripts":{"test":"touch tested","build":"mkdir -p dist; echo built > dist/x"}}\' > package.json',
  "printf \"test all:\\n\\ttouch made\\n\" > Makefile; echo \"open('py','w').write('1')\" | tee x.py > a.py; echo \"require('fs').writeFileSync('js', '1')\" | tee a.js > build.js",
  'mkdir t; echo t > t/t; tar cf a.tar t; cp a.tar x.tar; rm -r t; gzip -kn a.tar; echo \'{"a":{"b":1}}\' > x.json',
  'ln -s x l; ln -s src/a.ts deep; ln y hard; chmod 640 y; chmod 700 d',
  'git add -A .; git commit -qm first; echo changed >> a.txt; git branch topic; git init -q -b main evilrepo',
].join('\n');

// Without bubblewrap, the setup has reported that these tests are skipped.
describe.skipIf(kinds[0]?.sandbox.kind !== 'bubblewrap').each(kinds)(
  '[CHANGE8.1] [CHANGE8.10] the effect of a command from the shell corpora ($drafts)',
  ({ sandbox }) => {
    it(
      'is that of a real run on a copy, byte for byte, or the command has no effect but a reason',
      { timeout: isFullSize ? 3_600_000 : 120_000 },
      async () => {
        if (sandbox.kind !== 'bubblewrap') return;
        const top = await makeFolder();
        const at = (name: string): string => join(top.path, name);
        const [folder, original, drafts] = [at('folder'), at('original'), at('drafts')];
        execFileSync('bash', ['-c', `mkdir -m 700 '${drafts}'; mkdir '${folder}'; cd '${folder}'; ${START}`]);
        execFileSync('cp', ['-a', folder, original]);
        const here = { ...sandbox, drafting: { ...sandbox.drafting, folder: drafts } };
        const tool = shellCmd({ sandbox: here, rehearsalTimeoutMs: 5_000 });
        const counts: Record<string, number> = {};
        const count = (what: string): void => {
          counts[what] = (counts[what] ?? 0) + 1;
        };
        const unequal: unknown[] = [];

        /** On the same path as the rehearsal, since commands print and store it. */
        const runReally = async (text: string): Promise<RealRun> => {
          await rename(folder, at('kept'));
          try {
            return await runOnCopy(text, { sandbox: here, original, folder, temporary: at('temporary') });
          } finally {
            await rename(at('kept'), folder);
          }
        };

        const tryCase = async ({ command, parameters = [] }: Case): Promise<void> => {
          const args = { command, parameters };
          const checked = tool.validate(args);
          if (!checked.ok) {
            count('not a valid call');
            return;
          }
          const place = { worldId: 'world', agentId: 'agent', chatId: 'chat', invocationId: 'call' };
          const { signal } = new AbortController();
          const before = readTree(folder);
          const found = await tool.rehearsals?.rehearse(checked.value, { ...place, workingDirectory: folder, signal });
          expect(readTree(folder)).toEqual(before);
          if (found?.fingerprint === undefined) {
            count(`no effect: ${found?.noEffect.reason}`);
            await tool.rehearsals?.drop('call');
            return;
          }
          const text = joinCommand(command, parameters);
          const real = await runReally(text);
          await tryTool(tool, args, { workingDirectory: folder, fingerprint: found.fingerprint });
          const applied = readTree(folder);
          const unordered = readTree(folder, { anyOrder: true });
          const left = found.effect.leftOut.map(({ path }) => path);
          // The folders of what is left out stay too.
          const isLeftOut = (path: string): boolean =>
            left.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
          const differing = differences(applied, real.tree).filter((path) => !isLeftOut(path));
          const isSameCode = real.exitCode === found.effect.exitCode;
          const others = differing.length === 0 && isSameCode ? [] : [await runReally(text), await runReally(text)];
          const hasCommitted = differing.some((path) => path.startsWith('.git/logs/'));
          const whyEqual = (path: string): string | undefined => {
            if (others.some(({ tree }) => tree.get(path) !== real.tree.get(path))) return 'differs between real runs';
            if (BY_CHANCE.some((one) => one.test(command))) return 'the time, or a process that is killed';
            if (path === '.git/index') return 'inode numbers in the index of Git';
            if (hasCommitted && /^\.git\/(?:objects|logs|refs)\b/.test(path)) return 'the time of a commit';
            if (unordered.get(path) === real.unordered.get(path)) return 'the order in which a folder is listed';
            return HARD_LINKED.includes(path) ? 'a hard link' : undefined;
          };
          const reasons = new Set(differing.map(whyEqual));
          const isKnownCode = isSameCode || others.some(({ exitCode }) => exitCode === found.effect.exitCode);
          if (reasons.has(undefined) || !isKnownCode) {
            const words = differing.map((path) => [path, applied.get(path), real.tree.get(path), whyEqual(path)]);
            unequal.push({ command, exitCodes: [found.effect.exitCode, real.exitCode], words });
          }
          count(reasons.size === 0 ? 'equal' : `equal, apart from: ${[...reasons].map(String).toSorted().join(', ')}`);
          if (left.length > 0) count('with changes that are left out');
          if (found.effect.files.length > 0) count('with changes');
          if (found.effect.exitCode === 127) count('with a program that is not installed');
          if (differences(before, applied).length > 0) {
            await removeTree(folder);
            execFileSync('cp', ['-a', original, folder]);
          }
        };

        for (const one of cases) await tryCase(one);
        if (isFullSize) process.stdout.write(`${cases.length} cases: ${JSON.stringify(counts)}\n`);
        expect(unequal).toEqual([]);
        expect(readdirSync(drafts).filter((name) => /^(?:draft|rehearsal)-/.test(name))).toEqual([]);
        await removeTree(top.path);
      },
    );
  },
);

/** Paths whose state differs, or that exist in only one of them. */
function differences(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
}
