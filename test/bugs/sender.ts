import {
  deliverBugs,
  mailDisabled,
  rescheduleDeliveries,
  retryBugs,
} from '../../src/bugs/deliveries/jobs.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { createCore } from '../../src/core/runtime/core.ts'
import { createLog } from '../../src/core/runtime/log.ts'

/**
 * A program that runs only the delivery jobs, because a small process restarts quickly after a
 * kill.
 */
const config = readConfig(process.env)
const core = await createCore(
  config,
  config.database_url!,
  [deliverBugs, retryBugs, mailDisabled, rescheduleDeliveries],
  createLog(config),
)
await core.jobs.start(core)
process.stdout.write('ready\n')
