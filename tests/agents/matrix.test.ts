import { describePrediction } from '@countersign/protocol';
import { findSandbox } from '@countersign/tools';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startCommand } from '../../packages/server/src/testing/start-process.js';
import { closeTerminals, ENTER, openTerminal } from '../support/pseudo-terminal.js';
import { hasBrowser, launch, leave } from '../web/support/open-browser.js';
import { button, enabled } from '../web/support/steps.js';
import { isInstalled, openGate, type Gate } from './gated-agent.js';

/** Focuses the card. */
const CTRL_G = '\u0007';
const LIMIT = { timeout: 600_000 };
const sandbox = await findSandbox();

describe.each(['claude', 'gemini'] as const)('the real %s behind the gate', (agent) => {
  describe.runIf(isInstalled(agent))('in every way to decide', () => {
    let gate: Gate;
    beforeAll(async () => {
      gate = await openGate(agent);
    });
    afterEach(async () => await closeTerminals());
    afterAll(async () => await gate.close());

    it('[GATE1.1] tells the model the reason of a denial', LIMIT, async () => {
      const run = await gate.run('one');
      await gate.client.decide(gate.world, await gate.pending(), { decision: 'deny', reason: 'The tide is out.' });
      await run.ended;
      expect(run.ran('one')).toBe(0);
      expect(run.toolResults.join()).toContain('The tide is out.');
    });

    it('[CHANGE9] shows what the command will probably do, and runs it once', LIMIT, async () => {
      const run = await gate.run('one');
      const approval = await gate.pending();
      const found = approval.noEffect?.reason ?? describePrediction(approval.prediction ?? { files: [] });
      expect(found).toBe(sandbox.kind === 'bubblewrap' ? 'Probably adds 1 file' : 'no-sandbox');
      expect(run.ran('one')).toBe(0);
      await gate.client.decide(gate.world, approval, { decision: 'approve', scope: 'once' });
      await run.ended;
      expect(run.ran('one')).toBe(1);
    });

    it('[GATE1.1] runs the edited call', LIMIT, async () => {
      const run = await gate.run('one');
      const approval = await gate.pending();
      const args = { command: run.commandOf('edited') };
      const edit = gate.client.decide(gate.world, approval, { decision: 'approve', arguments: args });
      await expect(edit).rejects.toMatchObject({ status: 409, state: 'asked' });
      await gate.client.decide(gate.world, await gate.pending(), { decision: 'approve', scope: 'once' });
      await run.ended;
      expect([run.ran('one'), run.ran('edited')]).toEqual([0, 1]);
    });

    it('[EXT1] [CALL5] asks once for a session grant', LIMIT, async () => {
      const run = await gate.run('one', 'one');
      await gate.client.decide(gate.world, await gate.pending(), { decision: 'approve', scope: 'session' });
      await run.ended;
      expect(run.ran('one')).toBe(2);
    });

    it('[EXT1] [STORE3] keeps waiting while the server is killed and started again', LIMIT, async () => {
      const run = await gate.run('one');
      const approval = await gate.pending();
      await gate.restart();
      expect(run.ran('one')).toBe(0);
      await gate.client.decide(gate.world, approval, { decision: 'approve', scope: 'once' });
      await run.ended;
      expect(run.ran('one')).toBe(1);
    });

    it('[CALL12] runs after an approval from the command line', LIMIT, async () => {
      const run = await gate.run('one');
      const { approvalId } = await gate.pending();
      const words = ['approvals', 'approve', approvalId, '--yes', '--home', gate.home];
      const approving = startCommand(words, { HOME: gate.folder });
      await run.ended;
      expect(run.ran('one')).toBe(1);
      expect(await approving.exited).toMatchObject({ code: 0 });
    });

    it('[CALL12] runs after an approval in the full-screen UI', LIMIT, async () => {
      const run = await gate.run('one');
      const { chatId } = await gate.pending();
      const words = ['tui', '--home', gate.home, '-w', gate.world, '--chat', chatId];
      const terminal = openTerminal(words, { env: { HOME: gate.folder }, deadlineMs: 120_000 });
      await terminal.waitFor('until you approve it.');
      terminal.type(CTRL_G);
      // A new card ignores keys at first, so press again until it shows what it would approve.
      const pressing = setInterval(() => terminal.type('o'), 500);
      await terminal.waitFor('Approve exactly this call, once').finally(() => clearInterval(pressing));
      terminal.type(ENTER);
      await run.ended;
      expect(run.ran('one')).toBe(1);
    });

    it.runIf(hasBrowser)('[CALL12] runs after an approval on a phone', LIMIT, async () => {
      const run = await gate.run('one');
      const { chatId } = await gate.pending();
      const browser = await launch();
      const context = await browser.newContext({ viewport: { width: 390, height: 844 }, hasTouch: true });
      const page = await context.newPage();
      const start = new URL(await gate.signInLink());
      await page.goto(new URL(`/w/${gate.world}/c/${chatId}${start.hash}`, start.origin).href);
      await page.getByRole('button', { name: 'waiting for you' }).tap();
      const approve = button(page, 'Approve once');
      await enabled(approve);
      await approve.tap();
      await run.ended;
      expect(run.ran('one')).toBe(1);
      await context.close();
      leave();
    });

    // Last, because the rule stays.
    it('[EXT1] [CALL5] asks once if the rule always allows the call', LIMIT, async () => {
      const run = await gate.runInWorld('one', 'one');
      await gate.client.decide(gate.world, await gate.pending(), { decision: 'approve', scope: 'always' });
      await run.ended;
      expect(run.ran('one')).toBe(2);
    });
  });
});
