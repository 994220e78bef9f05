import {
  describeNeedBy,
  describeSigners,
  describeStuck,
  forText,
  listNames,
  type NeededSignatures,
  type Signature,
} from '@countersign/protocol';
import type { Reader } from '../../state/reader.js';
import type { ApprovalView } from '../../state/state.js';
import { fromText, nameOf } from './who-text.js';

/**
 * What the reader can do about a waiting call. `decide`: approve or deny it, or answer it. `signed`: they have signed, and others must sign too.
 * `deny`: a rule says that others must sign, but they can deny it. `watch`: their role can't decide calls. `unknown`: not loaded yet.
 */
export type YourPart = 'decide' | 'signed' | 'deny' | 'watch' | 'unknown';

type SignableApproval = Pick<ApprovalView, 'needs' | 'question'>;

/** The server decides in any case (SIGN1). If the reader is unknown, everything is offered. */
export function yourPart({ needs = [], question }: SignableApproval, me: Reader | undefined): YourPart {
  if (me === undefined) return 'decide';
  if (question !== undefined && needs.length === 0) return me.mayAnswer ? 'decide' : 'watch';
  if (!me.maySign) return 'watch';
  if (needs.length === 0) return 'decide';
  if (!me.isPerson) return 'deny';
  const open = needs.filter(({ count, signed }) => signed.length < count);
  // All signatures are there, but one of them did not count for a while: anyone who may sign can finish it.
  if (open.length === 0) return 'decide';
  // Someone who signed for one person can still sign for another, under another rule.
  if (open.some((need) => need.mayIds?.includes(me.id) === true)) return 'decide';
  if (needs.some((need) => hasSigned(need, me))) return 'signed';
  if (open.some(({ mayIds }) => mayIds === undefined)) return 'unknown';
  return open.some(isTruncated) ? 'decide' : 'deny';
}

/** Whether a call waits for the reader: it counts in badges and notifications. */
export function isForYou(approval: SignableApproval, me: Reader | undefined): boolean {
  return yourPart(approval, me) === 'decide';
}

/** Whether the reader could sign a call if they had a trusted passkey (SIGN2). */
export function lacksPasskey(approval: SignableApproval, me: Reader | undefined): boolean {
  if (me === undefined || yourPart(approval, me) !== 'deny') return false;
  return approval.needs?.some(({ lackPasskeyIds }) => lackPasskeyIds?.includes(me.id) === true) ?? false;
}

/** Nobody can edit a call for which a rule says who must sign (SIGN1.2), or that an ACP agent runs (EXT3). */
export function mayEdit({
  options,
  needs,
  question,
  editable,
}: SignableApproval & Pick<ApprovalView, 'options' | 'editable'>): boolean {
  return options.includes('approve_once') && needs === undefined && question === undefined && editable === undefined;
}

/**
 * The signature lines of a card, the same on every screen: `Needs 2 of Finance · signed by Ada from Chrome on Android, 1 more`, or
 * `You signed · 1 more of Finance needed`. The last line says who can sign, if the reader can't.
 */
export function signingLines(approval: SignableApproval, me: Reader | undefined): string[] {
  const { needs = [] } = approval;
  const lines = needs.map((need) => needLine(need, me));
  const others = describeSigners(needs);
  switch (yourPart(approval, me)) {
    case 'decide':
      return [...lines, ...coverLines(needs, me)];
    case 'unknown':
      return lines;
    case 'signed':
    case 'deny':
      return [
        ...lines,
        ...(others === '' ? [] : [`${others} can sign.`]),
        ...(lacksPasskey(approval, me) ? [NO_PASSKEY] : []),
      ];
    case 'watch':
      return [...lines, approval.question === undefined ? NO_SIGNING : NO_ANSWERS];
  }
}

/** For whom the reader would sign (SIGN4): `You can sign for Ada Lovelace.` */
function coverLines(needs: readonly NeededSignatures[], me: Reader | undefined): string[] {
  const names = needs.flatMap(({ delegates = [] }) =>
    delegates.filter(({ id }) => id === me?.id).map(({ for: { name } }) => name),
  );
  return names.length === 0 ? [] : [`You can sign for ${listNames([...new Set(names)], 'or')}.`];
}

const NO_PASSKEY = 'You need a trusted passkey to sign this call.';
const NO_SIGNING = "Your role can't approve or deny calls. Approvers can.";
const NO_ANSWERS = "Your role can't answer questions. Members can.";

/** After a signature that isn't the last. `again`: the reader had already signed. */
export function afterSigning(again: boolean): string {
  return again
    ? 'You have already signed this call. It needs more signatures.'
    : 'Signed. This call needs more signatures.';
}

/** `Ada Lovelace from Chrome on Android`, or `you`. */
function signerText(signature: Signature, me: string | undefined): string {
  const { id, kind, via } = signature;
  if (kind === 'agent') return nameOf(signature);
  if (kind === 'person' && id === me) return `you${forText(signature)}`;
  const from = fromText(via);
  return `${nameOf(signature)}${signature.for === undefined ? from.replace(/^,/, '') : from}`;
}

function needLine(need: NeededSignatures, me: Reader | undefined): string {
  const { count, signed, label, of } = need;
  const missing = count - signed.length;
  if (me === undefined || missing <= 0 || of === undefined || !hasSigned(need, me))
    return describeNeedBy(need, (signature) => signerText(signature, me?.id));
  const others = signed.filter(({ id }) => id !== me.id).map((signature) => signerText(signature, me.id));
  const own = signed.find(({ kind, id }) => kind === 'person' && id === me.id);
  const you = `You${own?.for === undefined ? '' : ` (for ${own.for.name})`}`;
  const who = others.length === 0 ? `${you} signed` : `${you} and ${listNames(others)} signed`;
  const parts = [who, `${missing} more of ${label ?? `@${of}`} needed`, describeStuck(need)];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function hasSigned({ signed }: NeededSignatures, { id, isPerson }: Reader): boolean {
  return isPerson && signed.some((who) => who.kind === 'person' && who.id === id);
}

/** Whether the list of ids is incomplete, because too many people can sign. */
function isTruncated({ eligible = 0, signed, mayIds = [] }: NeededSignatures): boolean {
  return mayIds.length + signed.length < eligible;
}
