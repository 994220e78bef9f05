import type { Preview, ToolDefinition } from '@countersign/protocol';
import type { EffectPreview, Tool } from './tool.js';

/** What a tool says about itself that makes its calls easier to run, or speaks to people in our name (CALL1). */
export type ToolClaims = Pick<ToolDefinition, 'readOnly' | 'idempotent' | 'approval'> &
  Pick<Tool, 'contained' | 'rehearsals' | 'draft' | 'batches' | 'undos' | 'question'>;

/** A tool in the registry. There is no other way to ask whether it is trusted than its claims, which only a trusted one has. */
export interface RegisteredTool extends Omit<Tool, 'trusted' | keyof ToolClaims> {
  /** Absent for an untrusted tool. */
  readonly claims?: ToolClaims;
}

/** The same tool always becomes the same object, because calls are compared by their tool. */
const registered = new WeakMap<Tool, RegisteredTool>();

/** Removes what an untrusted tool claims. The only place that checks trust. */
export function registerTool(tool: Tool): RegisteredTool {
  const known = registered.get(tool);
  if (known !== undefined) return known;
  const { definition, pin, unconfined, external, byServer, asks } = tool;
  const kept: RegisteredTool = {
    definition,
    ...(pin === undefined ? {} : { pin }),
    ...(unconfined === undefined ? {} : { unconfined }),
    ...(external === undefined ? {} : { external }),
    ...(byServer === undefined ? {} : { byServer }),
    ...(external === true && asks !== undefined ? { asks } : {}),
    ...bound(tool, [
      'validate',
      'execute',
      'sandbox',
      'standsFor',
      'predictedBy',
      'predictChange',
      'subjects',
      'inspect',
      'fingerprint',
      'hold',
      'preview',
    ]),
  };
  const own = tool.trusted ? { ...kept, claims: claimsOf(tool) } : { ...kept, ...withoutEffects(tool) };
  registered.set(tool, own);
  return own;
}

function claimsOf(tool: Tool): ToolClaims {
  const { definition, rehearsals, batches, undos } = tool;
  const { readOnly, idempotent, approval } = definition;
  return {
    ...(readOnly === undefined ? {} : { readOnly }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(approval === undefined ? {} : { approval }),
    ...(rehearsals === undefined ? {} : { rehearsals }),
    ...(batches === undefined ? {} : { batches }),
    ...(undos === undefined ? {} : { undos }),
    ...bound(tool, ['contained', 'draft', 'question']),
  };
}

/** An effect looks like something that we found out. */
function withoutEffects(tool: Tool): Pick<Tool, 'preview'> {
  if (tool.preview === undefined) return {};
  return {
    async preview(args, place) {
      const preview: string | Preview | EffectPreview | undefined = await tool.preview?.(args, place);
      if (typeof preview !== 'object' || !('effect' in preview)) return preview;
      const { effect: _, ...shown } = preview;
      return shown;
    },
  };
}

/** The methods of a tool, which may be an instance of a class. */
function bound<Name extends keyof Tool>(tool: Tool, names: readonly Name[]): Pick<Tool, Name> {
  const methods = names.flatMap((name) => {
    const method: unknown = tool[name];
    return typeof method === 'function' ? [[name, method.bind(tool) as unknown] as const] : [];
  });
  return Object.fromEntries(methods) as Pick<Tool, Name>;
}
