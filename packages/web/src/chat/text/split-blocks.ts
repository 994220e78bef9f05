const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;

/**
 * Splits Markdown into blocks that can be rendered separately, so that a streamed answer re-parses only its last block. Joining the blocks
 * gives the text. Lists and indented lines stay with their block.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | undefined;
  let blank = false;
  let inList = false;
  const close = (): void => {
    if (block.length > 0) blocks.push(block.join(''));
    block = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length && line.trim() === mark)
        fence = undefined;
      block.push(line);
      blank = false;
      continue;
    }
    const isBlank = line.trim() === '';
    const listItem = LIST.test(line);
    if (blank && !isBlank && !/^\s/.test(line) && !(inList && listItem)) close();
    if (block.every((each) => each.trim() === '')) inList = listItem;
    if (mark !== undefined) fence = mark;
    block.push(line);
    blank = isBlank;
  }
  close();
  return blocks;
}
