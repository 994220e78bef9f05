export { openWorld } from './open-world.js';
export type { OpenWorldOptions } from './open-world.js';
export { systemClock } from './system-clock.js';
export type { Decision, OpenedChat, OpenedWorld } from './world.js';
export type { ClientRegistry, EventListener, MatchedCall, Probe } from '@countersign/core';
export { defineTool, NoAnswer, ProviderError, ToolFailure } from '@countersign/core/ports';
export type {
  AuditVerdict,
  Clock,
  GenerateRequest,
  LLMResponse,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  Provider,
  ProviderFailure,
  Tool,
  ToolContext,
  ToolInput,
  ToolPlace,
} from '@countersign/core/ports';
// For your own tests: a scripted model and a clock that you advance.
export { createFakeClock, scripted } from '@countersign/core/testing';
export type {
  FakeClock,
  Script,
  ScriptedCall,
  ScriptedOptions,
  ScriptedProvider,
  ScriptedReply,
} from '@countersign/core/testing';
export { anthropic, google, openai, openaiCompatible, startScriptedModel } from '@countersign/providers';
export type {
  ModelScript,
  ProviderOptions,
  ReplyConditions,
  ReplyFunction,
  ScriptedModel,
  ScriptedModelOptions,
  ScriptedModelReply,
  ScriptedModelRequest,
  ServedRequest,
} from '@countersign/providers';
export {
  askHuman,
  createAgent,
  defaultTools,
  describeSandbox,
  editFile,
  findSandbox,
  grep,
  listFiles,
  readFile,
  sendMessage,
  shellCmd,
  webFetch,
  writeFile,
} from '@countersign/tools';
export type { Sandbox, ShellOptions } from '@countersign/tools';
export { CountersignError } from '@countersign/protocol';
export type {
  Agent,
  Approval,
  ApprovalOption,
  ApprovalStatus,
  ApprovalWithContext,
  AuditEntry,
  Chat,
  ChatStatus,
  ErrorCode,
  Grant,
  Message,
  NewAgent,
  PolicyCheck,
  PolicyVerdict,
  Question,
  QuestionAnswer,
  Scope,
  Signer,
  Subject,
  ToolApproval,
  ToolCall,
  ToolDecision,
  ToolEvent,
  ToolResultOutcome,
  Usage,
  WorldEvent,
  WorldEventName,
  WorldSettings,
} from '@countersign/protocol';
