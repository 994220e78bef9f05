import { z } from 'zod';
import { defineTool, ToolFailure, type Tool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';

const parameters = z.strictObject({
  content: z
    .string()
    .max(100_000)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('What to say. Begin a paragraph with @name to address an agent, or with @human to address people.'),
  chat: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The id of another chat of this world; this one unless told.'),
});

/** Lets an agent speak in the middle of its turn. It speaks as itself, and being heard gives nobody more turns (A22). */
export function sendMessage(): Tool {
  return defineTool({
    name: 'send_message',
    description:
      'Says something in a chat of this world under your own name, before your turn ends. Agents that it addresses with @name ' +
      'answer in the chat, after it is said; their answers are not the result of this call.',
    parameters,
    sandbox: () => inProcess('none'),
    idempotent: true,
    approval: { required: true, message: 'Say in the chat: {content}' },
    async execute({ content, chat }, { world }) {
      if (world === undefined) throw new ToolFailure('there is no world here to speak in');
      return await world.sendMessage({ content, ...(chat === undefined ? {} : { chatId: chat }) });
    },
  });
}
