import { generateText, isStepCount, streamText, tool } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { z } from 'zod';
import {
  ANSWER,
  attempts,
  callsFor,
  DESCRIPTION,
  historyOf,
  ONE_GATED,
  outside,
  pausedOn,
  QUESTION,
  ran,
  runTool,
  SYSTEM_PROMPT,
  TOOL,
  TWO_GATED,
  USAGE,
  words,
} from './script.mjs';
import { readFileSync, writeFileSync } from 'node:fs';

export const name = 'AI SDK';
export const packageName = 'ai';

const usage = {
  inputTokens: { total: USAGE.inputTokens, noCache: USAGE.inputTokens, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: USAGE.outputTokens, text: USAGE.outputTokens, reasoning: undefined },
};
const stop = { unified: 'stop', raw: undefined };
const toolCalls = { unified: 'tool-calls', raw: undefined };

function model(count) {
  const wantsTools = (prompt) => count > 0 && prompt.at(-1)?.role === 'user';
  const callParts = () =>
    callsFor(count).map((input, index) => ({
      type: 'tool-call',
      toolCallId: `call-${index}`,
      toolName: TOOL,
      input: JSON.stringify(input),
    }));
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) =>
      wantsTools(prompt)
        ? { content: callParts(), finishReason: toolCalls, usage, warnings: [] }
        : { content: [{ type: 'text', text: ANSWER }], finishReason: stop, usage, warnings: [] },
    doStream: async ({ prompt }) => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...(wantsTools(prompt)
            ? callParts()
            : [
                { type: 'text-start', id: '1' },
                ...words(ANSWER).map((delta) => ({ type: 'text-delta', id: '1', delta })),
                { type: 'text-end', id: '1' },
              ]),
          { type: 'finish', finishReason: wantsTools(prompt) ? toolCalls : stop, usage },
        ],
      }),
    }),
  });
}

/** With a secret, the SDK signs and verifies its approvals, like ours. */
export function signed() {
  return { name: 'AI SDK, signed approvals', packageName, subject: (work) => subject({ ...work, secret: SECRET }) };
}

const SECRET = 'a-secret-for-the-benchmark-0123456789';

export function subject(work) {
  const { tools: count, gated, history, streaming, secret } = work;
  const mock = model(count);
  const tools = {
    [TOOL]: tool({
      description: DESCRIPTION,
      inputSchema: z.object({ city: z.string(), nights: z.number().int() }),
      needsApproval: gated,
      execute: async (input) => runTool(input),
    }),
  };
  const earlier = historyOf(history);
  async function call(messages) {
    const options = {
      model: mock,
      instructions: SYSTEM_PROMPT,
      tools,
      stopWhen: isStepCount(5),
      messages,
      ...(secret === undefined ? {} : { experimental_toolApprovalSecret: secret }),
    };
    if (!streaming) {
      const result = await generateText(options);
      return { text: result.text, content: result.content, messages: result.response.messages };
    }
    const result = streamText(options);
    await result.consumeStream();
    return { text: await result.text, content: await result.content, messages: (await result.response).messages };
  }
  let paused;
  return {
    call,
    another: async () => subject(work),
    state: () => paused,
    bytes: () => (gated && paused !== undefined ? JSON.stringify(paused).length : 0),
    async pause() {
      mock.doGenerateCalls = [];
      mock.doStreamCalls = [];
      const asked = [...earlier, { role: 'user', content: QUESTION }];
      if (!gated) {
        paused = asked;
        return;
      }
      const result = await call(asked);
      paused = {
        before: [...asked, ...result.messages],
        approvals: result.content.flatMap((part) => (part.type === 'tool-approval-request' ? [part.approvalId] : [])),
      };
    },
    async finish(decisions) {
      if (!gated) return (await call(paused)).text;
      const answers = paused.approvals.map((approvalId, index) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: decisions?.[index] ?? true,
      }));
      return (await call([...paused.before, { role: 'tool', content: answers }])).text;
    },
  };
}

const approving = ({ before, approvals }, approved = true) => [
  ...before,
  { role: 'tool', content: approvals.map((approvalId) => ({ type: 'tool-approval-response', approvalId, approved })) },
];

const paused = (work) => pausedOn(subject, work);

export const experiments = {
  async threeTimes() {
    const it = await paused(ONE_GATED);
    const sent = approving(it.state());
    const refused = await attempts([1, 2, 3].map(() => () => it.call(structuredClone(sent))));
    return { runs: ran.count, refused: refused.length };
  },
  async mixed() {
    const it = await paused(TWO_GATED);
    await it.finish([true, false]);
    return { ran: ran.cities };
  },
  /** The application stores the conversation, here in a file. */
  async killBegin({ state, mark }) {
    const it = await paused(ONE_GATED);
    writeFileSync(state, JSON.stringify(approving(it.state())));
    Object.assign(outside, { file: mark, dies: true });
    await it.call(JSON.parse(readFileSync(state, 'utf8')));
  },
  async killResume({ state, mark }) {
    outside.file = mark;
    const { text } = await subject(ONE_GATED).call(JSON.parse(readFileSync(state, 'utf8')));
    return { told: /unknown|interrupt/i.test(text) };
  },
  /** The SDK stores nothing itself: the application restores what it has stored. */
  async restartBegin({ state, count }) {
    const states = [];
    for (let i = 0; i < count; i += 1) states.push(approving((await paused(ONE_GATED)).state()));
    writeFileSync(state, JSON.stringify(states));
    return { open: states.length };
  },
  async restart({ state }) {
    const startedAt = performance.now();
    const states = JSON.parse(readFileSync(state, 'utf8'));
    const ms = performance.now() - startedAt;
    ran.count = 0;
    await subject(ONE_GATED).call(states[0]);
    return { back: states.length, ms, runs: ran.count, by: 'the application' };
  },
  async stale() {
    const it = await paused(ONE_GATED);
    const old = it.state();
    await it.finish([false]);
    await it.pause();
    ran.count = 0;
    const now = it.state();
    const refused = await attempts([() => it.call(approving({ before: now.before, approvals: old.approvals }))]);
    return { runs: ran.count, refused: refused.length };
  },
  async changed() {
    const it = await paused(ONE_GATED);
    const text = JSON.stringify(approving(it.state())).replaceAll('Lisbon', 'Moscow');
    const refused = await attempts([() => it.call(JSON.parse(text))]);
    return { ran: ran.cities, refused: refused.length };
  },
};
