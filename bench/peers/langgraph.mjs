import { AIMessage, AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { Command, MemorySaver } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware } from 'langchain';
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
  words,
} from './script.mjs';

export const name = 'LangGraph';
export const packageName = '@langchain/langgraph';

process.env.LANGSMITH_TRACING = 'false';

/** LangGraph's fakes answer from a list; this one depends on its input, like the fakes for all contenders. */
class ScriptedModel extends BaseChatModel {
  constructor(count) {
    super({});
    this.count = count;
  }
  _llmType() {
    return 'scripted';
  }
  bindTools() {
    return this;
  }
  calls(messages) {
    if (messages.at(-1)?.getType() !== 'human') return [];
    return callsFor(this.count).map((args, index) => ({ name: TOOL, args, id: `call-${index}`, type: 'tool_call' }));
  }
  async _generate(messages) {
    const calls = this.calls(messages);
    const message = new AIMessage(calls.length > 0 ? { content: '', tool_calls: calls } : ANSWER);
    return { generations: [{ text: calls.length > 0 ? '' : ANSWER, message }] };
  }
  async *_streamResponseChunks(messages, _options, manager) {
    const calls = this.calls(messages);
    if (calls.length > 0) {
      const message = new AIMessageChunk({
        content: '',
        tool_call_chunks: calls.map(({ args, ...call }, index) => ({
          ...call,
          type: 'tool_call_chunk',
          index,
          args: JSON.stringify(args),
        })),
      });
      yield new ChatGenerationChunk({ text: '', message });
      return;
    }
    for (const text of words(ANSWER)) {
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk(text) });
      await manager?.handleLLMNewToken(text);
    }
  }
}

let threads = 0;

/** With a persistent checkpointer and `sync`: each step is stored before the next one starts, like ours. */
export function checkpointedIn({ name: title, open }) {
  let checkpointer;
  return {
    name: title,
    packageName,
    subject: async (work) => subject({ ...work, checkpointer: (checkpointer ??= await open()), durability: 'sync' }),
  };
}

export function subject(work) {
  const { tools: count, gated, history, streaming, durability } = work;
  const checkpointer = work.checkpointer ?? new MemorySaver();
  const isKept = gated || work.checkpointer !== undefined;
  const agent = createAgent({
    model: new ScriptedModel(count),
    systemPrompt: SYSTEM_PROMPT,
    tools: [
      tool(async (input) => JSON.stringify(runTool(input)), {
        name: TOOL,
        description: DESCRIPTION,
        schema: z.object({ city: z.string(), nights: z.number().int() }),
      }),
    ],
    ...(isKept ? { checkpointer } : {}),
    ...(gated ? { middleware: [humanInTheLoopMiddleware({ interruptOn: { [TOOL]: true } })] } : {}),
  });
  const earlier = historyOf(history).map(({ role, content }) =>
    role === 'user' ? new HumanMessage(content) : new AIMessage(content),
  );
  async function call(input, config) {
    if (!streaming) return await agent.invoke(input, config);
    let last;
    for await (const [mode, value] of await agent.stream(input, { ...config, streamMode: ['messages', 'values'] })) {
      if (mode === 'values') last = value;
    }
    return last;
  }
  let config;
  let input;
  return {
    agent,
    call,
    another: async () => subject({ ...work, checkpointer }),
    config: () => config,
    bytes: () => (gated && config !== undefined && work.checkpointer === undefined ? sizeOf(checkpointer) : 0),
    async pause() {
      // Delete in-memory state, which would grow without limit. A database keeps its state.
      if (config !== undefined && work.checkpointer === undefined) {
        await checkpointer.deleteThread(config.configurable.thread_id);
      }
      config = {
        configurable: { thread_id: `thread-${process.pid}-${(threads += 1)}` },
        ...(durability === undefined ? {} : { durability }),
      };
      input = { messages: [...earlier, new HumanMessage(QUESTION)] };
      if (gated) await call(input, config);
    },
    async finish(decisions) {
      const decided = callsFor(count).map((_, index) =>
        (decisions?.[index] ?? true) ? { type: 'approve' } : { type: 'reject', message: 'no' },
      );
      const result = await call(gated ? new Command({ resume: { decisions: decided } }) : input, config);
      return result.messages.at(-1).text;
    },
  };
}

/** Everything that its checkpointer stores for the thread. */
function sizeOf({ storage, writes }) {
  let size = 0;
  const visit = (value) => {
    if (value instanceof Uint8Array) size += value.length;
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit);
  };
  visit(storage);
  visit(writes);
  return size;
}

const approval = () => new Command({ resume: { decisions: [{ type: 'approve' }] } });

const paused = (work) => pausedOn(subject, work);

export const experiments = {
  async threeTimes() {
    const it = await paused(ONE_GATED);
    const refused = await attempts([1, 2, 3].map(() => () => it.call(approval(), it.config())));
    return { runs: ran.count, refused: refused.length };
  },
  async mixed() {
    const it = await paused(TWO_GATED);
    await it.finish([true, false]);
    return { ran: ran.cities };
  },
  /** The in-memory saver is lost with the process; savers for databases are separate packages. */
  async killBegin({ mark }) {
    const it = await paused(ONE_GATED);
    Object.assign(outside, { file: mark, dies: true });
    await it.call(approval(), it.config());
  },
  async stale() {
    const it = await paused(ONE_GATED);
    const thread = it.config();
    await it.call(new Command({ resume: { decisions: [{ type: 'reject', message: 'no' }] } }), thread);
    await it.call({ messages: [new HumanMessage(QUESTION)] }, thread);
    ran.count = 0;
    // A second copy of an approval that was meant for the first request.
    const refused = await attempts([() => it.call(approval(), thread)]);
    return { runs: ran.count, refused: refused.length };
  },
  async changed() {
    const it = await paused(ONE_GATED);
    const { values } = await it.agent.graph.getState(it.config());
    const last = values.messages.at(-1);
    last.tool_calls[0].args.city = 'Moscow';
    await it.agent.graph.updateState(it.config(), { messages: [last] });
    const refused = await attempts([() => it.call(approval(), it.config())]);
    return { ran: ran.cities, refused: refused.length };
  },
};
