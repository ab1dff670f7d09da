import { TextOf } from '../../core/http/route.ts'
import { architectures, operatingSystems } from './versions.ts'

/** The platform of a build or a file. A build that names none has empty text. */
export const OsName = TextOf([...operatingSystems, ''], 'Empty if the build names none')
export const ArchName = TextOf([...architectures, ''], 'Empty if the build names none')

/** The states of the scan of a file. */
export const scanStates = [
  'scanning',
  'clean',
  'infected',
  'error',
  'quarantined',
  'withdrawn',
] as const
export const ScanState = TextOf(scanStates)
