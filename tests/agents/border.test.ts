import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startScriptedModel } from '@countersign/providers';
import { describe, expect, it } from 'vitest';
import { STARTS, USAGE } from '../../packages/terminal/src/gate/drill/run/run-run-drill.js';
import { installAgent } from '../../packages/terminal/src/gate/drill/run/scene.js';
import { openBorderScene, readAttempts } from '../red-team/border/border-scene.js';
import { canRun, openRunGround } from '../terminal/run-ground.js';
import { binOf, isInstalled } from './gated-agent.js';

const LIMIT = { timeout: 120_000 };

describe.skipIf(!canRun).each(['claude', 'codex', 'gemini', 'opencode'] as const)('the real %s in a run', (agent) => {
  it.runIf(isInstalled(agent))('gets no byte out, and leaves nothing that runs later', LIMIT, async () => {
    const mark = `border-${randomBytes(6).toString('hex')}`;
    const { words, tool, call, env } = STARTS[agent];
    const ground = await openRunGround({ AWS_SECRET_ACCESS_KEY: `${mark}-secret` });
    const scene = await openBorderScene(ground.path, mark);
    const run = 'node attempts.mjs scene.json > attempts.txt 2>&1; tail -n 1 attempts.txt';
    const model = await startScriptedModel({
      script: {
        replies: [{ when: { tool, turn: 1 }, calls: [{ name: tool, arguments: call(run) }], usage: USAGE }, 'Done.'],
      },
    });
    try {
      const programs = await installAgent(ground.path, agent, binOf(agent));
      const variables = Object.entries(env(model.url)).map(([name, value]) => [
        name,
        name.endsWith('_KEY') ? `${mark}-secret-key` : value,
      ]);
      Object.assign(ground.env, Object.fromEntries(variables), { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin` });
      const project = join(ground.path, 'project');
      mkdirSync(project);
      writeFileSync(join(project, 'a.txt'), 'before\n');
      const commit = '-c user.name=Ann -c user.email=ann@example.com commit -qm start';
      for (const line of ['init -q -b main', 'add -A', commit]) execFileSync('git', line.split(' '), { cwd: project });
      await ground.client().createWorld({ name: 'Project', workingDirectory: project, mode: 'ask' });
      scene.plantIn(project, { supervisor: process.pid, server: ground.pid() });
      const started = ground.start(project, 'run', '--allow-host', 'allowed.example', agent, ...words);
      const { ended, said } = started;
      started.process.stdin.end();
      const waiting = async () => (await ground.client().approvals('project')).items;
      await expect
        .poll(async () => (await waiting()).length > 0 || started.process.exitCode !== null, { timeout: 100_000 })
        .toBe(true)
        .finally(() => process.stderr.write(said().stderr));
      for (const approval of await waiting())
        await ground.client().decide('project', approval, { decision: 'approve', scope: 'once' });
      await ended;
      expect(said().stderr).toContain('The changes were applied.');
      const text = readFileSync(join(project, 'attempts.txt'), 'utf8');
      const attempts = readAttempts(text);
      expect(attempts.filter(({ got }) => got === 'through')).toEqual([]);
      expect(scene.seen()).toEqual([]);
      expect(scene.seenIn(project)).toEqual([]);
      const homes = join(ground.path, 'home', 'agent-homes');
      expect(existsSync(homes) ? scene.seenIn(homes) : []).toEqual([]);
      expect(text).not.toContain(scene.secret);
      expect(new Set(attempts.map(({ part }) => part))).toContain('model');
      for (const part of agent === 'claude' ? new Set(attempts.map((one) => one.part)) : []) {
        const names = attempts.filter((one) => one.part === part).map(({ name }) => name);
        process.stdout.write(`tried ${part} (${names.length}): ${names.join('; ').replaceAll(mark, 'border')}\n`);
      }
      process.stdout.write(`${agent}: ${attempts.length} attempts from inside a run, 0 got through\n`);
    } finally {
      scene.close();
      await model.close();
      await ground.close();
    }
  });
});
