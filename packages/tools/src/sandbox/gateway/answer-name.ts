/** A DNS query for the address of a name. */
export interface NameQuestion {
  readonly name: string;
  /** Whether this is an A query. Other types get an empty answer. */
  readonly wantsAddress: boolean;
  readonly packet: Buffer;
  /** Offset of the end of the question. */
  readonly end: number;
}

const HEADER = 12;
const TYPE_A = 1;
const CLASS_INTERNET = 1;
/** The allowed characters in a label; anything else is not a host name. */
const PLAIN = /^[a-z0-9_-]{1,63}$/i;

/** Undefined if the packet is not such a query. The program in the sandbox controls every byte of it. */
export function readNameQuestion(packet: Buffer): NameQuestion | undefined {
  const isQuery = packet.length > HEADER && (packet.readUInt16BE(2) & 0xf800) === 0 && packet.readUInt16BE(4) === 1;
  if (!isQuery) return undefined;
  const labels: string[] = [];
  let at = HEADER;
  for (;;) {
    const length = packet[at];
    if (length === undefined || length > 63 || at - HEADER > 255) return undefined;
    at += 1;
    if (length === 0) break;
    const label = packet.toString('latin1', at, at + length);
    if (!PLAIN.test(label)) return undefined;
    labels.push(label.toLowerCase());
    at += length;
  }
  if (at + 4 > packet.length || labels.length === 0) return undefined;
  const wantsAddress = packet.readUInt16BE(at) === TYPE_A && packet.readUInt16BE(at + 2) === CLASS_INTERNET;
  return { name: labels.join('.'), wantsAddress, packet, end: at + 4 };
}

const SECONDS_TO_KEEP = 60;

/** `address`: null if the name doesn't exist; undefined if it exists but has no such record. */
export function writeNameAnswer({ packet, end }: NameQuestion, address: string | null | undefined): Buffer {
  const answer = Buffer.from(packet.subarray(0, end));
  // Flags: response, recursion desired and recursion available; 3 is NXDOMAIN.
  answer.writeUInt16BE(0x8180 | (address === null ? 3 : 0), 2);
  answer.writeUInt16BE(typeof address === 'string' ? 1 : 0, 6);
  answer.writeUInt32BE(0, 8);
  if (typeof address !== 'string') return answer;
  const record = Buffer.alloc(16);
  // A pointer to the name in the question.
  record.writeUInt16BE(0xc000 | HEADER, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(CLASS_INTERNET, 4);
  record.writeUInt32BE(SECONDS_TO_KEEP, 6);
  record.writeUInt16BE(4, 10);
  Buffer.from(address.split('.').map(Number)).copy(record, 12);
  return Buffer.concat([answer, record]);
}
