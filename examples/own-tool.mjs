// Your own tool: its arguments, when it needs approval, and its subjects.
import { defineTool, openWorld, scripted } from 'countersign';
import { z } from 'zod';

const sent = [];

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Sends an email.',
  parameters: z.object({ to: z.email(), subject: z.string() }),
  approval: {
    required: true,
    message: 'Send "{subject}" to {to}?',
    // No "always" for emails: the widest option is "for this chat".
    scope: 'session',
  },
  execute: ({ to, subject }, { output }) => {
    output(`sending to ${to}\n`);
    sent.push(subject);
    return { delivered: true };
  },
});

const model = scripted([
  { calls: [{ name: 'send_mail', arguments: { to: 'not an address', subject: 'Hello' } }] },
  { calls: [{ name: 'send_mail', arguments: { to: 'ada@example.org', subject: 'Hello' } }] },
  'The email is on its way.',
]);

const world = await openWorld(':memory:', {
  name: 'Post',
  agents: [{ name: 'Clerk', provider: 'scripted', model: 'demo', tools: ['send_mail'] }],
  providers: [model],
  tools: [sendMail],
});
world.on('tool', ({ type, error = '' }) => console.log(`${type} ${error}`.trimEnd()));
world.on('tool-output', ({ content }) => {
  if (content.trim() !== '') console.log(content.trim());
});

const chat = await world.chat();
await chat.send('Greet Ada.');
await chat.settled();

// The first call did not match the schema: nobody was asked, the model got the error and tried again.
const [approval] = await world.approvals();
console.log(approval.message, approval.options.join(' '));
await world.decide(approval, { decision: 'approve' });
await chat.settled();

console.log(sent);
console.log((await chat.messages()).at(-1).content);
await world.close();
