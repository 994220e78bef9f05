export { VERSION } from './version.js';
export {
  CLIENT_HEADER,
  LEAVING_HEADER,
  NO_CALL,
  SESSION_HEADER,
  TERMINAL_AGENT,
  TOKEN_EXPIRES_HEADER,
} from './http/headers.js';
export { healthSchema, listOf, problemSchema, startLinkSchema } from './http/common.js';
export type { Health, Problem, StartLink } from './http/common.js';
export { RESERVED_NAMES, freeName, isReservedName, nameFrom, nameSchema, slug } from './text/names.js';
export { looksLike } from './text/looks-like.js';
export { byNumber, HIDDEN, HIDDEN_IN_CODE, HIDDEN_IN_PROSE, MASK, PLACEHOLDER } from './text/hidden.js';
export { normalizeText } from './text/normalize-text.js';
export { recordText } from './text/record-text.js';
export { causeSchema, describeCause, toCause } from './calls/causes.js';
export type { Cause } from './calls/causes.js';
export { askReasonSchema, mapReason, reasonSchema } from './calls/reasons.js';
export type { AskReason, Reason, WhatChanged } from './calls/reasons.js';
export { describeReason } from './calls/describe-reason.js';
export {
  describeNeed,
  describeNeedBy,
  describeSigners,
  describeStuck,
  forText,
  listNames,
  neededSignaturesSchema,
} from './calls/needed-signatures.js';
export type { NeededSignatures, Signature } from './calls/needed-signatures.js';
export { newScheduleSchema, scheduleChangeSchema, scheduleSchema } from './worlds/schedules.js';
export type { NewSchedule, Schedule, ScheduleChange } from './worlds/schedules.js';
export { delegationSchema, newDelegationSchema } from './people/delegations.js';
export type { Delegation, NewDelegation, Principal } from './people/delegations.js';
export { nearest } from './text/nearest.js';
export { questionQuerySchema, questionStatsSchema, ruleUsesSchema } from './http/questions.js';
export type { QuestionFigures, QuestionStats, RuleUse, RuleUses } from './http/questions.js';
export { policyReplaySchema, replayedSchema, replayProgressSchema, suggestionsSchema } from './http/replay.js';
export type {
  PolicyReplay,
  Replayed,
  ReplayedCall,
  RuleSuggestion,
  SuggestedCall,
  Suggestions,
} from './http/replay.js';
export { endOfDay, endText, readEnd, settleEnd, withEnd } from './calls/rule-ends.js';
export { isRule, policyLines, ruleLines } from './calls/rule-lines.js';
export type { RuleLine } from './calls/rule-lines.js';
export {
  REQUEST_APPROVAL_TOOL,
  RESERVED_TOOL_PREFIX,
  messageSchema,
  newBranchSchema,
  newMessageSchema,
  pageSchema,
  roleSchema,
  toolCallSchema,
  toolCallStatusSchema,
  usageSchema,
} from './calls/messages.js';
export type { Message, NewBranch, NewMessage, Page, Role, ToolCall, ToolCallStatus, Usage } from './calls/messages.js';
export {
  attachmentSchema,
  attachmentsIn,
  describeFile,
  imageTypeSchema,
  messageAttachmentSchema,
  newAttachmentSchema,
  readAttachments,
} from './calls/attachments.js';
export type { Attachment, ImageType, MessageAttachment, NewAttachment, SentAttachment } from './calls/attachments.js';
export { callContextSchema, newCallContextSchema } from './calls/call-context.js';
export type { CallContext } from './calls/call-context.js';
export { callSandboxSchema, inProcess, previewSchema, unknownSandbox, unsandboxedText } from './calls/call-sandbox.js';
export type { CallSandbox, Preview } from './calls/call-sandbox.js';
export {
  changedFileSchema,
  describeEffect,
  describeNoEffect,
  isInapplicable,
  describePrediction,
  effectSchema,
  wholeEffectSchema,
  leftOutFileSchema,
  noEffectReasonSchema,
  noEffectSchema,
  predictionSchema,
} from './calls/effect.js';
export type { ChangedFile, Effect, NoEffect, NoEffectReason, Prediction } from './calls/effect.js';
export {
  applyRunSchema,
  type ApplyRun,
  askRunSchema,
  type AskRun,
  endedRunSchema,
  RUN_TOOL,
  runAgentSchema,
  runProcessSchema,
  restartRunSchema,
  runRequestSchema,
  runSchema,
  selectRunSchema,
  startedRunSchema,
  startRunSchema,
} from './runs/runs.js';
export type {
  EndedRun,
  NewRunRequest,
  NewSelection,
  RestartRun,
  Run,
  RunEnd,
  RunProcess,
  RunRequest,
  RunState,
  StartedRun,
  SelectRun,
  StartRun,
} from './runs/runs.js';
export { RUN_AGENTS } from './runs/run-agents.js';
export type { RunAgent } from './runs/run-agents.js';
export { runEffectSchema } from './runs/run-effect.js';
export type { RunCommit, RunEffect, RunRef, TriedHost } from './runs/run-effect.js';
export { batchDecisionSchema, batchReplySchema, batchSchema, MAX_BATCH, newBatchSchema } from './calls/batch.js';
export type { BatchDecision, BatchReply, CallBatch, NewBatch } from './calls/batch.js';
export { newUndoSchema, undoableCallSchema, undoPreviewSchema, whyNotUndone } from './calls/undo.js';
export type { UndoableCall, UndoPreview } from './calls/undo.js';
export {
  approvalOptionSchema,
  defaultMessage,
  MESSAGE_FIELD,
  scopeSchema,
  toolApprovalSchema,
  toolDefinitionSchema,
  toolNameSchema,
} from './calls/tools.js';
export type { ApprovalOption, Scope, Subject, ToolApproval, ToolDefinition } from './calls/tools.js';
export {
  clientToolResultSchema,
  decisionResultSchema,
  newClientSchema,
  newDecisionsSchema,
  questionAnswerSchema,
  toolDecisionSchema,
} from './calls/decisions.js';
export type {
  ClientToolResult,
  DecisionResult,
  NewClient,
  NewDecisions,
  QuestionAnswer,
  RefusalCode,
  ToolDecision,
  ToolResultOutcome,
} from './calls/decisions.js';
export { newSentenceSchema, sessionAnswerSchema, sessionContextSchema } from './external/sentence.js';
export type { SentenceForSession } from './external/sentence.js';
export { ACP_PROVIDER, acpProgram, acpSchema, isAutomaticMode, ONLY_TITLE } from './external/acp.js';
export type { AcpSettings } from './external/acp.js';
export {
  addedExternalAgentSchema,
  readingQuerySchema,
  readingRulesSchema,
  createdExternalAgentSchema,
  endExternalSessionSchema,
  EXTERNAL_PROVIDER,
  externalCallSchema,
  externalProgramSchema,
  externalResultSchema,
  externalToolName,
  externalClaimSchema,
  externalWaitQuerySchema,
  newExternalAgentSchema,
  newExternalCallSchema,
  programName,
} from './external/external.js';
export type {
  AddedExternalAgent,
  ReadingRules,
  CreatedExternalAgent,
  ExternalCall,
  ExternalCallState,
  ExternalResult,
  NewExternalAgent,
  NewExternalCall,
} from './external/external.js';
export { EXTERNAL_VERBS, externalVerb } from './external/tool-verbs.js';
export type { ExternalVerb } from './external/tool-verbs.js';
export { readWho, readWhos, signerSchema, SYSTEM, whoSchema, whosText, whoText } from './people/who.js';
export type { Signer, Who } from './people/who.js';
export {
  crudEventSchema,
  isStoredEvent,
  removedBy,
  sseEventSchema,
  systemEventSchema,
  toolEventSchema,
  toolOutputEventSchema,
  failedOutcomeSchema,
  unknownOutcomeSchema,
  worldEventSchema,
} from './http/events.js';
export type {
  CRUDEvent,
  SSEEvent,
  SystemEvent,
  ToolEvent,
  ToolEventType,
  ToolOutputEvent,
  FailedOutcome,
  UnknownOutcome,
  WorldActivityEvent,
  WorldEvent,
  WorldEventName,
} from './http/events.js';
export {
  approvalEventSchema,
  QUEUE_FRAME,
  queueEventSchema,
  readFrame,
  readQueueFrame,
  RESET_FRAME,
  streamedEventSchema,
  toFrame,
} from './http/frames.js';
export type { Frame, QueueChange, ReadFrame } from './http/frames.js';
export {
  changeSchema,
  chatSchema,
  DEFAULT_CHAT_TITLE,
  newChatSchema,
  newWorldSchema,
  policySchema,
  worldSchema,
  worldSettingsSchema,
} from './worlds/worlds.js';
export type { Chat, ChatStatus, Filed, NewChat, NewWorld, World, WorldMode, WorldSettings } from './worlds/worlds.js';
export { AGENT_TEMPLATE_NAMES, AGENT_TEMPLATES, agentsFromTemplate } from './worlds/agent-templates.js';
export { agentSchema, newAgentSchema, savedAgentSchema } from './worlds/agents.js';
export type { Agent, AgentDefinition, NewAgent, SavedAgent } from './worlds/agents.js';
export type { AgentTemplateName } from './worlds/agent-templates.js';
export {
  approvalFilterSchema,
  approvalSchema,
  approvalWithContextSchema,
  auditEntrySchema,
  auditVerdictSchema,
  grantSchema,
  revealedCallSchema,
  questionSchema,
  queuedApprovalSchema,
  sessionOfferSchema,
  waitingCallSchema,
} from './calls/approvals.js';
export type {
  Approval,
  ApprovalFilter,
  ApprovalStatus,
  ApprovalWithContext,
  AuditEntry,
  AuditRecord,
  AuditVerdict,
  Grant,
  RevealedCall,
  Question,
  QueuedApproval,
  SessionOffer,
  WaitingCall,
} from './calls/approvals.js';
export { claimText, signedHeadSchema } from './calls/audit-head.js';
export type { AuditClaim, SignedHead } from './calls/audit-head.js';
export { SECRET_VARIABLES, withoutSecrets } from './connections/secret-variables.js';
export type { SecretVariable } from './connections/secret-variables.js';
export { CountersignError } from './input/errors.js';
export type { ErrorCode } from './input/errors.js';
export { api } from './input/field.js';
export { measureJson } from './input/measure-json.js';
export { parseInput, parseRequest } from './input/parse-input.js';
export {
  newPasskeySchema,
  passkeyChangeSchema,
  passkeyOptionsSchema,
  passkeySchema,
  passkeySignInSchema,
} from './people/registered-passkeys.js';
export type { NewPasskey, PasskeyOptions, PasskeySignIn, RegisteredPasskey } from './people/registered-passkeys.js';
export {
  newDenialSchema,
  newPushSchema,
  pushChangeSchema,
  pushListSchema,
  pushSubscriptionSchema,
} from './people/push.js';
export type { NewPush, PushDevice, PushList, QuietHours } from './people/push.js';
export {
  newWebhookSchema,
  savedWebhookSchema,
  webhookChangeSchema,
  webhookDeliverySchema,
  webhookEventSchema,
  webhookFormatSchema,
  webhookReplayedSchema,
  webhookReplaySchema,
  webhookSchema,
} from './people/webhooks.js';
export type {
  DeliveryState,
  NewWebhook,
  SavedWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookEvent,
  WebhookFormat,
} from './people/webhooks.js';
export { passkeyConfirmationSchema, passkeyPublicKeySchema } from './people/passkeys.js';
export type { PasskeyConfirmation, PasskeyPublicKey } from './people/passkeys.js';
export {
  challengeSchema,
  newChallengeSchema,
  pinnedPasskeySchema,
  receiptSchema,
  storedReceiptSchema,
} from './people/receipts.js';
export type {
  Assertion,
  Challenge,
  Confirmable,
  NewChallenge,
  PinnedPasskey,
  Receipt,
  SignedDecision,
  StoredReceipt,
} from './people/receipts.js';
export { refuseUnknownKeys } from './input/refuse-unknown-keys.js';
export { checkWith, checkWithJsonSchema, toJsonSchema } from './input/json-schema.js';
export type { ArgumentCheck, JsonSchema } from './input/json-schema.js';
export {
  acceptedMessageSchema,
  listedToolSchema,
  mcpServerSchema,
  messageListSchema,
  newSessionSchema,
  oidcStartSchema,
  coveredCallSchema,
  matchedCallSchema,
  matchedCallsSchema,
  policyMatchSchema,
  policyVerdictSchema,
  ruleMissSchema,
  registeredClientSchema,
  enteredSchema,
  pairingSchema,
  searchHitSchema,
  sessionSchema,
  signInWaysSchema,
  costQuerySchema,
  costSchema,
  statsQuerySchema,
  statsSchema,
  timelineSchema,
} from './http/rest.js';
export type {
  AcceptedMessage,
  NewSession,
  OidcReturn,
  OidcStart,
  Pairing,
  SignInWays,
  ListedTool,
  McpCause,
  McpServer,
  CoveredCall,
  MatchedCall,
  MatchedCalls,
  PolicyMatch,
  PolicyVerdict,
  RuleMiss,
  RegisteredClient,
  SearchHit,
  Session,
  Cost,
  Stats,
  Timeline,
} from './http/rest.js';
export {
  agentChangeSchema,
  confirmedAgentSchema,
  approvalsQuerySchema,
  auditQuerySchema,
  bothWaysQuerySchema,
  chatChangeSchema,
  END_OF_LIST,
  eventsQuerySchema,
  exportQuerySchema,
  type ExportFormat,
  listQuerySchema,
  memoryQuerySchema,
  confirmedMcpChangeSchema,
  confirmedMcpServerSchema,
  confirmedWorldSchema,
  confirmedExternalAgentSchema,
  confirmedTokenSchema,
  newDeviceLinkSchema,
  newInvitationSchema,
  newPolicySchema,
  newToolResultSchema,
  removalSchema,
  searchQuerySchema,
  webhookDeliveriesQuerySchema,
  ruleWarningSchema,
  shownPolicySchema,
  toolResultReplySchema,
  toolResultSchemaFor,
  worldChangeSchema,
} from './http/requests.js';
export type {
  BothWaysQuery,
  ChatChange,
  ListQuery,
  NewPolicy,
  NewToolResult,
  RuleWarning,
  ShownPolicy,
  ToolResultReply,
} from './http/requests.js';
export { importedWorldSchema, WORLD_FILE_VERSION, worldFileSchema } from './worlds/world-file.js';
export type { ImportedWorld, WorldFile } from './worlds/world-file.js';
export {
  mcpContextRequestSchema,
  mcpContextSchema,
  mcpContextTextSchema,
  mcpServerChangeSchema,
  mcpServerNameSchema,
  mcpSignInAnswerSchema,
  mcpSignInRequestSchema,
  mcpSignInStartSchema,
  mcpSignedInSchema,
  newMcpServerSchema,
  storedMcpValuesSchema,
} from './connections/mcp-servers.js';
export type {
  McpContext,
  McpContextRequest,
  McpNetwork,
  McpServerChange,
  McpServerDefinition,
  McpSignInAnswer,
  McpSignInRequest,
  McpSignInStart,
  NewMcpServer,
} from './connections/mcp-servers.js';
export { isLinkLocal } from './connections/is-link-local.js';
export { fillValues, isShellScript } from './connections/fill-values.js';
export {
  downloadingRunner,
  NPM_REGISTRY,
  packageHosts,
  packageRunner,
  startTimeout,
} from './connections/package-runner.js';
export { fieldProblem, formAnswer, readField, readFormAnswer } from './calls/question-form.js';
export type { FormContent, FormField, FormValue, QuestionForm } from './calls/question-form.js';
export { modelSettings, modelSettingsSchema } from './worlds/model-settings.js';
export type { ModelSettings, Thinking } from './worlds/model-settings.js';
export { policyCheckSchema } from './worlds/worlds.js';
export type { PolicyCheck } from './worlds/worlds.js';
export {
  explainInactive,
  explainSilence,
  findSilence,
  foldName,
  prepareAnswer,
  resolveAddressees,
  toAddressable,
} from './mentions/index.js';
export type { Addressable, PreparedAnswer, Silence, Speaker } from './mentions/index.js';
export {
  newProviderSchema,
  isRealProvider,
  isUnencrypted,
  PROVIDER_KINDS,
  providerChangeSchema,
  providerKindFacts,
  unlistedModel,
  providerKindSchema,
  providerModelSchema,
  providerModelsSchema,
  providerStatusSchema,
  providerTestRequestSchema,
  providerTestSchema,
  removeProviderQuerySchema,
} from './connections/providers.js';
export type {
  NewProvider,
  ProviderAnswer,
  ProviderChange,
  ProviderKind,
  ProviderModel,
  ProviderModels,
  ProviderStatus,
  ProviderTest,
  ProviderTestRequest,
} from './connections/providers.js';
export {
  ACTIONS,
  askFor,
  createdTokenSchema,
  effectiveActions,
  groupChangeSchema,
  groupNameSchema,
  groupSchema,
  deviceConfirmationSchema,
  deviceLinkSchema,
  deviceLinkStateSchema,
  invitationSchema,
  mayDo,
  meSchema,
  newPersonSchema,
  newTokenSchema,
  openSessionSchema,
  personChangeSchema,
  personNameSchema,
  personRoleSchema,
  personSchema,
  ROLE_ACTIONS,
  ROLES,
  SERVER_LOG,
  stuckRuleSchema,
  stuckRulesQuerySchema,
  tokenSchema,
  tokenScopeSchema,
  whoToAsk,
} from './people/people.js';
export type {
  Action,
  CreatedToken,
  Group,
  GroupChange,
  DeviceLink,
  DeviceLinkState,
  Invitation,
  Me,
  NewPerson,
  NewToken,
  OpenSession,
  Person,
  PersonChange,
  PersonStatus,
  PersonRole,
  StuckRule,
  Token,
  TokenScope,
} from './people/people.js';
export { commitReceiptSchema, pinnedServerSchema, RECEIPTS_REF, signedReceiptSchema } from './runs/commit-receipt.js';
export type { CommitReceipt, PinnedServer, SignedReceipt } from './runs/commit-receipt.js';
export { isOtherFolders, localAgentSchema, localGateSchema } from './external/local-agents.js';
export type { LocalAgent, NewLocalGate } from './external/local-agents.js';
