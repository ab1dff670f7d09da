import type { Command } from './command.ts'
import { addfiles } from './commands/addfiles.ts'
import { build } from './commands/build.ts'
import { buildsList } from './commands/builds.ts'
import { completion } from './commands/completion.ts'
import { daemon } from './commands/games/daemon.ts'
import { install } from './commands/games/install.ts'
import { launch } from './commands/games/launch.ts'
import { list } from './commands/games/list.ts'
import { login, logout } from './commands/games/login.ts'
import { repair } from './commands/games/repair.ts'
import { rollback } from './commands/games/rollback.ts'
import { uninstallCommand } from './commands/games/uninstall.ts'
import { update } from './commands/games/update.ts'
import { verify } from './commands/games/verify.ts'
import { watch } from './commands/games/watch.ts'
import { gendocs } from './commands/gendocs.ts'
import { helpCommand } from './commands/help.ts'
import { info } from './commands/info.ts'
import { mediaCommands } from './commands/media.ts'
import { push } from './commands/push.ts'
import { serve } from './commands/serve.ts'
import { status } from './commands/status.ts'
import { symbols } from './commands/symbols.ts'
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
  install,
  update,
  verify,
  repair,
  list,
  launch,
  rollback,
  uninstallCommand,
  watch,
  login,
  logout,
  daemon,
  helpCommand(() => commands),
  completion(() => commands),
  gendocs(() => commands),
]
