import { z } from 'zod';
import { defineTool, ToolFailure, type TypedTool } from '@countersign/core/ports';
import { nameSchema, inProcess } from '@countersign/protocol';

const parameters = z.strictObject({
  name: nameSchema.describe('How people and agents address it.'),
  instructions: z.string().min(1).max(50_000).describe('Its system prompt.'),
  tools: z
    .array(z.string().min(1).max(128))
    .max(200)
    .exactOptional()
    .describe('Names or globs of tools it may use, from your own list. Default: none.'),
});

/** Lets an agent add another agent to its world. The new agent gets the model and rules of its creator, and no tool that its creator lacks (CALL17). */
export function createAgent(): TypedTool<'create_agent', z.input<typeof parameters>> {
  return defineTool({
    name: 'create_agent',
    description:
      'Adds an agent to this world that uses the same model as you. It can only have tools that you have, follows the same rules ' +
      'as you and needs the same approvals. Mention it with @name afterwards.',
    parameters,
    sandbox: () => inProcess('none'),
    approval: { required: true, message: 'Create the agent {name} with these tools: {tools}' },
    async execute({ name, instructions, tools = [] }, { world }) {
      if (world === undefined) throw new ToolFailure('agents can only be added inside a world');
      const { agentId } = await world.createAgent({ name, systemPrompt: instructions, tools });
      return { agentId, name, tools };
    },
  });
}
