import { refuse } from '../../core/runtime/errors.ts'
import { type Explanation, explain, withMessage } from '../../core/runtime/reasons.ts'

/** The systems of symbol files, as Breakpad names them. */
export const symbolSystems = ['windows', 'linux', 'mac', 'ios', 'android'] as const
const MAX_MODULE_NAME = 255
/** The GUID of the module, then its age. */
const DEBUG_ID = /^[0-9A-F]{32}[0-9a-fA-F]{1,8}$/
const MAX_ARCH = 32

export type SymbolModule = { os: string; arch: string; debug_id: string; module_name: string }

/** Parses the first line of a Breakpad symbol file, which names the module it belongs to. */
export function readModuleLine(line: string, file: string): SymbolModule {
  const invalid = (explanation: Explanation): never =>
    refuse(
      'INVALID_SYMBOLS',
      { file },
      withMessage(explanation, (message) => `${file}: ${message}`),
    )
  const [keyword, os = '', arch = '', debug_id = '', ...name] = line.trim().split(/\s+/)
  if (keyword !== 'MODULE' || name.length === 0)
    invalid(
      explain('symbols_module', 'the first line must be MODULE <os> <arch> <debug id> <name>'),
    )
  const system =
    symbolSystems.find((known) => known === os.toLowerCase()) ??
    invalid(
      explain('symbols_system', `unknown system; it must be one of ${symbolSystems.join(', ')}`, {
        allowed: symbolSystems.join(', '),
      }),
    )
  if (!DEBUG_ID.test(debug_id))
    invalid(
      explain(
        'symbols_debug_id',
        'the debug id must be 32 digits 0-9 and A-F, then 1 to 8 hexadecimal digits of the age',
      ),
    )
  const module_name = name.join(' ')
  if (
    module_name.length > MAX_MODULE_NAME ||
    arch.length > MAX_ARCH ||
    /[\p{Cc}\p{Cs}]/u.test(module_name + arch)
  )
    invalid(
      explain(
        'symbols_name',
        'the module name or architecture is too long or has control characters',
      ),
    )
  return { os: system, arch: arch.toLowerCase(), debug_id: debug_id.toUpperCase(), module_name }
}

/** The storage key of a symbol file. */
export const symbolKey = (game_uid: string, uid: string) => `symbols/${game_uid}/${uid}.sym`
