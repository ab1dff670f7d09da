import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { makeFolder } from '../../src/core/storage/durable-files.ts'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { realPath, replaceText } from './disk.ts'

/** The folder of shortcuts, as the freedesktop.org specification has it. */
const shortcutsFolder = (env: NodeJS.ProcessEnv) =>
  join(env.XDG_DATA_HOME ?? join(env.HOME ?? '', '.local', 'share'), 'applications')

/** A game may be installed in several folders, each with its own shortcut. */
async function fileOf(env: NodeJS.ProcessEnv, folder: string): Promise<string> {
  const path = await realPath(folder)
  const name = basename(path)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
  const hash = createHash('sha256').update(path).digest('hex').slice(0, 12)
  return join(shortcutsFolder(env), `slipway-${name}-${hash}.desktop`)
}

/** An argument of a command in a desktop entry, with its two levels of escaping. */
const quoted = (text: string) =>
  `"${text
    .replace(/(["`$\\])/g, '\\$1')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')}"`

export function checkShortcuts(): void {
  if (process.platform !== 'linux') throw new UsageError(t('games-no-shortcuts'))
}

/** Adds the game to the menu of the desktop; it starts the version that is current then. */
export async function writeShortcut(env: NodeJS.ProcessEnv, folder: string, title: string) {
  const command = [process.execPath, process.argv[1]!, 'launch', folder].map(quoted).join(' ')
  const label = title.replace(/\p{Cc}/gu, ' ').replaceAll('\\', '\\\\')
  await makeFolder(shortcutsFolder(env))
  await replaceText(
    await fileOf(env, folder),
    ['[Desktop Entry]', 'Type=Application', `Name=${label}`, `Exec=${command}`, 'Categories=Game;']
      .map((line) => `${line}\n`)
      .join(''),
  )
}

export const removeShortcut = async (env: NodeJS.ProcessEnv, folder: string) =>
  rm(await fileOf(env, folder), { force: true })
