import { listApprovals, listMessages, publishMessage, decideCall } from '@countersign/core';
import { expect, it, onTestFinished } from 'vitest';
import { createMigratedDatabase } from '../support/postgres-database.js';
import { sampled } from '../support/scaled.js';
import { openDatabaseProxy } from './database-proxy.js';
import { countingTool, openEngine, prepare, signer } from './engines-fixture.js';

/** The messages of a call that needed approval. */
const CALL_AND_QUESTION = ['assistant', 'assistant', 'tool', 'tool'];

const losses = [
  { what: 'a message', text: 'Please stamp', runs: 1 },
  { what: 'a call that needs approval', text: 'One stamp.', runs: 1 },
  // The call was marked as started and may have run, so it is not run again.
  { what: 'a decision', text: 'TOOL_APPROVED', runs: 0 },
  { what: 'the end of a call', text: 'stamped letter_1', runs: 1 },
  { what: 'an answer', text: 'Done.', runs: 1 },
];
it.each(sampled(losses, 3))(
  '[STORE3] [STORE7] if the response to the commit of $what is lost, nothing else is lost or done twice',
  async (lost) => {
    const database = await createMigratedDatabase();
    const proxy = await openDatabaseProxy(database);
    onTestFinished(() => proxy.close());
    const runs = new Map<string, number>();
    const engine = await openEngine(proxy.url, [countingTool(runs)]);
    const { worldId, chatId } = await prepare(engine);
    const { runtime } = engine;
    const answer = proxy.loseAnswerTo(lost.text);
    const again = async <T>(work: () => Promise<T>): Promise<T> => work().catch(() => work());
    const content = 'Please stamp letter_1';
    await again(() =>
      publishMessage(runtime, { worldId, chatId, content, speaker: 'human', clientMessageId: 'message_1' }),
    );
    await expect.poll(() => listApprovals(runtime, worldId, { status: 'pending' })).toHaveLength(1);
    const [approval] = await listApprovals(runtime, worldId, { status: 'pending' });
    const decision = { tool_call_id: approval?.approvalId ?? '', decision: 'approve' } as const;
    expect(await again(() => decideCall(runtime, worldId, undefined, decision, signer))).toMatchObject({
      status: 200,
    });
    await expect.poll(async () => (await runtime.store.read((r) => r.chat(chatId)))?.status).toBe('idle');
    expect(answer.isLost).toBe(true);
    expect([...runs.values()]).toEqual(lost.runs === 0 ? [] : [lost.runs]);
    const messages = await listMessages(runtime, chatId);
    expect(messages.map(({ role }) => role)).toEqual(['user', ...CALL_AND_QUESTION, 'assistant']);
    expect(messages.at(-2)?.content).toContain(lost.runs === 0 ? 'outcome unknown' : 'stamped letter_1');
    expect(messages.at(-1)?.content).toBe('Done.');
    expect(await runtime.store.verifyAudit(worldId)).toMatchObject({ ok: true });
  },
);
