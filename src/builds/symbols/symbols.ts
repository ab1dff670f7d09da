import { refuse } from '../../core/runtime/errors.ts'

const MIB = 1024 * 1024

export const symbolLimits = {
  max_upload_bytes: 1024 * MIB,
  max_file_bytes: 512 * MIB,
  max_unpacked_bytes: 2048 * MIB,
  max_files: 200,
  /** How far the first line may reach. */
  max_line: 4096,
} as const

const systems = ['windows', 'linux', 'mac', 'ios', 'android'] as const
const MAX_NAME = 255

export type SymbolModule = { os: string; arch: string; debug_id: string; module_name: string }

/** The first line of a Breakpad symbol file says which module of which system it is for. */
export function readModuleLine(line: string, file: string): SymbolModule {
  const invalid = (what: string): never => refuse('INVALID_SYMBOLS', { file }, `${file}: ${what}`)
  const [word, os = '', arch = '', debug_id = '', ...name] = line.trim().split(/\s+/)
  if (word !== 'MODULE' || name.length === 0)
    invalid('the first line must be MODULE <os> <arch> <debug id> <name>')
  const system =
    systems.find((one) => one === os.toLowerCase()) ??
    invalid(`unknown system; it must be one of ${systems.join(', ')}`)
  if (!/^[0-9a-f]{1,64}$/i.test(debug_id)) invalid('the debug id must be hexadecimal')
  const module_name = name.join(' ')
  if (
    module_name.length > MAX_NAME ||
    arch.length > 32 ||
    /[\p{Cc}\p{Cs}]/u.test(module_name + arch)
  )
    invalid('the module is not a name')
  return { os: system, arch: arch.toLowerCase(), debug_id: debug_id.toUpperCase(), module_name }
}

export const symbolKey = (game_uid: string, uid: string) => `symbols/${game_uid}/${uid}.sym`
