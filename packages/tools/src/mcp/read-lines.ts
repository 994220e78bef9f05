const LINE_FEED = 10;

/**
 * Cuts what comes in pieces into lines. A piece is looked at once, however long its line gets: joining what there is with each new
 * piece would cost minutes for a line of megabytes. False: the line is longer than the limit, and nothing more is read.
 */
export function createLineReader(limit: number, take: (line: string) => void): (bytes: Buffer) => boolean {
  let open: Buffer[] = [];
  let size = 0;
  return (bytes) => {
    let rest = bytes;
    for (let end = rest.indexOf(LINE_FEED); end !== -1; end = rest.indexOf(LINE_FEED)) {
      if (size + end > limit) return false;
      const line = Buffer.concat([...open, rest.subarray(0, end)]).toString('utf8');
      open = [];
      size = 0;
      rest = rest.subarray(end + 1);
      take(line);
    }
    if (rest.length > 0) open.push(rest);
    size += rest.length;
    return size <= limit;
  };
}
