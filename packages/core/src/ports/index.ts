export { systemClock } from './clock.js';
export type { Clock } from './clock.js';
export { isLikelySecret } from './is-likely-secret.js';
export { isOwnFile, registerOwnFile, ownFiles } from './own-files.js';
export type {
  McpHost,
  McpHostFactory,
  McpPlace,
  McpRecords,
  McpServerState,
  McpServerWithTools,
  ToolSource,
  OpenedMcpServer,
} from './mcp.js';
export type { SecretBox, Unsealed } from './secret-box.js';
export type { McpServerRecord, McpToolDefinition, McpToolRecord } from './store/mcp-records.js';
export { hasAuthorizationHeader } from './mcp-sign-in.js';
export type {
  McpAuthorization,
  McpAuthorizer,
  McpGrant,
  McpOAuthClient,
  McpPendingSignIn,
  McpRemote,
  McpSignIn,
  McpSignInStart,
  McpSignInStarted,
  McpTokens,
} from './mcp-sign-in.js';
export { registerTool } from './tools/registered-tool.js';
export type { RegisteredTool, ToolClaims } from './tools/registered-tool.js';
export type { ProviderRecord } from './store/provider-records.js';
export type { ScheduleRecord, ScheduleTimes } from './store/schedule-records.js';
export type { DeliveryRecord, WebhookRecord } from './store/webhook-records.js';
export { SERVER_LOG } from '@countersign/protocol';
export type {
  ChallengeData,
  CredentialKind,
  CredentialRecord,
  ExternalPlace,
  ExternalTokenData,
  FoundCredential,
  GroupRecord,
  OidcIdentity,
  PasskeyData,
  PushData,
  PushTold,
  PersonRecord,
} from './store/people-records.js';
export { ProviderError } from './provider.js';
export type {
  AgentSession,
  GenerateRequest,
  LLMResponse,
  ModelPrice,
  ModelImage,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  Provider,
  ProviderFailure,
  ProviderReason,
  ProviderSource,
  SettingProblem,
} from './provider.js';
export { defineTool } from './tools/define-tool.js';
export type { ToolInput } from './tools/define-tool.js';
export { readToolSchema } from './tools/tool-schema.js';
export type { InputOf, ObjectJsonSchema, OutputOf, StandardSchema, ToolSchema } from './tools/tool-schema.js';
export { NoAnswer, NotReported, ToolFailure } from './tools/tool.js';
export { createStop, onAbort, pauseFor, untilAborted, withinTime } from './until-aborted.js';
export { errorMessage } from './error-message.js';
export type {
  Batches,
  Drafted,
  DraftContext,
  SealedBatch,
  Hold,
  HoldContext,
  NewAttachment,
  ProtectedPaths,
  OpenedToSandbox,
  EffectPaths,
  Predicted,
  PredictionContext,
  Rehearsal,
  EffectPreview,
  AnswerForProgram,
  AskingTool,
  PredictedChange,
  RehearsalContext,
  StandIn,
  Rehearsals,
  Undos,
  UndoState,
  Tool,
  ToolContext,
  ToolPlace,
  TypedTool,
} from './tools/tool.js';
export type { WorldHandle } from './tools/world-handle.js';
export type {
  AgentRecord,
  ApprovalRecord,
  AttachmentRecord,
  SigningRecord,
  ChatPart,
  ChatRecord,
  ClientRecord,
  Emission,
  GrantRecord,
  CallRecord,
  ClaimedEvidence,
  PredictedEvidence,
  RunBy,
  CallStatus,
  MessageRecord,
  NewMessage,
  QuestionRecord,
  RehearsalRecord,
  SpeakerKind,
  StoredEvent,
  TurnOutcome,
  TurnRecord,
  TurnState,
  WorldRecord,
} from './store/records.js';
export { UNKNOWN_AGENT } from './store/records.js';
export type {
  ApprovalVerdict,
  CallKeys,
  ChatChange,
  ChatState,
  RowChange,
  NewAuditRecord,
  StepNeeds,
  StepReads,
  StepWrites,
} from './store/step.js';
export type {
  AuditVerdict,
  FoundMessage,
  OnCommit,
  InvocationChange,
  Page,
  Workload,
  SharedStore,
  Store,
  StoreReader,
  StoreTransaction,
  TurnChange,
  DayCost,
  WorldCounts,
} from './store/store.js';
export { allPartsOf, isPartOf, partsOf } from './store/chat-parts.js';
