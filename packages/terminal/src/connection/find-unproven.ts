import { ChannelError } from '@countersign/server/channel';

/** The error of a server that didn't prove that it knows our token, if that is why a request failed. */
export function findUnproven(error: unknown): ChannelError | undefined {
  if (error instanceof ChannelError) return error;
  return error instanceof Error ? findUnproven(error.cause) : undefined;
}
