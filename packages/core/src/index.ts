export { checkToolApproval } from './policy/check-tool-approval.js';
export { isConfirmed, isSignedOut } from './requirements/is-confirmed.js';
export { oidcMembersOf } from './requirements/needed-signatures.js';
export { callHash, toolDigest } from './evidence/hash-call.js';
export type { Gate } from './policy/check-tool-approval.js';
export { maskCall, maskSecrets, maskValue, showsOriginal } from './masking/index.js';
export { checkPolicy } from './worlds/check-policy.js';
export { agentMayAskFor, patternProblem } from './policy/index.js';
export { compileRules } from './worlds/compile-rules.js';
export { createRuntime } from './processes/create-runtime.js';
export type { Engine, RuntimeOptions } from './processes/create-runtime.js';
export { CLIENT_GRACE_MS } from './runners/clients.js';
export type { ClientRegistry, FoundClient } from './runners/clients.js';
export { requesterOf } from './requirements/needed-signatures.js';
export { isApprovalId } from './turn/ids.js';
export { awaitExternal } from './runners/await-external.js';
export { fetchExternal } from './runners/fetch-external.js';
export { claimExternal, findExternal, type ClaimRequest } from './runners/claim-external.js';
export type { Verdict } from './runners/claim-external.js';
export { reportSession, tellSession } from './runners/session-sentence.js';
export type { ExternalCaller } from './runners/session.js';
export { proposeExternal } from './runners/propose-external.js';
export { proposeSealed, readRunSetting, recordRun, sealedCallOf } from './runners/propose-sealed.js';
export type { ExternalProposal } from './runners/write-external.js';
export { endExternalSession, reportExternal } from './runners/report-call.js';
export { withdrawExternal } from './runners/withdraw-external.js';
export { readEventPage } from './views/event-page.js';
export { coveredCalls, matchesInChat } from './views/matches-in-chat.js';
export type { MatchedCall } from './views/matches-in-chat.js';
export { pageApprovals, pageChats, pageMessages, pageWaiting } from './views/page-lists.js';
export type { ListPage } from './views/page-lists.js';
export {
  addMcpServer,
  listMcpContext,
  readMcpContext,
  listMcpServers,
  removeMcpServer,
  showMcpServer,
  restartMcpServer,
  testMcpServer,
  updateMcpServer,
} from './mcp/mcp-servers.js';
export { finishMcpSignIn, signOutOfMcpServer, startMcpSignIn } from './mcp/mcp-sign-in.js';
export type { Unfinished } from './processes/unfinished-turns.js';
export { addAttachment } from './chats/add-attachment.js';
export { changeSchedule } from './chats/change-schedule.js';
export { publishMessage } from './chats/publish-message.js';
export type { VerifiedReceipt } from './requirements/check-receipt.js';
export { readDecisionToSign } from './decisions/read-decision-to-sign.js';
export { announceSigners } from './decisions/announce-signers.js';
export { decideCall } from './call/decide.js';
export { createBatch, readBatchToSign } from './batches/create-batch.js';
export { decideBatch } from './batches/decide-batch.js';
export { showWholeEffect } from './evidence/show-whole-effect.js';
export { agentMemoryOf, chatAsOfNow, listApprovals, listGrants, listMessages, showApproval } from './views/queries.js';
export type { About, Measured, PlaceFinder, Probe, Runtime } from './step/runtime.js';
export { changeChat } from './worlds/change-chat.js';
export { searchMessages } from './views/search/search-messages.js';
export {
  readChat,
  readWorld,
  showAgent,
  showAgents,
  showChat,
  showPolicy,
  showTools,
  showWorld,
  showWorlds,
  toAgent,
  toChat,
  toWorld,
} from './worlds/show-world.js';
export { deleteChat, stopChat } from './chats/stop-chat.js';
export { systemClock } from './ports/index.js';
export { readAttachment } from './views/read-attachment.js';
export { turnFailure } from './views/turn-failure.js';
export type { TurnFailure } from './views/turn-failure.js';
export { turnTimeline } from './views/turn-timeline.js';
export { agentVersion, worldVersion } from './worlds/versions.js';
export type { May, Safeguards } from './worlds/refuse-unconfirmed.js';
export type { Expected } from './worlds/versions.js';
export { exportWorld, importWorld } from './views/world-file.js';
export { worldCosts } from './views/world-costs.js';
export { worldStats } from './worlds/world-stats.js';
export { createWorld, deleteWorld, setPolicy, updateWorld } from './worlds/worlds.js';
export { addAgent, removeAgent, updateAgent } from './worlds/agents.js';
export { SILENT_MS } from './turns/take-over.js';
export { createChat } from './chats/create-chat.js';
export { branchChat, listBranches } from './worlds/branch-chat.js';
export { revealApproval } from './decisions/reveal-approval.js';
export { showReading } from './views/show-reading.js';
export { questionStats } from './views/replay/question-stats.js';
export { ruleUses } from './views/replay/rule-uses.js';
export { suggestRules } from './views/replay/suggest-rules.js';
export { replayPolicy } from './views/replay/replay-policy.js';
export { showOriginal } from './decisions/show-original.js';
export { agentsUsing, changeProviders } from './worlds/change-providers.js';
export { findStuckRules } from './views/stuck-rules.js';
export { freeId } from './worlds/free-id.js';
export { listUndoable, previewUndo, undoCall, wasUndone } from './decisions/undo-call.js';
export { revokeGrant } from './decisions/revoke-grant.js';
export { callDigest } from './requirements/decision-to-sign.js';
export { canonicalJson, compilePolicy, judge, keyOfPattern, keysOfCall, parseRule, readRules } from './policy/index.js';
export type { Policy } from './policy/index.js';
export type { EventListener, ListenerFailure } from './publishers/event-bus.js';
export { maskLongEvents } from './publishers/mask-long-texts.js';
export { toWorldEvent } from './publishers/to-world-event.js';
