import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { shellCmd } from '@countersign/tools';
import { sharedSandbox } from '../../../tests/support/shared-sandbox.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { sampled } from '../../../tests/support/scaled.js';
import { openTestWorld } from './testing/fixture.js';
import { freshFolder } from './testing/fresh-folder.js';
import { lastResults, obedient, propose, recorder } from './testing/obedient.js';
import { rehearsingTool, type RehearsingTool } from './testing/rehearsing-tool.js';
import { lifecycle } from './testing/tool-turn.js';

const put = (path: string, text = 'new') => ({ name: 'put', arguments: { path, text } });
const approve = { decision: 'approve' } as const;
const sandbox = await sharedSandbox();

const inFolder = freshFolder();
let made: RehearsingTool;
beforeEach(() => {
  made = rehearsingTool();
});

const open = (policy: string[], more: Parameters<typeof openTestWorld>[0] = {}) =>
  openTestWorld({ script: obedient, tools: [made.tool], policy, ...more });

describe('a rule about effects', () => {
  it('[RULE10] [RULE10.2] lets a call run without asking, and applies exactly the effect that it judged', async () => {
    const t = await open(['allow put writing docs/**']);
    expect(await propose(t, put('docs/a.md'))).toBe('idle');
    expect(made.log).toEqual(['rehearsed docs/a.md', 'applied docs/a.md']);
    expect(lastResults(t)).toEqual([{ result: { printed: 'written\n' } }]);
    expect(lifecycle(t)).toEqual(['REHEARSED', 'STARTED', 'SUCCEEDED'].map((type) => `put: ${type}`));
    const audit = await t.world.audit();
    expect(audit.map(({ kind }) => kind)).toEqual(['policy', 'policy', 'rehearsal', 'run', 'outcome']);
    expect(audit[3]).toMatchObject({ why: 'rule', rule: 'allow put writing docs/**' });
    expect(made.kept.size).toBe(0);
  });

  it('[RULE10.1] [CHANGE6] requires approval if the effect exceeds it, and says so', async () => {
    const t = await open(['allow put writing docs/**']);
    expect(await propose(t, put('src/a.ts'))).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval.reason).toEqual({ code: 'effect-exceeds', rule: 'allow put writing docs/**' });
    expect(approval.effect?.files).toMatchObject([{ path: 'src/a.ts', change: 'added' }]);
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['rehearsed src/a.ts', 'applied src/a.ts']);
  });

  it('[RULE10.2] denies a call by its effect, and applies nothing', async () => {
    const t = await open(['allow put', 'deny put changing .github/**']);
    expect(await propose(t, put('.github/a.yml'))).toBe('idle');
    expect(made.log).toEqual(['rehearsed .github/a.yml']);
    expect(made.folder.has('.github/a.yml')).toBe(false);
    expect(lifecycle(t)).toEqual(['put: REHEARSED', 'put: DENIED']);
    expect(made.kept.size).toBe(0);
    // The same rules let another effect run. It is applied, because a second run could do what the rule denies.
    expect(await propose(t, put('src/a.ts'))).toBe('idle');
    expect(made.log.slice(1)).toEqual(['rehearsed src/a.ts', 'applied src/a.ts']);
  });

  it('[RULE10.2] adds nothing to calls that no such rule is about', async () => {
    const t = await open([
      'allow put(path=free.txt, *)',
      'deny put(path=other.txt) changing *',
      'deny put(path=no.txt)',
    ]);
    expect(await propose(t, put('free.txt'))).toBe('idle');
    expect(await propose(t, put('no.txt'))).toBe('idle');
    expect(made.log).toEqual(['ran free.txt']);
  });

  it('[RULE10.3] requires approval if there is no effect, whatever allows the call, and a yes runs it', async () => {
    made.refuse.why = 'network';
    const t = await open(['allow put', 'deny put changing .github/**']);
    expect(await propose(t, put('.github/a.yml'))).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval).toMatchObject({
      reason: { code: 'effect-unknown', rule: 'deny put changing .github/**' },
      noEffect: { reason: 'network' },
      options: ['deny', 'approve_once'],
    });
    await t.world.decide(approval, approve);
    await t.chat.settled();
    expect(made.log).toEqual(['ran .github/a.yml']);
    await t.world.update({ rehearse: 'off' });
    await t.world.setPolicy(['allow put writing **']);
    expect(await propose(t, put('docs/b.md'))).toBe('waiting');
  });

  it('[RULE10.3] a tool that lists too many paths, or no valid ones, has an unknown effect', async () => {
    const { rehearsals } = made.tool;
    if (rehearsals === undefined) throw new Error('the tool must rehearse');
    for (const paths of [undefined, { added: 'docs/a.md' }, { added: ['../a'], changed: [], removed: [] }]) {
      const rehearse: typeof rehearsals.rehearse = async (...args) => {
        const found = await rehearsals.rehearse(...args);
        if (found.fingerprint === undefined) return found;
        const { fingerprint, effect } = found;
        return { fingerprint, effect, ...(paths === undefined ? {} : { paths: paths as never }) };
      };
      const t = await open(['allow put writing **'], {
        tools: [{ ...made.tool, rehearsals: { ...rehearsals, rehearse } }],
      });
      expect(await propose(t, put('docs/a.md'))).toBe('waiting');
      expect((await t.onlyApproval()).reason).toMatchObject({ code: 'effect-unknown' });
    }
  });

  it('[RULE10.2] allows calls in a world where nobody can be asked', async () => {
    const t = await open(['allow put writing docs/**'], { unattended: 'deny' });
    expect(await propose(t, put('docs/a.md'))).toBe('idle');
    expect(await propose(t, put('src/a.ts'))).toBe('idle');
    expect(made.log).toEqual(['rehearsed docs/a.md', 'applied docs/a.md', 'rehearsed src/a.ts']);
    expect(made.kept.size).toBe(0);
  });

  it('[RULE10.4] judges a call again if its folder or the rules have changed before it starts', async () => {
    const t = await open(['allow put writing docs/**', 'deny put changing docs/locked.md']);
    // Both are judged on the folder as it is. The second one starts after the first one has changed its file.
    expect(await propose(t, put('docs/a.md', 'one'), put('docs/a.md', 'two'))).toBe('idle');
    expect(made.folder.get('docs/a.md')).toBe('two');
    expect(made.log.filter((line) => line.startsWith('rehearsed'))).toHaveLength(3);
    await t.world.setPolicy(['allow put changing docs/**', 'allow put writing docs/new.md']);
    // Now `docs/new.md` is added by the first call and changed by the second.
    expect(await propose(t, put('docs/new.md', 'one'), put('docs/new.md', 'two'))).toBe('idle');
    expect(made.folder.get('docs/new.md')).toBe('two');
  });

  it('[RULE10.4] a session grant for an ask rule about effects applies what was judged', async () => {
    const t = await open(['allow put', 'ask put changing docs/**']);
    expect(await propose(t, put('docs/a.md', 'one'))).toBe('waiting');
    const approval = await t.onlyApproval();
    expect(approval).toMatchObject({ reason: { code: 'ask-rule', rule: 'ask put changing docs/**' } });
    await t.world.decide(approval, { decision: 'approve', scope: 'session', pattern: '*' });
    await t.chat.settled();
    expect(await propose(t, put('docs/a.md', 'two'))).toBe('idle');
    expect(made.log.at(-1)).toBe('applied docs/a.md');
  });

  it('[RULE10.7] can be checked with a rehearsal, which leaves nothing behind', async () => {
    const t = await open(['allow put writing docs/**', 'deny put(path=no.txt)'], {
      tools: [made.tool, recorder('stamp').tool],
    });
    const check = async (path: string, more: { rehearse?: boolean; rules?: string[] } = { rehearse: true }) =>
      await t.world.checkPolicy({ tool: 'put', arguments: { path, text: 'new' }, ...more });
    expect(await check('docs/a.md', {})).toMatchObject({ outcome: 'ask', reason: { code: 'effect-unknown' } });
    expect(made.log).toEqual([]);
    expect(await check('docs/a.md')).toMatchObject({
      outcome: 'run',
      rule: 'allow put writing docs/**',
      effect: { files: [{ path: 'docs/a.md', change: 'added' }] },
    });
    expect(await check('src/a.ts')).toMatchObject({ outcome: 'ask', reason: { code: 'effect-exceeds' } });
    expect(await check('src/a.ts', { rehearse: true, rules: ['deny put writing *.ts'] })).toMatchObject({
      outcome: 'refuse',
      rule: 'deny put writing *.ts',
    });
    expect(await check('no.txt')).not.toHaveProperty('effect');
    expect(made.log).toEqual(['rehearsed docs/a.md', 'rehearsed src/a.ts', 'rehearsed src/a.ts']);
    expect(made.kept.size).toBe(0);
    const recorded = (await t.world.audit()).filter(({ kind }) => kind !== 'policy');
    const first = { kind: 'rehearsal', tool: 'put', arguments: { path: 'docs/a.md' }, why: 'to check the policy' };
    expect(recorded).toMatchObject([first, { kind: 'rehearsal' }, { kind: 'rehearsal' }]);
    await t.world.update({ rehearse: 'off' });
    expect(await check('docs/a.md')).toMatchObject({ outcome: 'ask', noEffect: { reason: 'off' } });
    await expect(t.world.checkPolicy({ tool: 'stamp', arguments: {}, rehearse: true })).rejects.toThrow(
      "Calls to stamp can't be rehearsed.",
    );
  });

  it('[RULE10] is refused for a tool that cannot rehearse', async () => {
    const rules = ['allow put writing docs/** removing nothing', 'ask put removing *'];
    const t = await open(rules, { tools: [made.tool, recorder('stamp').tool] });
    expect(await t.world.policy()).toEqual(rules);
    await expect(t.world.setPolicy([...rules, 'deny stamp removing *'])).rejects.toThrow(
      "calls to stamp can't be rehearsed, so a rule can't be about their effects",
    );
    await expect(t.world.setPolicy(['allow sandbox_network(a.com) writing b'])).rejects.toThrow(
      "can't be about effects",
    );
  });
});

