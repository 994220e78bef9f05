import { ClientError, type ApprovalView, type Client } from '@countersign/client';
import type { ToolResultReply } from '@countersign/protocol';
import type { UiState } from '../ui-state.js';

/** What an effect needs from the controller. The UI state may change while an effect waits for the server, so it is always read again. */
export interface EffectHost {
  readonly client: Client;
  readonly worldId: string;
  now(): number;
  ui(): UiState;
  /** Sets the state without drawing it: something that draws follows. */
  set(next: UiState): void;
  show(next: UiState): void;
  /** Takes over what the stores and replies say, and draws it. */
  refresh(): void;
  replied(approvalId: string, reply: ToolResultReply): void;
  openChat(chatId: string | undefined): void;
  leave(): void;
  /** Undefined if the call was not changed. */
  edit(call: ApprovalView): Promise<Record<string, unknown> | undefined>;
}

export function say(host: EffectHost, text: string, isBad = false): void {
  host.show({ ...host.ui(), status: { text, isBad } });
}

export function complain(host: EffectHost, error: unknown): void {
  say(host, error instanceof ClientError ? error.detail : error instanceof Error ? error.message : String(error), true);
}
