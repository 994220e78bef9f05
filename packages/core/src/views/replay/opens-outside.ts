import { externalVerb, isRule } from '@countersign/protocol';
import { parseRule } from '../../policy/index.js';
import type { RegisteredTool } from '../../ports/index.js';

/** What rules let happen outside the sandbox without approval. */
export interface AllowedOutside {
  /** An agent's program writes files. */
  readonly writes: boolean;
  /** A command runs. */
  readonly runs: boolean;
}

/** Tools of programs that are known to write nothing. */
const READS = /^(?:read|read_file|view|grep|glob|ls|list|websearch|webfetch)$/i;

/** Read broadly: what a rule might allow counts, because a suggestion must not complete a way to run what an agent wrote. */
export function allowedOutside(rules: readonly string[], tools: ReadonlyMap<string, RegisteredTool>): AllowedOutside {
  const found = { writes: false, runs: false };
  for (const text of rules.filter(isRule)) {
    const parsed = parseRule(text);
    if (parsed.ok && parsed.rule.verb !== 'allow') continue;
    const tool = parsed.ok ? parsed.rule.tool : '*';
    // A glob can stand for a program's tools. Tools of MCP servers have names of their own.
    const isOpen = (tool.includes('*') && !/^(?:mcp|app)__/.test(tool)) || tools.get(tool)?.unconfined === true;
    const [, own] = /^(?!mcp__|app__)[a-z][a-z0-9-]*__(.+)$/.exec(tool) ?? [];
    found.writes ||= isOpen || (own !== undefined && !READS.test(own));
    found.runs ||= isOpen || externalVerb(tool) === 'run';
  }
  return found;
}
