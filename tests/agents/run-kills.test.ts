import { startScriptedModel } from '@countersign/providers';
import { describe, expect, it } from 'vitest';
import { STARTS, USAGE } from '../../packages/terminal/src/gate/drill/run/run-run-drill.js';
import { installAgent } from '../../packages/terminal/src/gate/drill/run/scene.js';
import { canRun, openRunGround } from '../terminal/run-ground.js';
import { COMMAND, killSome, VICTIMS } from '../terminal/run-lab.js';
import { binOf, isInstalled } from './gated-agent.js';

const KILLS = 3;
const LIMIT = { timeout: 600_000 };

describe.skipIf(!canRun).each(['claude', 'codex', 'gemini', 'opencode'] as const)('the real %s in a run', (agent) => {
  it.runIf(isInstalled(agent))('leaves the folder as before or as signed if a process is killed', LIMIT, async () => {
    const { words, tool, call, env } = STARTS[agent];
    const ground = await openRunGround();
    const once = { when: { tool, turn: 1 }, calls: [{ name: tool, arguments: call(COMMAND) }], usage: USAGE };
    const model = await startScriptedModel({ script: { replies: [once, 'Done.'] } });
    try {
      const programs = await installAgent(ground.path, agent, binOf(agent));
      Object.assign(ground.env, env(model.url), { PATH: `${programs}:/usr/local/bin:/usr/bin:/bin` });
      // From its start to the signature. It works for some seconds.
      const same = { from: 0, count: KILLS, phaseOf: (kill: number) => kill + 1, words: [agent, ...words] };
      for (const victim of VICTIMS) {
        const states = await killSome(ground, { ...same, victim, delayMs: 3_000 });
        expect(states).toHaveLength(KILLS);
        process.stdout.write(`${KILLS} kills of a run's ${victim}, ${agent}: ${states.join(', ')}\n`);
      }
    } finally {
      await model.close();
      await ground.close();
    }
  });
});
