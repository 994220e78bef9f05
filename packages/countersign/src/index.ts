export { openWorld } from './open-world.js';
export { systemClock } from './system-clock.js';
export { fromAiSdk } from './adapters/from-ai-sdk.js';
export type { AiSdkTool, FromAiSdk } from './adapters/from-ai-sdk.js';
export { fromLangChain } from './adapters/from-lang-chain.js';
export type { LangChainTool } from './adapters/from-lang-chain.js';
export { openCountersign } from './open-countersign.js';
export type { Countersign } from './open-countersign.js';
export type { CountersignOptions, OpenWorldOptions, SharedOptions, WorldOptions } from './options/options.js';
export type { Approve, ApproveContext } from './approver.js';
export type { ApprovalOf, OtherToolName } from './typed-approval.js';
export type { Decision } from './decision.js';
export type { EventsOptions } from './world/follow-events.js';
export type { OpenedChat, OpenedWorld, StoreWorld } from './world/world.js';
export { openPostgres, openSqlite } from '@countersign/storage';
export type { PostgresOptions, SqliteOptions } from '@countersign/storage';
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
  ObjectJsonSchema,
  StandardSchema,
  Store,
  Tool,
  ToolContext,
  ToolInput,
  ToolPlace,
  ToolSchema,
  TypedTool,
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
export type { SignedBy } from './signer.js';
export type { Settled } from './world/until-settled.js';
export type { TurnFailure } from '@countersign/core';
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
  NewMcpServer,
  PolicyCheck,
  PolicyVerdict,
  Question,
  QuestionAnswer,
  Scope,
  Subject,
  ToolApproval,
  ToolCall,
  ToolDecision,
  ToolEvent,
  ToolResultOutcome,
  Usage,
  Who,
  World,
  WorldEvent,
  WorldEventName,
  WorldSettings,
} from '@countersign/protocol';
