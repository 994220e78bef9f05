import { setImmediate } from 'node:timers/promises';
import {
  callSandboxSchema,
  inProcess,
  isInapplicable,
  previewSchema,
  type CallSandbox,
  type Preview,
  type Subject,
} from '@countersign/protocol';
import type { ParsedCall } from '../call/parse.js';
import { maskLongText } from '../masking/index.js';
import { readSubjects } from '../policy/index.js';
import { textOf } from '../ports/error-message.js';
import type {
  ApprovalRecord,
  ClaimedEvidence,
  PredictedChange,
  RehearsalRecord,
  RegisteredTool,
  ToolPlace,
} from '../ports/index.js';
import { withinTime } from '../ports/until-aborted.js';
import { capText } from '../results/index.js';
import { readSnapshot } from '../step/commit.js';
import { toToolPlace } from '../step/place.js';
import type { CallPlace, Runtime } from '../step/runtime.js';
import { callHash, digestOf } from './hash-call.js';
import { toPrepared, type CallSetting, type PreparedCall, type SignedEvidence } from './prepared-call.js';
import { rulesAbout } from './rules-about.js';
import { showContext } from './show-context.js';
import { showEffect, showPrediction } from './show-effect.js';

/** Subjects for a tool that failed to report any. */
const UNKNOWN_SUBJECTS: readonly Subject[] = [{ kind: 'dynamic', why: { code: 'no-subjects' } }];

/** An unresponsive disk or tool must not block a turn forever. */
const INSPECTION_LIMIT_MS = 30_000;

interface Inspection {
  fingerprint: string | undefined;
  preview: unknown;
  found: readonly Subject[] | undefined;
  predicted: PredictedChange | undefined;
}
const NOT_INSPECTED: Inspection = {
  fingerprint: undefined,
  preview: undefined,
  found: undefined,
  predicted: undefined,
};

/** Undefined if the tool doesn't inspect its target. */
function inspectWith(tool: RegisteredTool, value: unknown, place: ToolPlace): (() => Promise<Inspection>) | undefined {
  if (tool.fingerprint === undefined && tool.preview === undefined && tool.inspect === undefined) return undefined;
  return async () => {
    // Another tool could show anything as a prediction of ours.
    const predicted = tool.external === true ? await tool.predictChange?.(value, place) : undefined;
    const isShown = predicted === undefined || ('noEffect' in predicted && !isInapplicable(predicted.noEffect));
    const preview = isShown ? await tool.preview?.(value, place) : undefined;
    return {
      fingerprint: predicted === undefined ? await tool.fingerprint?.(value, place) : predicted.fingerprint,
      preview: predicted !== undefined && 'preview' in predicted ? predicted.preview : preview,
      found: await tool.inspect?.(value, place),
      predicted,
    };
  };
}

/** Prepares a call in its current state (CALL7). Rejects if something that an approval covers can't be read. */
export async function inspectCall(runtime: Runtime, call: ParsedCall, setting: CallSetting): Promise<PreparedCall> {
  const { tool, arguments: args } = call;
  const { place } = setting;
  const isHidden = await hiddenFrom(runtime, call, setting);
  const inspect =
    tool !== undefined && args.ok ? inspectWith(tool, args.value, { ...toToolPlace(place), isHidden }) : undefined;
  const { fingerprint, preview, found, predicted } =
    inspect === undefined ? NOT_INSPECTED : await withinTime(runtime.clock, INSPECTION_LIMIT_MS, inspect);
  const prepared = toPrepared(call, setting, found === undefined ? [] : (readSubjects(found) ?? UNKNOWN_SUBJECTS));
  const sandbox = sandboxOf(tool, place, args.ok ? args.value : undefined);
  const known = predicted !== undefined && 'noEffect' in predicted ? { noEffect: predicted.noEffect } : undefined;
  const claimed = claimedOf(runtime, predicted, place);
  const shown = preview === undefined ? null : await showPreview(preview);
  return sign(
    runtime,
    { ...prepared, claimed },
    {
      workingDirectory: place.workingDirectory,
      sandbox,
      fingerprint,
      preview: shown,
      rehearsal: known ?? knownEffect(runtime, preview),
      applies: 'call',
    },
  );
}

