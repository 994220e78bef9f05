export { callHash, checkToolApproval, parseArguments, toolDigest } from './approval/index.js';
export type { Gate, GateGrant, GateInput, GateTool } from './approval/index.js';
export { maskCall, maskSecrets, maskText, maskValue, reveal } from './masking/index.js';
export { prepareAnswer, readMentions, resolveAddressees, shouldAgentRespond } from './mentions/index.js';
export { createAgentMemory } from './memory/agent-memory.js';
export type { AgentMemory } from './memory/agent-memory.js';
export { prepareMessagesForLLM } from './memory/prepare-messages-for-llm.js';
export type { PreparedView } from './memory/prepare-messages-for-llm.js';
export type { WorldSnapshot } from './memory/world-snapshot.js';
export { checkPolicy } from './orchestrator/check-policy.js';
export { createRuntime } from './orchestrator/create-runtime.js';
export type { Engine, RuntimeOptions } from './orchestrator/create-runtime.js';
export { CLIENT_GRACE_MS } from './orchestrator/clients.js';
export type { ClientRegistry, FoundClient } from './orchestrator/clients.js';
export { coveredCalls, matchesInChat } from './orchestrator/matches-in-chat.js';
export type { MatchedCall } from './orchestrator/matches-in-chat.js';
export { pageApprovals, pageChats, pageMessages } from './orchestrator/page-lists.js';
export type { ListPage, ListPlace } from './orchestrator/page-lists.js';
export {
  addMcpServer,
  listMcpServers,
  removeMcpServer,
  showMcpServer,
  updateMcpServer,
} from './orchestrator/mcp-servers.js';
export { processAgentMessage } from './orchestrator/process-agent-message.js';
export type { Unfinished } from './orchestrator/unfinished-turns.js';
export { publishMessage } from './orchestrator/publish-message.js';
export type { IncomingMessage } from './orchestrator/publish-message.js';
export { publishToolResult } from './orchestrator/publish-tool-result.js';
export { agentMemoryOf, listApprovals, listGrants, listMessages, showApproval } from './orchestrator/queries.js';
export type { About, Measured, Place, PlaceFinder, Probe, Runtime } from './orchestrator/runtime.js';
export { rebuildIndexes } from './orchestrator/rebuild-indexes.js';
export { renameChat } from './orchestrator/rename-chat.js';
export { searchMessages } from './orchestrator/search/search-messages.js';
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
} from './orchestrator/show-world.js';
export type { Versioned } from './orchestrator/show-world.js';
export { deleteChat, stopChat } from './orchestrator/stop-chat.js';
export { systemClock } from './orchestrator/system-clock.js';
export { turnTimeline } from './orchestrator/turn-timeline.js';
export { agentVersion, worldVersion } from './orchestrator/versions.js';
export type { Expected } from './orchestrator/versions.js';
export { exportWorld, importWorld } from './orchestrator/world-file.js';
export { worldStats } from './orchestrator/world-stats.js';
export { createWorld, deleteWorld, setPolicy, updateWorld } from './orchestrator/worlds.js';
export { addAgent, removeAgent, updateAgent } from './orchestrator/agents.js';
export { SILENT_MS } from './orchestrator/claim-turn.js';
export { createChat } from './orchestrator/create-chat.js';
export { revealApproval } from './orchestrator/reveal-approval.js';
export { showOriginal } from './orchestrator/show-original.js';
export { revokeGrant } from './orchestrator/revoke-grant.js';
export { compilePolicy, judge, keyOfPattern, keysOfCall, parseRule, proposeRule, readRules } from './policy/index.js';
export type { Policy, Rule } from './policy/index.js';
export { createEventBus } from './publishers/event-bus.js';
export type { EventBus, EventListener, ListenerFailure } from './publishers/event-bus.js';
export { maskLongEvents } from './publishers/mask-long-texts.js';
export { toPublicMessage } from './publishers/public-message.js';
export { toWorldEvent } from './publishers/to-world-event.js';
export { nextStep } from './turn/next-step.js';
export type { NextStep, TurnSituation } from './turn/next-step.js';
