const LINE_FEED = 10;

/**
 * Cuts what comes in pieces into lines. A piece is looked at and decoded once, when it comes: decoding a line of megabytes at its end
 * would block everybody else. False: the line is longer than the limit, and nothing more is read.
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
