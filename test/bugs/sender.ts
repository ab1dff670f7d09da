import {
  deliverBugs,
  mailDisabled,
  rescheduleDeliveries,
  retryBugs,
} from '../../src/bugs/deliveries/jobs.ts'
import { readConfig } from '../../src/core/runtime/config.ts'
import { createCore } from '../../src/core/runtime/core.ts'
import { createLog } from '../../src/core/runtime/log.ts'

/** Run as a program: a worker that delivers webhooks and nothing else, so that it is soon up again after it was killed. */
const config = readConfig(process.env)
const core = await createCore(
  config,
  config.database_url!,
  [deliverBugs, retryBugs, mailDisabled, rescheduleDeliveries],
  createLog(config),
)
await core.jobs.start(core)
process.stdout.write('ready\n')
