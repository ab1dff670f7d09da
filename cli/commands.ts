import type { Command } from './command.ts'
import { addfiles } from './commands/addfiles.ts'
import { build } from './commands/build.ts'
import { buildsList } from './commands/builds.ts'
import { completion } from './commands/completion.ts'
import { daemon } from './commands/daemon.ts'
import { gameCommands } from './commands/games.ts'
import { gendocs } from './commands/gendocs.ts'
import { helpCommand } from './commands/help.ts'
import { info } from './commands/info.ts'
import { mediaCommands } from './commands/media.ts'
import { push } from './commands/push.ts'
import { serve } from './commands/serve.ts'
import { status } from './commands/status.ts'
import { symbols } from './commands/symbols.ts'
import { watch } from './commands/watch.ts'
import { addchangelog, genbuild, setfiles } from './commands/write-files.ts'
import { yank } from './commands/yank.ts'

/** Every command, in the order the help lists them. */
export const commands: readonly Command[] = [
  push,
  status,
  info,
  buildsList,
  yank,
  symbols,
  serve,
  ...mediaCommands,
  genbuild,
  addchangelog,
  build,
  setfiles,
  addfiles,
  ...gameCommands,
  watch,
  daemon,
  helpCommand(() => commands),
  completion(() => commands),
  gendocs(() => commands),
]
