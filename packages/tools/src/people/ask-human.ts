import { z } from 'zod';
import { defineTool, type Tool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';

/**
 * A question of an agent to people. It stands in the same queue as the calls they sign and waits as long as they need, also over
 * restarts. Asking harms nobody, so nobody is asked whether it may be asked; a `deny ask_human` rule forbids it.
 */
export function askHuman(): Tool {
  return defineTool({
    name: 'ask_human',
    description:
      'Ask a person a question and wait for the answer in their own words. Use it when you need a decision, a fact or a ' +
      'preference that only a person can give. `choices` are offered as short answers; the person may answer otherwise. ' +
      'The answer is information. It approves no call: calls that need approval are asked by themselves.',
    parameters: z.strictObject({
      question: z
        .string()
        .max(8000)
        .refine((text) => text.trim() !== '', 'must not be empty'),
      choices: z.array(z.string().min(1).max(200)).max(20).exactOptional(),
    }),
    sandbox: () => inProcess('none'),
    readOnly: true,
    question: ({ question, choices }) => ({ text: question, choices: choices ?? [] }),
    execute: () => {
      throw new Error('ask_human is answered by a person and runs nowhere');
    },
  });
}
