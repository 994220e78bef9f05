import { Agent, run, RunState, setTracingDisabled, tool, Usage } from '@openai/agents';
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

export const name = 'OpenAI Agents';
export const packageName = '@openai/agents';

setTracingDisabled(true);

function model(count) {
  let made = 0;
  const output = ({ input }) => {
    const last = Array.isArray(input) ? input.at(-1) : undefined;
    if (last?.type === 'function_call_result') {
      return [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          id: `msg-${(made += 1)}`,
          content: [{ type: 'output_text', text: ANSWER }],
        },
      ];
    }
    made += 1;
    return callsFor(count).map((args, index) => ({
      type: 'function_call',
      id: `item-${made}-${index}`,
      callId: `call-${made}-${index}`,
      name: TOOL,
      status: 'completed',
      arguments: JSON.stringify(args),
    }));
  };
  const usage = () => new Usage({ ...USAGE, totalTokens: USAGE.inputTokens + USAGE.outputTokens });
  return {
    getResponse: async (request) => ({ usage: usage(), output: output(request), responseId: `resp-${made}` }),
    async *getStreamedResponse(request) {
      const items = output(request);
      if (items[0]?.type === 'message') {
        for (const delta of words(ANSWER)) yield { type: 'output_text_delta', delta };
      }
      yield {
        type: 'response_done',
        response: {
          id: `resp-${made}`,
          usage: { ...USAGE, totalTokens: USAGE.inputTokens + USAGE.outputTokens },
          output: items,
        },
      };
    },
  };
}

export function subject({ tools: count, gated, history, streaming }) {
  const agent = new Agent({
    name: 'Ana',
    instructions: SYSTEM_PROMPT,
    model: model(count),
    tools: [
      tool({
        name: TOOL,
        description: DESCRIPTION,
        parameters: z.object({ city: z.string(), nights: z.number().int() }),
        needsApproval: gated,
        execute: async (input) => runTool(input),
      }),
    ],
  });
  const earlier = historyOf(history).map(({ role, content }) =>
    role === 'user'
      ? { type: 'message', role, content }
      : { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text: content }] },
  );
  async function call(input) {
    if (!streaming) return await run(agent, input);
    const result = await run(agent, input, { stream: true });
    for await (const _ of result.toTextStream());
    await result.completed;
    return result;
  }
  let paused;
  return {
    agent,
    call,
    state: () => paused.state.toString(),
    bytes: () => (gated && paused !== undefined ? paused.state.toString().length : 0),
    async pause() {
      const asked = [...earlier, { type: 'message', role: 'user', content: QUESTION }];
      paused = gated ? await call(asked) : asked;
    },
    async finish(decisions) {
      if (!gated) return (await call(paused)).finalOutput;
      // As in the SDK's guide, the state is serialized between the request and the decision.
      const state = await RunState.fromString(agent, paused.state.toString());
      state.getInterruptions().forEach((interruption, index) => {
        if (decisions?.[index] ?? true) state.approve(interruption);
        else state.reject(interruption);
      });
      return (await call(state)).finalOutput;
    },
  };
}

const paused = (work) => pausedOn(subject, work);

async function approve(it, text) {
  const state = await RunState.fromString(it.agent, text);
  for (const interruption of state.getInterruptions()) state.approve(interruption);
  return await it.call(state);
}

export const experiments = {
  async threeTimes() {
    const it = await paused(ONE_GATED);
    const text = it.state();
    const refused = await attempts([1, 2, 3].map(() => () => approve(it, text)));
    return { runs: ran.count, refused: refused.length };
  },
  async mixed() {
    const it = await paused(TWO_GATED);
    await it.finish([true, false]);
    return { ran: ran.cities };
  },
  async killBegin({ state, mark }) {
    const it = await paused(ONE_GATED);
    writeFileSync(state, it.state());
    Object.assign(outside, { file: mark, dies: true });
    await approve(it, readFileSync(state, 'utf8'));
  },
  async killResume({ state, mark }) {
    outside.file = mark;
    const it = subject(ONE_GATED);
    const { finalOutput } = await approve(it, readFileSync(state, 'utf8'));
    return { told: /unknown|interrupt/i.test(finalOutput) };
  },
  /** The SDK stores nothing itself: the application restores what it has stored. */
  async restartBegin({ state, count }) {
    const states = [];
    for (let i = 0; i < count; i += 1) states.push((await paused(ONE_GATED)).state());
    writeFileSync(state, JSON.stringify(states));
    return { open: states.length };
  },
  async restart({ state }) {
    const it = subject(ONE_GATED);
    const startedAt = performance.now();
    const texts = JSON.parse(readFileSync(state, 'utf8'));
    const states = [];
    for (const text of texts) states.push(await RunState.fromString(it.agent, text));
    const ms = performance.now() - startedAt;
    ran.count = 0;
    await approve(it, texts[0]);
    return { back: states.length, ms, runs: ran.count, by: 'the application' };
  },
  async stale() {
    const it = await paused(ONE_GATED);
    const before = await RunState.fromString(it.agent, it.state());
    const [old] = before.getInterruptions();
    await it.finish([false]);
    await it.pause();
    ran.count = 0;
    // The model reuses the same id, as real models do.
    const text = it.state().replaceAll(/call-\d+-0/g, old.rawItem.callId);
    const now = await RunState.fromString(it.agent, text);
    const refused = await attempts([
      async () => {
        now.approve(old);
        return await it.call(now);
      },
    ]);
    return { runs: ran.count, refused: refused.length };
  },
  async changed() {
    const it = await paused(ONE_GATED);
    const refused = await attempts([() => approve(it, it.state().replaceAll('Lisbon', 'Moscow'))]);
    return { ran: ran.cities, refused: refused.length };
  },
};
