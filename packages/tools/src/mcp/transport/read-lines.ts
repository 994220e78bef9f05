const LINE_FEED = 10;

/**
 * Splits chunks into lines. Scans and decodes each chunk once, as it arrives: decoding a line of several megabytes at its end would block the
 * event loop. Returns false if a line exceeds the limit; reading then stops.
 */
export function createLineReader(limit: number, take: (line: string) => void): (bytes: Buffer) => boolean {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let open: string[] = [];
  let size = 0;
  return (bytes) => {
    let rest = bytes;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      if (size + end > limit) return false;
      const line = [...open, decoder.decode(rest.subarray(0, end))].join('');
      open = [];
      size = 0;
      rest = rest.subarray(end + 1);
      take(line);
    }
    if (rest.length > 0) open.push(decoder.decode(rest, { stream: true }));
    size += rest.length;
    return size <= limit;
  };
}
