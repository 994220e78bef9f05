import { setImmediate as nextRound } from 'node:timers/promises';
import { defineTool, type Provider, type Tool } from 'countersign';
import { z } from 'zod';

export const TEXT_QUESTION = 'say something';
export const GATED_QUESTION = 'do something';
export const GATED = 'do_it';

/** A streaming model and a gated tool, with the times of their last actions. */
export interface ServerModel {
  provider: Provider;
  tool: Tool;
  chunkAt: () => bigint;
  askedAt: () => bigint;
  ranAt: () => bigint;
}

export function createServerModel(): ServerModel {
  let chunk = 0n;
  let asked = 0n;
  let ran = 0n;
  const usage = { inputTokens: 1, outputTokens: 1 };
  return {
    chunkAt: () => chunk,
    askedAt: () => asked,
    ranAt: () => ran,
    tool: defineTool({
      name: GATED,
      description: 'Does it.',
      parameters: z.object({}),
      approval: { required: true },
      execute: () => {
        ran = process.hrtime.bigint();
        return 'done';
      },
    }),
    provider: {
      name: 'bench',
      async generate({ messages, onChunk, purpose }) {
        const last = messages.at(-1);
        if (purpose === 'answer' && last?.role === 'user' && last.content.includes(GATED_QUESTION)) {
          asked = process.hrtime.bigint();
          const call = { id: 'call', type: 'function' as const, function: { name: GATED, arguments: '{}' } };
          return { type: 'tool_calls', content: '', tool_calls: [call], usage };
        }
        chunk = process.hrtime.bigint();
        onChunk('A first word ');
        // Models pause between words; without this, later chunks would arrive before the first was handled.
        for (let i = 0; i < 20; i += 1) await nextRound();
        onChunk('and a second.');
        return { type: 'text', content: 'A first word and a second.', usage };
      },
    },
  };
}
