import type * as Acp from '@agentclientprotocol/sdk';
import type { ClientContext, InitializeResponse, NewSessionResponse } from '@agentclientprotocol/sdk';
import { acpProgram, VERSION, type AcpSettings } from '@countersign/protocol';
import { ASK_META } from './ask-always.js';
import { automaticChoice, carefulModes, modeChoices } from './mode-choices.js';
import type { ReportedModes } from './reported-modes.js';
import type { Continuation, StoredSession } from './write-prompt.js';

interface Place {
  acp: AcpSettings;
  workingDirectory: string;
  stored: StoredSession | undefined;
  reported: ReportedModes;
}

interface Opened {
  sessionId: string;
  continuation: Continuation;
  /** The mode without questions that the agent stays in. */
  automatic: string | undefined;
}

/** Restores the agent's session or opens a new one, and sets it to modes in which the agent asks. */
export async function handshake(
  agent: ClientContext,
  { methods: { agent: methods }, PROTOCOL_VERSION }: typeof Acp,
  { acp, workingDirectory: cwd, stored, reported }: Place,
): Promise<Opened> {
  const initialized: InitializeResponse = await agent.request(methods.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    // The agent must not use us as a file server or a shell: that would bypass the gate.
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'countersign', version: VERSION },
  });
  const place = { cwd, mcpServers: [], _meta: ASK_META };
  let session: Pick<NewSessionResponse, 'modes' | 'configOptions'> & { sessionId: string };
  let continuation: Continuation = 'new';
  const mayLoad = stored?.cwd === cwd && initialized.agentCapabilities?.loadSession === true;
  const loaded = mayLoad
    ? await agent.request(methods.session.load, { ...place, sessionId: stored.sessionId }).catch(() => undefined)
    : undefined;
  if (stored !== undefined && loaded !== undefined) {
    session = { ...loaded, sessionId: stored.sessionId };
    continuation = 'loaded';
  } else session = await agent.request(methods.session.new, place);
  const { sessionId } = session;
  const program = acpProgram(acp);
  const choices = modeChoices(reported.applyTo(session), program);
  let automatic: string | undefined;
  for (const { choice, id } of carefulModes(choices, { mode: acp.mode, program })) {
    const { configId } = choice;
    if (configId === undefined) await agent.request(methods.session.setMode, { sessionId, modeId: id });
    else {
      reported.forgetOptions();
      const { configOptions } = await agent.request(methods.session.setConfigOption, {
        sessionId,
        configId,
        value: id,
      });
      automatic = automaticChoice(configOptions, program)?.current;
    }
  }
  return { sessionId, continuation, automatic };
}
