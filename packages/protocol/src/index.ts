export { VERSION } from './version.js';
export { CLIENT_HEADER, LEAVING_HEADER, SESSION_HEADER, TERMINAL_AGENT } from './headers.js';
export { RESERVED_NAMES, freeName, isReservedName, nameFrom, nameSchema, slug } from './names.js';
export { byNumber, HIDDEN, HIDDEN_IN_CODE, HIDDEN_IN_PROSE, MASK, PLACEHOLDER } from './hidden.js';
export { recordText } from './record-text.js';
export { causeSchema, describeCause, toCause } from './causes.js';
export type { Cause } from './causes.js';
export { askReasonSchema, mapReason, readReason, reasonSchema } from './reasons.js';
export type { AskReason, Reason } from './reasons.js';
export { describeReason } from './describe-reason.js';
export { describeNeed, describeSigners, neededSignaturesSchema } from './needed-signatures.js';
export type { NeededSignatures } from './needed-signatures.js';
export { nearest } from './nearest.js';
export { isRule, policyLines, ruleLines } from './rule-lines.js';
export type { RuleLine } from './rule-lines.js';
export {
  REQUEST_APPROVAL_TOOL,
  RESERVED_TOOL_PREFIX,
  messageSchema,
  newMessageSchema,
  pageSchema,
  roleSchema,
  toolCallSchema,
  toolCallStatusSchema,
  usageSchema,
} from './messages.js';
export type { Message, NewMessage, Page, Role, ToolCall, ToolCallStatus, Usage } from './messages.js';
export { attachmentSchema, attachmentsIn, describeFile, imageTypeSchema, readAttachments } from './attachments.js';
export type { Attachment, ImageType } from './attachments.js';
export {
  callSandboxSchema,
  inProcess,
  previewSchema,
  storedPreviewSchema,
  storedSandboxSchema,
  unknownSandbox,
  unsandboxedText,
} from './call-sandbox.js';
export type { CallSandbox, Preview } from './call-sandbox.js';
export {
  approvalOptionSchema,
  defaultMessage,
  MESSAGE_FIELD,
  scopeSchema,
  toolApprovalSchema,
  toolDefinitionSchema,
  toolNameSchema,
} from './tools.js';
export type { ApprovalOption, Scope, Subject, ToolApproval, ToolDefinition } from './tools.js';
export { clientToolResultSchema, newClientSchema, questionAnswerSchema, toolDecisionSchema } from './decisions.js';
export type {
  ClientToolResult,
  NewClient,
  QuestionAnswer,
  RefusalCode,
  ToolDecision,
  ToolResultOutcome,
} from './decisions.js';
export { idOf, readWho, signerSchema, SYSTEM, whoSchema, whoText } from './who.js';
export type { Signer, Who } from './who.js';
export {
  crudEventSchema,
  isStoredEvent,
  removedBy,
  sseEventSchema,
  systemEventSchema,
  toolEventSchema,
  toolOutputEventSchema,
  unknownOutcomeSchema,
  worldEventSchema,
} from './events.js';
export type {
  CRUDEvent,
  SSEEvent,
  SystemEvent,
  ToolEvent,
  ToolEventType,
  ToolOutputEvent,
  UnknownOutcome,
  WorldActivityEvent,
  WorldEvent,
  WorldEventName,
} from './events.js';
export { readFrame, RESET_FRAME, toFrame } from './frames.js';
export type { Frame, ReadFrame } from './frames.js';
export {
  agentSchema,
  changeSchema,
  chatSchema,
  DEFAULT_CHAT_TITLE,
  newAgentSchema,
  newChatSchema,
  newWorldSchema,
  policySchema,
  worldSchema,
  worldSettingsSchema,
} from './worlds.js';
export type {
  Agent,
  AgentDefinition,
  Chat,
  ChatStatus,
  NewAgent,
  NewChat,
  NewWorld,
  World,
  WorldMode,
  WorldSettings,
} from './worlds.js';
export { AGENT_TEMPLATE_NAMES, AGENT_TEMPLATES, agentsFromTemplate } from './agent-templates.js';
export type { AgentTemplateName } from './agent-templates.js';
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
} from './approvals.js';
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
} from './approvals.js';
export { claimText, signedHeadSchema } from './audit-head.js';
export type { AuditClaim, SignedHead } from './audit-head.js';
export { SECRET_VARIABLES, withoutSecrets } from './secret-variables.js';
export type { SecretVariable } from './secret-variables.js';
export { CountersignError } from './errors.js';
export type { ErrorCode } from './errors.js';
export { parseInput, parseRequest } from './parse-input.js';
export { passkeyConfirmationSchema, passkeyPublicKeySchema } from './passkeys.js';
export type { PasskeyConfirmation, PasskeyPublicKey } from './passkeys.js';
export { refuseUnknownKeys } from './refuse-unknown-keys.js';
export { checkWith, checkWithJsonSchema, toJsonSchema } from './json-schema.js';
export type { ArgumentCheck, JsonSchema } from './json-schema.js';
export {
  acceptedMessageSchema,
  healthSchema,
  listedToolSchema,
  listOf,
  mcpServerSchema,
  messageListSchema,
  newSessionSchema,
  coveredCallSchema,
  matchedCallSchema,
  matchedCallsSchema,
  policyMatchSchema,
  policyVerdictSchema,
  ruleMissSchema,
  problemSchema,
  registeredClientSchema,
  searchHitSchema,
  sessionSchema,
  startLinkSchema,
  statsSchema,
  timelineSchema,
} from './rest.js';
export type {
  AcceptedMessage,
  Health,
  NewSession,
  ListedTool,
  McpCause,
  McpServer,
  CoveredCall,
  MatchedCall,
  MatchedCalls,
  PolicyMatch,
  PolicyVerdict,
  RuleMiss,
  Problem,
  RegisteredClient,
  SearchHit,
  Session,
  StartLink,
  Stats,
  Timeline,
} from './rest.js';
export {
  agentChangeSchema,
  approvalsQuerySchema,
  auditQuerySchema,
  bothWaysQuerySchema,
  chatChangeSchema,
  END_OF_LIST,
  eventsQuerySchema,
  listQuerySchema,
  memoryQuerySchema,
  newPolicySchema,
  newToolResultSchema,
  searchQuerySchema,
  ruleWarningSchema,
  shownPolicySchema,
  toolResultReplySchema,
  toolResultSchemaFor,
  worldChangeSchema,
} from './requests.js';
export type {
  BothWaysQuery,
  ChatChange,
  ListQuery,
  NewPolicy,
  NewToolResult,
  RuleWarning,
  ShownPolicy,
  ToolResultReply,
} from './requests.js';
export { importedWorldSchema, WORLD_FILE_VERSION, worldFileSchema } from './world-file.js';
export type { ImportedWorld, WorldFile } from './world-file.js';
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
} from './mcp-servers.js';
export type {
  McpContext,
  McpContextRequest,
  McpServerChange,
  McpServerDefinition,
  McpSignInAnswer,
  McpSignInRequest,
  McpSignInStart,
  NewMcpServer,
} from './mcp-servers.js';
export { fieldProblem, formAnswer, readField, readFormAnswer } from './question-form.js';
export type { FormContent, FormField, FormValue, QuestionForm } from './question-form.js';
export { modelSettings, modelSettingsSchema } from './model-settings.js';
export type { ModelSettings, Thinking } from './model-settings.js';
export { policyCheckSchema } from './worlds.js';
export type { PolicyCheck } from './worlds.js';
export {
  explainInactive,
  explainSilence,
  findSilence,
  foldName,
  prepareAnswer,
  resolveAddressees,
} from './mentions/index.js';
export type { Addressable, PreparedAnswer, Silence, Speaker } from './mentions/index.js';
export {
  newProviderSchema,
  isRealProvider,
  isUnencrypted,
  PROVIDER_KINDS,
  providerChangeSchema,
  providerKindFacts,
  providerKindSchema,
  providerModelSchema,
  providerModelsSchema,
  providerStatusSchema,
  providerTestRequestSchema,
  providerTestSchema,
  removeProviderQuerySchema,
} from './providers.js';
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
} from './providers.js';
export {
  ACTIONS,
  createdTokenSchema,
  effectiveActions,
  mayDo,
  groupChangeSchema,
  groupNameSchema,
  groupSchema,
  invitationSchema,
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
  tokenSchema,
  tokenScopeSchema,
} from './people.js';
export type {
  Action,
  CreatedToken,
  Group,
  GroupChange,
  Invitation,
  Me,
  NewPerson,
  NewToken,
  OpenSession,
  Person,
  PersonChange,
  PersonStatus,
  PersonRole,
  Token,
  TokenScope,
} from './people.js';
