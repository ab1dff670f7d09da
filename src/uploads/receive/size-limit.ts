import { refuse } from '../../core/runtime/errors.ts'
import { GIB } from '../../core/runtime/units.ts'

export const refuseTooLarge = (max_bytes: number): never =>
  refuse('UPLOAD_TOO_LARGE', undefined, `The file is larger than ${max_bytes / GIB} GiB`)
