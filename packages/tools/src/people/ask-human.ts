import { z } from 'zod';
import { defineTool, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';

const parameters = z.strictObject({
  question: z
    .string()
    .max(8000)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  choices: z.array(z.string().min(1).max(200)).max(20).exactOptional(),
});

/**
 * A question from an agent to people. It waits in the approval queue indefinitely, across restarts. Asking needs no
 * approval; a `deny ask_human` rule forbids it.
 */
export function askHuman(): TypedTool<'ask_human', z.input<typeof parameters>> {
  return defineTool({
    name: 'ask_human',
    description:
      'Asks a person a question and waits for the answer. Use it when you need a decision, a fact or a ' +
      'preference that only a person can give. `choices` are offered as short answers, but the person can type something else. ' +
      'The answer does not approve any call; calls that need approval are shown to a person separately.',
    parameters,
    sandbox: () => inProcess('none'),
    readOnly: true,
    question: ({ question, choices }) => ({ text: question, choices: choices ?? [] }),
    execute: () => {
      throw new Error('ask_human is answered by a person and never runs');
    },
  });
}
