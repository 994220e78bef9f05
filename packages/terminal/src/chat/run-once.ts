import type { CommandContext } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { plainLine } from '../text/plain-text.js';
import { untilInterrupted } from '../input/until-interrupted.js';
import { lastNotice, outcomeSince, type Outcome } from './outcome.js';
import type { Answering, Session, Settled } from './session.js';
import { chatWords } from '../words/chat.js';
import { errors } from '../words/errors.js';

/** Sends one message, follows the chat and reports the outcome. */
export async function runOnce(
  context: CommandContext,
  session: Session,
  answering: Answering,
  { content, timeoutMs, files }: { content: string; timeoutMs: number | undefined; files?: readonly string[] },
): Promise<number> {
  const leaving = new AbortController();
  if (answering.kind === 'person') {
    answering.keyboard.onLoose((typed) => {
      if (typed.kind !== 'interrupt') return;
      if (session.isAway()) leaving.abort();
      if (session.isAtCard()) return;
      session.stop().then(
        () => leaving.abort(),
        () => leaving.abort(),
      );
    });
  }
  // Without a keyboard, Ctrl-C is a signal that would kill our own server in the middle of a call.
  const interrupted = answering.kind === 'person' ? undefined : untilInterrupted();
  void interrupted?.promise.then(() => leaving.abort());
  const noticesBefore = lastNotice(session.state());
  const messageId = await session.send(content, files);
  const deadline = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
  const settled = await session.settle({ ...deadline, signal: leaving.signal }).finally(() => interrupted?.end());
  if (settled !== 'settled') context.leave();
  const outcome = outcomeOf(settled, session, messageId, noticesBefore);
  if (context.options.json) {
    const { why } = outcome;
    const end = { type: 'end', outcome: outcome.outcome, chatId: session.chat };
    context.jsonLine(why === undefined ? end : { ...end, why });
  } else if (outcome.why !== undefined && outcome.isShown !== true) context.note(`· ${plainLine(outcome.why)}`);
  return outcome.exitCode;
}

function outcomeOf(settled: Settled, session: Session, messageId: string, noticesBefore: number): Outcome {
  switch (settled) {
    case 'settled':
      return outcomeSince(session.state(), messageId, noticesBefore);
    case 'given-up':
      return { outcome: 'interrupted', exitCode: EXIT.interrupted, why: chatWords.stoppedMessage };
    case 'left': {
      const why = chatWords.left(String(session.state().queue.length), { world: session.world, id: session.chat });
      return { outcome: 'interrupted', exitCode: EXIT.interrupted, why };
    }
    case 'timed-out': {
      if (session.state().connection.kind !== 'open') {
        return { outcome: 'failed', exitCode: EXIT.failed, why: errors.serverGone };
      }
      const waiting = session.state().queue.length;
      const why = waiting > 0 ? chatWords.timedOutWaiting(waiting) : chatWords.timedOut;
      return { outcome: 'timed out', exitCode: EXIT.timedOut, why };
    }
  }
}
