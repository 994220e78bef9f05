import {
  agentSchema,
  approvalSchema,
  approvalWithContextSchema,
  auditEntrySchema,
  chatSchema,
  grantSchema,
  importedWorldSchema,
  listedToolSchema,
  coveredCallSchema,
  matchedCallSchema,
  mcpServerSchema,
  messageSchema,
  policyVerdictSchema,
  problemSchema,
  providerStatusSchema,
  queuedApprovalSchema,
  registeredClientSchema,
  revealedCallSchema,
  searchHitSchema,
  shownPolicySchema,
  statsSchema,
  timelineSchema,
  toolResultReplySchema,
  worldSchema,
} from '@countersign/protocol';
import { z } from 'zod';

/** Schemas that get a name in the API description, so that readers and client generators see them as one type. */
export const schemaNames = z.registry<{ id: string }>();

const named = {
  Agent: agentSchema,
  Approval: approvalSchema,
  ApprovalWithContext: approvalWithContextSchema,
  AuditEntry: auditEntrySchema,
  Chat: chatSchema,
  Grant: grantSchema,
  ImportedWorld: importedWorldSchema,
  ListedTool: listedToolSchema,
  CoveredCall: coveredCallSchema,
  MatchedCall: matchedCallSchema,
  McpServer: mcpServerSchema,
  Message: messageSchema,
  Policy: shownPolicySchema,
  PolicyVerdict: policyVerdictSchema,
  Problem: problemSchema,
  Provider: providerStatusSchema,
  QueuedApproval: queuedApprovalSchema,
  RegisteredClient: registeredClientSchema,
  RevealedCall: revealedCallSchema,
  SearchHit: searchHitSchema,
  Stats: statsSchema,
  Timeline: timelineSchema,
  ToolResultReply: toolResultReplySchema,
  World: worldSchema,
};

for (const [id, schema] of Object.entries(named)) schemaNames.add(schema, { id });
