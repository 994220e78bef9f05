// Approvals from code: a rule for harmless calls, a program that approves the calls it can judge, and a person for the rest.
import { defineTool, openWorld, scripted } from 'countersign';
import { z } from 'zod';

const pay = defineTool({
  name: 'pay',
  description: 'Pays an invoice.',
  parameters: z.object({ to: z.string(), euros: z.number() }),
  approval: { required: true, message: 'Pay {euros} € to {to}?' },
  execute: ({ to, euros }) => `paid ${euros} € to ${to}`,
});

const model = scripted([
  {
    calls: [
      { name: 'pay', arguments: { to: 'water', euros: 20 } },
      { name: 'pay', arguments: { to: 'paint', euros: 90 } },
      { name: 'pay', arguments: { to: 'crane', euros: 90_000 } },
    ],
  },
  'Water and paint are paid, the crane is not.',
]);

const world = await openWorld(':memory:', {
  name: 'Office',
  agents: [{ name: 'Purser', provider: 'scripted', model: 'demo', tools: ['*'] }],
  policy: ['allow pay(to=water, euros <= 20)'],
  providers: [model],
  tools: [pay],
});

const chat = await world.chat();
await chat.send('Pay the invoices.');
await chat.settled();

for (const approval of await world.approvals()) {
  const { to, euros } = approval.arguments;
  const small = euros < 100;
  const outcome = await world.decide(
    approval,
    small ? { decision: 'approve' } : { decision: 'deny', reason: 'too much for a program to approve' },
    { who: 'purse-strings', via: 'examples/approvals-from-code' },
  );
  console.log(to, outcome.state);
  // A repeated decision changes nothing.
  if (small) console.log((await world.decide(approval, { decision: 'approve' })).kind);
}
console.log(await chat.settled());
for (const { kind, tool, decision, who, rule } of await world.audit()) {
  if (kind === 'decision' || kind === 'run')
    console.log([kind, tool, decision ?? rule, who?.name].filter(Boolean).join(' '));
}
console.log((await chat.messages()).at(-1).content);
await world.close();
