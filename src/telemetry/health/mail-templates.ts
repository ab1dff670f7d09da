import { STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import type { DropMail } from './queries.ts'

/** Names of games may contain control characters, which a subject must not. */
const oneLine = (text: string) => text.replace(/[\x00-\x1f\x7f]/g, ' ')

export const healthDropMail = (drop: DropMail): { subject: string; text: string } => ({
  subject: oneLine(`Launch health of ${drop.game_name} ${drop.version} is ${drop.band}`),
  text: `${drop.game_name} ${drop.version} starts worse than ${drop.previous_version}. \
Its launch health is ${drop.band}; that of ${drop.previous_version} is ${drop.previous_band}.

Devices in the last ${STATISTICS_DAYS} days: ${drop.devices}
Started the game: ${drop.boot_ok}
Crashed before it started: ${drop.crash_on_boot}

To investigate, open the crash reports of this build. \
To restore the previous version, roll back the stable channel.
`,
})
