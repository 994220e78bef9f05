export { attachmentText } from './show/attachment-text.js';
export { addTemplate } from './add-template.js';
export { agentColour, agentInitials } from './agent-colour.js';
export { createClient, newClientMessageId } from './http/create-client.js';
export { createRunClient } from './http/create-run-client.js';
export type { RunClient } from './http/create-run-client.js';
export type { ClientOptions } from './http/create-requests.js';
export type {
  BothWays,
  CallOptions,
  Change,
  ChangeOptions,
  Client,
  List,
  MessageList,
  PageQuery,
  Tagged,
} from './http/client.js';
export { ClientError, isTransient } from './http/client-error.js';
export type { ClientErrorKind } from './http/client-error.js';
export { pause } from './clock.js';
export type { Clock } from './clock.js';
export type { Batch, Connection, EventsOptions, StreamItem } from './http/events.js';
export { openChat } from './open-chat.js';
export { createOutbox, isWaiting, notYetShown } from './outbox.js';
export type { Outbox, Outgoing } from './outbox.js';
export { openWorldView } from './open-world-view.js';
export { readAll } from './http/read-all.js';
export { readerId } from './reader-id.js';
export { readerIn } from './state/reader.js';
export type { Reader } from './state/reader.js';
export { viewOfApproval } from './state/read-message.js';
export { emptyChat, reduceChat } from './state/reduce-chat.js';
export type { ChatAction } from './state/reduce-chat.js';
export { emptyWorld, reduceWorld } from './state/reduce-world.js';
export type { WorldAction } from './state/reduce-world.js';
export { rowAt, sliceRows } from './state/rows.js';
export type { Rows } from './state/rows.js';
export {
  agentName,
  approvalsForYou,
  forYouFirst,
  waitingCount,
  approvalsBlocking,
  allBlockingApprovals,
  pendingApprovals,
  placeInQueue,
  turnOf,
  workers,
} from './state/selectors.js';
export type { Worker } from './state/selectors.js';
export { auditRule, auditWhy } from './show/audit-text.js';
export type { Answer } from './show/call/answer.js';
export { needsPasskey } from './show/people/needs-passkey.js';
export {
  abandonedText,
  notEditableText,
  contextTexts,
  subagentText,
  maskedCount,
  maskedText,
  readArguments,
  toolText,
  verbFor,
  wantsTo,
  editedText,
  isRehearsed,
  nothingRunsText,
  partText,
  whyText,
} from './show/call/card-text.js';
export { searchWorlds, type WorldHit } from './search-worlds.js';
export { costText, sumCosts, type Used } from './show/cost-text.js';
export { exportFileName } from './show/export-file-name.js';
export { isLocalLink } from './show/is-local-link.js';
export { afterSigning, isForYou, lacksPasskey, mayEdit, signingLines, yourPart } from './show/people/signing.js';
export type { YourPart } from './show/people/signing.js';
export { changesReason } from './show/call/changes-reason.js';
export { revealedView } from './show/call/revealed-view.js';
export { nameOf, signedText, writerName } from './show/people/who-text.js';
export {
  byText,
  decisionStory,
  expiredText,
  scopeText,
  approvedText,
  stoppedText,
} from './show/people/decision-story.js';
export { failureText } from './show/call/failure-text.js';
export { heldText } from './show/people/held-text.js';
export {
  coveredGroups,
  chatPattern,
  chatScopeText,
  coveredLines,
  otherCalls,
  coveredTitle,
  coveredText,
  grantMatch,
  inFolderText,
  type CoveredWhen,
} from './show/call/covered-calls.js';
export { asText, callLine, describeCall, namedCallLine, withCommand } from './show/call/describe-call.js';
export type { CallShape } from './show/call/describe-call.js';
export { changeLines, diffLines } from './show/call/diff-lines.js';
export { argumentsWithHosts, hostRule, hostsForNextRun, hostsToAllow } from './show/call/allow-host.js';
export { chatChanges } from './show/change/chat-changes.js';
export type { ChangingCall } from './show/change/chat-changes.js';
export { changeEntries, hasFiles, withoutDiffs } from './show/change/change-entries.js';
export type { ChangeEntry, ChangeFile, ChangeFolder, ChangeText } from './show/change/change-entries.js';
export { changedWords } from './show/change/changed-words.js';
export { changeStarts, counterparts, sideBySide } from './show/change/diff-rows.js';
export type { DiffRow, SideRow } from './show/change/diff-rows.js';
export { effectBrief, effectText, type EffectFile, type EffectText } from './show/call/effect-text.js';
export { programText, type RunPart } from './show/call/run-text.js';
export type { DiffLine } from './show/call/diff-lines.js';
export { complete, matching, mentionAt } from './show/people/mention-at.js';
export { wordCount } from './show/word-count.js';
export { recipientsText } from './show/people/recipients-text.js';
export { whoAnswers } from './show/people/who-answers.js';
export type { WhoAnswers } from './show/people/who-answers.js';
export type { Mention } from './show/people/mention-at.js';
export { after, nextCurrent, replacementOf } from './show/call/next-current.js';
export type { Answered, Current } from './show/call/next-current.js';
export { ruleMissText } from './show/rule-miss.js';
export { ruleWarningText } from './show/rule-warning.js';
export { addMcpServers } from './mcp-file/add-mcp-servers.js';
export { hasArguments } from './mcp-file/has-arguments.js';
export { splitCommand } from './mcp-file/split-command.js';
export { liftSecrets, type McpConnection } from './mcp-file/lift-secrets.js';
export { nameOfPlaceholder } from './mcp-file/placeholders.js';
export {
  fillMcpServer,
  MCP_FILE_BYTES,
  readMcpFile,
  type McpFile,
  type McpFileInput,
  type McpFileServer,
} from './mcp-file/read-mcp-file.js';
export { mcpCauseFixes, mcpCauseText, needsSignIn, type McpFix } from './show/mcp-cause-text.js';
export { folderOf, sandboxText } from './show/call/sandbox-text.js';
export { externalAgent } from './show/people/external-agent.js';
export { suggestionsFor } from './show/suggestions.js';
export { worldLabel } from './show/world-label.js';
export { agoText, durationText, secondsText } from './show/time-text.js';
export type {
  ApprovalBook,
  ApprovalView,
  CallEnd,
  ChatState,
  ChatSummary,
  Decision,
  Invocation,
  InvocationStatus,
  LiveStream,
  Loading,
  Notice,
  OutputTail,
  Speaker,
  TranscriptMessage,
  WorldState,
} from './state/state.js';
export type { ChatStore, OpenChatOptions, Store, WorldStore } from './store.js';
export { get, has, values } from './state/table.js';
export type { Table } from './state/table.js';
export { browserWakes } from './wakes.js';
export type { Wakes } from './wakes.js';
export { verifyChain } from './http/verify-chain.js';
export type { ChainVerdict } from './http/verify-chain.js';
