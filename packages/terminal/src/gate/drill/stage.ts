import { readFile } from 'node:fs/promises';
import type { Client } from '@countersign/client';
import type { Approval } from '@countersign/protocol';
import { editCall } from '../../approvals/edit-call.js';
import { drill as texts } from '../../words/gate.js';
import { WRITE, type Stage } from './rows.js';
import type { RunningAgent } from './run-agent.js';
import type { TemporaryServer } from './temporary-server.js';

/** The name of the world and the agent. */
export const DRILL_WORLD = 'Drill';

const POLL_MS = 100;

interface Staging {
  readonly running: RunningAgent;
  readonly resume: Stage['resume'];
  readonly tamper: Stage['tamper'];
  /** Approvals that earlier rows left. */
  readonly known: readonly Approval[];
  readonly pidFile: string;
  readonly edited: string;
  /** The agent ends while its call waits. */
  readonly defers: boolean;
}

export function createStage(
  { client, world, server }: { client: Client; world: string; server: TemporaryServer },
  { running, resume, tamper, known, pidFile, edited, defers }: Staging,
): Stage {
  const isKnown = new Set(known.map(({ approvalId }) => approvalId));
  let hasEnded = false;
  void running.ended.then(() => (hasEnded = true));
  return {
    async pending(count) {
      for (;;) {
        // An agent may end right after its call is pending.
        const wasRunning = !hasEnded;
        const fresh = (await client.approvals(world)).items.filter(({ approvalId }) => !isKnown.has(approvalId));
        if (fresh.length >= count) {
          // A decision before that would be the answer to the hook, which then has nothing to defer.
          if (defers) await running.ended;
          return fresh;
        }
        if (!wasRunning) throw new Error(texts.endedEarly);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    async approve(approval, wanted) {
      const shown =
        wanted === undefined
          ? approval
          : (await editCall(client, world, approval, withCommand(approval.arguments, edited))).approval;
      await client.decide(world, shown, { decision: 'approve', scope: 'once' });
    },
    async deny(approval) {
      await client.decide(world, approval, { decision: 'deny', reason: texts.denied });
    },
    async answer(approval, text) {
      await client.answer(world, { toolCallId: approval.approvalId, content: text });
    },
    async killHook() {
      process.kill(Number(await readFile(pidFile, 'utf8')), 'SIGKILL');
    },
    restartServer: async () => await server.restart(),
    killServer: async () => await server.kill(),
    tamper,
    resume,
  };
}

function withCommand(given: unknown, command: string): Record<string, unknown> {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' && value.startsWith(WRITE) ? command : value]),
  );
}
