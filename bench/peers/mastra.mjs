import { Mastra } from '@mastra/core';
import { Agent } from '@mastra/core/agent';
import { InMemoryStore } from '@mastra/core/storage';
import { createTool } from '@mastra/core/tools';
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test';
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

export const name = 'Mastra';
export const packageName = '@mastra/core';

const usage = {
  inputTokens: { total: USAGE.inputTokens, noCache: USAGE.inputTokens, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: USAGE.outputTokens, text: USAGE.outputTokens, reasoning: undefined },
};

function model(count) {
  const wantsTools = (prompt) => count > 0 && prompt.at(-1)?.role === 'user';
  const calls = () =>
    callsFor(count).map((input, index) => ({
      type: 'tool-call',
      toolCallId: `call-${index}`,
      toolName: TOOL,
      input: JSON.stringify(input),
    }));
  const finish = (prompt) => ({ unified: wantsTools(prompt) ? 'tool-calls' : 'stop', raw: undefined });
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => ({
      content: wantsTools(prompt) ? calls() : [{ type: 'text', text: ANSWER }],
      finishReason: finish(prompt),
      usage,
      warnings: [],
    }),
    doStream: async ({ prompt }) => ({
      stream: simulateReadableStream({
        initialDelayInMs: null,
        chunkDelayInMs: null,
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...(wantsTools(prompt)
            ? calls()
            : [
                { type: 'text-start', id: '1' },
                ...words(ANSWER).map((delta) => ({ type: 'text-delta', id: '1', delta })),
                { type: 'text-end', id: '1' },
              ]),
          { type: 'finish', finishReason: finish(prompt), usage },
        ],
      }),
    }),
  });
}

/** With a store: the same agent, whose state outlives the process. */
export function storedIn({ name: title, open }) {
  let storage;
  return {
    name: title,
    packageName,
    subject: async (work) => subject({ ...work, storage: (storage ??= await open()) }),
  };
}

export function subject(work) {
  const { tools: count, gated, history, streaming, storage = new InMemoryStore() } = work;
  const mock = model(count);
  const agent = new Agent({
    id: 'ana',
    name: 'Ana',
    instructions: SYSTEM_PROMPT,
    model: mock,
    tools: {
      [TOOL]: createTool({
        id: TOOL,
        description: DESCRIPTION,
        inputSchema: z.object({ city: z.string(), nights: z.number().int() }),
        requireApproval: gated,
        execute: async (input) => runTool(input),
      }),
    },
  });
  // The agent is registered with a store: without one, a paused run can't continue.
  const mastra = new Mastra({ agents: { ana: agent }, storage, logger: false });
  const ana = mastra.getAgent('ana');
  const earlier = historyOf(history);
  const drain = async (output) => {
    for await (const _ of output.fullStream);
    return output;
  };
  let paused;
  return {
    ana,
    another: async () => subject({ ...work, storage }),
    runId: () => paused.runId,
    callId: () => paused.suspendPayload?.toolCallId,
    async pause() {
      mock.doGenerateCalls = [];
      mock.doStreamCalls = [];
      const asked = [...earlier, { role: 'user', content: QUESTION }];
      if (!gated) {
        paused = asked;
        return;
      }
      paused = streaming ? await drain(await ana.stream(asked)) : await ana.generate(asked);
    },
    async finish(decisions) {
      if (!gated) {
        return streaming ? await (await drain(await ana.stream(paused))).text : (await ana.generate(paused)).text;
      }
      let current = paused;
      // Mastra asks about one call at a time, and continues after each answer.
      for (let index = 0; index < count; index += 1) {
        const payload = await (streaming ? current.suspendPayload : current.suspendPayload);
        const approve = decisions?.[index] ?? true;
        const options = { runId: current.runId, toolCallId: payload?.toolCallId };
        if (streaming) {
          const next = approve ? await ana.approveToolCall(options) : await ana.declineToolCall(options);
          current = await drain(next);
        } else {
          current = approve ? await ana.approveToolCallGenerate(options) : await ana.declineToolCallGenerate(options);
        }
        if ((await current.finishReason) !== 'suspended') break;
      }
      return await current.text;
    },
  };
}

const paused = (work) => pausedOn(subject, work);

export const experiments = {
  async threeTimes() {
    const it = await paused(ONE_GATED);
    const options = { runId: it.runId(), toolCallId: it.callId() };
    const refused = await attempts([1, 2, 3].map(() => () => it.ana.approveToolCallGenerate(options)));
    return { runs: ran.count, refused: refused.length };
  },
  async mixed() {
    const it = await paused(TWO_GATED);
    await it.finish([true, false]);
    return { ran: ran.cities };
  },
  /** The in-memory store is lost with the process; stores for databases are separate packages. */
  async killBegin({ mark }) {
    const it = await paused(ONE_GATED);
    Object.assign(outside, { file: mark, dies: true });
    await it.finish();
  },
  async stale() {
    const it = await paused(ONE_GATED);
    const old = { runId: it.runId(), toolCallId: it.callId() };
    await it.finish([false]);
    await it.pause();
    ran.count = 0;
    const refused = await attempts([() => it.ana.approveToolCallGenerate(old)]);
    return { runs: ran.count, refused: refused.length };
  },
};
