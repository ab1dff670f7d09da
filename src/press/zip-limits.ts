import { MIB } from '../core/runtime/units.ts'

/** Images over either limit are left out of the press zip. */
export const zipLimits = { image_bytes: 16 * MIB, total_bytes: 64 * MIB } as const
