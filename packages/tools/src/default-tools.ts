import type { Tool } from '@countersign/core/ports';
import { createAgent } from './agents/create-agent.js';
import { sendMessage } from './agents/send-message.js';
import { editFile } from './files/edit-file.js';
import { grep } from './files/grep.js';
import { listFiles } from './files/list-files.js';
import { readFile } from './files/read-file.js';
import { writeFile } from './files/write-file.js';
import { askHuman } from './people/ask-human.js';
import { shellCmd } from './shell/shell-cmd.js';
import { checkShellOptions, type ShellOptions } from './shell/shell-options.js';
import { webFetch } from './web/web-fetch.js';

/** The built-in tools in every world. An agent can't use any of them until a person adds them to its list. */
export function defaultTools(options: { shell: ShellOptions }): Tool[] {
  checkShellOptions((options as { shell?: unknown } | undefined)?.shell, 'defaultTools: shell');
  const { sandbox, hide = [], undoLimits } = options.shell;
  const files = { lock: sandbox.kind === 'bubblewrap' ? sandbox.drafting : undefined, hide, undoLimits };
  return [
    readFile(),
    listFiles(),
    grep(),
    writeFile(files),
    editFile(files),
    shellCmd(options.shell),
    webFetch(),
    askHuman(),
    sendMessage(),
    createAgent(),
  ];
}
