import { DBOS } from '@dbos-inc/dbos-sdk';
import { ANSWER, callsFor, QUESTION, runTool } from './script.mjs';

/** An agent's turn as a workflow: model and tools are steps, and a gated call waits for a message. */
export function describe({ name, url }) {
  let open;
  return {
    name,
    packageName: '@dbos-inc/dbos-sdk',
    async subject({ tools: count, gated }) {
      open ??= launch(url);
      const run = await open;
      let made = 0;
      const another = async () => turnsOf(run, { count, gated }, `${process.pid}-${(made += 1)}`);
      return { ...(await another()), another };
    },
  };
}

async function launch(url) {
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, logLevel: 'error', runAdminServer: false });
  const turn = DBOS.registerWorkflow(takeTurn, { name: 'turn' });
  await DBOS.launch();
  return turn;
}

async function takeTurn({ count, gated, question }) {
  const messages = [{ role: 'user', content: question }];
  for (;;) {
    const answer = await DBOS.runStep(async () => answerTo(messages, count), { name: 'model' });
    messages.push({ role: 'assistant', ...answer });
    if (answer.text !== undefined) return answer.text;
    if (gated) await DBOS.setEvent('asked', answer.calls);
    for (const { id, args } of answer.calls) {
      if (gated && (await DBOS.recv(id, 60))?.approve !== true) throw new Error('denied');
      const content = await DBOS.runStep(async () => runTool(args), { name: 'tool' });
      messages.push({ role: 'tool', id, content });
    }
  }
}

function answerTo(messages, count) {
  if (count === 0 || messages.at(-1).role !== 'user') return { text: ANSWER };
  return { calls: callsFor(count).map((args, index) => ({ id: `call-${index}`, args })) };
}

function turnsOf(turn, { count, gated }, chat) {
  let taken = 0;
  let workflowID;
  let handle;
  let asked;
  const given = { count, gated, question: QUESTION };
  return {
    async pause() {
      workflowID = `${chat}-${process.hrtime.bigint()}-${(taken += 1)}`;
      if (!gated) return;
      handle = await DBOS.startWorkflow(turn, { workflowID })(given);
      asked = await DBOS.getEvent(workflowID, 'asked', 60);
    },
    async finish() {
      if (!gated) return await (await DBOS.startWorkflow(turn, { workflowID })(given)).getResult();
      for (const { id } of asked) await DBOS.send(workflowID, { approve: true }, id);
      return await handle.getResult();
    },
  };
}
