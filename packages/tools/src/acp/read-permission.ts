import type {
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { externalToolName, ONLY_TITLE } from '@countersign/protocol';
import { z } from 'zod';
import { KNOWN_TOOLS } from '../external/known-tools.js';

/** A call for which an agent asks permission, as it is proposed to the gate. */
export interface AskedCall {
  readonly toolName: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const argumentsSchema = z.record(z.string(), z.unknown()).refine((value) => Object.keys(value).length > 0);
const claudeSchema = z.object({ claudeCode: z.object({ toolName: z.string() }) });
/** The same characters as for the tools of external agents. */
const toolSchema = z.string().regex(/^[A-Za-z0-9_.-]{1,90}$/);

/** The call as the agent describes it, with what its earlier updates said about it. */
export function readAsked(program: string, call: ToolCallUpdate): AskedCall {
  return { toolName: externalToolName(program, toolOf(call)), arguments: argumentsOf(call) };
}

/** Later fields replace earlier ones; absent ones keep them. */
export function mergeCall(known: ToolCallUpdate | undefined, update: ToolCallUpdate): ToolCallUpdate {
  const given = Object.entries(update).filter(([, value]) => value !== undefined && value !== null);
  return { ...known, ...(Object.fromEntries(given) as unknown as ToolCallUpdate) };
}

/**
 * The agent's own name of the tool, if it gives one. A kind such as `execute` counts more than an unknown name: rules for our own tools then
 * apply to the call.
 */
function toolOf({ name, _meta, kind }: ToolCallUpdate): string {
  const claude = claudeSchema.safeParse(_meta);
  const given = [name, claude.success ? claude.data.claudeCode.toolName : undefined, kind].filter(
    (each) => toolSchema.safeParse(each).success,
  );
  return given.find((each) => KNOWN_TOOLS.has(each ?? '')) ?? given[0] ?? 'other';
}

function argumentsOf(call: ToolCallUpdate): Record<string, unknown> {
  const raw = argumentsSchema.safeParse(call.rawInput);
  if (raw.success) return raw.data;
  const paths = (call.locations ?? []).map(({ path }) => path);
  const changes = diffsIn(call.content);
  return {
    [ONLY_TITLE]: titleOf(call),
    ...(paths.length === 0 ? {} : { paths }),
    ...(changes.length === 0 ? {} : { changes }),
  };
}

export function titleOf({ title, kind, toolCallId }: ToolCallUpdate): string {
  const text = (title ?? '').trim();
  return text === '' ? (kind ?? toolCallId) : text;
}

/** A change to a file, as a call with only a title shows it. */
interface Change {
  readonly path: string;
  readonly old?: string;
  readonly new: string;
}

function diffsIn(content: readonly ToolCallContent[] | null | undefined): Change[] {
  return (content ?? []).flatMap((part) => {
    if (part.type !== 'diff') return [];
    const { path, oldText, newText } = part;
    return [{ path, ...(oldText === undefined || oldText === null ? {} : { old: oldText }), new: newText }];
  });
}

/** What a call returned, as text. */
export function resultOf({ content, rawOutput }: ToolCallUpdate): string {
  const texts = (content ?? []).flatMap((part) => {
    if (part.type === 'content') return part.content.type === 'text' ? [part.content.text] : [`[${part.content.type}]`];
    return part.type === 'diff' ? [`Changed ${part.path}`] : [];
  });
  if (texts.length > 0) return texts.join('\n');
  if (rawOutput === undefined || rawOutput === null) return '';
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput);
}

/** Only ever a yes for this one call: our own grants and rules cover further ones. */
export function allowOnce(options: readonly PermissionOption[]): string | undefined {
  return options.find(({ kind }) => kind === 'allow_once')?.optionId;
}

export const CANCELLED: RequestPermissionOutcome = { outcome: 'cancelled' };

/** A no to this one call. */
export function refuse(options: readonly PermissionOption[]): RequestPermissionOutcome {
  const optionId = options.find(({ kind }) => kind === 'reject_once')?.optionId;
  return optionId === undefined ? CANCELLED : { outcome: 'selected', optionId };
}
