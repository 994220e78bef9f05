import { readAll, type Client } from '@countersign/client';
import { nearest } from '@countersign/protocol';
import type { CommandContext } from '../../context.js';
import { plainLine } from '../../text/plain-text.js';
import { errors } from '../../words/errors.js';
import { results } from '../../words/results.js';

/** Warns about tool names that match no tool in the world. Not an error: the tool may be added later. */
export async function warnOfTools(
  context: CommandContext,
  client: Client,
  world: string,
  tools: readonly string[],
): Promise<void> {
  if (context.options.json || tools.length === 0) return;
  const known = (await readAll((page) => client.tools(world, page))).map(({ name }) => name);
  for (const name of tools) {
    if (name.includes('*') || known.includes(name) || isAway(name, known)) continue;
    const near = nearest(name, known);
    const hint = near === undefined ? '' : errors.didYouMean(near);
    context.note(results.warning(plainLine(results.unknownTool(name, hint))));
  }
}

/** Whether the tool belongs to an MCP server or client that currently offers no tools. */
function isAway(name: string, known: readonly string[]): boolean {
  const owner = /^(?:mcp|app)__.+?__/.exec(name)?.[0];
  return owner !== undefined && !known.some((other) => other.startsWith(owner));
}
