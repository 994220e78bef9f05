import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled, openGate, type Gate } from './gated-agent.js';

const LIMIT = { timeout: 600_000 };

describe.each(['claude', 'gemini'] as const)('the real %s', (agent) => {
  describe.runIf(isInstalled(agent))('behind the gate', () => {
    let gate: Gate;
    beforeAll(async () => {
      gate = await openGate(agent);
    });
    afterAll(async () => await gate.close());

    it(
      '[EXT1.23] [EXT1.26] [GATE1.14] gets a sentence after its call, once, and why a call was denied',
      LIMIT,
      async () => {
        const run = await gate.run('one', 'two');
        const first = await gate.pending();
        await gate.client.tell(gate.world, first.chatId, 'Use quokka instead');
        await gate.client.decide(gate.world, first, { decision: 'approve', scope: 'once' });
        await expect
          .poll(async () => (await gate.pending()).approvalId, { timeout: 120_000 })
          .not.toBe(first.approvalId);
        await gate.restart();
        const reason = 'Asked for changes: try wombat';
        await gate.client.decide(gate.world, await gate.pending(), { decision: 'deny', reason });
        await run.ended;
        const told = run.requests.map((request) => request.includes('Use quokka instead'));
        expect(told[0]).toBe(false);
        expect(told[1]).toBe(true);
        expect(run.toolResults.join('\n')).toContain('try wombat');
        const { items } = await gate.client.messages(gate.world, first.chatId, { limit: 50 });
        const notices = items.filter(({ role }) => role === 'system').map(({ content }) => content);
        expect(notices.filter((text) => text.includes('got the sentence'))).toHaveLength(1);
      },
    );

    it('[EXT1.31] [GATE1.15] reports its last words', LIMIT, async () => {
      const run = await gate.run('three');
      const approval = await gate.pending();
      const { chatId } = approval;
      await gate.client.decide(gate.world, approval, { decision: 'deny' });
      await run.ended;
      const { items } = await gate.client.messages(gate.world, chatId, { limit: 50 });
      expect(items.map(({ content }) => content).join('\n')).toMatch(/ reports that it said “.*Done\.”\.$/m);
    });
  });
});
