import {
  acceptedMessageSchema,
  agentSchema,
  savedAgentSchema,
  approvalWithContextSchema,
  revealedCallSchema,
  wholeEffectSchema,
  auditEntrySchema,
  auditVerdictSchema,
  chatSchema,
  costSchema,
  addedExternalAgentSchema,
  createdExternalAgentSchema,
  createdTokenSchema,
  decisionResultSchema,
  delegationSchema,
  END_OF_LIST,
  externalCallSchema,
  grantSchema,
  groupSchema,
  healthSchema,
  importedWorldSchema,
  deviceLinkSchema,
  deviceLinkStateSchema,
  invitationSchema,
  listedToolSchema,
  listOf,
  localAgentSchema,
  matchedCallsSchema,
  mcpContextSchema,
  mcpContextTextSchema,
  mcpServerSchema,
  mcpSignInStartSchema,
  mcpSignedInSchema,
  meSchema,
  messageAttachmentSchema,
  messageListSchema,
  messageSchema,
  oidcStartSchema,
  openSessionSchema,
  passkeySignInSchema,
  passkeySchema,
  readingRulesSchema,
  passkeyOptionsSchema,
  challengeSchema,
  personSchema,
  policyVerdictSchema,
  questionStatsSchema,
  replayedSchema,
  replayProgressSchema,
  ruleUsesSchema,
  suggestionsSchema,
  providerModelsSchema,
  providerStatusSchema,
  providerTestSchema,
  pushListSchema,
  pushSubscriptionSchema,
  queuedApprovalSchema,
  scheduleSchema,
  searchHitSchema,
  SERVER_LOG,
  enteredSchema,
  sessionSchema,
  signInWaysSchema,
  shownPolicySchema,
  statsSchema,
  stuckRuleSchema,
  timelineSchema,
  tokenSchema,
  toolApprovalSchema,
  batchReplySchema,
  batchSchema,
  toolResultReplySchema,
  undoableCallSchema,
  undoPreviewSchema,
  savedWebhookSchema,
  waitingCallSchema,
  webhookDeliverySchema,
  webhookReplayedSchema,
  webhookSchema,
  worldSchema,
} from '@countersign/protocol';
import { createCaller } from './caller.js';
import type { ClientOptions } from './create-requests.js';
import { runCalls } from './create-run-client.js';
import type { BothWays, ChangeOptions, Client } from './client.js';
import { flatten } from './events.js';
import type { Request } from './request.js';

/** Lenient, because a newer server may send additional fields. */
const toolSchema = listedToolSchema.strip().extend({ approval: toolApprovalSchema.strip().exactOptional() });

/** The server's own log belongs to no world. */
function logPath(world: string): string[] {
  return world === SERVER_LOG ? ['audit'] : ['worlds', world, 'audit'];
}

