import { z } from 'zod';
import { maskArguments } from '../masking/index.js';
import type { Question } from '@countersign/protocol';
import { NoAnswer } from '../ports/index.js';
import { newId } from '../turn/ids.js';
import { isUnattended, UNATTENDED } from '../call/gate.js';
import { requestApproval, showQuestion } from '../call/ask.js';
import { assertRunning } from '../call/start.js';
import { sandboxOf } from '../evidence/inspect-call.js';
import { commit } from '../step/commit.js';
import type { Runtime, StartedCall } from '../step/runtime.js';
import { untilAborted } from '../ports/until-aborted.js';

/** The format that `approvalDecided` writes. */
const answerSchema = z.object({
  decision: z.enum(['approve', 'deny']),
  reason: z.string().optional(),
  expired: z.boolean().default(false),
  answer: z.string().optional(),
});

/**
 * Asks people a question for a running tool. It is stored and queued like any other question, but ends with its call at the latest, because the
 * tool waits for the answer in this process.
 */
export async function askQuestion(
  runtime: Runtime,
  started: StartedCall,
  question: Question,
  signal: AbortSignal,
): Promise<string> {
  const approvalId = newId('approval');
  const { worldId } = started.record;
  let onAnswer: (messageId: string) => void = () => undefined;
  const answered = new Promise<string>((resolve) => {
    onAnswer = resolve;
  });
  // Subscribe before writing the question, so that no answer is missed. Another process may receive the answer.
  const stopListening = runtime.bus.subscribe(
    worldId,
    (event) => {
      if (event.event === 'message' && event.data.tool_call_id === approvalId) onAnswer(event.data.messageId);
    },
    'message',
  );
  try {
    await requestAnswer(runtime, started, approvalId, question);
    const messageId = await untilAborted(() => answered, signal);
    return await readAnswer(runtime, messageId);
  } finally {
    stopListening();
  }
}

async function requestAnswer(
  runtime: Runtime,
  { record: invocation, place, tool }: StartedCall,
  approvalId: string,
  asked: Question,
): Promise<void> {
  const { secrets } = maskArguments(invocation.arguments);
  const question = showQuestion(asked, secrets);
  const { workingDirectory } = place;
  const needs = { chats: [invocation.chatId], asker: true };
  await commit(runtime, 'ask-question', invocation.worldId, needs, (step) => {
    assertRunning(step, invocation);
    if (isUnattended(step.tx, step.snapshot)) throw new NoAnswer('declined', UNATTENDED);
    requestApproval(step, approvalId, invocation, {
      message: question.text,
      options: ['deny'],
      callHash: invocation.callHash ?? '',
      workingDirectory,
      sandbox: sandboxOf(tool, place),
      preview: null,
      rehearsal: null,
      claimed: null,
      applies: 'call',
      question: { ...question, raisedBy: 'tool' },
      session: null,
      proposedRule: null,
      reason: { code: 'tool-question', tool: invocation.toolName },
      rule: null,
      signing: null,
      needs: null,
    });
  });
}

/** Reads the answer from the store: events are masked, and the tool needs the original text. */
async function readAnswer(runtime: Runtime, messageId: string): Promise<string> {
  const message = await runtime.store.read((reader) => reader.message(messageId));
  const { decision, answer, reason, expired } = answerSchema.parse(JSON.parse(message?.content ?? '{}'));
  if (decision === 'approve' && answer !== undefined) return answer;
  throw new NoAnswer(expired ? 'expired' : 'declined', reason ?? 'no answer');
}
