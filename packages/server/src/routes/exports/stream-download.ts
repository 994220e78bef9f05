import type { Log } from '../../app/context.js';

/**
 * A download that is written while it is read, because it may be larger than memory. The first part is read before the response starts, so
 * that its errors are ordinary responses.
 */
export async function streamDownload(
  parts: AsyncGenerator<string>,
  { type, file, log }: { type: string; file: string; log: Log },
): Promise<Response> {
  const encoder = new TextEncoder();
  let next = await parts.next();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (next.done === true) {
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(next.value));
      try {
        next = await parts.next();
      } catch (error) {
        // Abort the connection: if it ended normally, the client would mistake the truncated file for the whole one.
        log.error('export failed', { file, error: String(error) });
        controller.error(error);
      }
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
  return new Response(body, {
    headers: { 'Content-Type': type, 'Content-Disposition': `attachment; filename="${file}"` },
  });
}
