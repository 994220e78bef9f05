export { openWorld } from './open-world.js';
export type { OpenWorldOptions } from './open-world.js';
export { systemClock } from './system-clock.js';
export type { Decision, OpenedChat, OpenedWorld } from './world.js';
export { defineTool, ProviderError, ToolFailure } from '@countersign/core/ports';
export type {
  GenerateRequest,
  LLMResponse,
  ModelMessage,
  Provider,
  Tool,
  ToolContext,
  ToolInput,
} from '@countersign/core/ports';
export { scripted } from '@countersign/core/testing';
export type { Script, ScriptedCall, ScriptedProvider, ScriptedReply } from '@countersign/core/testing';
export { anthropic, google, openai, openaiCompatible } from '@countersign/providers';
export type { ProviderOptions } from '@countersign/providers';
export {
  describeSandbox,
  editFile,
  findSandbox,
  grep,
  listFiles,
  readFile,
  shellCmd,
  writeFile,
} from '@countersign/tools';
export type { Sandbox, ShellOptions } from '@countersign/tools';
export { CountersignError } from '@countersign/protocol';
export type {
  Agent,
  Approval,
  AuditEntry,
  Grant,
  Message,
  NewAgent,
  Signer,
  ToolDecision,
  ToolEvent,
  ToolResultOutcome,
  WorldEvent,
} from '@countersign/protocol';
