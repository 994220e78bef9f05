// Several agents in one chat: only addressed agents answer, and the turn limit ends the exchange.
import { openWorld, scripted } from 'countersign';

const model = scripted(({ messages }) => {
  const [system] = messages;
  const last = messages.at(-1);
  if (system.content.includes('You are Writer.')) {
    return last.content.includes('shorter')
      ? 'Ships come, ships go. @Editor in the middle addresses nobody.'
      : '@Editor Ships come and ships go, all day long.';
  }
  return last.content.includes('all day long') ? 'Make it shorter.' : '<world>DONE</world>';
});

const world = await openWorld(':memory:', {
  name: 'Press',
  agents: [
    { name: 'Writer', provider: 'scripted', model: 'demo', systemPrompt: 'You write.' },
    { name: 'Editor', provider: 'scripted', model: 'demo', systemPrompt: 'You shorten.' },
  ],
  mainAgent: 'writer',
  turnLimit: 3,
  providers: [model],
});
world.on('message', ({ sender, content }) => console.log(`${sender}: ${content}`));

const chat = await world.chat();
await chat.send('A line about harbours, please.');
console.log(await chat.settled());
await world.close();
