import { z } from 'zod';
import { defineTool, ToolFailure, type TypedTool } from '@countersign/core/ports';
import { inProcess } from '@countersign/protocol';

const parameters = z.strictObject({
  content: z
    .string()
    .max(100_000)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe('The message. Start a paragraph with @name to address an agent, or with @human to address people.'),
  chat: z
    .string()
    .min(1)
    .max(200)
    .exactOptional()
    .describe('The id of another chat in this world. Default: this chat.'),
});

/** Lets an agent post a message during its turn, under its own name. Turn limits still apply (CALL17). */
export function sendMessage(): TypedTool<'send_message', z.input<typeof parameters>> {
  return defineTool({
    name: 'send_message',
    description:
      'Posts a message in a chat in this world under your name, before your turn ends. Agents mentioned with @name ' +
      'answer in the chat afterwards; their answers are not the result of this call.',
    parameters,
    sandbox: () => inProcess('none'),
    idempotent: true,
    approval: { required: true, message: 'Say in the chat: {content}' },
    async execute({ content, chat }, { world }) {
      if (world === undefined) throw new ToolFailure('messages can only be sent inside a world');
      return await world.sendMessage({ content, ...(chat === undefined ? {} : { chatId: chat }) });
    },
  });
}
