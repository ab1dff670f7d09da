import type { Core } from '../core/runtime/core.ts'
import { Refusal } from '../core/runtime/errors.ts'
import {
  defaultSettings,
  type SettingName,
  settingNames,
  settingsTable,
  variableOf,
} from '../core/settings/table.ts'
import { changeSettings } from '../operator/settings/change.ts'
import { AdminError, type Command, UsageError } from './command.ts'

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function listSettings({ settings, config }: Core): string {
  const width = Math.max(...settingNames.map((name) => name.length))
  return settingNames
    .map((name) => {
      const fixed = name in config.fixed_settings ? `  (fixed by ${variableOf(name)})` : ''
      return `${name.padEnd(width)}  ${textOf(settings.current[name])}${fixed}`
    })
    .join('\n')
}

function findName(text: string): SettingName {
  const name = settingNames.find((known) => known === text)
  if (name) return name
  throw new AdminError(`There is no setting ${text}; "settings" lists all of them`)
}

/** Reads a value as the environment variable of the setting does. */
function parseValue(name: SettingName, text: string): unknown {
  try {
    return settingsTable[name].parse(text)
  } catch (expectation) {
    throw new AdminError(`${name} must be ${expectation}`)
  }
}

async function change(core: Core, name: SettingName, value: unknown): Promise<string> {
  await changeSettings(core, { [name]: value }, null).catch((error) => {
    throw error instanceof Refusal ? new AdminError(error.message) : error
  })
  return `${name} is ${textOf(value ?? defaultSettings[name]) || 'empty'} now`
}

export const settingCommands: Command[] = [
  {
    name: 'settings',
    takes: '[name [value]]',
    flags: ['--default'],
    summary: 'show the settings of the store, or change one',
    help: `Without a name, lists all settings as they are in force. With a name, prints its value.
With a value, changes it; values are written as in environment variables: on or off, numbers, text,
JSON for lists. --default restores the default. Running processes follow within a second. Changes
are recorded, and settings that the environment fixes cannot be changed.

Next: the console at /operator/settings shows them to operators, with who changed what.`,
    async run({ core, args, flags }) {
      const [text, value] = args
      const restores = flags.has('--default')
      if (args.length > 2 || (restores && args.length !== 1)) throw new UsageError()
      if (text === undefined) return listSettings(core)
      const name = findName(text)
      if (restores) return change(core, name, null)
      if (value === undefined) return textOf(core.settings.current[name])
      return change(core, name, parseValue(name, value))
    },
  },
]
