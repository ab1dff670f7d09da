import { explain } from '../../core/runtime/reasons.ts'
import type { AssetType } from '../fields/fields.ts'
import {
  type Field,
  invalidField,
  longerThan,
  markdown,
  plainText,
  record,
  slug,
  tooLong,
  unknownField,
} from '../fields/text.ts'

export const modTypes: readonly AssetType[] = ['mod', 'plugin']
export const modLimits = { install_path: 255, instructions: 8000 } as const

export type ModSettings = { install_path: string; loader: string; instructions: string }

const fields = ['install_path', 'loader', 'instructions']

/** Validates the complete settings of a mod. Settings that are left out are cleared. */
export function checkModSettings(type: AssetType, body: unknown): ModSettings {
  if (!modTypes.includes(type))
    invalidField(
      at('mod_settings'),
      explain('mods_only', `a listing of type ${type} has none; they belong to mods and plugins`),
    )
  const settings = record(at('mod_settings'), body)
  const unknown = Object.keys(settings).find((key) => !fields.includes(key))
  if (unknown !== undefined)
    invalidField(at(unknown), unknownField(`; the fields are ${fields.join(', ')}`))
  return {
    install_path: installPath(settings.install_path),
    loader: (settings.loader ?? '') === '' ? '' : slug(at('loader'), settings.loader),
    instructions: markdown(at('instructions'), settings.instructions, modLimits.instructions),
  }
}

/**
 * Validates a path inside the folder of the game. Joined to that folder it must not lead outside of
 * it on any operating system.
 */
function installPath(value: unknown): string {
  const field = at('install_path')
  const path = plainText(field, value, Number.MAX_SAFE_INTEGER)
  if (path.includes('\\'))
    invalidField(field, explain('path_backslash', 'write the path with forward slashes'))
  if (path.startsWith('/'))
    invalidField(
      field,
      explain(
        'path_absolute',
        'write the path relative to the game folder, without a leading slash',
      ),
    )
  // On Windows, a colon marks a drive letter at the start and an alternate data stream elsewhere.
  if (path.includes(':'))
    invalidField(
      field,
      explain(
        'path_colon',
        'write the path relative to the game folder, without a drive letter or colon',
      ),
    )
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.')
  // Windows ignores dots and spaces at the end of a name, so it treats ".. " as "..".
  if (segments.some((segment) => /^[. ]+$/.test(segment)))
    invalidField(
      field,
      explain(
        'path_outside',
        'stay inside the game folder: no ".." or other segments of only dots',
      ),
    )
  const normal = segments.join('/').trim()
  return longerThan(normal, modLimits.install_path)
    ? invalidField(field, tooLong(modLimits.install_path))
    : normal
}

function at(field: string): Field {
  return { refusal: 'INVALID_MOD_SETTINGS', field }
}
