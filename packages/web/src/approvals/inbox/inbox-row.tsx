import { type ApprovalView, effectBrief, folderOf, namedCallLine, needsPasskey } from '@countersign/client';
import type { NeededSignatures } from '@countersign/protocol';
import { memo, type ReactElement } from 'react';
import { useWorld } from '../../data/connection.js';
import { Ago } from '../../text/time.js';
import { Visible } from '../../text/visible.js';
import { visibleText } from '../../text/visible-parts.js';
import { Avatar } from '../../ui/avatar.js';
import { cx } from '../../ui/cx.js';
import { Icon } from '../../ui/icon.js';
import { approvalWords } from '../../words/approvals.js';
import { programOf, type Row } from './list-rows.js';
import type { InboxItem } from './use-inbox.js';

const words = approvalWords.list;

export interface RowProps {
  row: Row;
  /** The call, or the first one of a group. */
  item: InboxItem;
  isMine: boolean;
  isGone: boolean;
  /** Whether a group lists its calls. */
  isOpen: boolean;
  /** Its card is shown. */
  isCurrent: boolean;
  isTabStop: boolean;
  /** Undefined if it can't be selected. */
  selected: 'all' | 'some' | 'none' | undefined;
  onSelect: (row: Row, isChosen: boolean) => void;
  onOpen: (row: Row) => void;
}

/** One row, and its box. */
export const ListRow = memo(function ListRow(props: RowProps): ReactElement {
  const { row, item, isMine, isGone, isOpen, isCurrent, isTabStop, selected, onSelect, onOpen } = props;
  const isGroup = row.kind === 'group';
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <div
      className={cx(
        'flex items-stretch border-b border-l-2 border-b-line',
        isCurrent ? 'border-l-blue bg-blue-soft' : 'border-l-transparent hover:bg-sunken',
        !isGroup && row.isInGroup && 'pl-4',
      )}
    >
      <label
        className={cx(
          'flex w-9 shrink-0 items-center justify-center pointer-coarse:w-11',
          selected === undefined && 'invisible',
        )}
      >
        <input
          type="checkbox"
          aria-label={isGroup ? words.selectAlike(row.group.ids.length) : words.select(visibleText(lineOf(item), true))}
          tabIndex={tabIndex}
          checked={selected === 'all'}
          ref={(box) => {
            if (box !== null) box.indeterminate = selected === 'some';
          }}
          onChange={() => onSelect(row, selected !== 'all')}
          className="size-4 accent-blue pointer-coarse:size-5"
        />
      </label>
      <button
        type="button"
        data-row
        tabIndex={tabIndex}
        aria-current={isCurrent ? 'true' : undefined}
        aria-expanded={isGroup ? isOpen : undefined}
        onClick={() => onOpen(row)}
        className={cx(
          'min-w-0 flex-1 space-y-0.5 py-2 pr-3 text-left text-[0.8125rem] leading-snug focus-visible:-outline-offset-2',
          (isGone || !isMine) && 'text-ink-3',
        )}
      >
        <span className="flex items-center gap-2">
          <Avatar id={item.approval.agentId} name={item.agentName} small />
          {item.approval.question === undefined ? null : <Icon name="question" className="size-3.5 text-ink-3" />}
          <code className={cx('min-w-0 truncate', !isGroup && 'flex-1')}>
            <Visible text={isGroup ? (programOf(item.approval) ?? item.approval.toolName) : lineOf(item)} strict />
          </code>
          {isGroup ? (
            <span className="flex-1 shrink-0 font-medium whitespace-nowrap">{words.alike(row.group.ids.length)}</span>
          ) : null}
          <span className="shrink-0 text-xs text-ink-3">
            <Ago at={item.approval.requestedAt} />
          </span>
          {isGroup ? <Icon name="chevron" className={cx('size-3.5 text-ink-3', isOpen && 'rotate-90')} /> : null}
        </span>
        <span className="block truncate text-xs text-ink-3">
          <bdi>{item.worldName}</bdi> · <bdi>{item.agentName}</bdi>
          {isGroup ? null : <ChatTitle item={item} />}
        </span>
        {isGroup ? null : (
          <span className="flex gap-2 text-xs">
            {isGone ? (
              <span className="font-medium">{words.gone}</span>
            ) : (
              <Facts approval={item.approval} isMine={isMine} />
            )}
          </span>
        )}
      </button>
    </div>
  );
});

const lineOf = ({ approval: { question, toolName, arguments: args } }: InboxItem): string =>
  question?.text ?? namedCallLine(toolName, args);

function ChatTitle({ item: { chatTitle, worldId, approval } }: { item: InboxItem }): ReactElement | null {
  const live = useWorld(
    (state) => state.chats.find(({ id }) => id === approval.chatId && worldId === state.worldId)?.title,
  );
  const title = live ?? chatTitle;
  return title === undefined ? null : (
    <>
      {' · '}
      <bdi>{visibleText(title)}</bdi>
    </>
  );
}

/** What the call would change, where, and its signatures so far. */
function Facts({ approval, isMine }: { approval: ApprovalView; isMine: boolean }): ReactElement {
  const { needs, effect, prediction } = approval;
  const removes = (effect ?? prediction)?.files.some(({ change }) => change === 'removed') === true;
  const folder = folderOf(approval);
  return (
    <>
      <span className={cx('shrink-0', removes && 'font-medium text-red')}>{effectBrief(approval)}</span>
      {folder === undefined ? null : (
        <span className="min-w-0 truncate">
          <Visible text={words.in(shortFolder(folder))} strict />
        </span>
      )}
      <span className="ml-auto flex shrink-0 items-center gap-1.5">
        {isMine ? null : approvalWords.waitingForOthers}
        {needsPasskey(needs) ? (
          <>
            <Icon name="key" className="size-3.5" />
            <span className="sr-only">{approvalWords.several.needsPasskey}</span>
          </>
        ) : null}
        {needs === undefined ? null : <Slots needs={needs} />}
      </span>
    </>
  );
}

const MOST_SLOTS = 6;

/** Signatures so far: ◉○ */
function Slots({ needs }: { needs: readonly NeededSignatures[] }): ReactElement | null {
  const needed = needs.reduce((sum, { count }) => sum + count, 0);
  const signed = needs.reduce((sum, need) => sum + Math.min(need.count, need.signed.length), 0);
  if (needed === 0) return null;
  return (
    <>
      <span aria-hidden="true" className="tracking-widest">
        {needed > MOST_SLOTS ? `${signed}/${needed}` : '◉'.repeat(signed) + '○'.repeat(needed - signed)}
      </span>
      <span className="sr-only">{words.signatures(signed, needed)}</span>
    </>
  );
}

/** The last two names of a path: the beginning is the same for most folders. */
function shortFolder(path: string): string {
  const names = path.split('/').filter((name) => name !== '');
  return names.length <= 2 ? path : `…/${names.slice(-2).join('/')}`;
}
