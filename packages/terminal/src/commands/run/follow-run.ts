import { ClientError } from '@countersign/client';
import type { Run, StartedRun } from '@countersign/protocol';
import { signingLink } from '../../approvals/signing-link.js';
import type { CommandContext } from '../../context.js';
import { EXIT } from '../../exit-codes.js';
import { untilInterrupted } from '../../input/until-interrupted.js';
import { plainLine } from '../../text/plain-text.js';
import { runWords as words } from '../../words/run.js';
import type { RunServer } from './run-server.js';

/** How a run became what it is for the person who started it. */
export interface Followed {
  readonly state: Run['state'] | 'interrupted';
  /** The exit code of this command: see `runHelp.exitCodes`. */
  readonly code: number;
  readonly run?: Run;
}

const POLL_MS = 500;

/** Says that the program has ended, and waits for the decision about its changes. The server decides: this process can't. */
export async function followRun(
  context: CommandContext,
  server: RunServer,
  { id, world }: StartedRun,
  exitCode: number,
): Promise<Followed> {
  const interrupted = untilInterrupted();
  const leaving = new AbortController();
  void interrupted.promise.then(() => leaving.abort());
  const { signal } = leaving;
  let isAsked = false;
  try {
    let run = await server.askPatiently((client) => client.runs.end(world, id), signal);
    while (run.state === 'ended' || run.state === 'waiting' || run.state === 'running') {
      const { chatId, approvalId } = run;
      if (!isAsked && chatId !== undefined && approvalId !== undefined) {
        isAsked = true;
        const link = await server.askPatiently((client) => signingLink(client, world, chatId), signal);
        context.note(words.signAt(link));
      }
      await new Promise((done) => setTimeout(done, POLL_MS));
      run = await server.askPatiently((client) => client.runs.get(world, id), signal);
    }
    return { ...say(context, run, exitCode), run };
  } catch (error) {
    if (signal.aborted) {
      context.note(words.leaving(id));
      return { state: 'interrupted', code: EXIT.interrupted };
    }
    if (!(error instanceof ClientError)) throw error;
    context.note(words.unsealed(plainLine(error.detail)));
    return { state: 'failed', code: EXIT.notApplied };
  } finally {
    interrupted.end();
  }
}

function say(context: CommandContext, { id, state, reason: given = '' }: Run, exitCode: number): Followed {
  const reason = plainLine(given).replace(/\.$/, '');
  switch (state) {
    case 'applied':
    case 'undone':
      context.note(words.applied);
      return { state, code: exitCode };
    case 'unchanged':
      context.note(words.unchanged(reason));
      return { state, code: exitCode };
    case 'denied':
      context.note(words.denied(reason));
      break;
    case 'sent-back':
      break;
    case 'conflict':
      context.note(words.conflict(id, reason));
      break;
    case 'discarded':
      context.note(words.discarded);
      break;
    case 'failed':
    case 'running':
    case 'ended':
    case 'waiting':
      context.note(words.failed(reason));
  }
  return { state, code: EXIT.notApplied };
}