/** Only people see this. Of a prediction, the approval covers only the files that were read. */
function claimedOf(
  runtime: Runtime,
  found: PredictedChange | undefined,
  { context }: CallPlace,
): ClaimedEvidence | null {
  const prediction = found !== undefined && 'prediction' in found ? found.prediction : undefined;
  if (prediction === undefined && context === undefined) return null;
  const secrets = runtime.ownSecrets();
  return {
    isClaim: true,
    ...(prediction === undefined ? {} : { prediction: showPrediction(prediction, secrets) }),
    ...(context === undefined ? {} : { context: showContext(context, secrets) }),
  };
}

/** What rules keep an agent from reading isn't read for its cards either, unless the question about this call answers them. */
async function hiddenFrom(
  runtime: Runtime,
  call: ParsedCall,
  setting: CallSetting,
): Promise<((path: string) => boolean) | undefined> {
  if (call.tool?.predictChange === undefined || setting.agentId === undefined) return undefined;
  const snapshot = await readSnapshot(runtime, setting.worldId);
  if (snapshot === undefined) return () => true;
  const { standsFor: _, ...own } = toPrepared(call, setting).policyCall;
  return rulesAbout(snapshot, setting.agentId, { ...own, tool: 'read_file' }).withheld;
}

/** The effect of a call whose tool knows it without a rehearsal (CHANGE7). The tool's own fingerprint stays what is signed. */
function knownEffect(runtime: Runtime, preview: unknown): RehearsalRecord | null {
  if (typeof preview !== 'object' || preview === null || !('effect' in preview)) return null;
  return { effect: showEffect(preview.effect, runtime.ownSecrets()) };
}

/** The call with what was rehearsed: the hash of its effect takes the place of the tool's fingerprint (CHANGE6). */
export function withRehearsal(
  runtime: Runtime,
  prepared: PreparedCall,
  { rehearsal, applies }: Pick<ApprovalRecord, 'rehearsal' | 'applies'>,
): PreparedCall {
  const { signed } = prepared;
  if (signed === undefined) return prepared;
  if (rehearsal === null || !('effect' in rehearsal)) return { ...prepared, signed: { ...signed, rehearsal } };
  if (applies !== 'draft') return prepared;
  return sign(runtime, prepared, { ...signed, rehearsal, applies, fingerprint: rehearsal.effect.effectHash });
}

export function sign(
  runtime: Runtime,
  prepared: PreparedCall,
  evidence: Omit<SignedEvidence, 'callHash'>,
): PreparedCall {
  const { call, keys } = prepared;
  const { workingDirectory, sandbox, fingerprint } = evidence;
  const hash = callHash(runtime.store.hashKey, {
    agentId: keys.agentId,
    chatId: keys.chatId,
    tool: digestOf(call.tool),
    toolName: call.toolName,
    argumentsText: call.argumentsText,
    workingDirectory,
    sandbox,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  });
  return { ...prepared, signed: { ...evidence, callHash: hash } };
}

/** The complete difference between most files of 20,000 lines. */
const PREVIEW_LIMIT_BYTES = 512 * 1024;

/** Truncates roughly before masking to avoid scanning megabytes, and again afterwards to remove a secret that was cut in half. */
async function showPreview(preview: unknown): Promise<Preview> {
  const parsed = previewSchema.safeParse(preview);
  const all = parsed.success ? parsed.data.text : textOf(preview);
  const roughly = capText(all, 2 * PREVIEW_LIMIT_BYTES);
  let masked = '';
  for (const part of maskLongText(roughly)) {
    if (masked !== '') await setImmediate();
    masked += part;
  }
  const text = capText(masked, PREVIEW_LIMIT_BYTES);
  return { text, truncated: (parsed.success && parsed.data.truncated) || roughly !== all || text !== masked };
}

const NOTHING_OPENED = { folders: [], hosts: [], anyHost: false, privateHosts: [] };

const UNKNOWN_SANDBOX = inProcess('unknown');

/** Reports an unknown sandbox if the tool reports none or throws (SAFE1). */
export function sandboxOf(tool: RegisteredTool | undefined, place: CallPlace, args?: unknown): CallSandbox {
  const fallback = place.sandbox ?? UNKNOWN_SANDBOX;
  if (tool?.sandbox === undefined) return fallback;
  try {
    const sandbox = callSandboxSchema.parse(tool.sandbox(place.grants ?? NOTHING_OPENED, args));
    return place.isFolderUnknown === true ? { ...sandbox, folder: 'unknown' } : sandbox;
  } catch {
    return UNKNOWN_SANDBOX;
  }
}
