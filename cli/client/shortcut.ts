import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../src/core/storage/durable-files.ts'
import { UsageError } from '../errors.ts'
import { t } from '../messages.ts'
import { replaceText } from './disk.ts'

/** The folder of shortcuts, as the freedesktop.org specification has it. */
const shortcutsFolder = (env: NodeJS.ProcessEnv) =>
  join(env.XDG_DATA_HOME ?? join(env.HOME ?? '', '.local', 'share'), 'applications')

const fileName = (name: string) =>
  `slipway-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.desktop`

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
export async function writeShortcut(env: NodeJS.ProcessEnv, name: string, title: string) {
  const folder = shortcutsFolder(env)
  const command = [process.execPath, process.argv[1]!, 'launch', name].map(quoted).join(' ')
  const label = title.replace(/\p{Cc}/gu, ' ').replaceAll('\\', '\\\\')
  await makeFolder(folder)
  await replaceText(
    join(folder, fileName(name)),
    ['[Desktop Entry]', 'Type=Application', `Name=${label}`, `Exec=${command}`, 'Categories=Game;']
      .map((line) => `${line}\n`)
      .join(''),
  )
}

export const removeShortcut = (env: NodeJS.ProcessEnv, name: string) =>
  rm(join(shortcutsFolder(env), fileName(name)), { force: true })
