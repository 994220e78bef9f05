import type { Client } from '@countersign/client';
import type { CommandContext } from '../../context.js';
import type { GatedAgent } from '../../gate/hook-agents.js';
import { choose } from '../../project/choose.js';
import { plainLine } from '../../text/plain-text.js';
import { gate } from '../../words/gate.js';

/** Offers the rules with which an agent reads in its folder without approval (GATE7.4). Nothing is added unless a person says so, or a flag. */
export async function offerReading(
  context: CommandContext,
  client: Client,
  { world, agent, adds }: { world: string; agent: GatedAgent; adds: true | undefined },
): Promise<void> {
  // In this order: a rule that is added in between is noticed by the ETag.
  const { value, etag } = await client.policy(world);
  const { rules, leftOut, because } = await client.external.readingRules(world, agent);
  if (rules.length === 0) return;
  context.note(gate.readingOffer(world));
  for (const rule of rules) context.note(plainLine(`  ${rule}`));
  if (because !== undefined) context.note(plainLine(gate.readingLeftOut(leftOut, because)));
  if (adds !== true && !context.isPerson) return context.note(gate.readingLater);
  const isAdded =
    adds ??
    (await choose(context, gate.readingAsk, [
      { label: gate.readingYes, value: true },
      { label: gate.readingNo, value: false },
    ]));
  if (!isAdded) return context.note(gate.readingLater);
  await client.setPolicy(world, { rules: [...value.rules, ...rules] }, { ifMatch: etag ?? '' });
  context.note(gate.readingAdded(rules.length, world));
}
