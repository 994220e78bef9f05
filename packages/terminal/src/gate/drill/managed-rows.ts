import { drillRows as names } from '../../words/gate.js';
import { approveIfAsked, first, nothingRan, ranOnly, type Row, type Stage } from './rows.js';

/** Nothing may keep the call from being asked for, so a missing question is a failure. */
const approve = async (stage: Stage): Promise<void> => await stage.approve(first(await stage.pending(1)));
const deny = async (stage: Stage): Promise<void> => await stage.deny(first(await stage.pending(1)));
const denyIfAsked = async (stage: Stage): Promise<void> => {
  const [approval] = await stage.pending(1).catch(() => []);
  if (approval !== undefined) await stage.deny(approval);
};

/** Denies a call that another hook changed before ours: people see it as it would run. */
const approveUnchanged = async (stage: Stage): Promise<void> => {
  const [approval] = await stage.pending(1).catch(() => []);
  if (approval === undefined) return;
  const isChanged = JSON.stringify(approval.arguments).includes('edited.txt');
  await (isChanged ? stage.deny(approval) : stage.approve(approval));
};

/** What a row must show for a managed gate. Claude Code's hook no longer refuses projects, so their calls are asked for, and denied. */
export function asManaged(agent: string, row: Row): Row {
  if (row.project === 'hidden') return { ...row, play: approveUnchanged };
  if (agent !== 'claude' || row.project === undefined || row.hook !== undefined) return { ...row, mayNotStart: true };
  return { ...row, mayNotStart: true, play: denyIfAsked };
}

/** Only with a managed gate. */
export const MANAGED_ROWS: readonly Row[] = [
  { name: names.managedProject, commands: ['one'], project: 'askedHook', play: approve, held: ranOnly('one') },
  { name: names.managedProjectGarbage, hook: 'garbage', commands: ['one'], project: 'hook', held: nothingRan },
  { name: names.managedLoader, commands: ['one'], project: 'loader', play: approve, held: ranOnly('one') },
  { name: names.managedUserLoader, commands: ['one'], project: 'userLoader', play: approve, held: ranOnly('one') },
  { name: names.managedMcp, commands: ['one'], project: 'mcp', play: approve, held: ranOnly('one') },
  { name: names.managedBare, commands: ['one'], project: 'bare', play: deny, held: nothingRan },
  { name: names.managedNoSources, commands: ['one'], project: 'noSources', play: deny, held: nothingRan },
  { name: names.managedSafeMode, commands: ['one'], project: 'safeMode', play: deny, held: nothingRan },
  { name: names.managedUserSettings, hook: 'garbage', commands: ['one'], project: 'userSettings', held: nothingRan },
  { name: names.managedUserDenied, commands: ['one'], project: 'userSettings', play: denyIfAsked, held: nothingRan },
  { name: names.managedOtherHome, commands: ['one'], project: 'otherHome', play: denyIfAsked, held: nothingRan },
  { name: names.managedOtherSettings, hook: 'garbage', commands: ['one'], project: 'otherSettings', held: nothingRan },
  { name: names.managedPolicyFlag, hook: 'exit', commands: ['one'], project: 'policyFlag', held: nothingRan },
  { name: names.managedAdminPolicyFlag, hook: 'exit', commands: ['one'], project: 'adminPolicyFlag', held: nothingRan },
  { name: names.managedOverwrite, commands: ['one'], project: 'overwrite', play: deny, held: nothingRan },
  {
    name: names.managedBroken,
    commands: ['one'],
    project: 'broken',
    mayNotStart: true,
    play: approveIfAsked,
    held: nothingRan,
  },
];