describe.skipIf(sandbox.kind !== 'bubblewrap')('a real command', () => {
  const shell = (command: string) => ({ name: 'shell_cmd', arguments: { command } });
  const build = 'allow shell_cmd writing dist/** removing dist/tmp/**';
  const openShell = async (policy: string[], more: Parameters<typeof openTestWorld>[0] = {}) => {
    mkdirSync(inFolder('src'));
    mkdirSync(inFolder('dist'));
    mkdirSync(inFolder('.git/hooks'), { recursive: true });
    writeFileSync(inFolder('src/a.ts'), 'one\n');
    writeFileSync(inFolder('dist/old.js'), 'old\n');
    return await open(policy, { tools: [shellCmd({ sandbox })], workingDirectory: inFolder('.'), ...more });
  };

  it('[RULE10] [RULE10.6] runs by its effect, whatever its text is', async () => {
    const t = await openShell([build]);
    expect(await propose(t, shell('for f in src/*; do cp "$f" dist/; done; date +%N > dist/time; cat dist/time'))).toBe(
      'idle',
    );
    expect(readFileSync(inFolder('dist/a.ts'), 'utf8')).toBe('one\n');
    // The output is that of the rehearsal: the command ran once.
    expect(lastResults(t)).toMatchObject([{ result: { stdout: readFileSync(inFolder('dist/time'), 'utf8') } }]);
  });

  it('[RULE10.1] [RULE10.5] needs approval if any part of its effect is outside', async () => {
    const t = await openShell([build]);
    symlinkSync('src', inFolder('through'));
    const all = [
      ['writes elsewhere', 'echo x > dist/b; echo x > src/b.ts'],
      ['changes a file elsewhere', 'echo x >> src/a.ts'],
      ['writes through a link', 'echo x > through/b.ts'],
      ['writes through its own link', 'ln -s ../src dist/l; echo x > dist/l/b.ts'],
      ['adds a link that leads out', 'ln -s /etc/passwd dist/l'],
      ['adds a link that climbs through another one', 'ln -s .. dist/up; ln -s up/../x dist/l'],
      ['moves a file in', 'mv src/a.ts dist/a.ts'],
      ['removes a file that it may only write', 'rm dist/old.js'],
      ['replaces the folder', 'rm -r dist; mkdir dist'],
      ['replaces the folder by a link', 'rm -r dist; ln -s src dist'],
      ['changes permissions elsewhere', 'chmod 777 src/a.ts'],
      ['changes the permissions of a folder', 'chmod 777 src'],
      ['gives a file a second name', 'ln src/a.ts dist/a.ts; echo x >> dist/a.ts'],
      ['writes a hook', 'echo x > dist/b; echo x > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit'],
      ['hides behind many files', 'for i in $(seq 1 520); do echo > dist/$i; done; echo x > src/z'],
      ['behaves otherwise in a second run', 'test -e dist/seen && echo x > src/b.ts; touch dist/seen src/c'],
    ] as const;
    // Each of them is rehearsed.
    for (const [what, command] of sampled(all, 4)) {
      expect([what, await propose(t, shell(command))]).toEqual([what, 'waiting']);
      const approval = await t.onlyApproval();
      expect([what, approval.reason]).toEqual([what, { code: 'effect-exceeds', rule: build }]);
      await t.world.decide(approval, { decision: 'deny', reason: 'no' });
      await t.chat.settled();
    }
    expect(readFileSync(inFolder('src/a.ts'), 'utf8')).toBe('one\n');
    expect([readdirSync(inFolder('src')), readdirSync(inFolder('dist'))]).toEqual([['a.ts'], ['old.js']]);
  });

  it('[RULE10.2] is denied by its effect, also through a link, a move, a removal or new permissions', async () => {
    const t = await openShell(['deny shell_cmd changing src/**'], { mode: 'auto' });
    symlinkSync('src', inFolder('through'));
    chmodSync(inFolder('src/a.ts'), 0o644);
    const all = [
      'echo x > through/a.ts',
      'mv src/a.ts dist/',
      'rm -r src',
      'mv src SRC',
      'chmod 600 src/a.ts',
      'mkdir sub sub/Src; touch sub/Src/x',
      'ln src/a.ts dist/second; echo x > dist/second',
    ];
    for (const text of sampled(all, 4)) {
      writeFileSync(inFolder('script'), text);
      expect([text, await propose(t, shell('sh script'))]).toEqual([text, 'idle']);
      expect([text, lastResults(t)]).toMatchObject([text, [{ error: 'The call to shell_cmd is not allowed' }]]);
    }
    expect(readFileSync(inFolder('src/a.ts'), 'utf8')).toBe('one\n');
    writeFileSync(inFolder('script'), 'echo x > dist/b');
    expect(await propose(t, shell('sh script'))).toBe('idle');
    expect(readFileSync(inFolder('dist/b'), 'utf8')).toBe('x\n');
  });

  it('[RULE10.2] [CHANGE4] in auto mode, still leaves out new dot-files', async () => {
    const t = await openShell(['deny shell_cmd changing src/**'], { mode: 'auto' });
    expect(await propose(t, shell('echo x > dist/.hidden; echo x > dist/b'))).toBe('idle');
    expect([existsSync(inFolder('dist/.hidden')), existsSync(inFolder('dist/b'))]).toEqual([false, true]);
    expect(await propose(t, shell('echo x > src/b'))).toBe('idle');
    expect(existsSync(inFolder('src/b'))).toBe(false);
  });

  it('[RULE10.8] [CALL5] "always" proposes a rule about the folder that it wrote, which the next call passes', async () => {
    const t = await openShell([]);
    expect(await propose(t, shell('cp src/a.ts dist/a.ts'))).toBe('waiting');
    const approval = await t.onlyApproval();
    const rule = 'allow shell_cmd(cp src/a.ts dist/a.ts) writing dist/** removing nothing';
    expect(approval.proposedRule).toBe(rule);
    await t.world.decide(approval, { decision: 'approve', scope: 'always' });
    await t.chat.settled();
    expect(await t.world.policy()).toEqual([rule]);
    writeFileSync(inFolder('src/a.ts'), 'two\n');
    expect(await propose(t, shell('cp src/a.ts dist/a.ts'))).toBe('idle');
    expect(readFileSync(inFolder('dist/a.ts'), 'utf8')).toBe('two\n');
  });

  it('[RULE10.1] a rule can allow every command that changes nothing', async () => {
    const t = await openShell(['allow shell_cmd writing nothing']);
    expect(await propose(t, shell('grep -r one . | sort; cat "$(ls src/*)"'))).toBe('idle');
    expect(lastResults(t)).toMatchObject([{ result: { exitCode: 0 } }]);
    const { mode } = statSync(inFolder('.'));
    // The permissions of the working folder itself are never applied.
    expect(await propose(t, shell('chmod 777 .'))).toBe('idle');
    expect(statSync(inFolder('.')).mode).toBe(mode);
    expect(await propose(t, shell('touch x'))).toBe('waiting');
  });
});
