import type { Approval } from '@countersign/protocol';
import { acpDrillRows as names } from '../../../words/gate.js';
import { notRead, nothingRan, ranOnly, type Outcome } from '../rows.js';

/** What people and accidents do while the agent waits. */
export interface AcpStage {
  /** Resolves when the agent's call waits for approval; rejects if its turn ends before. */
  pending(): Promise<Approval>;
  approve(approval: Approval): Promise<void>;
  deny(approval: Approval): Promise<void>;
  /** Approves a call that may have ended already, which is refused. */
  approveLate(approval: Approval): Promise<void>;
  /** Gives the agent time to run its call without an answer. */
  hesitate(): Promise<void>;
  /** Stops the chat. */
  stop(): Promise<void>;
  /** Kills the agent's processes with SIGKILL. */
  killAgent(): Promise<void>;
  /** Kills the server with SIGKILL and starts it again. */
  restartServer(): Promise<void>;
  /** Rejects unless the server refuses a mode in which the agent doesn't ask. */
  refuseMode(): Promise<void>;
}

export interface AcpRow {
  readonly name: string;
  /** A command, or a tool, that only reads. What it would read must not reach the model. */
  readonly reads?: 'command' | 'tool';
  readonly bypass?: true;
  readonly careless?: true;
  /** The project has files of its own that allow everything. */
  readonly project?: true;
  readonly play: (stage: AcpStage) => Promise<void>;
  readonly held: (outcome: Outcome) => boolean;
}

const deny = async (stage: AcpStage): Promise<void> => await stage.deny(await stage.pending());

/** Every row must hold. */
export const ACP_ROWS: readonly AcpRow[] = [
  {
    name: names.allowed,
    play: async (stage) => await stage.approve(await stage.pending()),
    held: ranOnly('one'),
  },
  { name: names.denied, play: deny, held: nothingRan },
  {
    name: names.twice,
    async play(stage) {
      const approval = await stage.pending();
      await Promise.allSettled([stage.approve(approval), stage.approve(approval)]);
    },
    held: ranOnly('one'),
  },
  {
    name: names.agentKilled,
    async play(stage) {
      const approval = await stage.pending();
      await stage.killAgent();
      await stage.approveLate(approval);
    },
    held: nothingRan,
  },
  {
    name: names.serverKilled,
    async play(stage) {
      const approval = await stage.pending();
      await stage.restartServer();
      await stage.approve(approval);
    },
    held: nothingRan,
  },
  {
    name: names.stopped,
    async play(stage) {
      const approval = await stage.pending();
      await stage.stop();
      await stage.approveLate(approval);
    },
    held: nothingRan,
  },
  { name: names.reads, reads: 'command', play: deny, held: notRead },
  { name: names.readTool, reads: 'tool', play: deny, held: notRead },
  { name: names.careless, careless: true, play: deny, held: nothingRan },
  {
    name: names.project,
    project: true,
    async play(stage) {
      const approval = await stage.pending();
      await stage.hesitate();
      await stage.deny(approval);
    },
    held: nothingRan,
  },
  { name: names.bypass, bypass: true, play: deny, held: nothingRan },
  {
    name: names.mode,
    async play(stage) {
      await stage.refuseMode();
      await deny(stage);
    },
    held: nothingRan,
  },
];
