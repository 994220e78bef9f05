import { defineTool, type Tool, type ToolContext } from '@countersign/core/ports';
import { z } from 'zod';

/** The kinds of calls. The last six never reach a tool, because the model made up the tool or its arguments. */
export const CALL_KINDS = [
  'look',
  'write',
  'remove',
  'sync',
  'push',
  'peek',
  'boom',
  'tap',
  'unknown',
  'malformed',
  'misfit',
  'reserved',
] as const;
export type CallKind = (typeof CALL_KINDS)[number];

interface Traits {
  readOnly?: boolean;
  idempotent?: boolean;
  gated?: boolean;
}

export const TRAITS: Readonly<Record<string, Traits>> = {
  look: { readOnly: true },
  peek: { readOnly: true, gated: true },
  write: {},
  remove: { gated: true },
  sync: { idempotent: true },
  push: { idempotent: true, gated: true },
  boom: {},
};

export type Execute = (name: string, args: { n: number }, context: ToolContext) => Promise<unknown>;

/** One tool of each kind. `execute` gets each call and decides when and how it ends. */
export function createLabTools(execute: Execute): Tool[] {
  return Object.entries(TRAITS).map(([name, { readOnly, idempotent, gated }]) =>
    defineTool({
      name,
      description: `does ${name}`,
      parameters: z.object({ n: z.number() }),
      ...(readOnly === undefined ? {} : { readOnly }),
      ...(idempotent === undefined ? {} : { idempotent }),
      ...(gated === true ? { approval: { required: true } } : {}),
      execute: (args, context) => execute(name, args, context),
    }),
  );
}

/** A call in the form that a model sends it. `tap` is a client's tool, whose name is known only after registration. */
export function toCall(kind: CallKind, n: number, tap: string): { name: string; arguments: string } {
  const args = JSON.stringify({ n });
  switch (kind) {
    case 'tap':
      return { name: tap, arguments: args };
    case 'unknown':
      return { name: 'nosuch', arguments: args };
    case 'malformed':
      return { name: 'write', arguments: '{"n":' };
    case 'misfit':
      return { name: 'remove', arguments: '{"n":"seven"}' };
    case 'reserved':
      return { name: 'client.requestApproval', arguments: args };
    case 'look':
    case 'write':
    case 'remove':
    case 'sync':
    case 'push':
    case 'peek':
    case 'boom':
      return { name: kind, arguments: args };
  }
}
