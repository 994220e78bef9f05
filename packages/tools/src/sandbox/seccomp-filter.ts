import { Buffer } from 'node:buffer';

/** What a command may not ask of the kernel, by the numbers of one processor. */
interface Calls {
  /** How the kernel names the processor. */
  readonly arch: number;
  readonly socket: number;
  readonly ioctl: number;
  readonly denied: readonly number[];
}

/**
 * Denied: keys of the person's session (add_key, request_key, keyctl), which no namespace hides; io_uring, which opens sockets
 * behind this filter's back; and what only widens the kernel's surface (bpf, perf_event_open, userfaultfd, kexec_load,
 * kexec_file_load, open_by_handle_at, setns).
 */
const CALLS: Readonly<Record<string, Calls>> = {
  x64: {
    arch: 0xc000003e,
    socket: 41,
    ioctl: 16,
    denied: [248, 249, 250, 425, 426, 427, 321, 298, 323, 246, 320, 304, 308],
  },
  arm64: {
    arch: 0xc00000b7,
    socket: 198,
    ioctl: 29,
    denied: [217, 218, 219, 425, 426, 427, 280, 241, 282, 104, 294, 265, 268],
  },
};

/** Unix, IPv4, IPv6 and netlink. Others, such as the line from a virtual machine to its host, are in no namespace of ours. */
const FAMILIES = [1, 2, 10, 16];
/** Typing into a terminal (TIOCSTI, TIOCLINUX). */
const REQUESTS = [0x5412, 0x541c];

const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL = 0x80000000;
const ERROR = 0x00050000;
const EPERM = 1;
const EAFNOSUPPORT = 97;
/** Where the kernel puts what it is asked: the call's number, the processor, the low halves of the first two arguments. */
const NUMBER = 0;
const ARCH = 4;
const FIRST = 16;
const SECOND = 24;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** A program for the kernel that refuses those calls, or undefined for a processor nobody has written one for. */
export function seccompFilter(arch: string = process.arch): Buffer | undefined {
  const calls = CALLS[arch];
  if (calls === undefined) return undefined;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCH],
    // Another processor's calls (32 bit on 64) have other numbers: all of them, or the filter is none.
    [JUMP_IF_EQUAL, 1, 0, calls.arch],
    [RETURN, 0, 0, KILL],
    [LOAD, 0, 0, NUMBER],
    // The x32 numbers of an x64 kernel.
    [JUMP_IF_AT_LEAST, 0, 1, 0x40000000],
    [RETURN, 0, 0, ERROR | EPERM],
    ...calls.denied.flatMap((number) => ifEqual(number, ERROR | EPERM)),
    ...ifCall(calls.ioctl, [
      [LOAD, 0, 0, SECOND],
      ...REQUESTS.flatMap((request) => ifEqual(request, ERROR | EPERM)),
      [RETURN, 0, 0, ALLOW],
    ]),
    ...ifCall(calls.socket, [
      [LOAD, 0, 0, FIRST],
      ...FAMILIES.flatMap((family) => ifEqual(family, ALLOW)),
      [RETURN, 0, 0, ERROR | EAFNOSUPPORT],
    ]),
    [RETURN, 0, 0, ALLOW],
  ];
  return Buffer.concat(program.map(encode));
}

function ifEqual(value: number, answer: number): Instruction[] {
  return [
    [JUMP_IF_EQUAL, 0, 1, value],
    [RETURN, 0, 0, answer],
  ];
}

function ifCall(number: number, then: readonly Instruction[]): Instruction[] {
  return [[JUMP_IF_EQUAL, 0, then.length, number], ...then];
}

function encode([code, ifTrue, ifFalse, value]: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
