import { defineTool, type Tool, type ToolContext, type ToolSource } from '@countersign/core/ports';
import { readFile, writeFile } from '@countersign/tools';
import { z } from 'zod';
import { rehearsingTool } from '../../packages/countersign/src/testing/rehearsing-tool.js';
import type { Activity } from './activity.js';

/** A call that ran, as its tool saw it. */
export interface Run {
  readonly tool: string;
  readonly worldId: string;
  readonly callId: string;
  /** Every call has its own number, in a text such as `harbour-17`. */
  readonly args: Readonly<Record<string, unknown>>;
  outcome: 'running' | 'succeeded' | 'failed';
  result?: string;
}

export interface HistoryTools {
  readonly list: readonly Tool[];
  /** The tool of an MCP server in the world `harbour`: not trusted, and not there for other worlds. */
  readonly server: ToolSource;
  /** Called when a tool starts. */
  onRun: (run: Run) => void;
  /** The folder in memory of the tool that rehearses. */
  readonly rehearsed: ReadonlyMap<string, string>;
}

/** Cheap tools, and the real ones for files. All of them report their runs before anything happens. */
export function createTools(activity: Activity, keptIn: string): HistoryTools {
  const touch = defineTool({
    name: 'touch',
    description: 'Counts.',
    parameters: z.strictObject({ text: z.string() }),
    approval: { required: true },
    execute: ({ text }) => `touched ${text}`,
  });
  const stamp = defineTool({
    name: 'mcp__shore__stamp',
    description: 'Stamps.',
    parameters: z.strictObject({ text: z.string() }),
    // What it says about itself doesn't count.
    readOnly: true,
    execute: ({ text }) => `stamped ${text}`,
  });
  const put = rehearsingTool();
  const lock = { folder: keptIn };
  const made: HistoryTools = {
    list: [touch, readFile(), writeFile({ lock }), put.tool].map((tool) => activity.watchTool(reporting(tool))),
    server: serverWith(activity.watchTool({ ...reporting(stamp), trusted: false })),
    onRun: () => undefined,
    rehearsed: put.folder,
  };
  function reporting(tool: Tool): Tool {
    return {
      ...tool,
      async execute(args: unknown, context: ToolContext) {
        const run: Run = {
          tool: tool.definition.name,
          worldId: context.worldId,
          callId: context.invocationId,
          args: args as Run['args'],
          outcome: 'running',
        };
        made.onRun(run);
        try {
          const result = await tool.execute(args, context);
          run.outcome = 'succeeded';
          run.result = JSON.stringify(result);
          return result;
        } catch (error) {
          run.outcome = 'failed';
          run.result = String(error);
          throw error;
        }
      },
    };
  }
  return made;
}

function serverWith(tool: Tool): ToolSource {
  const offered = new Map([[tool.definition.name, tool]]);
  return {
    tools: (worldId) => (worldId === 'harbour' ? offered : new Map()),
    prepare: () => undefined,
    refresh: async () => undefined,
    close: async () => undefined,
  };
}
