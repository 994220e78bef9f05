import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNameQuestion, writeNameAnswer } from './answer-name.js';

/** A DNS query as a program sends it: id 7, recursion desired, followed by `rest`. */
function question(labels: readonly string[], type = 1, rest = Buffer.alloc(0)): Buffer {
  const name = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  const header = Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1]);
  return Buffer.concat([header, ...name, Buffer.from([0, 0, type, 0, 1]), rest]);
}

describe('a DNS query', () => {
  it('is parsed and answered with the address, whatever follows it', () => {
    const asked = readNameQuestion(question(['Example', 'com'], 1, Buffer.from([0, 0, 41, 5])));
    if (asked === undefined) throw new Error('not read');
    expect([asked.name, asked.wantsAddress]).toEqual(['example.com', true]);
    const answer = writeNameAnswer(asked, '127.64.0.9');
    expect([answer.readUInt16BE(0), answer.readUInt16BE(2), answer.readUInt16BE(6)]).toEqual([7, 0x8180, 1]);
    expect([...answer.subarray(-4)]).toEqual([127, 64, 0, 9]);
    expect(answer.readUInt16BE(10)).toBe(0);
  });

  it('for another record type gets an empty answer, and for an unknown name NXDOMAIN', () => {
    const asked = readNameQuestion(question(['example', 'com'], 28));
    if (asked === undefined) throw new Error('not read');
    expect(asked.wantsAddress).toBe(false);
    expect(writeNameAnswer(asked, undefined).readUInt16BE(6)).toBe(0);
    expect(writeNameAnswer(asked, null).readUInt16BE(2) & 15).toBe(3);
  });

  it('[SAFE5] ignores invalid packets, whatever bytes they contain', () => {
    expect(readNameQuestion(question(['a b', 'com']))).toBeUndefined();
    expect(readNameQuestion(question(['a\0b']))).toBeUndefined();
    expect(readNameQuestion(question([]))).toBeUndefined();
    // A pointer to itself.
    expect(readNameQuestion(Buffer.from([0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xc0, 12, 0, 1, 0, 1]))).toBeUndefined();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        const asked = readNameQuestion(Buffer.from(bytes));
        if (asked !== undefined) writeNameAnswer(asked, '127.64.0.1');
      }),
    );
  });
});
