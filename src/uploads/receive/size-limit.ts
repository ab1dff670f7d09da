import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { GIB } from '../../core/runtime/units.ts'

export const refuseTooLarge = (max_bytes: number): never =>
  refuse(
    'UPLOAD_TOO_LARGE',
    undefined,
    explain('file_bytes', `The file is larger than ${max_bytes / GIB} GiB`, { max_bytes }),
  )
