import { defineTool, ToolFailure, type Tool } from '@countersign/core/ports';
import { z } from 'zod';

/** Tools and a list of their runs, in order; the page is compared with that list. */
export interface TestTools {
  ran: string[];
  tools: Tool[];
}

/**
 * Tools whose runs are recorded. `press` and `fill` need approval, and pressing `taken` is a conflict; `watch` runs until it is stopped; `flood` returns
 * ten megabytes in one line.
 */
export function testTools(): TestTools {
  const ran: string[] = [];
  return {
    ran,
    tools: [
      defineTool({
        name: 'press',
        description: 'Presses a button.',
        parameters: z.strictObject({ button: z.string() }),
        approval: { required: true, message: 'Press {button}' },
        execute: ({ button }) => {
          if (button === 'taken') throw new ToolFailure('somebody else pressed it', undefined, { conflict: true });
          ran.push(button);
          return { pressed: button };
        },
      }),
      defineTool({
        name: 'fill',
        description: 'Fills in a form.',
        parameters: z.strictObject({
          a: z.string(),
          b: z.string(),
          c: z.string(),
          d: z.string(),
          e: z.string(),
          f: z.string(),
        }),
        approval: { required: true },
        execute: ({ a }) => {
          ran.push(a);
          return { filled: a };
        },
      }),
      defineTool({
        name: 'watch',
        description: 'Watches until stopped.',
        parameters: z.strictObject({}),
        readOnly: true,
        execute: async (_, { signal, output }) => {
          ran.push('watch');
          output('the first line\n');
          await new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
          });
        },
      }),
      defineTool({
        name: 'flood',
        description: 'Gives more than anybody can read.',
        parameters: z.strictObject({ text: z.string() }),
        readOnly: true,
        execute: ({ text }, { output }) => {
          output(text);
          return `${text}${'x'.repeat(10_000_000)}`;
        },
      }),
    ],
  };
}
