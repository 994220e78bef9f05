import { generateText, stepCountIs, tool, type ModelMessage, type ToolApprovalResponse } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import type { Subject } from './measure.js';
import {
  ANSWER,
  argumentsSchema,
  BOOK,
  callsFor,
  DESCRIPTIONS,
  LOOK_UP,
  QUESTIONS,
  runTool,
  SYSTEM_PROMPT,
  USAGE,
  type Case,
} from './script.js';

type Model = InstanceType<typeof MockLanguageModelV3>;

/** Its own mock on the same script. */
function createModel(): Model {
  const usage = {
    inputTokens: { total: USAGE.inputTokens, noCache: USAGE.inputTokens, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: USAGE.outputTokens, text: USAGE.outputTokens, reasoning: undefined },
  };
  let made = 0;
  return new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      const part = last?.role === 'user' ? last.content[0] : undefined;
      const calls = part?.type === 'text' ? callsFor(part.text) : [];
      if (calls.length === 0) {
        return {
          content: [{ type: 'text' as const, text: ANSWER }],
          finishReason: { unified: 'stop' as const, raw: undefined },
          usage,
          warnings: [],
        };
      }
      made += 1;
      return {
        content: calls.map(({ name, arguments: input }, index) => ({
          type: 'tool-call' as const,
          toolCallId: `call-${made}-${index}`,
          toolName: name,
          input,
        })),
        finishReason: { unified: 'tool-calls' as const, raw: undefined },
        usage,
        warnings: [],
      };
    },
  });
}

const tools = {
  [LOOK_UP]: tool({ description: DESCRIPTIONS[LOOK_UP], inputSchema: argumentsSchema, execute: runTool }),
  [BOOK]: tool({
    description: DESCRIPTIONS[BOOK],
    inputSchema: argumentsSchema,
    needsApproval: true,
    execute: runTool,
  }),
};
const stopWhen = stepCountIs(5);

/** The Vercel AI SDK: everything in memory, nothing survives the process. */
export function aiSdkSubject(turn: Case): Subject {
  const model = createModel();
  let paused: ModelMessage[] = [];
  let result: Awaited<ReturnType<typeof generate>> | undefined;

  const generate = (messages: ModelMessage[]) =>
    generateText({ model, system: SYSTEM_PROMPT, tools, stopWhen, messages });

  return {
    name: 'AI SDK',
    async before() {
      // Its mock keeps every call it saw.
      model.doGenerateCalls = [];
      result = undefined;
      if (turn === 'three gated tools') paused = await pause();
    },
    async run() {
      const gated = turn === 'three gated tools';
      result = await generate(gated ? paused : [{ role: 'user', content: QUESTIONS[turn] }]);
    },
    async after() {
      const expected = { text: 0, 'one tool': 1, 'three gated tools': 3 }[turn];
      const parts = result?.response.messages.flatMap((said) => (said.role === 'tool' ? said.content : []));
      const ran = parts?.filter((part) => part.type === 'tool-result').length;
      if (result?.text !== ANSWER || ran !== expected) {
        throw new Error(`the AI SDK's turn "${turn}" ran ${ran} tools and ended with ${JSON.stringify(result?.text)}`);
      }
    },
  };

  /** Up to the moment when all three have been approved and nothing has run. */
  async function pause(): Promise<ModelMessage[]> {
    const asked: ModelMessage[] = [{ role: 'user', content: QUESTIONS['three gated tools'] }];
    const result = await generate(asked);
    const approvals = result.content.flatMap((part): ToolApprovalResponse[] =>
      part.type === 'tool-approval-request'
        ? [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }]
        : [],
    );
    if (approvals.length !== 3) throw new Error(`the AI SDK asked for ${approvals.length} approvals instead of 3`);
    return [...asked, ...result.response.messages, { role: 'tool', content: approvals }];
  }
}
