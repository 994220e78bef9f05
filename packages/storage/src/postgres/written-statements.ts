// Written from src/queries by a test: see queries/written-statements.test.ts.
import type { WrittenStatements } from '../statements.js';

export const writtenStatements: WrittenStatements = {
  "approval": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "approvalsOfWorld": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where chat_id in (select id from chats where world_id = $1) order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "approvalsOfChat": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where \"chat_id\" = $1 and \"world_id\" = $2 order by \"ordinal\"",
    "names": [
      "chatId",
      "worldId"
    ]
  },
  "pendingOfWorld": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "pendingOfChat": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 and \"chat_id\" = $2 order by \"ordinal\"",
    "names": [
      "worldId",
      "chatId"
    ]
  },
  "approvalsAfter": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where \"ordinal\" > coalesce((select ordinal from approvals where id = $1), 0) and \"world_id\" = $2 and \"status\" = $3 and $4 in ('', chat_id) order by \"ordinal\" limit $5 + 0",
    "names": [
      "after",
      "worldId",
      "status",
      "chatId",
      "limit"
    ]
  },
  "pendingAfter": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 and \"ordinal\" > coalesce((select ordinal from approvals where id = $2), 0) order by \"ordinal\" limit $3 + 0",
    "names": [
      "worldId",
      "after",
      "limit"
    ]
  },
  "pendingOfChatAfter": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 and \"chat_id\" = $2 and \"ordinal\" > coalesce((select ordinal from approvals where id = $3), 0) order by \"ordinal\" limit $4 + 0",
    "names": [
      "worldId",
      "chatId",
      "after",
      "limit"
    ]
  },
  "countPendingOf": {
    "sql": "select count(*) as \"count\" from (select \"ordinal\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 and \"ordinal\" <= coalesce((select ordinal from approvals where id = $2), 9007199254740991) order by \"ordinal\" limit $3 + 0) as \"counted\"",
    "names": [
      "worldId",
      "upTo",
      "most"
    ]
  },
  "expiring": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\" from \"approvals\" where status = 'pending' and \"expires_at\" is not null order by \"expires_at\", \"ordinal\"",
    "names": []
  },
  "countPending": {
    "sql": "select count(*) as \"count\" from \"approvals\" where status = 'pending'",
    "names": []
  },
  "pendingOfAgent": {
    "sql": "select \"chat_id\", count(*) as \"waiting\" from \"approvals\" where status = 'pending' and \"world_id\" = $1 and \"agent_id\" = $2 group by \"chat_id\" order by count(*) desc, \"chat_id\"",
    "names": [
      "worldId",
      "agentId"
    ]
  },
  "insertApproval": {
    "sql": "insert into \"approvals\" (\"id\", \"world_id\", \"chat_id\", \"agent_id\", \"invocation_id\", \"message_id\", \"tool_name\", \"call_hash\", \"message\", \"options\", \"why\", \"rule\", \"proposed_rule\", \"working_directory\", \"sandbox\", \"preview\", \"preview_truncated\", \"question\", \"status\", \"decision\", \"scope\", \"reason\", \"decision_digest\", \"decided_by\", \"requested_at\", \"expires_at\", \"decided_at\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27)",
    "names": [
      "id",
      "worldId",
      "chatId",
      "agentId",
      "invocationId",
      "messageId",
      "toolName",
      "callHash",
      "message",
      "options",
      "why",
      "rule",
      "proposedRule",
      "workingDirectory",
      "sandbox",
      "preview",
      "previewTruncated",
      "question",
      "status",
      "decision",
      "scope",
      "reason",
      "decisionDigest",
      "decidedBy",
      "requestedAt",
      "expiresAt",
      "decidedAt"
    ]
  },
  "audit": {
    "sql": "select \"world_id\", \"seq\", \"record\", \"previous_hash\", \"hash\" from \"audit\" where \"world_id\" = $1 and \"seq\" > $2 order by \"seq\" limit $3 + 0",
    "names": [
      "worldId",
      "after",
      "limit"
    ]
  },
  "lastAudit": {
    "sql": "select \"world_id\", \"seq\", \"record\", \"previous_hash\", \"hash\" from \"audit\" where \"world_id\" = $1 and \"seq\" < $2 order by \"seq\" desc limit $3 + 0",
    "names": [
      "worldId",
      "before",
      "limit"
    ]
  },
  "auditByHash": {
    "sql": "select \"seq\" from \"audit\" where \"world_id\" = $1 and \"hash\" = $2",
    "names": [
      "worldId",
      "hash"
    ]
  },
  "auditHead": {
    "sql": "select \"audit_seq\", \"audit_hash\" from \"worlds\" where \"id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "auditHeads": {
    "sql": "select \"id\", \"audit_seq\", \"audit_hash\" from \"worlds\" where audit_seq > 0",
    "names": []
  },
  "insertAudit": {
    "sql": "insert into \"audit\" (\"world_id\", \"seq\", \"record\", \"previous_hash\", \"hash\") values ($1, $2, $3, $4, $5)",
    "names": [
      "worldId",
      "seq",
      "record",
      "previousHash",
      "hash"
    ]
  },
  "heads": {
    "sql": "select \"event_seq\", \"audit_seq\", \"audit_hash\" from \"worlds\" where \"id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "moveHeads": {
    "sql": "update \"worlds\" set \"event_seq\" = $1, \"audit_seq\" = $2, \"audit_hash\" = $3 where \"id\" = $4",
    "names": [
      "lastEvent",
      "seq",
      "hash",
      "worldId"
    ]
  },
  "chat": {
    "sql": "select \"id\", \"world_id\", \"title\", \"titled\", \"status\", \"last_seq\", \"human_seq\", \"created_at\" from \"chats\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "chats": {
    "sql": "select \"id\", \"world_id\", \"title\", \"titled\", \"status\", \"last_seq\", \"human_seq\", \"created_at\" from \"chats\" where \"world_id\" = $1 order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "chatsAfter": {
    "sql": "select \"id\", \"world_id\", \"title\", \"titled\", \"status\", \"last_seq\", \"human_seq\", \"created_at\" from \"chats\" where \"world_id\" = $1 and \"ordinal\" > coalesce((select c.ordinal from chats c where c.id = $2), 0) order by \"ordinal\" limit $3 + 0",
    "names": [
      "worldId",
      "after",
      "limit"
    ]
  },
  "lastChats": {
    "sql": "select \"id\", \"world_id\", \"title\", \"titled\", \"status\", \"last_seq\", \"human_seq\", \"created_at\" from \"chats\" where \"world_id\" = $1 and \"ordinal\" < coalesce((select c.ordinal from chats c where c.id = $2), 9007199254740991) order by \"ordinal\" desc limit $3 + 0",
    "names": [
      "worldId",
      "before",
      "limit"
    ]
  },
  "insertChat": {
    "sql": "insert into \"chats\" (\"id\", \"world_id\", \"title\", \"titled\", \"status\", \"last_seq\", \"human_seq\", \"created_at\") values ($1, $2, $3, $4, $5, $6, $7, $8)",
    "names": [
      "id",
      "worldId",
      "title",
      "titled",
      "status",
      "lastSeq",
      "humanSeq",
      "createdAt"
    ]
  },
  "client": {
    "sql": "select \"id\", \"world_id\", \"label\", \"secret_hash\", \"approvals\", \"tools\", \"left_at\", \"connected_to\", \"created_at\" from \"clients\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "clients": {
    "sql": "select \"id\", \"world_id\", \"label\", \"secret_hash\", \"approvals\", \"tools\", \"left_at\", \"connected_to\", \"created_at\" from \"clients\" where \"world_id\" = $1 order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "asker": {
    "sql": "select \"id\" from \"clients\" where \"world_id\" = $1 and approvals = 1 and \"left_at\" is null limit 1",
    "names": [
      "worldId"
    ]
  },
  "insertClient": {
    "sql": "insert into \"clients\" (\"id\", \"world_id\", \"label\", \"secret_hash\", \"approvals\", \"tools\", \"left_at\", \"connected_to\", \"created_at\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    "names": [
      "id",
      "worldId",
      "label",
      "secretHash",
      "approvals",
      "tools",
      "leftAt",
      "connectedTo",
      "createdAt"
    ]
  },
  "allClients": {
    "sql": "select \"id\", \"world_id\", \"label\", \"secret_hash\", \"approvals\", \"tools\", \"left_at\", \"connected_to\", \"created_at\" from \"clients\" order by \"ordinal\"",
    "names": []
  },
  "setClientConnected": {
    "sql": "update \"clients\" set \"left_at\" = null, \"connected_to\" = $1 where \"id\" = $2",
    "names": [
      "process",
      "id"
    ]
  },
  "setClientCut": {
    "sql": "update \"clients\" set \"left_at\" = $1, \"connected_to\" = '' where \"id\" = $2 and \"connected_to\" = $3 and \"left_at\" is null",
    "names": [
      "leftAt",
      "id",
      "process"
    ]
  },
  "deleteClient": {
    "sql": "delete from \"clients\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "events": {
    "sql": "select \"world_id\", \"id\", \"chat_id\", \"event\", \"message_id\", \"data\", \"at\" from \"events\" where \"world_id\" = $1 and \"id\" > $2 order by \"id\" limit $3 + 0",
    "names": [
      "worldId",
      "after",
      "limit"
    ]
  },
  "eventsOfChat": {
    "sql": "select \"world_id\", \"id\", \"chat_id\", \"event\", \"message_id\", \"data\", \"at\" from \"events\" where \"chat_id\" = $1 and \"id\" > $2 order by \"id\" limit $3 + 0",
    "names": [
      "chatId",
      "after",
      "limit"
    ]
  },
  "lastEventId": {
    "sql": "select \"event_seq\" from \"worlds\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "insertEvent": {
    "sql": "insert into \"events\" (\"world_id\", \"id\", \"chat_id\", \"event\", \"message_id\", \"data\", \"at\") values ($1, $2, $3, $4, $5, $6, $7)",
    "names": [
      "worldId",
      "id",
      "chatId",
      "event",
      "messageId",
      "data",
      "at"
    ]
  },
  "grant": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"tool_name\", \"pattern\", \"answered_rule\", \"granted_by\", \"granted_at\", \"last_used_at\", \"revoked_at\" from \"grants\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "grants": {
    "sql": "select \"id\", \"world_id\", \"pattern\", \"answered_rule\", \"granted_by\", \"granted_at\", \"last_used_at\" from \"grants\" where \"revoked_at\" is null and \"chat_id\" = $1 and \"agent_id\" = $2 and \"tool_name\" = $3 and pattern_key in ('', $4, $5) order by \"ordinal\"",
    "names": [
      "chatId",
      "agentId",
      "toolName",
      "key",
      "otherKey"
    ]
  },
  "anyGrant": {
    "sql": "select \"id\" from \"grants\" where \"chat_id\" = $1 limit 1",
    "names": [
      "chatId"
    ]
  },
  "grantsOfWorld": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"tool_name\", \"pattern\", \"answered_rule\", \"granted_by\", \"granted_at\", \"last_used_at\", \"revoked_at\" from \"grants\" where \"revoked_at\" is null and chat_id in (select id from chats where world_id = $1) order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "insertGrant": {
    "sql": "insert into \"grants\" (\"id\", \"world_id\", \"chat_id\", \"agent_id\", \"tool_name\", \"pattern\", \"answered_rule\", \"granted_by\", \"granted_at\", \"last_used_at\", \"revoked_at\", \"pattern_key\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    "names": [
      "id",
      "worldId",
      "chatId",
      "agentId",
      "toolName",
      "pattern",
      "answeredRule",
      "grantedBy",
      "grantedAt",
      "lastUsedAt",
      "revokedAt",
      "patternKey"
    ]
  },
  "touchGrant": {
    "sql": "update \"grants\" set \"last_used_at\" = $1 where \"id\" = $2",
    "names": [
      "now",
      "id"
    ]
  },
  "revokeGrant": {
    "sql": "update \"grants\" set \"revoked_at\" = $1 where \"id\" = $2 and \"revoked_at\" is null",
    "names": [
      "now",
      "id"
    ]
  },
  "invocation": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"turn_id\", \"iteration\", \"position\", \"message_id\", \"tool_name\", \"arguments\", \"edited\", \"call_hash\", \"status\", \"location\", \"read_only\", \"idempotent\", \"approval_id\", \"started_epoch\", \"result\", \"outcome_unknown\", \"created_at\", \"started_at\", \"settled_at\" from \"invocations\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "invocations": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"turn_id\", \"iteration\", \"position\", \"message_id\", \"tool_name\", \"arguments\", \"edited\", \"call_hash\", \"status\", \"location\", \"read_only\", \"idempotent\", \"approval_id\", \"started_epoch\", \"result\", \"outcome_unknown\", \"created_at\", \"started_at\", \"settled_at\" from \"invocations\" where \"turn_id\" = $1 and \"iteration\" = $2 order by \"position\"",
    "names": [
      "turnId",
      "iteration"
    ]
  },
  "outcomeUnknown": {
    "sql": "select \"id\" from \"invocations\" where outcome_unknown = 1 and \"chat_id\" = $1 and \"tool_name\" = $2 and \"arguments\" = $3 limit 1",
    "names": [
      "chatId",
      "toolName",
      "arguments"
    ]
  },
  "anyUnknown": {
    "sql": "select \"id\" from \"invocations\" where outcome_unknown = 1 and \"chat_id\" = $1 limit 1",
    "names": [
      "chatId"
    ]
  },
  "insertInvocation": {
    "sql": "insert into \"invocations\" (\"id\", \"world_id\", \"chat_id\", \"agent_id\", \"turn_id\", \"iteration\", \"position\", \"message_id\", \"tool_name\", \"arguments\", \"edited\", \"call_hash\", \"status\", \"location\", \"read_only\", \"idempotent\", \"approval_id\", \"started_epoch\", \"result\", \"outcome_unknown\", \"created_at\", \"started_at\", \"settled_at\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)",
    "names": [
      "id",
      "worldId",
      "chatId",
      "agentId",
      "turnId",
      "iteration",
      "position",
      "messageId",
      "toolName",
      "arguments",
      "edited",
      "callHash",
      "status",
      "location",
      "readOnly",
      "idempotent",
      "approvalId",
      "startedEpoch",
      "result",
      "outcomeUnknown",
      "createdAt",
      "startedAt",
      "settledAt"
    ]
  },
  "clearOutcomeUnknown": {
    "sql": "update \"invocations\" set \"outcome_unknown\" = 0 where outcome_unknown = 1 and \"chat_id\" = $1 and \"tool_name\" = $2 and \"arguments\" = $3",
    "names": [
      "chatId",
      "toolName",
      "arguments"
    ]
  },
  "mcpServer": {
    "sql": "select \"world_id\", \"name\", \"definition\", \"first_listed_at\", \"created_at\" from \"mcp_servers\" where \"world_id\" = $1 and \"name\" = $2",
    "names": [
      "worldId",
      "name"
    ]
  },
  "mcpServers": {
    "sql": "select \"world_id\", \"name\", \"definition\", \"first_listed_at\", \"created_at\" from \"mcp_servers\" where \"world_id\" = $1 order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "insertMcpServer": {
    "sql": "insert into \"mcp_servers\" (\"world_id\", \"name\", \"definition\", \"first_listed_at\", \"created_at\") values ($1, $2, $3, $4, $5) on conflict (\"world_id\", \"name\") do nothing",
    "names": [
      "worldId",
      "name",
      "definition",
      "firstListedAt",
      "createdAt"
    ]
  },
  "updateMcpServer": {
    "sql": "update \"mcp_servers\" set \"definition\" = $1 where \"world_id\" = $2 and \"name\" = $3 and \"definition\" = $4",
    "names": [
      "definition",
      "worldId",
      "name",
      "before"
    ]
  },
  "setMcpServerListed": {
    "sql": "update \"mcp_servers\" set \"first_listed_at\" = $1 where \"world_id\" = $2 and \"name\" = $3 and \"first_listed_at\" is null",
    "names": [
      "now",
      "worldId",
      "name"
    ]
  },
  "deleteMcpServer": {
    "sql": "delete from \"mcp_servers\" where \"world_id\" = $1 and \"name\" = $2",
    "names": [
      "worldId",
      "name"
    ]
  },
  "mcpTool": {
    "sql": "select \"world_id\", \"name\", \"server\", \"accepted\", \"accepted_digest\", \"seen\", \"seen_digest\", \"reviewed\" from \"mcp_tools\" where \"world_id\" = $1 and \"name\" = $2",
    "names": [
      "worldId",
      "name"
    ]
  },
  "mcpTools": {
    "sql": "select \"world_id\", \"name\", \"server\", \"accepted\", \"accepted_digest\", \"seen\", \"seen_digest\", \"reviewed\" from \"mcp_tools\" where \"world_id\" = $1 and \"server\" = $2 order by \"name\"",
    "names": [
      "worldId",
      "name"
    ]
  },
  "putMcpTool": {
    "sql": "insert into \"mcp_tools\" (\"world_id\", \"name\", \"server\", \"accepted\", \"accepted_digest\", \"seen\", \"seen_digest\", \"reviewed\") values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (\"world_id\", \"name\") do update set \"server\" = \"excluded\".\"server\", \"accepted\" = \"excluded\".\"accepted\", \"accepted_digest\" = \"excluded\".\"accepted_digest\", \"seen\" = \"excluded\".\"seen\", \"seen_digest\" = \"excluded\".\"seen_digest\", \"reviewed\" = \"excluded\".\"reviewed\"",
    "names": [
      "worldId",
      "name",
      "server",
      "accepted",
      "acceptedDigest",
      "seen",
      "seenDigest",
      "reviewed"
    ]
  },
  "deleteMcpTools": {
    "sql": "delete from \"mcp_tools\" where \"world_id\" = $1 and \"server\" = $2",
    "names": [
      "worldId",
      "name"
    ]
  },
  "message": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "messageByClientId": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"chat_id\" = $1 and \"client_message_id\" = $2",
    "names": [
      "chatId",
      "clientMessageId"
    ]
  },
  "messages": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"chat_id\" = $1 and \"seq\" > $2 order by \"seq\" limit $3 + 0",
    "names": [
      "chatId",
      "after",
      "limit"
    ]
  },
  "lastMessages": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"chat_id\" = $1 and \"seq\" < $2 order by \"seq\" desc limit $3 + 0",
    "names": [
      "chatId",
      "before",
      "limit"
    ]
  },
  "messagesOfTurn": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"turn_id\" = $1 order by \"seq\"",
    "names": [
      "turnId"
    ]
  },
  "messagesOfEvents": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"id\" in (select \"events\".\"message_id\" from \"events\" where \"events\".\"world_id\" = $1 and \"events\".\"id\" > $2 and \"events\".\"id\" <= $3 and \"events\".\"message_id\" is not null)",
    "names": [
      "worldId",
      "after",
      "last"
    ]
  },
  "messagesOfChatEvents": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\" from \"messages\" where \"id\" in (select \"events\".\"message_id\" from \"events\" where \"events\".\"chat_id\" = $1 and \"events\".\"id\" > $2 and \"events\".\"id\" <= $3 and \"events\".\"message_id\" is not null)",
    "names": [
      "chatId",
      "after",
      "last"
    ]
  },
  "insertMessage": {
    "sql": "insert into \"messages\" (\"id\", \"world_id\", \"chat_id\", \"seq\", \"role\", \"sender\", \"speaker\", \"agent_id\", \"turn_id\", \"iteration\", \"reply_to\", \"content\", \"tool_calls\", \"tool_call_id\", \"addressees\", \"provider_state\", \"client_message_id\", \"secrets\", \"created_at\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)",
    "names": [
      "id",
      "worldId",
      "chatId",
      "seq",
      "role",
      "sender",
      "speaker",
      "agentId",
      "turnId",
      "iteration",
      "replyTo",
      "content",
      "toolCalls",
      "toolCallId",
      "addressees",
      "providerState",
      "clientMessageId",
      "secrets",
      "createdAt"
    ]
  },
  "searchedUpTo": {
    "sql": "select \"upto\" from \"searched\" where \"world_id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "startSearched": {
    "sql": "insert into \"searched\" (\"world_id\", \"upto\") values ($1, 0) on conflict (\"world_id\") do nothing",
    "names": [
      "worldId"
    ]
  },
  "moveSearched": {
    "sql": "update \"searched\" set \"upto\" = $1 where \"world_id\" = $2 and \"upto\" = $3",
    "names": [
      "upto",
      "worldId",
      "from"
    ]
  },
  "lastDocument": {
    "sql": "select coalesce(max(ordinal), 0) as \"ordinal\" from \"search_documents\"",
    "names": []
  },
  "insertDocument": {
    "sql": "insert into \"search_documents\" (\"message_id\", \"chat_id\", \"world_id\") values ($1, $2, $3)",
    "names": [
      "messageId",
      "chatId",
      "worldId"
    ]
  },
  "documentsAfter": {
    "sql": "select \"ordinal\" from \"search_documents\" where \"ordinal\" > $1 and \"world_id\" = $2 order by \"ordinal\"",
    "names": [
      "ordinal",
      "worldId"
    ]
  },
  "insertWords": {
    "sql": "insert into search_words (ordinal, words)\n      values ($1, array_to_tsvector(string_to_array(nullif($2, ''), ' ')))",
    "names": [
      "ordinal",
      "words"
    ]
  },
  "search": {
    "sql": "select search_documents.ordinal, message_id from search_words\n        join search_documents on search_documents.ordinal = search_words.ordinal\n        where words @@ $1::tsquery and world_id = $2 and search_words.ordinal < $3\n        order by search_words.ordinal desc limit $4 + 0",
    "names": [
      "text",
      "worldId",
      "before",
      "limit"
    ]
  },
  "statChats": {
    "sql": "select count(*) as \"count\", cast(coalesce(sum(last_seq), 0) as bigint) as \"messages\" from \"chats\" where \"world_id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "statTurns": {
    "sql": "select \"agent_id\", coalesce(outcome, state) as \"outcome\", count(*) as \"count\", cast(sum(input_tokens) as bigint) as \"input\", cast(sum(output_tokens) as bigint) as \"output\" from \"turns\" where chat_id in (select id from chats where world_id = $1) group by \"agent_id\", coalesce(outcome, state)",
    "names": [
      "worldId"
    ]
  },
  "statCalls": {
    "sql": "select \"tool_name\", \"status\", case when (\"settled_at\" - \"started_at\") < 100 then (\"settled_at\" - \"started_at\") / 1 * 1 when (\"settled_at\" - \"started_at\") < 1000 then (\"settled_at\" - \"started_at\") / 10 * 10 when (\"settled_at\" - \"started_at\") < 10000 then (\"settled_at\" - \"started_at\") / 100 * 100 when (\"settled_at\" - \"started_at\") < 100000 then (\"settled_at\" - \"started_at\") / 1000 * 1000 when (\"settled_at\" - \"started_at\") < 1000000 then (\"settled_at\" - \"started_at\") / 10000 * 10000 when (\"settled_at\" - \"started_at\") < 10000000 then (\"settled_at\" - \"started_at\") / 100000 * 100000 else (\"settled_at\" - \"started_at\") / 1000000 * 1000000 end as \"ms\", count(*) as \"count\" from \"invocations\" where turn_id in (select id from turns where chat_id in (select id from chats where world_id = $1)) group by \"tool_name\", \"status\", 3",
    "names": [
      "worldId"
    ]
  },
  "statApprovals": {
    "sql": "select \"tool_name\", \"status\", \"scope\", case when (\"decided_at\" - \"requested_at\") < 100 then (\"decided_at\" - \"requested_at\") / 1 * 1 when (\"decided_at\" - \"requested_at\") < 1000 then (\"decided_at\" - \"requested_at\") / 10 * 10 when (\"decided_at\" - \"requested_at\") < 10000 then (\"decided_at\" - \"requested_at\") / 100 * 100 when (\"decided_at\" - \"requested_at\") < 100000 then (\"decided_at\" - \"requested_at\") / 1000 * 1000 when (\"decided_at\" - \"requested_at\") < 1000000 then (\"decided_at\" - \"requested_at\") / 10000 * 10000 when (\"decided_at\" - \"requested_at\") < 10000000 then (\"decided_at\" - \"requested_at\") / 100000 * 100000 else (\"decided_at\" - \"requested_at\") / 1000000 * 1000000 end as \"ms\", count(*) as \"count\" from \"approvals\" where chat_id in (select id from chats where world_id = $1) group by \"tool_name\", \"status\", \"scope\", 4",
    "names": [
      "worldId"
    ]
  },
  "turn": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"trigger_id\", \"trigger_seq\", \"state\", \"outcome\", \"iteration\", \"epoch\", \"rev\", \"owner\", \"interruptions\", \"begun_seq\", \"input_tokens\", \"output_tokens\", \"created_at\", \"ended_at\" from \"turns\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "endedTurns": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"trigger_id\", \"trigger_seq\", \"state\", \"outcome\", \"iteration\", \"epoch\", \"rev\", \"owner\", \"interruptions\", \"begun_seq\", \"input_tokens\", \"output_tokens\", \"created_at\", \"ended_at\" from \"turns\" where \"chat_id\" = $1 and \"agent_id\" = $2 and \"trigger_seq\" > $3 and \"trigger_seq\" < $4 and state = 'ended' order by \"trigger_seq\" desc limit $5 + 0",
    "names": [
      "chatId",
      "agentId",
      "after",
      "before",
      "limit"
    ]
  },
  "unfinishedTurns": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"trigger_id\", \"trigger_seq\", \"state\", \"outcome\", \"iteration\", \"epoch\", \"rev\", \"owner\", \"interruptions\", \"begun_seq\", \"input_tokens\", \"output_tokens\", \"created_at\", \"ended_at\" from \"turns\" where state <> 'ended' order by \"created_at\", \"trigger_seq\", \"id\"",
    "names": []
  },
  "unfinishedTurnsOfChat": {
    "sql": "select \"id\", \"world_id\", \"chat_id\", \"agent_id\", \"trigger_id\", \"trigger_seq\", \"state\", \"outcome\", \"iteration\", \"epoch\", \"rev\", \"owner\", \"interruptions\", \"begun_seq\", \"input_tokens\", \"output_tokens\", \"created_at\", \"ended_at\" from \"turns\" where state <> 'ended' and \"world_id\" = (select world_id from chats where chats.id = $1) and state in ('open', 'waiting', 'queued') and \"chat_id\" = $2 order by \"created_at\", \"trigger_seq\", \"id\"",
    "names": [
      "chatId",
      "chatId"
    ]
  },
  "countWorking": {
    "sql": "select count(*) as \"count\" from \"turns\" where state <> 'ended' and \"world_id\" = $1 and state in ('open', 'queued')",
    "names": [
      "worldId"
    ]
  },
  "insertTurn": {
    "sql": "insert into \"turns\" (\"id\", \"world_id\", \"chat_id\", \"agent_id\", \"trigger_id\", \"trigger_seq\", \"state\", \"outcome\", \"iteration\", \"epoch\", \"rev\", \"owner\", \"interruptions\", \"begun_seq\", \"input_tokens\", \"output_tokens\", \"created_at\", \"ended_at\") values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    "names": [
      "id",
      "worldId",
      "chatId",
      "agentId",
      "triggerId",
      "triggerSeq",
      "state",
      "outcome",
      "iteration",
      "epoch",
      "rev",
      "owner",
      "interruptions",
      "begunSeq",
      "inputTokens",
      "outputTokens",
      "createdAt",
      "endedAt"
    ]
  },
  "meta": {
    "sql": "select \"value\" from \"meta\" where \"key\" = $1",
    "names": [
      "key"
    ]
  },
  "insertMeta": {
    "sql": "insert into \"meta\" (\"key\", \"value\") values ($1, $2) on conflict (\"key\") do nothing",
    "names": [
      "key",
      "value"
    ]
  },
  "world": {
    "sql": "select \"id\", \"name\", \"settings\", \"policy\", \"proposed\", \"rev\", \"created_at\" from \"worlds\" inner join \"world_policies\" on \"world_policies\".\"world_id\" = \"worlds\".\"id\" where \"deleted_at\" is null and \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "worldRev": {
    "sql": "select \"rev\" from \"worlds\" where \"id\" = $1 and \"deleted_at\" is null",
    "names": [
      "id"
    ]
  },
  "worlds": {
    "sql": "select \"id\", \"name\", \"settings\", \"policy\", \"proposed\", \"rev\", \"created_at\" from \"worlds\" inner join \"world_policies\" on \"world_policies\".\"world_id\" = \"worlds\".\"id\" where \"deleted_at\" is null order by \"ordinal\"",
    "names": []
  },
  "worldIdTaken": {
    "sql": "select \"id\" from \"worlds\" where \"id\" = $1",
    "names": [
      "id"
    ]
  },
  "agents": {
    "sql": "select \"world_id\", \"id\", \"definition\", \"created_at\" from \"agents\" where \"world_id\" = $1 and \"deleted_at\" is null order by \"ordinal\"",
    "names": [
      "worldId"
    ]
  },
  "agentIdTaken": {
    "sql": "select \"id\" from \"agents\" where \"world_id\" = $1 and \"id\" = $2",
    "names": [
      "worldId",
      "id"
    ]
  },
  "insertWorld": {
    "sql": "insert into \"worlds\" (\"id\", \"name\", \"settings\", \"rev\", \"event_seq\", \"audit_seq\", \"audit_hash\", \"created_at\") values ($1, $2, $3, 1, 0, 0, '', $4) on conflict (\"id\") do nothing",
    "names": [
      "id",
      "name",
      "settings",
      "now"
    ]
  },
  "insertPolicy": {
    "sql": "insert into \"world_policies\" (\"world_id\", \"policy\", \"proposed\") values ($1, $2, $3)",
    "names": [
      "worldId",
      "policy",
      "proposed"
    ]
  },
  "updateWorld": {
    "sql": "update \"worlds\" set \"name\" = coalesce($1, name), \"settings\" = coalesce($2, settings), \"rev\" = rev + 1 where \"id\" = $3 and \"deleted_at\" is null",
    "names": [
      "name",
      "settings",
      "id"
    ]
  },
  "updatePolicy": {
    "sql": "update \"world_policies\" set \"policy\" = coalesce($1, policy), \"proposed\" = coalesce($2, proposed) where \"world_id\" = $3",
    "names": [
      "policy",
      "proposed",
      "worldId"
    ]
  },
  "buryWorld": {
    "sql": "update \"worlds\" set \"deleted_at\" = $1, \"name\" = '', \"settings\" = '{}', \"rev\" = rev + 1 where \"id\" = $2",
    "names": [
      "now",
      "id"
    ]
  },
  "deletePolicy": {
    "sql": "delete from \"world_policies\" where \"world_id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "deleteAgentsOfWorld": {
    "sql": "delete from \"agents\" where \"world_id\" = $1",
    "names": [
      "worldId"
    ]
  },
  "insertAgent": {
    "sql": "insert into \"agents\" (\"world_id\", \"id\", \"definition\", \"created_at\") values ($1, $2, $3, $4) on conflict (\"world_id\", \"id\") do nothing",
    "names": [
      "worldId",
      "id",
      "definition",
      "now"
    ]
  },
  "updateAgent": {
    "sql": "update \"agents\" set \"definition\" = $1 where \"world_id\" = $2 and \"id\" = $3 and \"deleted_at\" is null",
    "names": [
      "definition",
      "worldId",
      "id"
    ]
  },
  "buryAgent": {
    "sql": "update \"agents\" set \"definition\" = '{}', \"deleted_at\" = $1 where \"world_id\" = $2 and \"id\" = $3 and \"deleted_at\" is null",
    "names": [
      "now",
      "worldId",
      "id"
    ]
  },
  "purge": {
    "chat": {
      "invocations": {
        "sql": "delete from \"invocations\" where turn_id in (select id from turns where chat_id = $1)",
        "names": [
          "id"
        ]
      },
      "turns": {
        "sql": "delete from \"turns\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "approvals": {
        "sql": "delete from \"approvals\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "grants": {
        "sql": "delete from \"grants\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "events": {
        "sql": "delete from \"events\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "messages": {
        "sql": "delete from \"messages\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "searchWords": {
        "sql": "delete from search_words where search_words.ordinal in\n          (select ordinal from search_documents where chat_id = $1)",
        "names": [
          "id"
        ]
      },
      "searchDocuments": {
        "sql": "delete from \"search_documents\" where chat_id = $1",
        "names": [
          "id"
        ]
      },
      "itself": {
        "sql": "delete from \"chats\" where \"id\" = $1",
        "names": [
          "id"
        ]
      }
    },
    "world": {
      "invocations": {
        "sql": "delete from \"invocations\" where turn_id in (select id from turns where chat_id in (select id from chats where world_id = $1))",
        "names": [
          "id"
        ]
      },
      "turns": {
        "sql": "delete from \"turns\" where chat_id in (select id from chats where world_id = $1)",
        "names": [
          "id"
        ]
      },
      "approvals": {
        "sql": "delete from \"approvals\" where chat_id in (select id from chats where world_id = $1)",
        "names": [
          "id"
        ]
      },
      "grants": {
        "sql": "delete from \"grants\" where chat_id in (select id from chats where world_id = $1)",
        "names": [
          "id"
        ]
      },
      "events": {
        "sql": "delete from \"events\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      },
      "messages": {
        "sql": "delete from \"messages\" where chat_id in (select id from chats where world_id = $1)",
        "names": [
          "id"
        ]
      },
      "searchWords": {
        "sql": "delete from search_words where search_words.ordinal in\n          (select ordinal from search_documents where chat_id in (select id from chats where world_id = $1))",
        "names": [
          "id"
        ]
      },
      "searchDocuments": {
        "sql": "delete from \"search_documents\" where chat_id in (select id from chats where world_id = $1)",
        "names": [
          "id"
        ]
      },
      "searched": {
        "sql": "delete from \"searched\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      },
      "clients": {
        "sql": "delete from \"clients\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      },
      "mcpTools": {
        "sql": "delete from \"mcp_tools\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      },
      "mcpServers": {
        "sql": "delete from \"mcp_servers\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      },
      "chats": {
        "sql": "delete from \"chats\" where \"world_id\" = $1",
        "names": [
          "id"
        ]
      }
    }
  }
};
