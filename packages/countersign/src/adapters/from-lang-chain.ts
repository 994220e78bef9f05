import { defineTool, readToolSchema, type StandardSchema, type TypedTool } from '@countersign/core/ports';
import { CountersignError } from '@countersign/protocol';
import { isObject } from '../options/check-input.js';

/** The parts of a LangChain tool that we use (`tool(…)` or a class from `@langchain/core/tools`, version 1 or newer). */
export interface LangChainTool {
  /** The name of the tool. */
  readonly name: string;
  /** What the tool does, for the model. */
  readonly description: string;
  /** The schema of its arguments. */
  readonly schema: unknown;
  /** Runs the tool, after approval. */
  // oxlint-disable-next-line typescript/no-explicit-any -- accepts tools with any input type
  invoke(input: any, config?: any): Promise<unknown>;
}

/** Converts LangChain tools. Every call needs approval, unless a rule allows it. */
export function fromLangChain(tools: readonly LangChainTool[]): TypedTool[] {
  if (!Array.isArray(tools)) throw wrong('tools', 'must be a list of LangChain tools');
  return tools.map((tool: LangChainTool, at) => {
    if (!isObject(tool) || typeof tool.invoke !== 'function') throw wrong(`tools.${at}`, 'must be a LangChain tool');
    const { name, description } = tool;
    return defineTool({
      name,
      description,
      parameters: unconverted(name, tool.schema),
      approval: { required: true },
      execute: async (input, { signal }) => contentOf(await tool.invoke(input, { signal })),
    });
  });
}

/** Validates arguments without converting them: `invoke` converts them itself, and they must not be converted twice. */
function unconverted(name: string, schema: unknown): StandardSchema {
  const read = readToolSchema(schema);
  if (!read.ok) throw wrong(name, `schema ${read.problem}`);
  return {
    '~standard': {
      version: 1,
      vendor: 'langchain',
      jsonSchema: { input: () => read.json },
      validate: (value) => {
        if (isEnvelope(value)) return { issues: [{ path: ['type'], message: 'must not be "tool_call"' }] };
        const checked = read.check(value);
        return checked.ok ? { value } : { issues: [{ message: checked.error }] };
      },
    },
  };
}

/** `invoke` would run the tool with the `args` of this object instead of the arguments that were judged and approved. */
function isEnvelope(value: unknown): boolean {
  return isObject(value) && 'type' in value && value.type === 'tool_call';
}

/** Some tools return a message instead of just its content. */
function contentOf(result: unknown): unknown {
  return isObject(result) && 'content' in result && 'tool_call_id' in result ? result.content : result;
}

function wrong(field: string, problem: string): CountersignError {
  return new CountersignError('invalid', `fromLangChain: ${field}: ${problem}`, { field });
}
