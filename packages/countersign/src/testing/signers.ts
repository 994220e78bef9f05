import {
  addAgent,
  createChat,
  createWorld,
  listApprovals,
  publishMessage,
  decideCall,
  type Engine,
  type RuntimeOptions,
} from '@countersign/core';
import { SERVER_LOG, type PersonRecord, type Store } from '@countersign/core/ports';
import type { Approval, PersonRole, Signer, ToolDecision, ToolResultOutcome, Who } from '@countersign/protocol';
import { recorder } from './obedient.js';
import { createTestEngine, person } from './test-engine.js';

export const who = (id: string): Who => ({ kind: 'person', id, name: id.charAt(0).toUpperCase() + id.slice(1) });

export const signedBy = (id: string, via = 'test'): Signer => ({ who: who(id), via });

/** Adds people as approvers, and groups of them. */
export async function addPeople(
  store: Store,
  people: readonly string[],
  groups: Readonly<Record<string, readonly string[]>> = {},
  role: PersonRole | null = 'approver',
): Promise<void> {
  await store.transact(SERVER_LOG, async (tx) => {
    await tx.lockServerLog();
    for (const id of people) await tx.insertPerson(record(id, role));
    for (const [name, members] of Object.entries(groups)) {
      await tx.putGroup({ name, people: members, oidcGroup: null });
    }
  });
}

function record(id: string, role: PersonRole | null): PersonRecord {
  const { name } = who(id);
  return { id, name, email: null, role, worldRoles: {}, status: 'active', rev: 1, createdAt: 0 };
}

/** Changes a person, as an administrator would. */
export async function changePerson(store: Store, id: string, change: Partial<PersonRecord>): Promise<void> {
  await store.transact(SERVER_LOG, async (tx) => {
    await tx.lockServerLog();
    const before = await tx.person(id);
    if (before !== undefined) await tx.updatePerson({ ...before, ...change });
  });
}

export interface SigningWorld {
  engine: Engine;
  worldId: string;
  chatId: string;
  runs: Record<string, unknown>[];
  /** Sends a message from this person that makes the agent call `pay`, and resolves when the chat has settled. */
  request(requester: Who | undefined, args?: Record<string, unknown>): Promise<void>;
  approval(): Promise<Approval>;
  sign(signer: Signer, more?: Partial<ToolDecision>): Promise<ToolResultOutcome>;
  settled(): Promise<void>;
}

/** Ada, Bob, Carol and Dan; Ada, Bob and Carol are `finance`. */
export async function openSigningWorld(
  policy: readonly string[],
  options: Partial<RuntimeOptions> = {},
): Promise<SigningWorld> {
  const { runs, tool } = recorder('pay');
  const engine = await createTestEngine({ tools: [tool], ...options });
  const { runtime } = engine;
  await addPeople(runtime.store, ['ada', 'bob', 'carol', 'dan'], { finance: ['ada', 'bob', 'carol'] });
  await engine.start();
  const { id: worldId } = await createWorld(runtime, { name: 'Bank', policy: [...policy] }, person);
  await addAgent(runtime, worldId, { name: 'Teller', provider: 'scripted', model: 'm', tools: ['*'] }, person);
  const { id: chatId } = await createChat(runtime, worldId);
  const approval = async (): Promise<Approval> => {
    const [only] = await listApprovals(runtime, worldId, { status: 'pending' });
    if (only === undefined) throw new Error('there is no pending approval');
    return only;
  };
  return {
    engine,
    worldId,
    chatId,
    runs,
    approval,
    async request(requester, args = { amount: 500 }) {
      const content = JSON.stringify([{ name: 'pay', arguments: args }]);
      const from = requester === undefined ? {} : { who: requester };
      await publishMessage(runtime, { worldId, chatId, speaker: 'human', content, ...from });
      await engine.quiet();
    },
    async sign(signer, more = {}) {
      const { approvalId } = await approval();
      const decision = { tool_call_id: approvalId, decision: 'approve', ...more } as const;
      return await decideCall(runtime, worldId, undefined, decision, signer);
    },
    settled: () => engine.quiet(),
  };
}