/** A client for one server. It opens no connection until it is used. */
export function createClient(options: ClientOptions): Client {
  const caller = createCaller(options);
  const {
    clock,
    random,
    get,
    getWithProgress,
    list,
    tagged,
    text,
    blob,
    post,
    remove,
    sendOnly,
    sendWithRetries,
    getKnown,
    isAsked,
    register,
    forget,
    batches,
    queueBatches,
  } = caller;
  return {
    ...runCalls(caller),
    url: options.url,
    clock,
    random,
    health: (options) => get(healthSchema, { path: ['health'] }, options),
    openSession: (given, options) => {
      const body = typeof given === 'string' ? { ticket: given } : given;
      return post(sessionSchema, ['session'], body, options);
    },
    enter: (body, options) => post(enteredSchema, ['session'], body, options),
    signInWays: (options) => get(signInWaysSchema, { path: ['sign-in'] }, options),
    startOidcSignIn: (options) => post(oidcStartSchema, ['sign-in', 'oidc'], undefined, options),
    me: (options) => get(meSchema, { path: ['me'] }, options),
    sessions: (options) => list(openSessionSchema, { path: ['me', 'sessions'] }, options),
    endSessions: (session, options) =>
      sendOnly({ method: 'DELETE', path: ['me', 'sessions', ...(session === undefined ? [] : [session])] }, options),
    personSessions: (person, options) => list(openSessionSchema, { path: ['people', person, 'sessions'] }, options),
    endPersonSessions: (person, session, options) => {
      const path = ['people', person, 'sessions', ...(session === undefined ? [] : [session])];
      return remove(path, options);
    },
    passkeySignIn: (options) => post(passkeySignInSchema, ['session', 'challenge'], undefined, options),
    passkeyOptions: (options) => post(passkeyOptionsSchema, ['me', 'passkeys', 'options'], undefined, options),
    registerPasskey: (body, options) => post(passkeySchema, ['me', 'passkeys'], body, options),
    passkeys: (person, options) => list(passkeySchema, { path: ['people', person, 'passkeys'] }, options),
    trustPasskey: (person, passkey, confirmation, options) => {
      const body = { trusted: true, confirmation };
      return get(passkeySchema, { method: 'PATCH', path: ['people', person, 'passkeys', passkey], body }, options);
    },
    removePasskey: (person, passkey, confirmation, options) => {
      const path = ['people', person, 'passkeys', passkey];
      return sendOnly(
        { method: 'DELETE', path, ...(confirmation === undefined ? {} : { body: { confirmation } }) },
        options,
      );
    },
    delegations: (person, options) => {
      const path = person === undefined ? ['me', 'delegations'] : ['people', person, 'delegations'];
      return list(delegationSchema, { path }, options);
    },
    linkDevice: (scopes, options) => {
      const body = scopes === undefined ? {} : { scopes };
      return post(deviceLinkSchema, ['me', 'devices', 'link'], body, options);
    },
    deviceLink: (link, options) => get(deviceLinkStateSchema, { path: ['me', 'devices', 'link', link] }, options),
    confirmDevice: (link, code, options) => {
      const path = ['me', 'devices', 'link', link, 'confirm'];
      return sendOnly({ method: 'POST', path, body: { code } }, options);
    },
    endDeviceLink: (link, options) => remove(['me', 'devices', 'link', link], options),
    delegate: (body, options) => post(delegationSchema, ['me', 'delegations'], body, options),
    endDelegation: (person, delegation, options) => remove(['people', person, 'delegations', delegation], options),
    pushDevices: (options) => get(pushListSchema, { path: ['me', 'push'] }, options),
    addPushDevice: (body, options) => post(pushSubscriptionSchema, ['me', 'push'], body, options),
    removePushDevice: (device, options) => remove(['me', 'push', device], options),
    setQuietHours: (device, quietHours, options) =>
      get(pushSubscriptionSchema, { method: 'PATCH', path: ['me', 'push', device], body: { quietHours } }, options),
    testPushDevice: (device, options) => sendOnly({ method: 'POST', path: ['me', 'push', device, 'test'] }, options),
    createChallenge: (body, options) => post(challengeSchema, ['me', 'challenges'], body, options),
    people: (options) => list(personSchema, { path: ['people'] }, options),
    addPerson: (body, options) => post(personSchema, ['people'], body, options),
    updatePerson: (person, body, options) =>
      get(personSchema, { method: 'PATCH', path: ['people', person], body }, options),
    removePerson: (person, options) => remove(['people', person], options),
    invitePerson: (person, options) => post(invitationSchema, ['people', person, 'invitations'], undefined, options),
    tokens: (person, options) => list(tokenSchema, { path: ['people', person, 'tokens'] }, options),
    createToken: (person, body, options) => post(createdTokenSchema, ['people', person, 'tokens'], body, options),
    revokeToken: (person, token, options) => remove(['people', person, 'tokens', token], options),
    stuckRules: ({ without } = {}, options) => {
      const query = without === undefined ? {} : { without };
      return list(stuckRuleSchema, { path: ['stuck-rules'], query }, options);
    },
    groups: (options) => list(groupSchema, { path: ['groups'] }, options),
    putGroup: (group, body, options) => get(groupSchema, { method: 'PUT', path: ['groups', group], body }, options),
    removeGroup: (group, options) => remove(['groups', group], options),
    webhooks: (options) => list(webhookSchema, { path: ['webhooks'] }, options),
    addWebhook: (body, options) => post(savedWebhookSchema, ['webhooks'], body, options),
    updateWebhook: (webhook, body, options) =>
      get(savedWebhookSchema, { method: 'PATCH', path: ['webhooks', webhook], body }, options),
    removeWebhook: (webhook, options) => remove(['webhooks', webhook], options),
    webhookDeliveries: (webhook, query, options) =>
      list(webhookDeliverySchema, { path: ['webhooks', webhook, 'deliveries'], query: { ...query } }, options),
    replayWebhook: (webhook, delivery, options) => {
      const body = delivery === undefined ? {} : { delivery };
      return post(webhookReplayedSchema, ['webhooks', webhook, 'replay'], body, options);
    },
    providers: (options) => list(providerStatusSchema, { path: ['providers'] }, options),
    addProvider: (body, options) => post(providerStatusSchema, ['providers'], body, options),
    updateProvider: (provider, body, options) =>
      get(providerStatusSchema, { method: 'PATCH', path: ['providers', provider], body }, options),
    removeProvider: (provider, { force, ...options } = {}) =>
      sendOnly(
        { method: 'DELETE', path: ['providers', provider], query: force === true ? { force: 'true' } : {} },
        options,
      ),
    testProvider: (provider, body = {}, options) =>
      post(providerTestSchema, ['providers', provider, 'test'], body, options),
    providerModels: (provider, options) =>
      get(providerModelsSchema, { path: ['providers', provider, 'models'] }, options),

    world: (world, options) => tagged(worldSchema, { path: ['worlds', world] }, options),
    updateWorld: (world, body, options) =>
      get(worldSchema, { method: 'PATCH', path: ['worlds', world], body, headers: ifMatch(options) }, options),
    deleteWorld: (world, options) =>
      sendOnly({ method: 'DELETE', path: ['worlds', world], headers: ifMatch(options) }, options),
    exportWorld: (world, options) => text({ path: ['worlds', world, 'export'] }, options),
    importWorld: (yaml, options) => post(importedWorldSchema, ['worlds', 'import'], yaml, options),

    agents: (world, page, options) =>
      list(agentSchema, { path: ['worlds', world, 'agents'], query: { ...page } }, options),
    agent: (world, agent, options) => tagged(agentSchema, { path: ['worlds', world, 'agents', agent] }, options),
    createAgent: (world, body, options) => post(savedAgentSchema, ['worlds', world, 'agents'], body, options),
    updateAgent: (world, agent, body, options) =>
      get(
        savedAgentSchema,
        { method: 'PATCH', path: ['worlds', world, 'agents', agent], body, headers: ifMatch(options) },
        options,
      ),
    deleteAgent: (world, agent, options) =>
      sendOnly({ method: 'DELETE', path: ['worlds', world, 'agents', agent], headers: ifMatch(options) }, options),
    memory: (world, agent, chat, page, options) =>
      list(messageSchema, { path: ['worlds', world, 'agents', agent, 'memory'], query: { chat, ...page } }, options),

    chats: (world, page, options) => list(chatSchema, { path: ['worlds', world, 'chats'], query: both(page) }, options),
    chat: (world, chat, options) => get(chatSchema, { path: ['worlds', world, 'chats', chat] }, options),
    createChat: (world, body = {}, options) => post(chatSchema, ['worlds', world, 'chats'], body, options),
    changeChat: (world, chat, body, options) =>
      get(chatSchema, { method: 'PATCH', path: ['worlds', world, 'chats', chat], body }, options),
    deleteChat: (world, chat, options) => remove(['worlds', world, 'chats', chat], options),
    branches: (world, chat, options) =>
      list(chatSchema, { path: ['worlds', world, 'chats', chat, 'branches'] }, options),
    branch: (world, chat, body, options) =>
      post(chatSchema, ['worlds', world, 'chats', chat, 'branches'], body, options),
    stop: (world, chat, options) =>
      sendOnly({ method: 'POST', path: ['worlds', world, 'chats', chat, 'stop'] }, options),
    tell: (world, chat, text, options) =>
      sendOnly({ method: 'POST', path: ['worlds', world, 'chats', chat, 'sentence'], body: { text } }, options),

    messages: (world, chat, page, options) =>
      get(messageListSchema, { path: ['worlds', world, 'chats', chat, 'messages'], query: both(page) }, options),
    send: (world, chat, message, options) =>
      sendWithRetries(
        acceptedMessageSchema,
        {
          method: 'POST',
          path: ['worlds', world, 'chats', chat, 'messages'],
          body: { clientMessageId: newClientMessageId(), ...message },
        },
        options,
      ),
    search: (world, words, page, options) =>
      list(searchHitSchema, { path: ['worlds', world, 'search'], query: { q: words, ...page } }, options),

    waiting: (page, options) => list(waitingCallSchema, { path: ['approvals'], query: { ...page } }, options),
    queueBatches: (options = {}) => queueBatches(options),
    approvals: async (world, filter = {}, options) => {
      // A client that can't ask a person gets no approvals (CALL13).
      if (!isAsked(world)) return { items: [] };
      const query = { status: 'pending', ...filter };
      return await getKnown(
        world,
        listOf(queuedApprovalSchema),
        { path: ['worlds', world, 'approvals'], query },
        options,
      );
    },
    approval: (world, approval, options) =>
      getKnown(world, approvalWithContextSchema, { path: ['worlds', world, 'approvals', approval] }, options),
    wholeEffect: async (world, approval, options) => {
      const path = ['worlds', world, 'approvals', approval, 'effect'];
      return (await getKnown(world, wholeEffectSchema, { path }, options)).effect;
    },
    reveal: (world, approval, options) =>
      getKnown(
        world,
        revealedCallSchema,
        { method: 'POST', path: ['worlds', world, 'approvals', approval, 'reveal'] },
        options,
      ),
    decide: (world, { approvalId, callHash }, decision, options) =>
      sendWithRetries(
        toolResultReplySchema,
        {
          method: 'POST',
          path: ['worlds', world, 'tool-results'],
          body: { ...decision, tool_call_id: approvalId, ...(callHash === '' ? {} : { callHash }) },
        },
        options,
      ),
    decideSeveral: async (decisions, options) => {
      const request: Request = { method: 'POST', path: ['decisions'], body: { decisions } };
      return (await sendWithRetries(listOf(decisionResultSchema), request, options)).items;
    },
    createBatch: (world, approvals, options) => post(batchSchema, ['worlds', world, 'batches'], { approvals }, options),
    decideBatch: (world, batch, decision, options) =>
      sendWithRetries(
        batchReplySchema,
        { method: 'POST', path: ['worlds', world, 'batches', batch, 'decision'], body: decision },
        options,
      ),
    answer: (world, { toolCallId, ...answer }, options) =>
      sendWithRetries(
        toolResultReplySchema,
        { method: 'POST', path: ['worlds', world, 'tool-results'], body: { ...answer, tool_call_id: toolCallId } },
        options,
      ),

    external: {
      createAgent: (world, body, options) =>
        post(createdExternalAgentSchema, ['worlds', world, 'external', 'agents'], body, options),
      addWorld: (world, body, options) =>
        post(addedExternalAgentSchema, ['worlds', world, 'external', 'agents'], body, options),
      readingRules: (world, program, options) =>
        get(readingRulesSchema, { path: ['worlds', world, 'external', 'reading-rules'], query: { program } }, options),
      propose: (world, body, options) =>
        post(externalCallSchema, ['worlds', world, 'external', 'calls'], body, options),
      wait: (world, call, seconds, { claim, ...options } = {}) =>
        get(
          externalCallSchema,
          { path: ['worlds', world, 'external', 'calls', call], query: { wait: seconds, claim } },
          options,
        ),
      report: (world, call, body, options) =>
        sendOnly({ method: 'POST', path: ['worlds', world, 'external', 'calls', call, 'result'], body }, options),
      endSession: (world, session, agent, options) => {
        const path = ['worlds', world, 'external', 'sessions', session, 'end'];
        return sendOnly({ method: 'POST', path, body: agent === undefined ? {} : { agent } }, options);
      },
    },

    localAgents: (options) => list(localAgentSchema, { path: ['local-agents'] }, options),
    gateLocalAgent: (agent, body, options) =>
      sendOnly({ method: 'PUT', path: ['local-agents', agent, 'gate'], body }, options),

    undoable: (world, page, options) =>
      list(undoableCallSchema, { path: ['worlds', world, 'undo'], query: { ...page } }, options),
    previewUndo: (world, call, options) =>
      get(undoPreviewSchema, { path: ['worlds', world, 'calls', call, 'undo'] }, options),
    undo: (world, call, effectHash, options) =>
      post(undoPreviewSchema, ['worlds', world, 'calls', call, 'undo'], { effectHash }, options),
    schedules: (world, options) => list(scheduleSchema, { path: ['worlds', world, 'schedules'] }, options),
    addSchedule: (world, body, options) => post(scheduleSchema, ['worlds', world, 'schedules'], body, options),
    changeSchedule: (world, schedule, body, options) =>
      get(scheduleSchema, { method: 'PATCH', path: ['worlds', world, 'schedules', schedule], body }, options),
    removeSchedule: (world, schedule, options) => remove(['worlds', world, 'schedules', schedule], options),
    grants: (world, page, options) =>
      list(grantSchema, { path: ['worlds', world, 'grants'], query: { ...page } }, options),
    revoke: (world, grant, options) => remove(['worlds', world, 'grants', grant], options),
    policy: (world, options) => tagged(shownPolicySchema, { path: ['worlds', world, 'policy'] }, options),
    setPolicy: (world, body, options) =>
      tagged(
        shownPolicySchema,
        { method: 'PUT', path: ['worlds', world, 'policy'], body, headers: ifMatch(options) },
        options,
      ),
    checkPolicy: (world, body, options) =>
      post(policyVerdictSchema, ['worlds', world, 'policy', 'check'], body, options),

    replayPolicy: (world, body, { tell, ...options } = {}) => {
      const request = { method: 'POST', path: ['worlds', world, 'policy', 'replay'], body } as const;
      if (tell === undefined) return get(replayedSchema, request, options);
      return getWithProgress(replayedSchema, request, {
        ...options,
        tell: (data) => tell(replayProgressSchema.parse(data).calls),
      });
    },
    ruleUses: (world, options) => get(ruleUsesSchema, { path: ['worlds', world, 'policy', 'uses'] }, options),

    suggestRules: (world, options) =>
      get(suggestionsSchema, { path: ['worlds', world, 'policy', 'suggestions'] }, options),
    policyMatches: (world, body, options) =>
      post(matchedCallsSchema, ['worlds', world, 'policy', 'matches'], body, options),

    tools: (world, page, options) =>
      list(toolSchema, { path: ['worlds', world, 'tools'], query: { ...page } }, options),
    mcpServers: (world, page, options) =>
      list(mcpServerSchema, { path: ['worlds', world, 'mcp-servers'], query: { ...page } }, options),
    mcpServer: (world, name, options) =>
      tagged(mcpServerSchema, { path: ['worlds', world, 'mcp-servers', name] }, options),
    addMcpServer: (world, body, options) => post(mcpServerSchema, ['worlds', world, 'mcp-servers'], body, options),
    updateMcpServer: (world, name, body, options) =>
      get(
        mcpServerSchema,
        { method: 'PATCH', path: ['worlds', world, 'mcp-servers', name], body, headers: ifMatch(options) },
        options,
      ),
    mcpContext: (world, name, options) =>
      get(mcpContextSchema, { path: ['worlds', world, 'mcp-servers', name, 'context'] }, options),
    readMcpContext: async (world, name, body, options) => {
      const path = ['worlds', world, 'mcp-servers', name, 'context'];
      return (await post(mcpContextTextSchema, path, body, options)).text;
    },
    restartMcpServer: (world, name, options) =>
      post(mcpServerSchema, ['worlds', world, 'mcp-servers', name, 'restart'], undefined, options),
    testMcpServer: (world, name, options) =>
      post(mcpServerSchema, ['worlds', world, 'mcp-servers', name, 'test'], undefined, options),
    startMcpSignIn: (world, name, body, options) =>
      post(mcpSignInStartSchema, ['worlds', world, 'mcp-servers', name, 'sign-in'], body, options),
    finishMcpSignIn: (body, options) => post(mcpSignedInSchema, ['mcp-sign-ins'], body, options),
    signOutOfMcpServer: (world, name, options) =>
      get(mcpServerSchema, { method: 'DELETE', path: ['worlds', world, 'mcp-servers', name, 'sign-in'] }, options),
    removeMcpServer: (world, name, options) => remove(['worlds', world, 'mcp-servers', name], options),

    audit: (world, page, options) => list(auditEntrySchema, { path: logPath(world), query: { ...page } }, options),
    exportAudit: (world, format, options) => text({ path: logPath(world), query: { format } }, options),
    verifyAudit: (world, options) => get(auditVerdictSchema, { path: [...logPath(world), 'verify'] }, options),
    original: (world, call, options) =>
      post(revealedCallSchema, ['worlds', world, 'audit', call, 'original'], undefined, options),
    stats: (world, options) =>
      get(statsSchema, { path: ['worlds', world, 'stats'], query: { person: options?.person } }, options),
    costs: (world, options) =>
      list(costSchema, { path: ['worlds', world, 'costs'], query: { chat: options?.chat } }, options),
    questionStats: (world, options) =>
      get(questionStatsSchema, { path: ['worlds', world, 'questions'], query: { person: options?.person } }, options),
    attach: (world, chat, body, options) =>
      post(messageAttachmentSchema, ['worlds', world, 'chats', chat, 'attachments'], body, options),
    attachment: (world, chat, id, options) =>
      blob({ path: ['worlds', world, 'chats', chat, 'attachments', id] }, options),
    exportChat: (world, chat, format, options) =>
      text({ path: ['worlds', world, 'chats', chat, 'export'], query: { format } }, options),
    timeline: (world, chat, turn, options) =>
      get(timelineSchema, { path: ['worlds', world, 'chats', chat, 'turns', turn, 'timeline'] }, options),

    registerClient: register,
    forgetClient: forget,

    events: (world, options = {}) => flatten(batches(world, options)),
    eventBatches: (world, options = {}) => batches(world, options),
  };
}

function both({ newest, ...page }: BothWays = {}): NonNullable<Request['query']> {
  return { ...(newest === true ? { before: END_OF_LIST } : {}), ...page };
}

function ifMatch({ ifMatch: etag }: ChangeOptions = {}): Record<string, string> {
  return etag === undefined ? {} : { 'If-Match': etag };
}

/**
 * An id for `send`. Store it with the message, so that a retry after a lost response doesn't duplicate it (HTTP2). Not `randomUUID`, which is not
 * available to pages over plain HTTP.
 */
export function newClientMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
